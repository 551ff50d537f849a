"""From observations to bounds: what moves them, what does not, and that they never cross."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.strategies  # noqa: F401 - its profile: no test asserts a time
from summarizer_providers.learning import Bounds, kept, learn, update
from summarizer_providers.observations import Kind, Observation


def wrote(at: float, output: int, **changes: Any) -> Observation:
    """An answer that ended by itself."""
    given_ = {"max_tokens": 16_384, "target": 1_000, "prompt_tokens": 10_000, "input_tokens": 11_000}
    return Observation("e", at, Kind.COMPLETED, output_tokens=output, **given_ | changes)


def cut(at: float, output: int, **changes: Any) -> Observation:
    given_ = {"max_tokens": 16_384, "target": 8_000, "prompt_tokens": 10_000, "input_tokens": 11_000}
    return Observation("e", at, Kind.CUT, output_tokens=output, **given_ | changes)


def stated(at: float, ceiling: int) -> Observation:
    return Observation("e", at, Kind.OUTPUT_REJECTED, max_tokens=16_384, stated_ceiling=ceiling)


def window(at: float, size: int | None, prompt: int = 10_000) -> Observation:
    return Observation("e", at, Kind.PROMPT_TOO_LONG, 16_384, prompt_tokens=prompt, stated_window=size)


def full(at: float, read: int, output: int) -> Observation:
    return Observation("e", at, Kind.WINDOW_FULL, 16_384, input_tokens=read, output_tokens=output)


def default(at: float, output: int) -> Observation:
    return Observation("e", at, Kind.DEFAULT_SEEN, output_tokens=output)


def user(at: float, ceiling: int) -> Observation:
    return Observation("e", at, Kind.SET, stated_ceiling=ceiling)


CEILINGS: list[tuple[str, Sequence[Observation], int | None, int | None]] = [
    ("nothing", [], None, None),
    ("lower: the largest that ended by itself", [wrote(1, 900), wrote(2, 700)], 900, None),
    ("upper: a cut below what was sent", [cut(1, 4_096)], None, 4_096),
    ("not a cut at the limit that we set", [cut(1, 2_048, max_tokens=2_048)], None, None),
    ("not a cut beyond the limit that we set", [cut(1, 2_049, max_tokens=2_048)], None, None),
    ("not a default where none was sent", [default(1, 256)], None, None),
    ("not a cut where none was sent", [cut(1, 256, max_tokens=None)], None, None),
    ("upper: a number stated by an error", [stated(1, 8_192)], None, 8_192),
    ("the lower of two upper bounds", [stated(1, 8_192), cut(2, 4_096)], None, 4_096),
    ("a longer answer removes a cut", [cut(1, 4_096), wrote(2, 5_000)], 5_000, None),
    ("a longer cut replaces a cut", [cut(1, 4_096), cut(2, 5_000)], None, 5_000),
    ("a longer cut of ours removes a cut", [cut(1, 4_096), cut(2, 5_000, max_tokens=5_000)], None, None),
    ("a longer answer removes a statement", [stated(1, 4_096), wrote(2, 5_000)], 5_000, None),
    ("an accepted limit removes a statement", [stated(1, 8_192), wrote(2, 500)], 500, None),
    ("a new statement replaces an old one", [stated(1, 8_192), stated(2, 32_000)], None, 32_000),
    ("a newer cut takes an older answer back", [wrote(1, 9_000), cut(2, 4_096)], 4_096, 4_096),
    ("and what was taken back stays so", [wrote(1, 9_000), cut(2, 4_096), wrote(3, 5_000)], 5_000, None),
    ("by date, not by arrival", [wrote(2, 5_000), cut(1, 4_096)], 5_000, None),
    ("the window was hit, not the ceiling", [window(1, 16_000), cut(2, 5_000)], None, None),
    ("so it turns out later", [cut(1, 5_000), window(2, 16_000)], None, None),
    ("so a full window says later", [cut(1, 5_000), full(2, 15_000, 1_000)], None, None),
    ("a full window is no ceiling", [full(1, 15_000, 1_000)], None, None),
    ("the user's word goes before what was seen", [cut(1, 4_096), user(2, 9_000)], None, 9_000),
    ("what is seen then may be lower", [user(1, 9_000), cut(2, 4_096)], None, 4_096),
    ("the user's word stays", [user(1, 2_000), wrote(2, 5_000)], 2_000, 2_000),
    (
        "reasoning that took all says nothing of the ceiling",
        [Observation("e", 1, Kind.REASONING_EXHAUSTED, 16_384, output_tokens=512, reasoning_tokens=512)],
        None,
        None,
    ),
]


@pytest.mark.parametrize(("what", "seen", "lower", "upper"), CEILINGS)
def test_ceiling(what: str, seen: Sequence[Observation], lower: int | None, upper: int | None) -> None:
    """Between what it was seen to write and what stopped it."""
    bounds = learn(seen)
    found = bounds.upper
    assert (bounds.lower, found.value if found else None) == (lower, upper), what


WINDOWS: list[tuple[str, Sequence[Observation], int | None, int | None]] = [
    ("what went through", [wrote(1, 900)], 11_900, None),
    ("what was stated", [window(1, 8_192)], None, 8_192),
    ("what was filled", [full(1, 7_000, 1_192)], 8_192, 8_192),
    ("newest statement", [window(1, 8_192), window(2, 32_768)], None, 32_768),
    ("more went through", [window(1, 8_192), wrote(2, 900)], 11_900, None),
    ("a newer statement takes it back", [wrote(1, 900), window(2, 8_192)], 8_192, 8_192),
    ("a refusal without a number states none", [window(1, None)], None, None),
    (
        "what was not read whole went through nothing",
        [Observation("e", 1, Kind.INPUT_TRUNCATED, input_tokens=9_000, output_tokens=900)],
        None,
        None,
    ),
]


@pytest.mark.parametrize(("what", "seen", "lower", "upper"), WINDOWS)
def test_window(what: str, seen: Sequence[Observation], lower: int | None, upper: int | None) -> None:
    """Prompt and answer together, between what went through and what did not."""
    bounds = learn(seen)
    found = [bound and bound.value for bound in (bounds.window_seen, bounds.window_stated)]
    assert found == [lower, upper], what


def test_a_default_is_kept_as_a_default() -> None:
    """So that `max_tokens` is never left out there."""
    found = learn([default(1, 256), default(2, 256)]).default
    assert found is not None
    assert (found.value, found.times) == (256, 2)


def test_refusals_without_a_number_are_bounds_of_what_was_sent() -> None:
    """The smallest that was refused, until as much is accepted."""
    refused = [Observation("e", at, Kind.OUTPUT_REJECTED, sent) for at, sent in ((1, 9_000), (2, 20_000))]
    prompts = [window(3, None, 50_000), window(4, None, 40_000)]
    bounds = learn([*refused, *prompts])
    assert bounds.refused_output is not None
    assert bounds.refused_prompt is not None
    assert (bounds.refused_output.value, bounds.refused_prompt.value) == (9_000, 40_000)
    bounds = update(bounds, wrote(5, 100, max_tokens=9_000, prompt_tokens=40_000))
    assert (bounds.refused_output, bounds.refused_prompt) == (None, None)


def test_what_stands_behind_a_bound_is_told() -> None:
    """Kind, date, how often it was seen the same, and the wording."""
    found = learn([cut(1, 4_096), cut(2, 4_096), cut(3, 4_096)]).upper
    assert found is not None
    assert (found.kind, found.at, found.times) == (Kind.CUT, 3, 3)


def test_calibration_is_a_median_of_prompts_that_were_read_whole() -> None:
    """One odd count does not move it, nor do small prompts or those that were cut short unseen."""
    seen = [wrote(at, 900) for at in range(5)]
    small = wrote(6, 900, prompt_tokens=20, input_tokens=90)
    short = Observation("e", 7, Kind.INPUT_TRUNCATED, prompt_tokens=10_000, input_tokens=4_096)
    odd = wrote(8, 900, input_tokens=30_000)
    assert learn([*seen, small, short, odd]).scale == pytest.approx(1.1)


def test_lengths_are_compared_in_the_same_tokens() -> None:
    """Written, without reasoning and in our tokens, against asked; and against what was read."""
    seen = [wrote(at, 2_400, reasoning_tokens=200, input_tokens=11_000) for at in range(4)]
    bounds = learn(seen)
    assert bounds.lengths[-1] == (1_000, 2_000, 10_000)
    assert bounds.obedience == pytest.approx(2.0)
    assert bounds.density == pytest.approx(0.2)
    assert bounds.reasoning_share == pytest.approx(1 / 12)


def test_how_much_is_written_is_compared_with_like_requests() -> None:
    """What a model wrote when it was to keep a third says nothing of a request for a fiftieth."""
    terse = [wrote(at, 200, target=200, prompt_tokens=10_500) for at in range(3)]
    full = [wrote(at, 3_000, target=3_000, prompt_tokens=10_500) for at in range(3, 6)]
    bounds = learn([*terse, *full])
    assert [read for _, _, read in bounds.like(0.3, overhead=500)] == [10_000] * 3
    assert {asked for asked, _, _ in bounds.like(0.02, overhead=500)} == {200}
    assert bounds.like(0.1, overhead=500) == ()


def test_willing_length_depends_on_what_was_asked() -> None:
    """A model that keeps to short targets and falls short of long ones."""
    short = [wrote(at, 550, target=500) for at in range(3)]
    long = [wrote(at, 2_200, target=8_000) for at in range(3, 6)]
    bounds = learn([*short, *long])
    assert bounds.willing(500) == 500
    assert bounds.willing(8_000) == 2_000
    assert Bounds().willing(500) is None


def test_proved_is_the_longest_target_that_ended_by_itself() -> None:
    """Until a call that asked for no more is cut."""
    bounds = learn([wrote(1, 900, target=3_000), wrote(2, 900, target=2_000)])
    assert bounds.proved is not None
    assert bounds.proved.value == 3_000
    assert update(bounds, cut(3, 1_000, target=2_500)).proved is None
    assert update(bounds, cut(3, 1_000, target=5_000)).proved == bounds.proved


sizes = st.one_of(st.none(), st.integers(1, 20_000))
observations = st.builds(
    Observation,
    endpoint=st.just("e"),
    at=st.integers(0, 30).map(float),
    kind=st.sampled_from(Kind),
    max_tokens=sizes,
    target=sizes,
    prompt_tokens=sizes,
    input_tokens=sizes,
    output_tokens=sizes,
    reasoning_tokens=st.just(None),
    stated_ceiling=sizes,
    stated_window=sizes,
)
many = st.lists(observations, max_size=30)


@given(many, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(seen: list[Observation], rng: random.Random) -> None:
    """Ten processes that write at once know the same as one."""
    shuffled = rng.sample(seen, len(seen))
    assert learn(shuffled) == learn(seen)


@given(many)
def test_bounds_never_cross(seen: list[Observation]) -> None:
    """After every single observation, whatever they are."""
    bounds = Bounds()
    for each in sorted(seen, key=lambda one: one.order):
        bounds = update(bounds, each)
        assert bounds.upper is None or (bounds.lower or 0) <= bounds.upper.value
        if bounds.window_stated is not None and bounds.window_seen is not None:
            assert bounds.window_seen.value <= bounds.window_stated.value


@given(many, st.integers(0, 30))
def test_one_by_one_is_the_same_as_all_at_once(seen: list[Observation], first: int) -> None:
    """A run that goes on learning stands where the next one begins."""
    ordered = sorted(seen, key=lambda one: one.order)
    assert reduce(update, ordered[first:], learn(ordered[:first])) == learn(seen)


@given(many)
def test_what_is_kept_is_enough_and_bounded(seen: list[Observation]) -> None:
    """Nothing is dropped before there is a lot of it."""
    assert learn(kept(seen)) == learn(seen)


@pytest.mark.parametrize("ceiling", [900, 4_096, 16_384])
def test_a_long_history_comes_to_the_same_when_it_is_thinned(ceiling: int) -> None:
    """Three thousand calls to an endpoint with one ceiling: the bounds of all are those of what is kept."""
    rng = random.Random(ceiling)
    seen = []
    for at in range(3_000):
        would = rng.randint(100, 6_000)
        one = wrote(at, would) if would < ceiling else cut(at, ceiling, max_tokens=ceiling + 1)
        seen.append(one)
    left = kept(seen)
    whole, thinned = learn(seen), learn(left)
    assert len(left) <= 256 + 64 * (len(Kind) - 1) + 2 * 16
    assert thinned.lower == whole.lower
    assert (thinned.upper and thinned.upper.value) == (whole.upper and whole.upper.value)
    assert (thinned.scales, thinned.lengths) == (whole.scales, whole.lengths)
