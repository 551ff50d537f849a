"""Merging: which neighbours come together, so that the text fits its budget in few rounds."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.merging import Merge, plan_merges, plan_rewrite
from summarizer.result import Gap, Reason, Section

Entry = Section | Gap


def section(tokens: int, level: int = 0) -> Section:
    return Section("", tokens, 0, 0, "m", "model", level, "f", "p")


def of(tokens: int, source: int, level: int = 0) -> Section:
    """A section of so many tokens that stands for so many."""
    return replace(section(tokens, level), source_tokens=source)


GAP = Gap(0, 0, Reason.BLOCKED, "")
entries = st.lists(st.builds(section, st.integers(0, 5_000), st.integers(0, 4)) | st.just(GAP), max_size=40)
budgets = st.integers(16, 20_000)
reads = st.integers(64, 64_000)
writes = st.integers(1, 16_000)


def total(items: list[Entry]) -> int:
    return sum(item.tokens for item in items if isinstance(item, Section))


def merged(items: list[Entry], merges: list[Merge], longer: float = 1.0) -> list[Entry]:
    """The entries after merges whose models keep to their targets, or write ``longer`` texts."""
    result = list(items)
    for merge in reversed(merges):
        parts = [item for item in items[merge.first : merge.last + 1] if isinstance(item, Section)]
        level = max(part.level for part in parts) + 1
        source = sum(part.source_tokens for part in parts)
        result[merge.first : merge.last + 1] = [of(int(merge.target * longer), source, level)]
    return result


@pytest.mark.parametrize(
    ("items", "budget", "read", "expected"),
    [
        ([], 100, 1_000, []),
        ([section(500)], 100, 1_000, []),
        ([section(50), section(50)], 100, 1_000, []),
        ([section(60), section(60)], 100, 1_000, [Merge(0, 1, 100)]),
        ([section(900), section(900)], 100, 1_000, []),
        ([section(60), GAP, section(60)], 100, 1_000, []),
        (
            [section(60), section(60), GAP, section(60), section(60)],
            150,
            1_000,
            [Merge(0, 1, 75), Merge(3, 4, 75)],
        ),
        ([section(300)] * 40, 500, 64_000, [Merge(0, 39, 500)]),
        ([section(100)] * 4, 390, 1_000, [Merge(0, 1, 180)]),
        ([section(500), section(100), section(100), section(500)], 1_150, 2_000, [Merge(1, 2, 150)]),
    ],
)
def test_the_obvious_cases(items: list[Entry], budget: int, read: int, expected: list[Merge]) -> None:
    """Nothing where all fits, one call where one can read all, and never across a gap."""
    assert plan_merges(items, budget, read, 10_000) == expected


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([2, 1, 0, 0], (2, 3)),
        ([0, 0, 1, 2], (0, 1)),
        ([3, 0, 0, 0, 3], (1, 2)),
        ([1, 1, 2, 2], (0, 1)),
    ],
)
def test_what_was_merged_least_is_merged_first(levels: list[int], expected: tuple[int, int]) -> None:
    """A text that grows merges its young sections; the old ones are not read again each time."""
    items: list[Entry] = [section(100, level) for level in levels]
    found = plan_merges(items, total(items) - 20, 1_000, 1_000)
    assert [(merge.first, merge.last) for merge in found] == [expected]


def test_growth_reads_each_section_a_few_times_only() -> None:
    """One section more at a time, merged to the budget each time: levels grow with the logarithm, and what
    is read in all is a small multiple of what came in."""
    items: list[Entry] = []
    read = 0
    for _ in range(256):
        items.append(section(400))
        for _ in range(8):
            merges = plan_merges(items, 4_000, 64_000, 4_000)
            if total(items) <= 4_000 or not merges:
                break
            read += sum(total(items[merge.first : merge.last + 1]) for merge in merges)
            items = merged(items, merges)
        assert total(items) <= 4_000
    assert read <= 256 * 400 * 12
    assert max(item.level for item in items if isinstance(item, Section)) <= 40


def test_one_text_is_made_where_it_is_asked_for() -> None:
    assert plan_merges([section(50)] * 5, 1_000, 10_000, 4_000, into_one=True) == [Merge(0, 4, 225)]
    assert plan_merges([section(50)], 1_000, 10_000, 4_000, into_one=True) == []


@given(entries, budgets, reads, writes, st.booleans())
def test_every_merge_can_be_carried_out(
    items: list[Entry], budget: int, read: int, write: int, into_one: bool
) -> None:
    """Neighbours without a gap between, in order, each in one merge, within what a call reads and writes."""
    merges = plan_merges(items, budget, read, write, into_one)
    end = -1
    for merge in merges:
        parts = items[merge.first : merge.last + 1]
        assert end < merge.first < merge.last < len(items)
        assert all(isinstance(part, Section) for part in parts)
        assert total(parts) <= read
        assert 16 <= merge.target <= max(16, min(write, total(parts) * 9 // 10))
        end = merge.last
    if total(items) <= budget and not into_one:
        assert merges == []


@given(entries, budgets, reads, writes)
def test_a_round_fits_the_budget_or_another_goes_on(
    items: list[Entry], budget: int, read: int, write: int
) -> None:
    """Where models keep to their lengths, rounds end soon: all fits, or there is nothing left to merge."""
    for _ in range(10):
        merges = plan_merges(items, budget, read, write)
        if not merges:
            break
        items = merged(items, merges)
    else:
        pytest.fail("the rounds do not end")
    if total(items) > budget:
        runs = [list(run) for is_gap, run in groupby(items, lambda e: isinstance(e, Gap)) if not is_gap]
        for run in runs:
            sizes = [item.tokens for item in run if isinstance(item, Section)]
            assert all(a + b > read for a, b in pairwise(sizes))


@given(entries, budgets, reads, writes, st.sampled_from([1.0, 3.0, 100.0]))
def test_each_round_leaves_fewer_sections(
    items: list[Entry], budget: int, read: int, write: int, longer: float
) -> None:
    """So that it ends even where models write whatever they like."""
    merges = plan_merges(items, budget, read, write)
    after = merged(items, merges, longer)
    assert len(after) == len(items) - sum(merge.last - merge.first for merge in merges)
    assert len(after) < len(items) or not merges


@given(entries, budgets, reads, writes)
def test_a_plan_does_not_depend_on_texts(items: list[Entry], budget: int, read: int, write: int) -> None:
    other = [replace(item, text="other") if isinstance(item, Section) else item for item in items]
    assert plan_merges(items, budget, read, write) == plan_merges(other, budget, read, write)


def test_thousands_of_sections_are_planned_at_once() -> None:
    """The work does not grow with the square of their number."""
    found = plan_merges([section(300)] * 20_000, 10_000, 64_000, 8_000)
    assert sum(merge.last - merge.first + 1 for merge in found) == 20_000


@pytest.mark.parametrize(
    ("items", "budget", "expected"),
    [
        ([], 1_000, []),
        ([of(2_000, 9_000), of(2_000, 9_000)], 4_000, [Merge(0, 0, 1_000), Merge(1, 1, 1_000)]),
        ([of(2_000, 9_000, 1), of(1_000, 9_000)], 4_000, [Merge(0, 0, 1_000)]),
        ([of(2_000, 9_000, 1), of(1_400, 9_000, 1)], 4_000, [Merge(0, 0, 1_000)]),
        ([of(3_000, 3_000), of(200, 9_000)], 4_000, [Merge(0, 0, 500)]),
        ([of(9_000, 9_000), of(4_000, 9_000)], 12_000, [Merge(0, 0, 3_000, 2)]),
        ([of(300, 9_000, 1)] * 4, 800, [Merge(0, 1, 200), Merge(2, 3, 200)]),
        ([of(300, 9_000, 1), GAP, of(300, 9_000, 1)], 400, []),
        ([of(300, 9_000, 2), of(300, 9_000, 1)], 600, [Merge(0, 0, 150), Merge(1, 1, 150)]),
        ([of(900, 9_000)], 800, [Merge(0, 0, 400)]),
    ],
)
def test_what_a_digest_that_grew_too_long_needs(
    items: list[Entry], budget: int, expected: list[Merge]
) -> None:
    """Each section alone, in pieces where it is long, with a neighbour where it is short; and what was just
    written, or has little more than its share, stays as it is."""
    assert plan_rewrite(items, budget, 6_000, 2_000) == expected


@given(entries, budgets, reads, writes, st.sampled_from([0.1, 1.0, 5.0]))
def test_a_rewrite_can_be_carried_out(
    items: list[Entry], budget: int, read: int, write: int, recent: float
) -> None:
    """Neighbours, in order, within what a call reads and writes, and shorter than before."""
    end = -1
    for merge in plan_rewrite(items, budget, read, write, recent):
        found = items[merge.first : merge.last + 1]
        assert end < merge.first <= merge.last < len(items)
        assert all(isinstance(part, Section) for part in found)
        assert merge.pieces == 1 or merge.first == merge.last
        assert total(found) <= read * merge.pieces
        assert 16 <= merge.target <= max(16, min(max(16, write) * merge.pieces, total(found) * 9 // 10))
        end = merge.last


@pytest.mark.parametrize("steps", [30, 300])
def test_a_digest_that_grows_is_rewritten_when_its_source_has_doubled(steps: int) -> None:
    """So each text is read again O(log n) times, and nothing else changes than the end."""
    items: list[Entry] = []
    rewrites, read = 0, 0
    for n in range(1, steps + 1):
        rate = total(items) / (n - 1) if n > 1 else 0.0
        fair = 40_000 / n
        new = min(fair, max(fair / 2, rate)) if total(items) + rate <= 40_000 else fair / 2
        items.append(of(max(150, int(new)), 33_000))
        if total(items) > 40_000:
            merges = plan_rewrite(items, 40_000, 64_000, 16_000)
            read += sum(total(items[merge.first : merge.last + 1]) for merge in merges)
            rewrites += any(merge.first == 0 for merge in merges)
            items = merged(items, merges)
        assert total(items) <= 40_000
        sizes = [item.tokens for item in items if isinstance(item, Section)]
        assert max(sizes) <= 2.5 * min(sizes) or n < 3
    assert rewrites <= math.log2(steps) + 1
    assert read <= 40_000 * (math.log2(steps) + 1)
