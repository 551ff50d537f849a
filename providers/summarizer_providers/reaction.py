"""The right reaction to an outcome, as far as it and the call say: a pure function."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import assert_never

from summarizer_providers.outcome import (
    BadCall,
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
from summarizer_providers.types import Call

__all__ = ["LONGEST_WAIT", "Reaction", "reaction"]

LONGEST_WAIT = 600.0
"""Seconds: an endpoint that asks for a longer rest than a call may take at most is left for another."""

_OFF_BY = 1.6
"""Our count of a prompt may be below another tokenizer's by this factor."""


class Reaction(StrEnum):
    """What a caller does next."""

    ACCEPT = "accept"
    TREAT_AS_TRUNCATED = "treat_as_truncated"
    SHRINK_CHUNK = "shrink_chunk"
    LOWER_MAX_TOKENS = "lower_max_tokens"
    RAISE_MAX_TOKENS = "raise_max_tokens"
    RETRY_LATER = "retry_later"
    SWITCH_MODEL = "switch_model"
    GIVE_UP = "give_up"
    FIX_REQUEST = "fix_request"
    TREAT_AS_EMPTY = "treat_as_empty"


def reaction(outcome: Outcome, call: Call) -> Reaction:
    """What to do after ``call`` gave ``outcome``. Raises nothing."""
    match outcome:
        case Completed(reply=reply):
            return Reaction.ACCEPT if reply.text.strip() else Reaction.TREAT_AS_EMPTY
        case CutAtOutput():
            return Reaction.TREAT_AS_TRUNCATED
        case WindowFull():
            return Reaction.SHRINK_CHUNK
        case PromptTooLong():
            return _fitted(outcome, call)
        case OutputLimitRejected():
            return Reaction.LOWER_MAX_TOKENS
        case ReasoningExhausted():
            return Reaction.RAISE_MAX_TOKENS
        case Blocked(everywhere=everywhere):
            return Reaction.GIVE_UP if everywhere else Reaction.SWITCH_MODEL
        case Transient(retry_after=wait):
            return Reaction.SWITCH_MODEL if (wait or 0) > LONGEST_WAIT else Reaction.RETRY_LATER
        case BadCall():
            return _mended(outcome, call)
        case _:
            assert_never(outcome)


def _fitted(outcome: PromptTooLong, call: Call) -> Reaction:
    """Where the prompt fits by itself, the output limit that was sent is at fault."""
    window, prompt = outcome.window, _prompt(outcome.numbers)
    if window is None or not call.max_tokens:
        return Reaction.SHRINK_CHUNK
    if prompt is None:
        prompt = round(call.prompt_tokens * _OFF_BY)
    # If the parts that are known do not explain the overflow, something else takes the room.
    fits = prompt < window <= prompt + call.max_tokens
    return Reaction.LOWER_MAX_TOKENS if fits else Reaction.SHRINK_CHUNK


def _prompt(numbers: Iterable[Stated]) -> int | None:
    return next((number.value for number in numbers if number.role is Role.PROMPT), None)


def _mended(outcome: BadCall, call: Call) -> Reaction:
    if outcome.minimum is not None and call.max_tokens:
        return Reaction.RAISE_MAX_TOKENS
    named = outcome.param is not None or outcome.minimum is not None
    return Reaction.FIX_REQUEST if named else Reaction.GIVE_UP
