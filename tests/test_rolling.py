"""Rolling: a digest that grows with its session costs little more than reading what is new, keeps its
beginning as it is most of the time, and forgets no age more than another."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks import rolling
from benchmarks.planted import facts_in, said, session
from benchmarks.provider import VariedTransport
from summarizer import (
    Budget,
    Complete,
    InvalidResult,
    Model,
    Partial,
    Section,
    Settings,
    Summarizer,
    load_result,
)
from summarizer.flow import Flow
from summarizer_providers.bounds import Limits
from summarizer_providers.client import Client
from tests.runs import check, count, from_scripts, job, play, scripted, units_of
from tests.runs import session as texts_of
from tests.test_flow_properties import scripts

OBEYS = "ceiling=4096"


class Session:
    """A session that is compacted into a digest, part by part."""

    def __init__(self, script: str, folder: Any) -> None:
        self.digest: Complete | Partial | None = None
        self.texts: list[str] = []
        self.read: list[int] = []
        self.sections: list[tuple[Section, ...]] = []
        self.notices: set[str] = set()
        model = Model(f"scripted/model,{script}", context_window=128_000)
        given = Settings(data_dir=str(folder), models=[model], journal="off")
        self._summarizer = Summarizer(given, client=Client({"scripted": VariedTransport()}))

    def compact(self, records: Any, budget: int | Budget, **more: Any) -> Complete | Partial:
        self.digest = self._summarizer.summarize(records, budget, previous=self.digest, **more)
        self.texts.append(self.digest.text)
        self.read.append(self.digest.usage.input_tokens)
        self.sections.append(self.digest.sections)
        self.notices |= {notice.code for notice in self.digest.notices}
        return self.digest

    def unchanged(self) -> list[bool]:
        """Whether each step left the first quarter of the text as it was."""
        pairs = zip(self.texts, self.texts[1:], strict=False)
        return [after.startswith(before[: len(before) // 4]) for before, after in pairs]


def parts(tokens: int, steps: int, facts: int) -> list[list[Any]]:
    """A session's messages in parts of like size."""
    messages = list(session(tokens, facts, a_message=100).messages)
    each = -(-len(messages) // steps)
    return [messages[at : at + each] for at in range(0, len(messages), each)]


@pytest.mark.parametrize("script", [OBEYS, f"{OBEYS},verbosity=2", f"{OBEYS},fixed=200", "ceiling=1000"])
def test_the_beginning_changes_rarely_and_no_age_is_forgotten(script: str, tmp_path: Any) -> None:
    """Thirty steps: a provider's cache of the prompt holds in four of five, whatever the model's manners."""
    grown, given = Session(script, tmp_path), parts(90_000, 30, 600)
    for part in given:
        result = grown.compact(part, 6_000)
        assert isinstance(result, Complete)
        assert result.tokens <= 6_000
    assert sum(grown.unchanged()) >= 0.8 * 29
    held, ages = facts_in(grown.texts[-1]), []
    for at in range(0, 30, 3):
        facts = facts_in("\n".join(said(message) for part in given[at : at + 3] for message in part))
        ages.append(sum(fact in held for fact in facts) / len(facts))
    assert min(ages) >= 0.5 * max(ages) > 0


def test_a_text_is_read_again_a_few_times_only(tmp_path: Any) -> None:
    """What merges read, prompts left out, is a few times the budget: once for each time that the session has
    doubled."""
    grown, given = Session(OBEYS, tmp_path), parts(90_000, 30, 300)
    calls = sum(grown.compact(part, 6_000).usage.calls for part in given)
    assert sum(grown.read) - calls * 620 <= 90_000 + 4.5 * 6_000
    assert max(section.level for section in grown.sections[-1]) <= 5


def test_what_stands_is_kept_to_the_letter(tmp_path: Any) -> None:
    """Between two rewrites every section that was there is there still, and one is added."""
    grown = Session(OBEYS, tmp_path)
    for part in parts(60_000, 20, 100):
        grown.compact(part, 6_000)
    kept = [
        after[: len(before)] == before
        for before, after in zip(grown.sections, grown.sections[1:], strict=False)
    ]
    assert sum(kept) >= 15


def test_small_increments_do_not_end_in_crumbs(tmp_path: Any) -> None:
    """Where a share is too small to be worth reading, neighbours become one section."""
    grown, given = Session(OBEYS, tmp_path), parts(60_000, 60, 100)
    for part in given:
        result = grown.compact(part, 2_000)
    assert isinstance(result, Complete)
    assert len(result.sections) <= 25
    merged = [section.tokens for section in result.sections if section.level]
    assert min(merged) >= 50


def test_the_recent_past_can_have_more_room(tmp_path: Any) -> None:
    """Four times as much for the newest as for the oldest, or the other way round; or equal room for all."""
    shares = {}
    for recent in (0.25, 1.0, 4.0):
        grown = Session(OBEYS, tmp_path / str(recent))
        for part in parts(60_000, 20, 1_000):
            result = grown.compact(part, Budget(6_000, recent=recent))
        half = sum(s.tokens for s in result.sections if s.first < result.coverage.total // 2)
        shares[recent] = half / result.tokens
    assert shares[4.0] < 0.42 < shares[1.0] < 0.58 < shares[0.25]


def test_focus_may_differ_from_one_step_to_the_next(tmp_path: Any) -> None:
    """It counts for what is written from then on."""
    grown, given = Session(OBEYS, tmp_path), parts(20_000, 4, 20)
    for part, focus in zip(given, ["the kiln", None, "the weir", None], strict=False):
        result = grown.compact(part, 3_000, focus=focus)
    assert isinstance(result, Complete)
    assert result.coverage.total == sum(map(len, given))


def test_a_verbatim_beginning_is_summarized_in_pieces(tmp_path: Any) -> None:
    """What fitted the budget as it was is longer than one call writes: several write it again, in order."""
    grown, given = Session("ceiling=600", tmp_path), parts(12_000, 2, 60)
    assert grown.compact(given[0], 6_500).sections[0].method == "verbatim"
    result = grown.compact(given[1], 6_500)
    first = result.sections[0]
    assert (first.method, first.level) == ("merged", 1)
    assert first.tokens > 600
    held = list(facts_in(first.text))
    planted = list(facts_in("\n".join(map(said, given[0]))))
    assert held == [fact for fact in planted if fact in held] != []


def test_a_model_that_will_not_shorten_costs_no_calls_without_end(tmp_path: Any) -> None:
    """Then whole sentences are left out, of all ages alike, so many that this lasts for a while."""
    grown = Session("ceiling=4096,obey=no,verbosity=3", tmp_path)
    for part in parts(45_000, 15, 1_500):
        result = grown.compact(part, 3_000)
        assert result.usage.calls <= 30
    assert isinstance(result, Complete)
    assert "shortened" in grown.notices
    assert sum(grown.unchanged()) >= 0.6 * 14


def test_a_gap_and_new_records_go_on_together(tmp_path: Any) -> None:
    """What a filter refused stays a gap at its place while the session grows, and can be given again."""
    grown, given = Session(f"{OBEYS},poison=POISON", tmp_path), parts(24_000, 8, 40)
    given[2] = [*given[2], {"role": "user", "content": "POISON"}]
    everything: list[Any] = []
    for part in given:
        missing = grown.digest.missing(everything) if isinstance(grown.digest, Partial) else []
        everything += part
        result = grown.compact([*missing, *part], 3_000)
    assert isinstance(result, Partial)
    assert [everything[gap.first]["content"] for gap in result.gaps] == ["POISON"]
    assert result.coverage.total == len(everything)


def test_a_result_of_an_older_version_is_gone_on_from(tmp_path: Any) -> None:
    """Its JSON need not tell what later versions added; one of a newer version is refused in one line."""
    grown, given = Session(OBEYS, tmp_path), parts(18_000, 3, 40)
    for part in given[:2]:
        body = json.loads(grown.compact(part, 2_000).to_json())
    for section in body["sections"]:
        del section["source_tokens"]
    del body["notices"], body["degraded"]
    grown.digest = load_result(body)
    result = grown.compact(given[2], 2_000)
    assert isinstance(result, Complete)
    old, new = result.sections[0], result.sections[-1]
    assert old.tokens / old.last > 0.2 * new.tokens / (new.last - new.first + 1)
    with pytest.raises(InvalidResult, match="newer than"):
        load_result({**body, "version": body["version"] + 1})


def _checked(total: int, budget: int, result: Complete | Partial) -> None:
    check(result, total, budget, written=False)


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=30)
@given(
    script=scripts,
    budgets=st.lists(st.sampled_from([16, 40, 300, 2_000]), min_size=2, max_size=5),
    words=st.sampled_from([3, 40, 300]),
    shape=st.sampled_from(["auto", "one"]),
    recent=st.sampled_from([0.1, 1.0, 5.0]),
    told=st.booleans(),
)
def test_no_behaviour_of_models_breaks_a_digest(
    script: Any, budgets: list[int], words: int, shape: Any, recent: float, told: bool
) -> None:
    """Whatever they do and however budgets change, each result at each moment is whole and within budget."""
    known: tuple[Section, ...] = ()
    texts: list[str] = []
    for step, budget in enumerate(budgets):
        new = list(texts_of(10, 3, words, step))
        missing = [i for i in range(len(texts)) if not any(s.first <= i <= s.last for s in known)]
        texts += new
        places = [*missing, *range(len(texts) - len(new), len(texts))]
        units = [
            replace(unit, position=i)
            for i, unit in zip(places, units_of([texts[i] for i in places]), strict=True)
        ]
        ladder = [scripted(script, "scripted/0", None if told else Limits(scale=1.0))]
        given_job = job(Budget(budget, shape, recent), rolling=bool(known))
        flow = Flow(units, ladder, given_job, known)
        total = len(texts)
        result = play(flow, from_scripts({"scripted/0": script}), step, partial(_checked, total, budget))
        check(result, total, budget)
        known = tuple(replace(s, tokens=count(s.text)) for s in result.sections)


def test_the_benchmark_reaches_its_marks() -> None:
    """A small case of ``python -m benchmarks.rolling``, in which prompts weigh more than in a large one."""
    case = rolling.Case("small", 60_000, 3_000, 100, "ceiling=10000")
    row, steps = rolling.measure(case, session(60_000, 100))
    assert len(steps) == 30
    assert (row.status, row.short) in (("complete", []), ("complete", ["input"]))
