"""What of an answer's text is used, and what the text says of the endpoint that wrote it. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

from summarizer.board import Board
from summarizer.calls import Job
from summarizer.cleaning import clean_text
from summarizer.endpoints import Endpoint
from summarizer.following import breaks_off, follow, goes_through
from summarizer.result import Method, Notice
from summarizer.work import Leaf, MergeTask, State, Task
from summarizer_providers.outcome import Completed, CutAtOutput, Outcome
from summarizer_providers.types import Call

__all__ = ["Flight", "Reception"]

_MOST_CHARACTERS = 24
"""Characters a token: of an answer that is longer than all it read, no more than this is looked at."""
_LONGEST = 131_072
"""Tokens: no model in use writes more in one call."""
_LOOKED_AT = 3
"""Whole answers of an endpoint of which it is seen whether they follow their material."""
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


@dataclass(frozen=True, slots=True)
class Flight:
    """A call on its way: the task that it is for, the tokens of material that it reads, and when it was sent
    (seconds of the flow's clock).
    """

    task: Task
    endpoint: Endpoint
    call: Call
    read: int
    sent_at: float

    @property
    def texts(self) -> list[str]:
        """What the call gives to read, a text a record."""
        return [passage.text for passage in self.call.hints.passages]


class Reception:
    """Takes the answers of one run."""

    def __init__(self, board: Board, job: Job, *, fell_back: bool) -> None:
        self.fell_back = fell_back
        self._board = board
        self._job = job
        self._cuts_kept = 0

    def judged(self, flight: Flight, outcome: Outcome) -> Outcome:
        """An outcome in the light of what the endpoint read, and of what else it wrote."""
        endpoint = flight.endpoint
        if not isinstance(outcome, Completed | CutAtOutput):
            return outcome
        text, reads = outcome.reply.text, isinstance(flight.task, Leaf) and not endpoint.is_offline
        if isinstance(outcome, Completed) and reads and breaks_off(text, flight.texts):
            outcome = CutAtOutput(outcome.reply, outcome.reply.output_tokens)
        tokens = self._job.count(text[: _MOST_CHARACTERS * _LONGEST])
        outcome = endpoint.judged(outcome, tokens)
        endpoint.longest = max(endpoint.longest, tokens)
        return outcome

    def accept(self, flight: Flight, text: str) -> bool:
        """Take an answer that ended by itself for a summary, unless there is nothing in it."""
        task, endpoint = flight.task, flight.endpoint
        text = _clean(text[: _MOST_CHARACTERS * max(flight.read, task.target, 256)])
        if not text or task.state is not State.FLYING:
            return False
        tokens, merged = self._job.count(text), isinstance(task, MergeTask)
        endpoint.wrote(flight.read, tokens, flight.call.hints.target, merged=merged)
        if not merged and not endpoint.is_offline and endpoint.habits.looked_at < _LOOKED_AT:
            endpoint.habits = endpoint.habits.ordered(goes_through(text, flight.texts))
        if tokens >= flight.read:
            text = self._job.fit(text, min(task.target, flight.read))
        method: Method = "merged" if merged else "model"
        task.finish(text, endpoint.model.name, "extractive" if endpoint.is_offline else method)
        self.fell_back = self.fell_back or endpoint.is_offline
        return True

    def salvage(self, flight: Flight, outcome: CutAtOutput) -> tuple[tuple[Leaf, Leaf] | None, float]:
        """Learn from an answer that was cut, and keep of it what surely stands for whole records: the leaf of
        that and the leaf of the rest (None if nothing could be kept), and the part of the text that was kept,
        0 to 1.
        """
        task, endpoint, call = flight.task, flight.endpoint, flight.call
        text, leaf = outcome.reply.text, isinstance(task, Leaf)
        followed = follow(text, flight.texts) if leaf else None
        asked, progress = call.hints.target, None if followed is None else followed.progress
        endpoint.answered = True
        endpoint.habits = endpoint.habits.cut(flight.read, self._job.count(text), asked, progress)
        if followed is None or not isinstance(task, Leaf) or task.state is not State.FLYING:
            return None, 0.0
        if not endpoint.habits.in_order:  # it might have come back to what it left out
            return None, 0.0
        kept, position = _clean(followed.text), call.hints.passages[followed.record].position
        parts = self._board.keep(task, position, kept, endpoint.model.name)
        if parts is None:
            return None, 0.0
        self._cuts_kept += 1
        return parts, len(kept) / max(1, len(text))

    def notices(self) -> list[Notice]:
        """A notice if something was kept of answers that were cut."""
        if not self._cuts_kept:
            return []
        times = "an answer was" if self._cuts_kept == 1 else f"{self._cuts_kept} answers were"
        return [Notice("cut_kept", f"{times} cut; what it said of whole records, in order, was kept")]


def _clean(text: str) -> str:
    """A model's text as it may be stored and sent: valid, without white space around it."""
    text = clean_text(text).strip()
    return text if text.strip(_INVISIBLE + " \n\t") else ""
