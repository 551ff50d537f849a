"""Going on from an earlier result: what it lacks, what is new, and a budget that may have changed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from summarizer import (
    Complete,
    Coverage,
    Gap,
    InvalidRecords,
    Partial,
    Reason,
    Section,
    Settings,
    Summarizer,
    Usage,
    load_result,
    summarize,
)
from summarizer_providers.client import Client
from summarizer_providers.tokens import get_counter
from summarizer_providers.transports.scripted import ScriptedTransport
from tests.shell import MODEL, facts, session

POISON = "scripted/poison=POISON"
count = get_counter().count


def check(result: Complete | Partial, total: int, budget: int) -> None:
    """What every result is: within budget, each record in one section or gap, the same after JSON."""
    assert count(result.text) == result.tokens <= budget == result.budget
    entries: list[Section | Gap] = [*result.sections, *getattr(result, "gaps", ())]
    seen = [i for e in sorted(entries, key=lambda e: e.first) for i in range(e.first, e.last + 1)]
    assert seen == list(range(total))
    assert result.coverage.total == total
    assert load_result(result.to_json()) == result


@pytest.fixture
def transport() -> ScriptedTransport:
    return ScriptedTransport()


@pytest.fixture
def run(transport: ScriptedTransport) -> Any:
    """``summarize`` on scripted models, whose calls the fixture ``transport`` counts."""
    return Summarizer(Settings(), client=Client({"scripted": transport})).summarize


# Going on --------------------------------------------------------------------------------------------------


def partial_of(
    run: Any, total: int = 40, poisoned: tuple[int, ...] = (7, 8, 25)
) -> tuple[Partial, list[str]]:
    """A result with gaps at some records, and the full list."""
    texts = session(total)
    poison = [f"{text} POISON" if i in poisoned else text for i, text in enumerate(texts)]
    result = run(poison, 1_200, models=[POISON])
    assert isinstance(result, Partial)
    assert [i for gap in result.gaps for i in range(gap.first, gap.last + 1)] == list(poisoned)
    return result, texts


def test_a_run_goes_on_and_completes(run: Any, transport: ScriptedTransport) -> None:
    """Gaps' records keep their positions, new ones go on from the end; nothing is read twice."""
    before, texts = partial_of(run)
    sent = transport.count
    result = run([*before.missing(texts), *session(5, 40)], 2_000, models=[MODEL], previous=before)
    check(result, 45, 2_000)
    assert isinstance(result, Complete)
    assert facts(result.text) == list(range(45))
    assert result.usage.calls == transport.count - sent <= 3


def test_only_the_gaps_or_the_gaps_and_blanks(run: Any) -> None:
    """Going on needs nothing new, and new records may be blank."""
    before, texts = partial_of(run)
    for more in ([], [""], ["", " "]):
        result = run([*before.missing(texts), *more], 2_000, models=[MODEL], previous=before)
        check(result, 40 + len(more), 2_000)
        assert isinstance(result, Complete)
        assert facts(result.text) == list(range(40))


def test_a_gap_can_stay_a_gap(run: Any) -> None:
    """What is refused again is missing again, at its own position."""
    before, texts = partial_of(run)
    again = [f"{text} POISON" for text in before.missing(texts)]
    result = run(again, 900, models=[POISON], previous=before)
    check(result, 40, 900)
    assert isinstance(result, Partial)
    assert [i for gap in result.gaps for i in range(gap.first, gap.last + 1)] == [7, 8, 25]


@pytest.mark.parametrize("given", [0, 1, 2])
def test_fewer_records_than_are_missing_are_a_mistake(
    run: Any, transport: ScriptedTransport, given: int
) -> None:
    """It is not guessed which ones they are."""
    before, texts = partial_of(run)
    sent = transport.count
    with pytest.raises(
        InvalidRecords, match=f"previous misses 3 records, expected at least these, got {given}"
    ):
        run(before.missing(texts)[:given], 900, models=[MODEL], previous=before)
    assert transport.count == sent


@pytest.mark.parametrize("budget", [900, 5_000])
def test_a_complete_result_comes_back_as_it_is(run: Any, transport: ScriptedTransport, budget: int) -> None:
    """Nothing missing, nothing new, and it fits: the same text, with this run's usage."""
    before = run(session(30), 900, models=[MODEL])
    sent = transport.count
    result = run([], budget, models=[MODEL], previous=before)
    assert result == replace(before, budget=budget, usage=Usage())
    assert transport.count == sent


@pytest.mark.parametrize("budget", [16, 100, 500])
def test_a_result_that_does_not_fit_any_more_is_shortened(run: Any, budget: int) -> None:
    """A smaller budget holds for what was written before, too."""
    before = run(session(60), 3_000, models=[MODEL])
    assert before.tokens > 500
    result = run([], budget, models=[MODEL], previous=before)
    check(result, 60, budget)
    assert isinstance(result, Complete)
    assert result.text


def test_a_verbatim_result_is_shortened_too(run: Any) -> None:
    """It was never summarized; now it has to be."""
    before = run(session(30), 5_000, models=[MODEL])
    assert before.sections[0].method == "verbatim"
    result = run([], 700, models=[MODEL], previous=before)
    check(result, 30, 700)
    assert facts(result.text) == list(range(30))


