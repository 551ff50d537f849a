"""Overflow: split, more room, or a larger model, whichever the numbers say is cheapest."""

from __future__ import annotations

import pytest

from summarizer.overflow import Option, Way, cheapest

HERE, LARGER, DEAR = Option(4_000), Option(16_000), Option(16_000, 5e-6, 20e-6)
CHEAP = Option(4_000, 1e-6, 4e-6)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # (read, length, overhead, here, raised, larger, least)
        ((50_000, 6_000, 600, HERE, 0, None, 2), Way.SPLIT),
        ((50_000, 6_000, 600, HERE, 0, LARGER, 2), Way.SWITCH),  # one prompt instead of two
        ((50_000, 6_000, 600, HERE, 8_000, LARGER, 2), Way.RAISE),  # the same, by the first choice
        ((50_000, 6_000, 600, HERE, 5_000, None, 2), Way.SPLIT),  # not even that would be room enough
        ((50_000, 6_000, 600, HERE, 5_000, LARGER, 2), Way.SWITCH),
        ((50_000, 6_000, 600, CHEAP, 0, DEAR, 2), Way.SPLIT),  # five times the price
        ((500, 6_000, 60_000, CHEAP, 0, Option(16_000, 1.1e-6, 4e-6), 2), Way.SWITCH),  # a huge prompt
        ((50_000, 6_000, 600, CHEAP, 0, LARGER, 2), Way.SWITCH),  # a price that is not known counts as equal
        ((50_000, 6_000, 600, HERE, 0, Option(3_000), 2), Way.SPLIT),  # not larger at all
        ((50_000, 40_000, 600, HERE, 0, LARGER, 2), Way.SWITCH),  # three calls instead of twelve
        ((50_000, 3_000, 600, HERE, 0, LARGER, 1), Way.SPLIT),  # the rest of a chunk fits one call
        ((50_000, 6_000, 600, HERE, 0, LARGER, 1), Way.SWITCH),
        ((50_000, 6_000, 0, HERE, 0, LARGER, 2), Way.SWITCH),  # of equal ways fewer calls
        ((0, 0, 0, Option(0), 0, None, 2), Way.SPLIT),
    ],
)
def test_the_cheapest_way_is_taken(
    case: tuple[int, int, int, Option, int, Option | None, int], expected: Way
) -> None:
    assert cheapest(*case) is expected
