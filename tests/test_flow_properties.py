"""The flow under models of every temper: whatever they do, each result at each moment is whole.

A hundred runs by default; ``make properties`` makes 200,000 of them.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from summarizer.budget import Budget
from summarizer.flow import Flow
from summarizer.result import Complete, Partial
from summarizer_providers.bounds import Limits
from summarizer_providers.transports.script import Script
from tests.runs import check, from_scripts, job, play, scripted, session, units_of

scripts = st.builds(
    Script,
    seed=st.integers(0, 99),
    ceiling=st.sampled_from([1, 7, 60, 300, 1_000, 4_000, 50_000]),
    later_ceiling=st.sampled_from([1, 100, 2_000]),
    moves_at=st.sampled_from([0, 0, 3, 10]),
    window=st.sampled_from([500, 2_000, 8_000, 128_000]),
    over_max=st.sampled_from(["clamp", "reject"]),
    hide_length=st.booleans(),
    verbosity=st.sampled_from([0.0, 0.3, 1.0, 2.0, 50.0]),
    fixed=st.sampled_from([0, 0, 400]),
    obey=st.booleans(),
    filler=st.sampled_from([0.0, 5.0]),
    reasoning=st.sampled_from([0, 0, 200, 2_000]),
    fail_rate=st.sampled_from([0.0, 0.2, 0.9]),
    rate_limit_rate=st.sampled_from([0.0, 0.3]),
    drop_rate=st.sampled_from([0.0, 0.2]),
    garbage_rate=st.sampled_from([0.0, 0.1]),
    empty_rate=st.sampled_from([0.0, 0.3, 1.0]),
    blank_rate=st.sampled_from([0.0, 0.3]),
    fail_first=st.sampled_from([0, 4]),
    outage=st.sampled_from(["", "3-8", "2-"]),
    poison=st.sampled_from(["", "", "north north"]),
    tokenizer=st.just("fast"),
)


RUNS = int(os.environ.get("FLOW_RUNS", "100"))


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=RUNS)
@given(
    scripts=st.lists(scripts, min_size=1, max_size=3),
    records=st.integers(1, 60),
    words=st.sampled_from([0, 3, 40, 900]),
    facts=st.integers(0, 40),
    budget=st.sampled_from([16, 40, 300, 2_000, 20_000]),
    shape=st.sampled_from(["auto", "sections", "one"]),
    chunk=st.sampled_from([None, 256, 2_000]),
    limits=st.sampled_from([{}, {"max_calls": 5}, {"deadline": 7.0}, {"max_cost": 0.01}]),
    told=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_no_behaviour_of_models_breaks_a_run(
    scripts: list[Script],
    records: int,
    words: int,
    facts: int,
    budget: int,
    shape: str,
    chunk: int | None,
    limits: dict[str, object],
    told: bool,
    seed: int,
) -> None:
    """It ends; within the limit of calls; every result at every moment is whole and within budget."""
    texts = session(records, min(facts, records), words, seed % 4)
    names = {f"scripted/{i}": script for i, script in enumerate(scripts)}
    ladder = [scripted(s, name, None if told else Limits(scale=1.0)) for name, s in names.items()]
    flow = Flow(units_of(texts), ladder, job(Budget(budget, shape), chunk_tokens=chunk, **limits))
    covered: list[set[int]] = [set()]

    def look(result: Complete | Partial) -> None:
        check(result, records, budget, written=len(covered) % 16 == 1)
        now = {i for section in result.sections for i in range(section.first, section.last + 1)}
        assert covered[-1] <= now, "what was covered stays covered"
        covered.append(now)

    result = play(flow, from_scripts(names), seed, look)
    look(result)
    check(result, records, budget)
    assert result.usage.calls <= flow.max_calls
    if "max_cost" in limits:
        assert (result.usage.cost or 0.0) <= 0.01
