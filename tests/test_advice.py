"""What is sent next follows from what is known, and from how old it is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from summarizer_providers import advice
from summarizer_providers.bounds import DEFAULT_MAX_TOKENS, Limits
from summarizer_providers.learning import Bounds, learn
from summarizer_providers.observations import Kind, Observation

NOW = 1_000 * advice.DAY
OLD = NOW - advice.FRESH - 1


def cut(at: float, output: int) -> Observation:
    return Observation("e", at, Kind.CUT, 64_000, 8_000, 10_000, 11_000, output)


def wrote(at: float, output: int, target: int = 1_000, reasoning: int = 0) -> Observation:
    return Observation("e", at, Kind.COMPLETED, 64_000, target, 10_000, 10_000, output, reasoning)


def rejected(at: float, sent: int, ceiling: int | None = None) -> Observation:
    return Observation("e", at, Kind.OUTPUT_REJECTED, sent, stated_ceiling=ceiling)


def refused(at: float, prompt: int, window: int | None = None) -> Observation:
    return Observation("e", at, Kind.PROMPT_TOO_LONG, 16_384, prompt_tokens=prompt, stated_window=window)


OUTPUTS: list[tuple[str, Sequence[Observation], int | None, int]] = [
    ("nothing known or declared: large", [], None, DEFAULT_MAX_TOKENS),
    ("what is declared", [], 4_096, 4_096),
    ("the known bound before what is declared", [cut(NOW, 2_000)], 4_096, 2_000),
    ("the known bound above what is declared", [rejected(NOW, 9_000, 8_192)], 4_096, 8_192),
    ("it wrote more than is declared", [wrote(NOW, 5_000)], 4_096, 5_000),
    ("it wrote more than the default", [wrote(NOW, 20_000)], None, 20_000),
    ("half of what was refused without a number", [rejected(NOW, 16_384)], None, 8_192),
    ("an old bound is tried again, up to twice as much", [cut(OLD, 2_000)], None, 4_000),
    ("but not beyond what is declared", [cut(OLD, 2_000)], 3_000, 3_000),
    ("nor where that is no more", [cut(OLD, 2_000)], 2_000, 2_000),
    ("an old refusal is forgotten", [rejected(OLD, 16_384)], None, DEFAULT_MAX_TOKENS),
    (
        "the user's word does not grow old",
        [Observation("e", OLD, Kind.SET, stated_ceiling=2_000)],
        None,
        2_000,
    ),
]


@pytest.mark.parametrize(("what", "seen", "declared", "expected"), OUTPUTS)
def test_max_tokens(what: str, seen: Sequence[Observation], declared: int | None, expected: int) -> None:
    """The known upper bound, else the declared limit, else 16,384."""
    assert advice.max_tokens(learn(seen), declared, None, 1_000, NOW) == expected, what


def test_max_tokens_is_never_more_than_the_window_leaves() -> None:
    """Calibrated: the prompt is as large as the endpoint counts it."""
    assert advice.max_tokens(learn([wrote(NOW, 100)]), None, 16_000, 5_000, NOW) == 16_000 - 5_000 - 16
    assert advice.max_tokens(Bounds(), None, 8_192, 50_000, NOW) == 1


def test_an_old_bound_is_probed_once() -> None:
    """The first call that asks for more makes it new, or removes it; until then one call goes alone."""
    old = learn([cut(OLD, 2_000)])
    assert advice.due(old, NOW)
    assert advice.limits(old, None, None, NOW).ceiling is None
    renewed = learn([cut(OLD, 2_000), cut(NOW, 2_000)])
    assert not advice.due(renewed, NOW)
    assert advice.limits(renewed, None, None, NOW).ceiling == 2_000
    removed = learn([cut(OLD, 2_000), wrote(NOW, 3_000)])
    assert not advice.due(removed, NOW)
    assert advice.limits(removed, None, None, NOW).ceiling is None


WINDOWS: list[tuple[str, Sequence[Observation], int | None, int | None]] = [
    ("declared", [], 32_000, 32_000),
    ("stated before declared", [refused(NOW, 50_000, 8_192)], 32_000, 8_192),
    ("an old statement against a larger declaration", [refused(OLD, 50_000, 8_192)], 32_000, 32_000),
    ("more went through than is declared", [wrote(NOW, 2_000)], 8_192, 12_000),
    ("refused without a number", [refused(NOW, 30_000)], None, 30_000),
    ("refused below what is declared", [refused(NOW, 30_000)], 64_000, 30_000),
    ("refused long ago", [refused(OLD, 30_000)], None, None),
]


@pytest.mark.parametrize(("what", "seen", "declared", "expected"), WINDOWS)
def test_window(what: str, seen: Sequence[Observation], declared: int | None, expected: int | None) -> None:
    """Stated before declared, and what went through before what is declared."""
    assert advice.limits(learn(seen), None, declared, NOW).window == expected, what


def test_limits_of_an_unknown_endpoint_are_todays() -> None:
    """Nothing changes for who has no store."""
    assert advice.limits(Bounds(), 4_096, 32_000, NOW) == Limits(32_000, 4_096)


@pytest.mark.parametrize(
    ("what", "seen", "wanted", "expected"),
    [
        ("nothing known: what is wanted", [], 1_000, 1_000),
        ("writes twice as much: ask for half", [wrote(i, 2_000) for i in range(4)], 1_000, 500),
        ("writes half: ask for twice", [wrote(i, 500) for i in range(4)], 1_000, 2_000),
        ("never changed by more than that", [wrote(i, 9_000) for i in range(4)], 1_000, 500),
        ("two answers are no habit", [wrote(i, 2_000) for i in range(2)], 1_000, 1_000),
        ("no more than the ceiling holds", [wrote(1, 900), cut(2, 2_000)], 8_000, 1_809),
        ("nor than is left beside reasoning", [wrote(1, 1_000, reasoning=500), cut(2, 2_000)], 8_000, 904),
    ],
)
def test_target(what: str, seen: Sequence[Observation], wanted: int, expected: int) -> None:
    """From the ceiling, the willing length, and how far it keeps to a target."""
    dated = [Observation(**{**_fields(each), "at": NOW + each.at}) for each in seen]
    found = advice.target(learn(dated), wanted, None, NOW + 10)
    assert found == pytest.approx(expected, rel=0.01), what


def _fields(seen: Observation) -> dict[str, object]:
    return {name: getattr(seen, name) for name in Observation.__dataclass_fields__}


@pytest.mark.parametrize(
    ("ours", "theirs", "whole"),
    [(20_000, 7_900, False), (13_789, 4_096, False), (10_000, 11_000, True), (10_000, 7_600, True)],
)
def test_a_count_far_below_ours_means_that_it_was_not_read(ours: int, theirs: int, whole: bool) -> None:
    """A section whose chunk was dropped on the way must not count as covered."""
    assert advice.read_whole(Bounds(), ours, theirs) is whole


def test_where_nobody_counted_nothing_is_said() -> None:
    """Invented usage accuses no model."""
    assert advice.read_whole(Bounds(), 10_000, None)
    assert advice.read_whole(Bounds(), 10_000, 0)


def test_what_stands_behind_a_number_in_words() -> None:
    """For `summarizer ceilings show`."""
    upper = learn([cut(NOW - 2 * advice.DAY, 2_000)] * 3).upper
    assert upper is not None
    assert advice.standing(upper, NOW) == "cut, 3 times, last 2 days ago"
