"""How many calls an endpoint is given at once follows from what it bears."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.concurrency import FIRST, Allowance


def test_it_grows_by_one_an_answer_while_it_is_used_up_and_no_limit_was_met() -> None:
    allowance = Allowance.of(32)
    for expected in range(FIRST + 1, 33):
        allowance = allowance.answered(allowance.granted)
        assert allowance.granted == expected
    assert allowance.answered(32).granted == 32


def test_an_allowance_that_is_not_used_up_does_not_grow() -> None:
    assert Allowance.of(32).answered(FIRST - 1).granted == FIRST


def test_a_burst_of_rate_limits_halves_once() -> None:
    allowance = Allowance.of(32, first=16)
    for _ in range(16):
        allowance = allowance.limited(sent_at=1.0, now=2.0)
    assert allowance.granted == 8
    assert allowance.limited(sent_at=3.0, now=4.0).granted == 4


def test_after_a_rate_limit_it_grows_by_one_a_round() -> None:
    allowance = Allowance.of(32, first=16).limited(0.0, 1.0)
    for _ in range(8):
        assert allowance.granted == 8
        allowance = allowance.answered(8)
    for _ in range(2):
        allowance = allowance.answered(allowance.granted)
    assert allowance.granted == 9


@given(st.integers(1, 64), st.lists(st.booleans(), max_size=80))
def test_there_is_always_room_for_one_and_never_for_more_than_the_most(most: int, limits: list[bool]) -> None:
    allowance = Allowance.of(most)
    for now, limited in enumerate(limits):
        allowance = allowance.limited(now, now) if limited else allowance.answered(allowance.granted)
        assert 1 <= allowance.granted <= most
