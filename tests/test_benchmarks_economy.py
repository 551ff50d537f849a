"""The economy benchmark: bounds and marks by hand, and one small run of each kind."""

from __future__ import annotations

import json

import pytest

from benchmarks import economy
from benchmarks.economy import Case, rows
from benchmarks.marks import Floor, Spent, ideal_seconds, marks
from benchmarks.planted import session


@pytest.mark.parametrize(
    ("tokens", "budget", "ceiling", "calls"),
    [
        (50_000, 3_000, 10_000, 1),
        (50_000, 3_000, 1_000, 3),
        (800_000, 48_000, 10_000, 7),
        (800_000, 48_000, 1_000, 48),
        (52_000, 20_000, 1_000, 20),
    ],
)
def test_bound_is_the_larger_of_reading_and_writing(
    tokens: int, budget: int, ceiling: int, calls: int
) -> None:
    """max(⌈N / U⌉, ⌈B / C⌉), worked out by hand."""
    assert Floor(tokens, budget, ceiling, 300).calls == calls


@pytest.mark.parametrize(
    ("warm", "dense", "expected"),
    [
        (True, False, {"calls": 25, "input": 1.1 * 58_000, "wasted": 0}),
        (False, False, {"calls": 31, "input": 1.35 * 58_000 + 9_000, "wasted": 5_000}),
        (True, True, {"calls": 29, "input": 1.3 * 58_000, "cuts": 3}),
    ],
)
def test_marks_follow_from_the_bound(warm: bool, dense: bool, expected: dict[str, float]) -> None:
    """By hand, for 20 calls of a bound of 20 at 1,000 tokens, with 20,000 tokens written."""
    spent = Spent(20, 60_000, 20_000, 0, 0, 9_000)
    found = marks(Floor(52_000, 20_000, 1_000, 300), spent, warm=warm, dense=dense)
    assert {name: most for name, (_, most) in found.items()} == pytest.approx(expected)


@pytest.mark.parametrize(("calls", "seconds"), [(1, 11.0), (10, 2.0), (16, 1.625), (20, 3.0)])
def test_ideal_time_is_that_of_equal_calls_in_rounds(calls: int, seconds: float) -> None:
    """10,000 tokens at a millisecond each, a second of latency, 16 at a time."""
    assert ideal_seconds(calls, 10_000, 16, 1.0, 0.001) == pytest.approx(seconds)


@pytest.mark.parametrize("manner", economy.MANNERS)
def test_a_row_tells_what_was_spent(manner: str) -> None:
    """Cold, then warm; every figure that the marks need is there, and facts are found again."""
    case = Case("small", 12_000, 36, 1_200)
    cold, warm = rows(case, session(case.tokens, case.facts), 4_000, manner)
    assert (cold.known, warm.known) == ("cold", "warm")
    for row in (cold, warm):
        assert row.kept == row.facts == 36
        assert row.spent.calls >= row.bound == 1
        assert row.spent.input > 12_000
        assert json.loads(json.dumps(row.plain()))["status"] == "complete"