def test_new_records_that_fit_beside_what_is_there_need_no_call(
    run: Any, transport: ScriptedTransport
) -> None:
    """As it is for records that fit from the start."""
    before = run(session(30), 900, models=[MODEL])
    sent = transport.count
    result = run(session(3, 30), before.tokens + 300, models=[MODEL], previous=before)
    check(result, 33, before.tokens + 300)
    assert transport.count == sent
    assert result.text == "\n\n".join([before.text, *session(3, 30)])
    assert [s.method for s in result.sections][-1] == "verbatim"


def test_a_rolling_session_stays_within_budget(run: Any) -> None:
    """Twelve times new records on top of the last result: all are covered, the text never grows too long."""
    result = run(session(20), 1_500, models=[MODEL])
    for turn in range(1, 12):
        result = run(session(20, 20 * turn), 1_500, models=[MODEL], previous=result)
        check(result, 20 * (turn + 1), 1_500)
        assert isinstance(result, Complete)
    assert {i // 20 for i in facts(result.text)} >= {11}


def test_a_result_without_a_text_can_be_gone_on_from(run: Any) -> None:
    """Everything was a gap: it is a run from the start."""
    before = run(session(30), 900, models=["scripted/fail_rate=1,latency=0"], deadline=1e-9)
    assert (before.text, before.coverage.missing) == ("", 30)
    result = run(session(30), 900, models=[MODEL], previous=before)
    check(result, 30, 900)
    assert facts(result.text) == list(range(30))


def test_an_empty_result_can_be_gone_on_from(run: Any) -> None:
    """A session that had not begun."""
    before = run([], 900)
    assert run([], 900, previous=before) == before
    result = run(session(30), 900, models=[MODEL], previous=before)
    check(result, 30, 900)


def test_another_process_goes_on_from_the_json(run: Any, tmp_path: Path) -> None:
    """The JSON is all that has to be kept."""
    before, texts = partial_of(run)
    (tmp_path / "before.json").write_text(before.to_json())
    (tmp_path / "missing.json").write_text(json.dumps(before.missing(texts)))
    code = (
        "import json, summarizer\n"
        "before = summarizer.Partial.from_json(open('before.json').read())\n"
        "records = json.load(open('missing.json'))\n"
        "result = summarizer.summarize(records, 1200, models=['scripted/small'], previous=before)\n"
        "print(result.to_json())\n"
    )
    environment = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    result = load_result(ran.stdout)
    check(result, 40, 1_200)
    assert isinstance(result, Complete)


def section(first: int, last: int) -> Section:
    """A section as a file might hold it."""
    return Section("text", 1, first, last, None, "model", 0, "f", "p")


@pytest.mark.parametrize(
    "previous",
    [
        "text",
        {"status": "complete"},
        Complete("text", 1, 99, (section(0, 3), section(3, 5)), Coverage(6, 0, 6), Usage()),
        Complete("text", 1, 99, (section(0, 3), section(5, 6)), Coverage(7, 0, 7), Usage()),
        Complete("text", 1, 99, (section(1, 3),), Coverage(3, 0, 3), Usage()),
        Complete("text", 1, 99, (section(0, 3),), Coverage(9, 0, 9), Usage()),
        Complete("text", 1, 99, (section(0, -1),), Coverage(0, 0, 0), Usage()),
        Partial("text", 1, 99, (section(0, 3),), Coverage(4, 10**12, 10**12), Usage()),
        Partial(
            "text",
            1,
            99,
            (section(0, 3),),
            Coverage(4, 0, 6),
            Usage(),
            gaps=(Gap(4, 5, Reason.COST, ""),),
        ),
    ],
)
def test_a_previous_result_that_is_none_is_named(run: Any, previous: Any) -> None:
    """It may come from a file that somebody edited."""
    with pytest.raises(InvalidRecords, match=r"^previous: .*expected "):
        run(session(3), 900, previous=previous)


def test_a_previous_result_counted_otherwise_is_counted_anew(run: Any) -> None:
    """Another counter, or numbers that are not true: the budget holds all the same."""
    before = run(session(60), 3_000, models=[MODEL])
    sections = tuple(replace(s, tokens=0) for s in before.sections)
    result = run([], 300, models=[MODEL], previous=replace(before, tokens=0, sections=sections))
    check(result, 60, 300)
    assert result.text


def test_the_module_level_call_is_the_same() -> None:
    """``summarize`` reads the settings and does the rest as the method does."""
    result = summarize(session(30), 900, models=[MODEL], settings=Settings(chunk_tokens=512))
    check(result, 30, 900)
    assert result.usage.calls > 1


def test_records_that_are_given_again_are_noticed() -> None:
    """The whole list with ``previous`` would count everything twice: a notice says what to pass instead."""
    texts = session(30)
    before = summarize(texts, 900, models=[MODEL])
    again = summarize([*texts, "one more"], 1_500, models=[MODEL], previous=before)
    assert "given_again" in [notice.code for notice in again.notices]
    fresh = summarize(["one more"], 1_500, models=[MODEL], previous=before)
    assert "given_again" not in [notice.code for notice in fresh.notices]
