"""What is learned of an endpoint from one call, and what follows for the next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.bounds import DEFAULT_MAX_TOKENS, Limits, learn, max_tokens, readable
from summarizer_providers.outcome import (
    BadCall,
    BlockCause,
    Blocked,
    Completed,
    CutAtOutput,
    Outcome,
    OutputLimitRejected,
    PromptTooLong,
    ReasoningExhausted,
    Transient,
    WindowFull,
)
from summarizer_providers.types import Call, Hints, Model, Reply


def a_call(max_tokens: int = 16_384, prompt_tokens: int = 1_000) -> Call:
    return Call(1, Model("openai/m"), (), Hints((), 500, 1), max_tokens, prompt_tokens)


def a_reply(written: int | None, read: int | None = None) -> Reply:
    return Reply("text", "stop", read, written)


@pytest.mark.parametrize(
    ("known", "outcome", "ceiling"),
    [
        (None, CutAtOutput(a_reply(4_096), 4_096), 4_096),  # cut below what was sent
        (8_000, CutAtOutput(a_reply(4_096), 4_096), 4_096),
        (4_096, CutAtOutput(a_reply(8_000), 8_000), 8_000),  # it wrote more than was thought
        (None, CutAtOutput(a_reply(16_384), 16_384), None),  # cut where we said
        (None, CutAtOutput(a_reply(16_383), 16_383), None),  # an end mark that is not counted
        (None, CutAtOutput(a_reply(None), None), None),  # nobody counted
        (None, CutAtOutput(a_reply(0), 0), None),
        (4_096, Completed(a_reply(5_000)), None),  # a longer answer removes a ceiling
        (4_096, Completed(a_reply(4_096)), 4_096),
        (4_096, Completed(a_reply(None)), 4_096),
        (None, OutputLimitRejected("m", 8_192), 8_192),
        (None, OutputLimitRejected("m"), 8_192),  # half of what was sent
    ],
)
def test_the_ceiling_after_one_call(known: int | None, outcome: Outcome, ceiling: int | None) -> None:
    assert learn(Limits(ceiling=known), a_call(), outcome).ceiling == ceiling


@pytest.mark.parametrize(
    "outcome",
    [
        Transient("Limit 6000 tokens per minute", 5.0, rate_limited=True),
        Blocked("filtered", BlockCause.FILTER),
        BadCall("what?"),
        ReasoningExhausted(Reply("", "length", None, 500, 500)),
    ],
)
def test_faults_blocks_and_reasoning_teach_nothing(outcome: Outcome) -> None:
    known = Limits(window=8_192, declared=4_096, ceiling=2_000, scale=1.1)
    assert learn(known, a_call(), outcome) == known


@pytest.mark.parametrize(
    ("known", "call", "outcome", "window"),
    [
        (None, a_call(), PromptTooLong("m", 8_192), 8_192),
        (128_000, a_call(), PromptTooLong("m", 8_192), 8_192),
        (None, a_call(1_000, 40_000), PromptTooLong("m"), 40_000),  # the prompt is at fault
        (None, a_call(16_000, 2_000), PromptTooLong("m"), 9_000),  # the output limit is
        (8_192, a_call(), PromptTooLong("m"), 8_192),
        (None, a_call(), WindowFull(a_reply(None), 32_768), 32_768),
        (32_768, a_call(), WindowFull(a_reply(None)), 32_768),
    ],
)
def test_the_window_after_one_call(known: int | None, call: Call, outcome: Outcome, window: int) -> None:
    assert learn(Limits(window=known, scale=1.0), call, outcome).window == window


def test_a_prompt_that_should_have_fitted_means_that_the_endpoint_counts_more() -> None:
    known = Limits(window=8_192, scale=1.0)
    assert learn(known, a_call(1_000, 2_000), PromptTooLong("m")).scale == 1.25
    assert learn(known, a_call(1_000, 2_000), PromptTooLong("m", 8_192)).scale == 1.25
    assert learn(known, a_call(1_000, 90_000), PromptTooLong("m")).scale == 1.0


@pytest.mark.parametrize(("read", "scale"), [(1_300, 1.3), (9_000, 4.0), (10, 1.15), (0, 1.15), (None, 1.15)])
def test_the_providers_count_of_the_prompt_calibrates_ours(read: int | None, scale: float) -> None:
    assert learn(Limits(), a_call(), Completed(a_reply(10, read))).scale == pytest.approx(scale)


@pytest.mark.parametrize(
    ("limits", "prompt", "sent"),
    [
        (Limits(), 1_000, DEFAULT_MAX_TOKENS),  # unknown is taken to be large
        (Limits(declared=64_000), 1_000, 64_000),
        (Limits(declared=64_000, ceiling=8_000), 1_000, 8_000),
        (Limits(window=8_192, declared=8_000, scale=1.0), 6_000, 2_176),  # what the window leaves
        (Limits(window=8_192, scale=1.0), 90_000, 1),  # never less than one
    ],
)
def test_max_tokens_is_the_surest_bound_that_the_window_leaves(
    limits: Limits, prompt: int, sent: int
) -> None:
    assert max_tokens(limits, prompt) == sent


@given(
    st.integers(2_000, 1_000_000),
    st.floats(0.5, 4.0),
    st.integers(1, 20_000),
    st.none() | st.integers(1, 200_000),
)
def test_what_is_readable_leaves_room_for_the_output(
    window: int, scale: float, output: int, ceiling: int | None
) -> None:
    limits = Limits(window=window, scale=scale, ceiling=ceiling)
    prompt = readable(limits, output)
    assert prompt >= 0
    if prompt:
        assert prompt * scale + output <= window
        assert max_tokens(limits, prompt) >= min(output, limits.output)


@given(st.integers(1_000, 100_000), st.integers(300, 200_000))
def test_endless_overflows_without_a_number_soon_lead_to_a_call_that_fits(window: int, prompt: int) -> None:
    """A window that is never named is found by trying, in few tries."""
    limits, sent = Limits(), 0
    while sent < 40:
        output = min(max_tokens(limits, prompt), 4_096)
        prompt = min(prompt, readable(limits, min(output, max(1, (limits.window or window) // 4))) or 1)
        output = min(output, max_tokens(limits, prompt))
        if prompt * 1.2 + output <= window:
            break
        limits = learn(limits, a_call(output, prompt), PromptTooLong("too long"))
        sent += 1
    assert sent < 40


@pytest.mark.parametrize(("read", "written", "ceiling"), [(900, 120, None), (500, 120, 120)])
def test_a_full_window_is_no_ceiling(read: int, written: int, ceiling: int | None) -> None:
    """Where prompt and answer together reach the window that was learned, nothing is said of the output."""
    before = Limits(window=1_024, scale=1.0)
    cut = CutAtOutput(Reply("…", "length", read, written), written)
    assert learn(before, a_call(max_tokens=4_096), cut).ceiling == ceiling
