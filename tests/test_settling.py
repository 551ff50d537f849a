"""A steady text: what was told of its sections at the front stays, whatever models do afterwards."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from summarizer import assembly
from summarizer.budget import Budget
from summarizer.flow import Flow
from summarizer.result import Complete, Gap, Reason, Section
from summarizer.settling import fitted_behind, settled, taken_by
from summarizer_providers.bounds import Limits
from summarizer_providers.transports.script import Script
from tests.runs import check, count, fit, from_scripts, job, play, scripted, session, units_of
from tests.test_flow_properties import scripts

STEADY = Budget(1_000, steady=True)
RUNS = int(os.environ.get("FLOW_RUNS", "100"))


def section(at: int, tokens: int, source: int = 1_000) -> Section:
    text = " ".join(["salt"] * max(1, tokens * 4 // 5))
    return Section(text, tokens, at, at, "m", "model", 0, "f", "p", source)


def sections(*sizes: int) -> list[Section]:
    return [section(i, tokens) for i, tokens in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "budget", "kept"),
    [
        ((98, 98, 98), STEADY, 3),
        ((150, 98, 98), STEADY, 3),  # a little more than its share, which the rest hardly feels
        ((400, 98, 98), STEADY, 0),
        ((98, 400, 98), STEADY, 1),
        ((20, 170, 98), STEADY, 3),  # what the first left
        ((98, 98, 98), Budget(1_000), 0),
        ((98, 98, 98), Budget(1_000, "one", steady=True), 0),
    ],
)
def test_what_settles(sizes: tuple[int, ...], budget: Budget, kept: int) -> None:
    """Of ten thousand tokens in ten sections, those that leave the rest nearly its share."""
    assert settled(sections(*sizes), 10_000, budget) == kept


def test_nothing_settles_behind_a_gap() -> None:
    """It may still be filled."""
    entries = [section(0, 90), Gap(1, 1, Reason.BLOCKED, ""), section(2, 90)]
    assert settled(entries, 10_000, STEADY) == 1


def test_what_has_settled_is_not_shortened_and_the_rest_is() -> None:
    """The text keeps to its budget, and begins with what was told of."""
    entries = [section(0, 40, 100), section(1, 400, 450), section(2, 400, 450)]
    budget = Budget(300, steady=True)
    assert settled(entries, 1_000, budget) == 1
    found = fitted_behind(1, entries, budget, count, fit)
    assert found is not None
    whole, text, tokens = found
    assert whole[0] == entries[0]
    assert text.startswith(entries[0].text + assembly.SEPARATOR)
    assert 250 < tokens <= 300
    assert taken_by(entries[:1]) == 42


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=RUNS)
@given(
    scripts=st.lists(scripts, min_size=1, max_size=3),
    records=st.integers(1, 40),
    words=st.sampled_from([0, 3, 40, 900]),
    budget=st.sampled_from([16, 300, 2_000, 20_000]),
    shape=st.sampled_from(["auto", "sections", "one"]),
    chunk=st.sampled_from([None, 256, 2_000]),
    limits=st.sampled_from([{}, {"max_calls": 5}, {"deadline": 7.0}]),
    seed=st.integers(0, 2**16),
)
def test_the_text_begins_with_what_was_told(
    scripts: list[Script],
    records: int,
    words: int,
    budget: int,
    shape: str,
    chunk: int | None,
    limits: dict[str, object],
    seed: int,
) -> None:
    """Whatever models do, the result is within its budget and begins with the sections that were final."""
    names = {f"scripted/{i}": script for i, script in enumerate(scripts)}
    ladder = [scripted(script, name, Limits(scale=1.0)) for name, script in names.items()]
    wish = job(Budget(budget, shape, steady=True), chunk_tokens=chunk, **limits)  # type: ignore[arg-type]
    flow = Flow(units_of(session(records, 5 % records, words, seed % 4)), ladder, wish)
    told: list[Section] = []
    result = play(flow, from_scripts(names), seed, lambda _: told.extend(flow.settled()))
    told.extend(flow.settled())
    check(result, records, budget)
    assert tuple(told) == result.sections[: len(told)]
    assert result.text.startswith(assembly.joined(told))


def test_a_reader_can_begin_before_the_end() -> None:
    """Sections of a model that keeps to lengths are told of as they come, in order."""
    script = Script(tokenizer="fast", ceiling=2_000)
    flow = Flow(
        units_of(session(300)), [scripted(script)], job(Budget(4_000, steady=True), chunk_tokens=2_000)
    )
    seen: list[int] = []
    told: list[Section] = []

    def look(result: object) -> None:
        told.extend(flow.settled())
        seen.append(len(told))

    result = play(flow, from_scripts({"scripted/model": script}), 3, look)
    assert isinstance(result, Complete)
    assert 1 < seen[-1] < len(result.sections)
    assert [each.first for each in told] == sorted(each.first for each in told)
