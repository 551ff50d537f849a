"""Sizing: how much an endpoint is given to read, by what is known of it."""

from __future__ import annotations

import pytest

from summarizer.endpoints import Endpoint
from summarizer.habits import Habits
from summarizer.sizing import Sizing
from summarizer_providers.bounds import Limits
from summarizer_providers.types import Model


def endpoint(habits: Habits, **limits: float) -> Endpoint:
    return Endpoint(Model("a/b"), "a/b", Limits(window=128_000, scale=1.0, **limits), habits=habits)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("proved", "ceiling", "expected"),
    [
        (0, None, 16_384),
        (10_000, None, 10_000),  # five calls instead of four, and no guess
        (3_000, None, 16_384),  # that would take many more
        (10_000, 4_000, 4_000),
        (20_000, None, 16_384),
    ],
)
def test_no_more_is_planned_than_was_proved_where_that_is_nearly_enough(
    proved: int, ceiling: int | None, expected: int
) -> None:
    known = endpoint(Habits(proved=proved), ceiling=ceiling)  # type: ignore[arg-type]
    assert Sizing(500, None, 50_000).output(known) == expected


def test_a_chunk_made_larger_for_its_border_still_has_an_answer_that_fits() -> None:
    dense = endpoint(Habits(written=3_000, read=10_000), ceiling=1_000)
    sizing = Sizing(500, None, 20_000)
    assert sizing.limit(dense) == pytest.approx(3_233, abs=2)
    assert sizing.answerable(dense, 0.3) <= sizing.limit(dense) <= sizing.most(dense)
    assert sizing.limit(endpoint(Habits())) == sizing.most(endpoint(Habits()))
