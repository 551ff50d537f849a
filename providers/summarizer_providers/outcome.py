"""What one call gave: a closed set of nine outcomes, each with the numbers that came with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from summarizer_providers.types import Reply

__all__ = [
    "Answer",
    "BadCall",
    "BlockCause",
    "Blocked",
    "Completed",
    "CutAtOutput",
    "Outcome",
    "OutputLimitRejected",
    "PromptTooLong",
    "ReasoningExhausted",
    "Transient",
    "WindowFull",
]


class BlockCause(StrEnum):
    """Why a call was refused for good: its content, or the account, key, address or model behind it."""

    CONTENT = "content"
    ACCOUNT = "account"


@dataclass(frozen=True, slots=True)
class Completed:
    """The model ended by itself."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class CutAtOutput:
    """The answer was cut at an output limit; ``written`` tokens by the provider's count, if it counted."""

    reply: Reply
    written: int | None = None


@dataclass(frozen=True, slots=True)
class WindowFull:
    """Prompt and answer together reached the context window, of ``window`` tokens if known."""

    reply: Reply
    window: int | None = None


@dataclass(frozen=True, slots=True)
class PromptTooLong:
    """The prompt was refused as too long; ``window`` tokens were stated as the limit, or none."""

    detail: str
    window: int | None = None


@dataclass(frozen=True, slots=True)
class OutputLimitRejected:
    """The ``max_tokens`` that was sent was refused; ``limit`` tokens were stated as the most, or none."""

    detail: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ReasoningExhausted:
    """Hidden reasoning took the whole output limit: the same chunk needs a larger one."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Blocked:
    """Refused for good: the same call would be refused again."""

    detail: str
    cause: BlockCause


@dataclass(frozen=True, slots=True)
class Transient:
    """A passing fault: the same call may go through later, after ``retry_after`` seconds if stated."""

    detail: str
    retry_after: float | None = None
    rate_limited: bool = False


@dataclass(frozen=True, slots=True)
class BadCall:
    """The endpoint did not accept the form of the request."""

    detail: str


Outcome = (
    Completed
    | CutAtOutput
    | WindowFull
    | PromptTooLong
    | OutputLimitRejected
    | ReasoningExhausted
    | Blocked
    | Transient
    | BadCall
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An outcome with what it cost: ``requests`` sent (retries included), tokens, US dollars (None: unknown).

    Tokens are the provider's count where it gave one, else ours.
    """

    outcome: Outcome
    requests: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
