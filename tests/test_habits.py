"""Habits: what an endpoint's answers say of the next ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.habits import Habits

tokens = st.integers(0, 200_000)


def after(*answers: tuple[int, int, int]) -> Habits:
    """Habits after whole answers: (read, written, asked)."""
    habits = Habits()
    for read, written, asked in answers:
        habits = habits.ended(read, written, asked)
    return habits


def test_density_is_of_all_that_was_read_and_forgets_slowly() -> None:
    assert after((1_000, 100, 100)).density == pytest.approx(0.1)
    assert after((1_000, 100, 100), (3_000, 900, 100)).density == pytest.approx(0.25, abs=0.01)
    assert after(*[(1_000, 100, 100)] * 50, *[(1_000, 300, 300)] * 50).density > 0.25


def test_a_cut_answer_would_have_been_longer() -> None:
    """Half as long again, as long as nothing better is known; a whole answer of like size ends the guess."""
    cut = Habits().cut(1_000, 200, 100)
    assert cut.density == pytest.approx(0.3)
    assert cut.ended(100, 10, 10).density == pytest.approx(0.3)
    assert cut.ended(500, 50, 50).density == pytest.approx(0.1)


def test_where_the_cut_was_in_the_chunk_tells_how_long_the_answer_would_be() -> None:
    """Then no halving is needed: 1,000 tokens for a tenth of a chunk are 10,000 for all."""
    habits = Habits().cut(50_000, 1_000, 5_000, progress=0.1)
    assert habits.density == pytest.approx(0.2)
    assert habits.is_tried(50_000)
    assert habits.chunk(0.1, 1_000, 60_000) == pytest.approx(4_250, abs=1)


@pytest.mark.parametrize(
    ("written", "asked_next"),
    [(1_000, 1_000), (2_000, 550), (500, 1_600), (9_000, 400), (10, 1_800)],
)
def test_less_is_asked_of_one_that_writes_more_and_more_of_one_that_writes_less(
    written: int, asked_next: int
) -> None:
    """By a factor of two or three at most: some do not listen, and some have no more to say."""
    habits = after(*[(10_000, written, 1_000)] * 12)
    assert habits.request(1_000) == pytest.approx(asked_next, rel=0.3)


@pytest.mark.parametrize(
    ("habits", "share", "output", "expected"),
    [
        (Habits(), 0.1, 1_000, 10_000),
        (Habits(), 0.0001, 1_000, 60_000),
        (after((10_000, 700, 1_000)), 0.1, 1_000, 10_000),  # it writes less than there is room for
        (after((10_000, 2_000, 1_000)), 0.1, 1_000, 4_250),  # and more, whatever it is asked
        (Habits().cut(10_000, 1_000, 900), 0.1, 1_000, 5_667),
        (Habits().cut(10_000, 1_000, 1_000), 0.1, 1_000, 10_000),  # as much was asked for: less is now
    ],
)
def test_a_chunk_is_as_large_as_its_answer_may_be_long(
    habits: Habits, share: float, output: int, expected: int
) -> None:
    """By what is asked for, by what is written anyway, and below what was cut."""
    assert habits.chunk(share, output, 60_000) == pytest.approx(expected, rel=0.01)


@given(
    st.lists(st.tuples(tokens, tokens, tokens, st.sampled_from(["ended", "cut", "seen"])), max_size=20),
    st.floats(0, 2),
    st.integers(1, 10**6),
    st.integers(1, 10**6),
)
def test_numbers_of_any_kind_give_a_usable_size(
    answers: list[tuple[int, int, int, str]], share: float, output: int, most: int
) -> None:
    habits = Habits()
    for read, written, asked, how in answers:
        if how == "ended":
            habits = habits.ended(read, written, asked)
        else:
            habits = habits.cut(read, written, asked, 0.5 if how == "seen" else None)
    assert 1 <= habits.chunk(share, output, most) <= most
    assert habits.request(1_000) >= 16
    assert 0.5 <= habits.obedience <= 3.0
    assert habits.density >= 0


def test_halving_comes_to_a_size_that_is_not_cut() -> None:
    """A model that writes as much as it reads, at a ceiling of 300, nothing of which was told."""
    habits, size, tries = Habits(), 100_000, 0
    while size > 300:
        habits = habits.cut(size, 300, 1_000)
        size, tries = habits.chunk(0.001, 16_000, 60_000), tries + 1
    assert tries < 12
