"""What is known of an endpoint's limits, and what follows for the next call. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from summarizer_providers.outcome import (
    Completed,
    CutAtOutput,
    Outcome,
    OutputLimitRejected,
    PromptTooLong,
    WindowFull,
)
from summarizer_providers.types import Call, Reply

__all__ = [
    "DEFAULT_MAX_TOKENS",
    "DEFAULT_WINDOW",
    "LEAST_READ",
    "Limits",
    "learn",
    "left",
    "max_tokens",
    "readable",
]

DEFAULT_MAX_TOKENS = 16_384
"""Sent as ``max_tokens`` where nothing is known or declared: an unknown ceiling is taken to be large."""

LEAST_READ = 0.6
"""A provider that counts less than this share of our own count did not read the whole prompt. Tokenizers in
use differ by less: by a quarter at most downwards, for Chinese and Japanese."""

DEFAULT_WINDOW = 32_768
"""The context window, in tokens, that is planned for where nothing is known or declared."""

_GUESSED_SCALE = 1.15
_MOST_HIDDEN = 0.9
_SPARE = 16
_OFF_BY = 2
"""Tokens by which a count of an answer may miss the end marks that the limit counts: no lesson is in them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one endpoint in tokens; None where nothing is known.

    ``ceiling`` is an upper bound of what one call can write (seen in a cut or stated by an error),
    ``declared`` the output limit that tables or the user declare, ``window`` the context window, ``scale``
    the endpoint's tokens per token of our counter (until it is seen, prompts are taken 15 % larger),
    ``useful`` the most that it reads well in one call, where that was measured. ``measured`` says whether
    ``scale`` was seen, ``hidden`` is the part of what it writes, 0 to 1, that is reasoning nobody sees.
    """

    window: int | None = None
    declared: int | None = None
    ceiling: int | None = None
    scale: float = _GUESSED_SCALE
    useful: int | None = None
    measured: bool = False
    hidden: float = 0.0

    @property
    def output(self) -> int:
        """The most that a call is expected to be able to write, in the endpoint's tokens."""
        return self.ceiling or self.declared or DEFAULT_MAX_TOKENS


def learn(limits: Limits, call: Call, outcome: Outcome) -> Limits:
    """The limits after what one call gave.

    A cut at the ``max_tokens`` that we set ourselves says nothing about the model; an answer longer than
    the ceiling removes it.
    """
    match outcome:
        case Completed(reply=reply) | CutAtOutput(reply=reply) | WindowFull(reply=reply):
            limits = _measure(limits, call, reply)
    match outcome:
        case Completed(reply=Reply(output_tokens=int(written))) if written > (limits.ceiling or written):
            return replace(limits, ceiling=None)
        case CutAtOutput(reply=reply, written=int(written)) if 0 < written < call.max_tokens - _OFF_BY:
            return limits if _fills(limits, reply) else replace(limits, ceiling=written)
        case OutputLimitRejected(limit=limit):
            return replace(limits, ceiling=limit or max(1, call.max_tokens // 2))
        case WindowFull(window=int(window)):
            return replace(limits, window=window)
        case PromptTooLong(window=stated):
            return _shrunk(limits, call, stated)
    return limits


def _measure(limits: Limits, call: Call, reply: Reply) -> Limits:
    limits = _hidden(limits, reply)
    if not reply.input_tokens or not call.prompt_tokens:
        return limits
    seen = reply.input_tokens / call.prompt_tokens
    if seen < LEAST_READ:  # no tokenizer in use: it did not read everything
        return limits
    return replace(limits, scale=min(4.0, max(seen, 0.5)), measured=True)


def _hidden(limits: Limits, reply: Reply) -> Limits:
    """Reasoning takes room of the answer's; its share differs from call to call, so it is smoothed."""
    if not reply.output_tokens or (not reply.reasoning_tokens and not limits.hidden):
        return limits
    seen = min(_MOST_HIDDEN, reply.reasoning_tokens / reply.output_tokens)
    return replace(limits, hidden=(limits.hidden + seen) / 2 if limits.hidden else seen)


def _fills(limits: Limits, reply: Reply) -> bool:
    """Whether prompt and answer together reach the window that is known: then that was hit, not a ceiling."""
    total = (reply.input_tokens or 0) + (reply.output_tokens or 0)
    return limits.window is not None and total >= limits.window - _SPARE


def _shrunk(limits: Limits, call: Call, stated: int | None) -> Limits:
    """A prompt that was refused although it seemed to fit means that the endpoint counts more than we do, or
    has a smaller window: of the two, what explains more.
    """
    if stated is not None and stated != limits.window:
        return replace(limits, window=stated)
    prompt = int(call.prompt_tokens * limits.scale)
    fitted = prompt + call.max_tokens <= (limits.window or DEFAULT_WINDOW)
    if stated is None and (limits.window is None or (fitted and call.max_tokens > prompt)):
        # Prompt and output together were too much: take half of both, or all of the prompt if it is longer.
        return replace(limits, window=max(prompt, prompt // 2 + call.max_tokens // 2))
    return replace(limits, scale=limits.scale * 1.25) if fitted else limits


def readable(limits: Limits, output: int) -> int:
    """The largest prompt, in our counter's tokens, beside which the window leaves ``output`` tokens."""
    window = limits.window or DEFAULT_WINDOW
    return max(0, int((window - output - _SPARE) / limits.scale))


def max_tokens(limits: Limits, prompt_tokens: int) -> int:
    """The ``max_tokens`` to send: the known bound, else the declared one, else 16,384; never more than
    the window leaves behind a prompt of ``prompt_tokens`` by our count (an unknown window leaves all).
    """
    return left(limits, prompt_tokens, limits.output)


def left(limits: Limits, prompt_tokens: int, wanted: int) -> int:
    """What the window leaves of ``wanted`` tokens of output behind a prompt of ``prompt_tokens`` (our count),
    at least 1.
    """
    if limits.window is None:
        return wanted
    return max(1, min(wanted, limits.window - int(prompt_tokens * limits.scale) - _SPARE))
