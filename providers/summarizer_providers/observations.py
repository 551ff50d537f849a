"""What one call showed of its endpoint, as a dated fact that can be kept; what teaches nothing is named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import assert_never

from summarizer_providers.bounds import LEAST_READ
from summarizer_providers.catalog import Endpoint
from summarizer_providers.outcome import (
    BadCall,
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
from summarizer_providers.secrets import one_line
from summarizer_providers.types import Call, Reply

__all__ = [
    "MAX_SOURCE",
    "Kind",
    "Nothing",
    "Observation",
    "chosen",
    "endpoint_key",
    "observe",
    "reasoning_mode",
    "teaches_nothing",
]

MAX_SOURCE = 200
"""Characters of an error's wording that are kept beside a number that was read out of it."""

_MAX_KEY = 300
_LOOP_LINES = 8
_BYTES = re.compile(r"\b(?:bytes|[kmg]i?b|body|payload|entity too large|characters)\b", re.I)
_TIME = re.compile(r"\btime[d ]?-?out|no answer within|deadline", re.I)
_BROKEN_OFF = {"abort", "aborted", "cancelled", "error", "load", "network_error", "pause_turn"}


class Kind(StrEnum):
    """What was seen. ``set`` is a limit that the user gave; ``default_seen`` a cut where no ``max_tokens``
    was sent; ``input_truncated`` an answer to a prompt that the provider did not read whole.
    """

    COMPLETED = "completed"
    CUT = "cut"
    WINDOW_FULL = "window_full"
    PROMPT_TOO_LONG = "prompt_too_long"
    OUTPUT_REJECTED = "output_rejected"
    REASONING_EXHAUSTED = "reasoning_exhausted"
    INPUT_TRUNCATED = "input_truncated"
    DEFAULT_SEEN = "default_seen"
    SET = "set"


class Nothing(StrEnum):
    """Why a call teaches nothing of its endpoint's limits."""

    MONEY = "money, keys and accounts"
    FILTER = "a filter or a refusal"
    RATE_LIMIT = "a rate limit"
    TIMEOUT = "a time limit"
    FAULT = "a passing fault"
    BYTES = "a limit in bytes or characters"
    BAD_CALL = "a request of the wrong form"
    ABORT = "an answer that was broken off"
    LOOP = "an answer that repeats itself"
    NO_COUNT = "no count of the provider's own"
    LOCAL = "a model that has no limits to learn"


@dataclass(frozen=True, slots=True)
class Observation:
    """One dated fact. ``at`` is in seconds since the epoch (UTC), ``source`` the wording that a number was
    read from (at most 200 characters, without keys).

    Tokens: ``max_tokens`` as sent (None: none was sent), ``target`` and ``prompt_tokens`` by our counter,
    ``input_tokens``, ``output_tokens`` (reasoning included) and ``reasoning_tokens`` by the provider's own
    count (None where it gave none), ``stated_ceiling`` and ``stated_window`` as errors (or the user) say.
    """

    endpoint: str
    at: float
    kind: Kind
    max_tokens: int | None = None
    target: int | None = None
    prompt_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    stated_ceiling: int | None = None
    stated_window: int | None = None
    source: str = ""

    @property
    def counted(self) -> bool:
        """Whether the provider itself counted what it wrote."""
        return self.output_tokens is not None

    @property
    def visible_tokens(self) -> int | None:
        """What was written for the reader, by the provider's count."""
        return None if self.output_tokens is None else self.output_tokens - (self.reasoning_tokens or 0)

    @property
    def total_tokens(self) -> int | None:
        """Prompt and answer together, by the provider's count."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    @property
    def order(self) -> tuple[float, str, tuple[int, ...], str]:
        """By date; at the same instant by content, so that the order of arrival never matters."""
        numbers = (
            *(self.max_tokens, self.target, self.prompt_tokens, self.input_tokens, self.output_tokens),
            *(self.reasoning_tokens, self.stated_ceiling, self.stated_window),
        )
        return self.at, self.kind.value, tuple(-1 if n is None else n for n in numbers), self.source


def endpoint_key(endpoint: Endpoint, *, streaming: bool, reasoning: str | None = None) -> str:
    """The string under which an endpoint is remembered: name, address, streaming or not, reasoning mode.

    Further arguments stand in it as a digest, for they may hold what is nobody's business.
    """
    parts = [str(endpoint), "streamed" if streaming else "whole"]
    if not endpoint.name.startswith(f"{endpoint.route}/"):
        parts.insert(0, endpoint.route)
    if reasoning:
        parts.append(f"reasoning {reasoning}")
    if endpoint.extra != "{}":
        parts.append("with " + sha256(endpoint.extra.encode()).hexdigest()[:12])
    key = ", ".join(parts)
    return key if len(key) <= _MAX_KEY else f"{key[:_MAX_KEY]}… {sha256(key.encode()).hexdigest()[:12]}"


def reasoning_mode(extra: Mapping[str, object]) -> str | None:
    """The mode that a model's further arguments ask for (``reasoning_effort``, ``thinking``), if any."""
    thinking = extra.get("thinking")
    mode = extra.get("reasoning_effort") or (thinking.get("type") if isinstance(thinking, Mapping) else None)
    return str(mode)[:32] if isinstance(mode, str) else None


