"""What is told of a run while it goes on, as frozen values for ``on_event``."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CallEnded", "CallProgress", "CallStarted", "Event", "Planned", "SectionDone"]


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
    """A call ended with ``outcome`` (``Completed``, ``CutAtOutput``, …) after ``seconds``."""

    call: int
    model: str
    outcome: str
    seconds: float
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class SectionDone:
    """The share of the input, 0 to 1 by tokens, that finished sections stand for."""

    covered: float


Event = Planned | CallStarted | CallProgress | CallEnded | SectionDone
"""Whatever is handed to ``on_event``."""
