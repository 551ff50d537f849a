"""Each outcome has one right reaction, by its numbers and by what was sent."""

from __future__ import annotations

import pytest

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
    Role,
    Stated,
    Transient,
    WindowFull,
)
from summarizer_providers.reaction import Reaction, reaction
from summarizer_providers.types import Call, Hints, Model, Reply

TEXT = Reply("A summary.")


def a_call(max_tokens: int = 4_096, prompt_tokens: int = 10_000) -> Call:
    return Call(1, Model("openai/m"), (), Hints((), 500, 1), max_tokens, prompt_tokens)


def too_long(window: int | None, prompt: int | None = None) -> PromptTooLong:
    numbers = () if prompt is None else (Stated(Role.PROMPT, prompt, "prompt"),)
    return PromptTooLong("too long", window, numbers)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Completed(TEXT), Reaction.ACCEPT),
        (Completed(Reply(" \n")), Reaction.TREAT_AS_EMPTY),
        (CutAtOutput(TEXT), Reaction.TREAT_AS_TRUNCATED),
        (WindowFull(TEXT), Reaction.SHRINK_CHUNK),
        (OutputLimitRejected("m", 512), Reaction.LOWER_MAX_TOKENS),
        (ReasoningExhausted(TEXT), Reaction.RAISE_MAX_TOKENS),
        (Blocked("m", BlockCause.REFUSAL), Reaction.SWITCH_MODEL),
        (Blocked("m", BlockCause.CREDIT), Reaction.SWITCH_MODEL),
        (Blocked("m", BlockCause.FILTER, everywhere=True), Reaction.GIVE_UP),
        (Transient("m"), Reaction.RETRY_LATER),
        (Transient("m", 600.0), Reaction.RETRY_LATER),
        (Transient("m", 19_000.0, rate_limited=True), Reaction.SWITCH_MODEL),
        (BadCall("m", "temperature"), Reaction.FIX_REQUEST),
        (BadCall("m"), Reaction.GIVE_UP),
        (BadCall("m", None, 16), Reaction.RAISE_MAX_TOKENS),
    ],
)
def test_every_outcome_has_its_reaction(outcome: Outcome, expected: Reaction) -> None:
    assert reaction(outcome, a_call()) is expected


@pytest.mark.parametrize(
    ("outcome", "call", "expected"),
    [
        (too_long(None), a_call(), Reaction.SHRINK_CHUNK),
        (too_long(8_192, 10_000), a_call(), Reaction.SHRINK_CHUNK),
        (too_long(12_000, 10_000), a_call(), Reaction.LOWER_MAX_TOKENS),
        (too_long(12_000, 10_000), a_call(0), Reaction.SHRINK_CHUNK),  # nothing to lower
        (too_long(16_000, 10_000), a_call(), Reaction.SHRINK_CHUNK),  # something unnamed takes the room
        (too_long(20_000), a_call(16_384), Reaction.LOWER_MAX_TOKENS),  # our prompt surely fits
        (too_long(12_000), a_call(16_384), Reaction.SHRINK_CHUNK),  # it may not
    ],
)
def test_a_prompt_that_fits_by_itself_needs_less_output(
    outcome: PromptTooLong, call: Call, expected: Reaction
) -> None:
    assert reaction(outcome, call) is expected


def test_a_minimum_where_no_limit_was_sent_is_a_matter_of_form() -> None:
    assert reaction(BadCall("m", None, 1), a_call(0)) is Reaction.FIX_REQUEST