def teaches_nothing(call: Call, outcome: Outcome) -> Nothing | None:
    """Why nothing can be learned from an outcome; None where something can."""
    if call.model.route == "offline":
        return Nothing.LOCAL
    match outcome:
        case Blocked(cause=cause) if cause.of_content:
            return Nothing.FILTER
        case Blocked():
            return Nothing.MONEY
        case Transient(rate_limited=True):
            return Nothing.RATE_LIMIT
        case Transient(detail=detail):
            return Nothing.TIMEOUT if _TIME.search(detail) else Nothing.FAULT
        case BadCall():
            return Nothing.BAD_CALL
        case PromptTooLong(detail=detail) | OutputLimitRejected(detail=detail):
            return _of_refusal(outcome, detail)
        case Completed(reply=reply) | CutAtOutput(reply=reply) | WindowFull(reply=reply):
            return _of_reply(outcome, reply)
        case ReasoningExhausted(reply=reply):
            return None if _written(reply) else Nothing.NO_COUNT
        case _:
            assert_never(outcome)


def _of_refusal(outcome: PromptTooLong | OutputLimitRejected, detail: str) -> Nothing | None:
    stated = outcome.window if isinstance(outcome, PromptTooLong) else outcome.limit
    return Nothing.BYTES if stated is None and _BYTES.search(detail) else None


def _of_reply(outcome: Completed | CutAtOutput | WindowFull, reply: Reply) -> Nothing | None:
    reason = reply.finish_reason
    if (reason or "").lower() in _BROKEN_OFF or (reason is None and isinstance(outcome, CutAtOutput)):
        return Nothing.ABORT
    if isinstance(outcome, WindowFull) and outcome.window:
        return None
    if not _written(reply) and not (isinstance(outcome, CutAtOutput) and outcome.written):
        return Nothing.NO_COUNT
    return Nothing.LOOP if isinstance(outcome, CutAtOutput) and _loops(reply.text) else None


def _loops(text: str) -> bool:
    """Whether a text ends in the same lines over and over."""
    lines = [line.strip() for line in text[-8_000:].splitlines() if line.strip()][-3 * _LOOP_LINES :]
    return len(lines) >= _LOOP_LINES and len(set(lines)) <= len(lines) // 4


def observe(endpoint: str, call: Call, outcome: Outcome, at: float) -> Observation | None:
    """What a call showed of the endpoint with this key at ``at`` (seconds since the epoch); None if nothing.

    Raises nothing.
    """
    if teaches_nothing(call, outcome) is not None:
        return None
    match outcome:
        case Completed(reply=reply):
            return _of(endpoint, call, at, _completed_as(call, reply), reply)
        case CutAtOutput(reply=reply, written=written):
            kind = Kind.CUT if call.max_tokens else Kind.DEFAULT_SEEN
            return _of(endpoint, call, at, kind, reply, written=written)
        case WindowFull(reply=reply, window=window):
            return _of(endpoint, call, at, Kind.WINDOW_FULL, reply, window=window)
        case ReasoningExhausted(reply=reply):
            return _of(endpoint, call, at, Kind.REASONING_EXHAUSTED, reply)
        case PromptTooLong(detail=detail, window=window):
            return _of(endpoint, call, at, Kind.PROMPT_TOO_LONG, None, window=window, source=detail)
        case OutputLimitRejected(detail=detail, limit=limit):
            return _of(endpoint, call, at, Kind.OUTPUT_REJECTED, None, ceiling=limit, source=detail)
    return None


def chosen(endpoint: str, ceiling: int, at: float) -> Observation:
    """A ceiling (tokens) that the user gives. Raises ``ValueError`` if it is not at least 1."""
    if ceiling < 1:
        raise ValueError(f"ceiling: expected at least 1 token, got {ceiling}")
    return Observation(endpoint, at, Kind.SET, stated_ceiling=ceiling, source="set by the user")


def _of(
    endpoint: str,
    call: Call,
    at: float,
    kind: Kind,
    reply: Reply | None,
    *,
    written: int | None = None,
    window: int | None = None,
    ceiling: int | None = None,
    source: str = "",
) -> Observation:
    output = max(written or 0, (_written(reply) or 0) if reply else 0) or None
    return Observation(
        endpoint=endpoint,
        at=at,
        kind=kind,
        max_tokens=call.max_tokens or None,
        target=call.hints.target or None,
        prompt_tokens=call.prompt_tokens or None,
        input_tokens=(reply.input_tokens or None) if reply else None,
        output_tokens=output,
        reasoning_tokens=min(reply.reasoning_tokens, output) if reply and output else None,
        stated_ceiling=ceiling,
        stated_window=window,
        source=one_line(source, {}, MAX_SOURCE),
    )


def _written(reply: Reply) -> int | None:
    """Everything that was written; some providers count reasoning beside the answer, most within it."""
    if not reply.output_tokens:
        return None
    apart = reply.reasoning_tokens > reply.output_tokens
    return reply.output_tokens + (reply.reasoning_tokens if apart else 0)


def _completed_as(call: Call, reply: Reply) -> Kind:
    read = reply.input_tokens
    short = read and call.prompt_tokens and read < LEAST_READ * call.prompt_tokens
    return Kind.INPUT_TRUNCATED if short else Kind.COMPLETED
