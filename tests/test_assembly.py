"""Assembly: sections, gaps and one text that keeps to the budget whatever came before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.assembly import coverage, fitted, joined, merged_gaps
from summarizer.result import Coverage, Gap, Reason, Section
from summarizer.shares import EVEN, SLACK
from summarizer_providers.tokens import get_counter
from tests.runs import count, fit
from tests.strategies import dirty_text

Entry = Section | Gap


def section(text: str, at: int = 0, source: int = 100, tokens: int | None = None) -> Section:
    size = count(text) if tokens is None else tokens
    return Section(text, size, at, at, "m", "model", 0, "f", "p", source)


def gap(first: int, last: int | None = None, reason: Reason = Reason.COST, detail: str = "") -> Gap:
    return Gap(first, first if last is None else last, reason, detail)


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    """Sections of all sizes, also blank, also with wrong token numbers, and gaps."""
    texts = draw(st.lists(st.none() | dirty_text | st.integers(0, 900).map("word ".__mul__), max_size=30))
    lies = draw(st.none() | st.sampled_from([0, 3, 10**6]))
    return [
        gap(i) if text is None else section(text, i, draw(st.integers(0, 9)), lies)
        for i, text in enumerate(texts)
    ]


def nothing(text: str, tokens: int) -> str:
    return ""


def other(text: str, tokens: int) -> str:
    """As many tokens as are allowed, of something else, with blank ends."""
    return ("\n" * tokens * 4)[: tokens * 4]


def last(text: str, tokens: int) -> str:
    return text[-tokens * 4 :]


def check(given_entries: list[Entry], result: tuple[list[Entry], str, int], budget: int) -> None:
    """What holds for every assembled result."""
    found, text, tokens = result
    assert tokens == count(text) <= budget
    assert text == joined(found)
    assert len(found) == len(given_entries)
    for before, after in zip(given_entries, found, strict=True):
        if isinstance(before, Gap) or isinstance(after, Gap):
            assert before is after
        else:
            assert replace(after, text="", tokens=0) == replace(before, text="", tokens=0)
            assert after == before or after.tokens == count(after.text)


@given(entries(), st.integers(1, 3_000), st.sampled_from([fit, nothing, other, last]))
def test_the_text_is_within_budget_and_is_its_sections(
    items: list[Entry], budget: int, shorten: object
) -> None:
    """However a text is shortened, and also where sections of an earlier result were counted differently."""
    check(items, fitted(items, budget, count, shorten), budget)  # type: ignore[arg-type]


@given(entries(), st.integers(1, 3_000), st.sampled_from([0.01, 1.0, 7.5]))
def test_a_text_that_grows_is_within_budget_too(items: list[Entry], budget: int, recent: float) -> None:
    check(items, fitted(items, budget, count, fit, recent=recent, rolling=True), budget)


def test_a_text_that_grows_is_shortened_once_for_many_steps() -> None:
    """To half of its budget, all ages alike, so that the next steps need not shorten it again."""
    items: list[Entry] = [section(lines(100), i) for i in range(10)]
    found, _, tokens = fitted(items, 3_000, count, fit, rolling=True)
    assert 1_200 <= tokens <= 1_500
    sizes = [entry.tokens for entry in found if isinstance(entry, Section)]
    assert max(sizes) <= 1.1 * min(sizes)


def test_what_is_new_squeezes_nothing_out() -> None:
    """A new section that is many times as long as older ones for what it stands for is shortened although
    there is room: else those would have to give way soon."""
    old: list[Entry] = [section(lines(60), i, 10_000) for i in range(4)]
    found, _, _ = fitted([*old, section(lines(300), 4, 10_000)], 4_000, count, fit, rolling=True)
    assert found[:4] == old
    last = found[4]
    assert isinstance(last, Section)
    assert 600 * 0.9 <= last.tokens <= EVEN * SLACK * 4_000 / 5 == 600


def test_records_as_they_are_stay_as_they_are_while_there_is_room() -> None:
    items: list[Entry] = [section(lines(60), i, 10_000) for i in range(4)]
    items.append(replace(section(lines(80), 4, 500), method="verbatim"))
    assert fitted(items, 4_000, count, fit, rolling=True)[0] == items


def test_the_recent_past_keeps_more_where_it_is_asked_for() -> None:
    items: list[Entry] = [section(lines(100), i) for i in range(10)]
    found, _, _ = fitted(items, 2_000, count, fit, recent=4.0)
    sizes = [entry.tokens for entry in found if isinstance(entry, Section)]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 2.5 * sizes[0]


@given(entries(), st.integers(16, 3_000))
def test_it_holds_for_a_real_counter(items: list[Entry], budget: int) -> None:
    """Tokens of a whole are not the sum of those of its parts."""
    counter = get_counter()
    found, text, tokens = fitted(items, budget, counter.count, counter.head)
    assert tokens == counter.count(text) <= budget
    assert text == joined(found)


@given(entries())
def test_what_fits_stays_as_it_is(items: list[Entry]) -> None:
    text = joined(items)
    assert fitted(items, max(1, count(text)), count, nothing) == (items, text, count(text))


def lines(number: int, word: str = "salt") -> str:
    return "\n".join(f"{word} number {i:>5}" for i in range(number))


def test_the_longest_sections_give_way_first() -> None:
    """A short section is not shortened so that a long one may keep more."""
    items: list[Entry] = [section(lines(5), 0), section(lines(500), 1), section(lines(400), 2)]
    found, _, tokens = fitted(items, 400, count, fit)
    assert found[0] == items[0]
    sizes = [entry.tokens for entry in found if isinstance(entry, Section)]
    assert sizes[1] == pytest.approx(sizes[2], abs=10)
    assert tokens >= 360


def test_the_budget_is_used() -> None:
    """Shortening goes no further than it must."""
    for budget in (50, 100, 400, 1_000, 2_000):
        _, _, tokens = fitted([section(lines(500), 0), section(lines(500), 1)], budget, count, fit)
        assert tokens >= budget * 0.8


def test_many_sections_for_a_small_budget_do_not_end_in_nothing() -> None:
    """A run that was stopped early has many sections: those that stand for most keep a sentence or more."""
    items: list[Entry] = [section(lines(30), i, 1_000 if i in (3, 77) else 50) for i in range(200)]
    found, text, tokens = fitted(items, 40, count, fit)
    check(items, (found, text, tokens), 40)
    assert [i for i, entry in enumerate(found) if isinstance(entry, Section) and entry.text] == [3, 77]
    assert tokens >= 20


def test_blank_sections_leave_no_blank_lines() -> None:
    items: list[Entry] = [section(""), section("a"), gap(2), section(""), section("b")]
    assert joined(items) == "a\n\nb"
    assert joined([]) == joined([section("")]) == ""


def test_coverage_counts_records() -> None:
    items: list[Entry] = [replace(section("a"), first=0, last=4), gap(5, 6), section("b", 7)]
    assert coverage(items) == Coverage(6, 2, 8)
    assert coverage([]) == Coverage(0, 0, 0)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([gap(0), gap(1), gap(2, 5)], [gap(0, 5)]),
        ([gap(0), section("a", 1), gap(2)], [gap(0), section("a", 1), gap(2)]),
        ([gap(0), gap(1, 1, Reason.BLOCKED)], [gap(0), gap(1, 1, Reason.BLOCKED)]),
        ([gap(0), gap(1, 1, detail="other")], [gap(0), gap(1, 1, detail="other")]),
        ([], []),
    ],
)
def test_neighbouring_gaps_of_one_cause_are_told_as_one(items: list[Entry], expected: list[Entry]) -> None:
    assert merged_gaps(items) == expected
