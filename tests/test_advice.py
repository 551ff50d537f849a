"""What is sent next follows from what is known, and from how old it is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from summarizer_providers import advice
from summarizer_providers.bounds import DEFAULT_MAX_TOKENS, Limits, max_tokens
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


def sent(known: Bounds, declared: int | None, window: int | None, prompt: int) -> int:
    return max_tokens(advice.limits(known, declared, window, NOW), prompt)


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
    assert sent(learn(seen), declared, None, 1_000) == expected, what


def test_max_tokens_is_never_more_than_the_window_leaves() -> None:
    """Calibrated: the prompt is as large as the endpoint counts it."""
    assert sent(learn([wrote(NOW, 100)]), None, 16_000, 5_000) == 16_000 - 5_000 - 16
    assert sent(Bounds(), None, 8_192, 50_000) == 1


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


def test_what_stands_behind_a_number_in_words() -> None:
    """For `summarizer ceilings show`."""
    upper = learn([cut(NOW - 2 * advice.DAY, 2_000)] * 3).upper
    assert upper is not None
    assert advice.standing(upper, NOW) == "cut, 3 times, last 2 days ago"
