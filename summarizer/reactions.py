"""What follows from an outcome: for the endpoint that gave it and for the task that it answers. No I/O."""

from __future__ import annotations

from typing import assert_never

from summarizer.board import Board
from summarizer.endpoints import Endpoint
from summarizer.ladder import Ladder
from summarizer.result import Reason
from summarizer.work import Leaf, State, Task
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

__all__ = ["React"]

_TRIES = 6
"""Passing faults that one task meets at one endpoint before it goes to the next."""
_UNUSABLE = 3
"""Unusable answers (blank, no summary) that one task takes from one endpoint before it goes to the next."""
_UNUSABLE_IN_A_ROW = 9
_REFITS = 3
"""How often a task is sent again with other limits before it is split."""


class React:
    """Applies outcomes to the tasks of one run."""

    def __init__(self, board: Board, ladder: Ladder) -> None:
        self._board = board
        self._ladder = ladder

    def to(self, task: Task, endpoint: Endpoint, outcome: Outcome, sent_at: float, now: float) -> None:
        """Everything but a usable answer: the task waits again, is split, moves on, or is given up."""
        task.state = State.WAITING
        match outcome:
            case Completed():
                self._unusable(task, endpoint, "it gave an empty answer")
            case CutAtOutput():
                endpoint.health.succeeded()
                self._cut(task, f"{endpoint.label} cut its answer however little it was given")
            case WindowFull() | PromptTooLong():
                self._too_long(task, f"{endpoint.label} has too small a context window")
            case OutputLimitRejected(detail=detail) | BadCall(detail=detail):
                self._refused(task, endpoint, detail)
            case ReasoningExhausted():
                self._unusable(task, endpoint, "its reasoning took the whole output limit")
            case Blocked(detail=detail, cause=cause) if cause.of_content:
                self._blocked(task, f"{endpoint.label}: {detail}")
            case Blocked(detail=detail):
                endpoint.health.give_up(Reason.UNAVAILABLE, detail)
            case Transient(answered=True, detail=detail):
                self._unusable(task, endpoint, detail)
            case Transient():
                self._transient(task, endpoint, outcome, sent_at, now)
            case _:
                assert_never(outcome)

    def move_on(self, task: Task, reason: Reason, detail: str) -> None:
        """To the next rung; given up where there is none."""
        task.rung += 1
        task.tries = task.unusable = task.refits = 0
        task.reason, task.detail = reason, detail
        if self._ladder.current(task) is None:
            self.give_up(task, reason, detail)

    def give_up(self, task: Task, reason: Reason, detail: str) -> None:
        """No more tries for this task."""
        if isinstance(task, Leaf):
            self._board.give_up(task, reason, detail)
        else:
            task.fail(reason, detail)

    def _cut(self, task: Task, detail: str) -> None:
        larger = self._ladder.larger(task.rung)
        if larger is not None:
            task.rung = larger
        elif not (isinstance(task, Leaf) and self._board.halve(task, rung=task.rung)):
            self.move_on(task, Reason.UNAVAILABLE, detail)

    def _too_long(self, task: Task, detail: str) -> None:
        """The limits were learned; the next try is sized by them, and if that fails it is split."""
        task.refits += 1
        if task.refits < _REFITS:
            return
        if not (isinstance(task, Leaf) and self._board.halve(task, rung=task.rung)):
            self.move_on(task, Reason.UNAVAILABLE, detail)

    def _refused(self, task: Task, endpoint: Endpoint, detail: str) -> None:
        task.refits += 1
        if task.refits >= _REFITS:
            if not endpoint.answered:
                endpoint.health.give_up(Reason.UNAVAILABLE, detail)
            self.move_on(task, Reason.UNAVAILABLE, f"{endpoint.label}: {detail}")

    def _unusable(self, task: Task, endpoint: Endpoint, what: str) -> None:
        task.unusable += 1
        endpoint.useless += 1
        if endpoint.useless >= _UNUSABLE_IN_A_ROW:
            endpoint.health.give_up(Reason.UNAVAILABLE, f"{what}, {endpoint.useless} times in a row")
        elif task.unusable >= _UNUSABLE:
            self.move_on(
                task, Reason.UNAVAILABLE, f"{endpoint.label}: {what}, {task.unusable} times in a row"
            )

    def _blocked(self, task: Task, detail: str) -> None:
        task.rung += 1
        if self._ladder.current(task) is not None:
            return
        if not (isinstance(task, Leaf) and self._board.bisect(task)):
            self.give_up(task, Reason.BLOCKED, detail)

    def _transient(
        self, task: Task, endpoint: Endpoint, fault: Transient, sent_at: float, now: float
    ) -> None:
        endpoint.health.failed(fault, sent_at, now)
        task.tries += 1
        if task.tries >= _TRIES:
            reason = Reason.RATE_LIMITED if fault.rate_limited else Reason.UNAVAILABLE
            self.move_on(task, reason, f"{endpoint.label}: {fault.detail}")
