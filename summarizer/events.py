"""What is told of a run while it goes on, as frozen values for ``on_event``."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CallEnded",
    "CallProgress",
    "CallStarted",
    "CeilingLearned",
    "Event",
    "Planned",
    "Replanned",
    "SectionDone",
    "SectionFinal",
]


@dataclass(frozen=True, slots=True)
class Planned:
    """The work was laid out: so many records and tokens in so many chunks, one call each."""

    records: int
    tokens: int
    chunks: int
    max_calls: int


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call was sent to ``model``: ``prompt_tokens`` to read, an answer of ``target`` tokens asked for."""

    call: int
    model: str
    prompt_tokens: int
    target: int


@dataclass(frozen=True, slots=True)
class CallProgress:
    """The answer to a call grows: so many characters came so far, hidden reasoning included. Sent a few times
    a second at most, for answers that are streamed.
    """

    call: int
    model: str
    characters: int


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call ended with ``outcome`` (``Completed``, ``CutAtOutput``, …, or ``Abandoned`` where the run ended
    first) after ``seconds``.
    """

    call: int
    model: str
    outcome: str
    seconds: float
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class CeilingLearned:
    """What ``model`` can write in one call, or its context window, turned out otherwise than was thought: the
    most, in its own tokens; None where no limit is known.
    """

    model: str
    output: int | None
    window: int | None


@dataclass(frozen=True, slots=True)
class Replanned:
    """What is left was laid out anew by what was learned: in so many chunks, one call each."""

    chunks: int


@dataclass(frozen=True, slots=True)
class SectionDone:
    """The share of the input, 0 to 1 by tokens, that finished sections stand for; and an estimate of what
    remains: calls of the present plan, and seconds at the speed so far (None before anything is finished).
    """

    covered: float
    calls_left: int = 0
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class SectionFinal:
    """The next section of the text, in order, for the records ``first`` to ``last`` (positions, inclusive),
    which stays as it is whatever else comes. Only with ``Budget(…, steady=True)``, for as many sections at
    the front as that is known of before the end; the result's text begins with theirs.
    """

    text: str
    first: int
    last: int


Event = (
    Planned | CallStarted | CallProgress | CallEnded | CeilingLearned | Replanned | SectionDone | SectionFinal
)
"""Whatever is handed to ``on_event``."""
