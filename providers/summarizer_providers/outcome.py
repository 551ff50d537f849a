"""What one call gave: a closed set of nine outcomes, each with the numbers that came with it."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    "Role",
    "Stated",
    "Transient",
    "WindowFull",
]


class Role(StrEnum):
    """What a number of tokens in a provider's words is: limits of theirs, or sizes of what we sent."""

    OUTPUT_LIMIT = "output limit"
    WINDOW = "window"
    MINIMUM = "minimum"
    PROMPT = "prompt"
    OUTPUT = "output"
    TOTAL = "total"
    EXCESS = "excess"


@dataclass(frozen=True, slots=True)
class Stated:
    """A number of tokens with what it is, and ``where`` it was read: a field's name, or the words around it
    (at most 80 characters).
    """

    role: Role
    value: int
    where: str


class BlockCause(StrEnum):
    """Why a call was refused for good: its content (a filter's or the model's own verdict), or the account.

    ``authentication`` is whatever names who asks whom: the key, the address, the model and the right to it.
    """

    FILTER = "filter"
    REFUSAL = "refusal"
    QUOTA = "quota"
    CREDIT = "credit"
    AUTHENTICATION = "authentication"

    @property
    def of_content(self) -> bool:
        """Whether other content would go through."""
        return self in (BlockCause.FILTER, BlockCause.REFUSAL)


@dataclass(frozen=True, slots=True)
class Completed:
    """The model ended by itself; the text is without the reasoning that stood before it."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class CutAtOutput:
    """The answer was cut at an output limit; ``written`` tokens by the provider's count, if it counted.

    Where only the text gives the cut away, the reply's count is left out: it is no limit.
    """

    reply: Reply
    written: int | None = None


@dataclass(frozen=True, slots=True)
class WindowFull:
    """Prompt and answer together reached the context window, of ``window`` tokens if known."""

    reply: Reply
    window: int | None = None


@dataclass(frozen=True, slots=True)
class PromptTooLong:
    """The prompt was refused as too long, or silently not read whole; ``window`` tokens were stated (or are
    given away by the provider's count) as the limit, or none.
    """

    detail: str
    window: int | None = None
    numbers: tuple[Stated, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class OutputLimitRejected:
    """The ``max_tokens`` that was sent was refused; ``limit`` tokens were stated as the most, or none."""

    detail: str
    limit: int | None = None
    numbers: tuple[Stated, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class ReasoningExhausted:
    """Hidden reasoning took the whole output limit: the same chunk needs a larger one."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Blocked:
    """Refused for good: the same call would be refused again. ``everywhere``: by a guard that the account
    itself has set up, which stands before its other models too.
    """

    detail: str
    cause: BlockCause
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Transient:
    """A passing fault: the same call may go through later, after ``retry_after`` seconds if stated.

    ``answered``: the endpoint is well, but what it wrote is no answer (it repeats itself).
    """

    detail: str
    retry_after: float | None = None
    rate_limited: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class BadCall:
    """The endpoint did not accept the form of the request. ``param`` is the argument at fault, if known;
    ``minimum`` means that the output limit is too small, of at least so many tokens if stated (else 0).
    """

    detail: str
    param: str | None = field(default=None, compare=False)
    minimum: int | None = field(default=None, compare=False)


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
"""Any of the nine."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An outcome with what it cost: ``requests`` sent (retries included), tokens, US dollars (None: unknown).

    Tokens are the provider's count where it gave one, else ours. ``streamed`` is whether the answer was asked
    for in pieces.
    """

    outcome: Outcome
    requests: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    streamed: bool = False
