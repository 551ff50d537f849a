"""What follows from an outcome: for the endpoint that gave it and for the task that it answers. No I/O."""

from __future__ import annotations

from typing import assert_never

from summarizer import planning
from summarizer.board import Board
from summarizer.endpoints import Endpoint
from summarizer.ladder import Ladder
from summarizer.overflow import Option, Way, cheapest
from summarizer.result import Reason
from summarizer.sizing import Sizing
from summarizer.work import Leaf, State, Task
from summarizer_providers import bounds
from summarizer_providers.outcome import (
    BadCall,
    Blocked,
    Outcome,
    OutputLimitRejected,
    PromptTooLong,
    Transient,
)
from summarizer_providers.reaction import Reaction, reaction
from summarizer_providers.types import Call

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

    def __init__(self, board: Board, ladder: Ladder, sizing: Sizing) -> None:
        self._board = board
        self._ladder = ladder
        self._sizing = sizing

    def to(
        self, task: Task, endpoint: Endpoint, outcome: Outcome, call: Call, sent_at: float, now: float
    ) -> None:
        """Everything but a usable answer: the task waits again, is split, moves on, or is given up."""
        task.state = State.WAITING
        match reaction(outcome, call):
            case Reaction.ACCEPT | Reaction.TREAT_AS_EMPTY:
                self._unusable(task, endpoint, "it gave an empty answer")
            case Reaction.TREAT_AS_TRUNCATED:
                endpoint.health.succeeded()
                self._cut(task, endpoint, call)
            case Reaction.SHRINK_CHUNK:
                self._too_long(task, endpoint)
            case Reaction.LOWER_MAX_TOKENS | Reaction.FIX_REQUEST:
                self._sent_wrongly(task, endpoint, outcome)
            case Reaction.RAISE_MAX_TOKENS:
                self._more_room(task, endpoint, call, outcome)
            case Reaction.RETRY_LATER | Reaction.SWITCH_MODEL | Reaction.GIVE_UP:
                self._failed(task, endpoint, outcome, sent_at, now)
            case _ as never:
                assert_never(never)

    def _failed(self, task: Task, endpoint: Endpoint, outcome: Outcome, sent_at: float, now: float) -> None:
        """No answer: the content, the account or the endpoint is at fault, for now or for good."""
        match outcome:
            case Blocked(detail=detail, cause=cause) if cause.of_content:
                self._blocked(task, f"{endpoint.label}: {detail}")
            case Blocked(detail=detail):
                endpoint.health.give_up(Reason.UNAVAILABLE, detail)
            case Transient(answered=True, detail=detail):
                self._repeating(task, endpoint, detail)
            case Transient():
                self._transient(task, endpoint, outcome, sent_at, now)
            case _:
                self._sent_wrongly(task, endpoint, outcome)

    def move_on(self, task: Task, reason: Reason, detail: str) -> None:
        """To the next rung; given up where there is none."""
        task.rung += 1
        task.tries = task.unusable = task.refits = task.room = 0
        task.reason, task.detail = reason, detail
        if self._ladder.current(task) is None:
            self.give_up(task, reason, detail)

    def give_up(self, task: Task, reason: Reason, detail: str) -> None:
        """No more tries for this task."""
        if isinstance(task, Leaf):
            self._board.give_up(task, reason, detail)
        else:
            task.fail(reason, detail)

    def _cut(self, task: Task, endpoint: Endpoint, call: Call) -> None:
        """Whichever costs least: more room, a model that writes more, or less to read."""
        larger = self._ladder.larger(task.rung)
        raised = _raised(task, endpoint, call)
        if isinstance(task, Leaf):
            way = self._way(task, endpoint, larger, raised, least=2)
        else:  # a merge cannot be split
            way = Way.RAISE if raised else Way.SWITCH
        if way is Way.RAISE:
            task.room = 2 * call.max_tokens
        elif way is Way.SWITCH and larger is not None:
            task.rung, task.room = larger, 0
        else:
            self._split(task, endpoint)

    def rest(self, leaf: Leaf, endpoint: Endpoint) -> None:
        """What is left of a chunk of whose cut answer the beginning was kept: to whom it goes."""
        larger = self._ladder.larger(leaf.rung)
        if larger is not None and self._way(leaf, endpoint, larger, 0, least=1) is Way.SWITCH:
            leaf.rung = larger

    def _way(self, leaf: Leaf, endpoint: Endpoint, larger: int | None, raised: int, least: int) -> Way:
        read = leaf.chunk.tokens
        length = endpoint.habits.expected(read, leaf.target)
        other = None if larger is None else _option(self._ladder.endpoints[larger])
        return cheapest(read, length, self._sizing.overhead, _option(endpoint), raised, other, least)

    def _split(self, task: Task, endpoint: Endpoint) -> None:
        detail = f"{endpoint.label} cut its answer however little it was given"
        if isinstance(task, Leaf):
            size = self._sizing.answerable(endpoint, task.target / max(1, task.chunk.tokens))
            if self._board.cut(task, size):
                return
        self.move_on(task, Reason.UNAVAILABLE, detail)

    def _more_room(self, task: Task, endpoint: Endpoint, call: Call, outcome: Outcome) -> None:
        """Hidden reasoning took all the room, or less was asked for than is taken: the same chunk gets more,
        where there is more.
        """
        least = outcome.minimum if isinstance(outcome, BadCall) else None
        if (least or 0) > call.max_tokens or _raised(task, endpoint, call):
            task.room = max(least or 0, 2 * call.max_tokens)
            return
        what = "its reasoning took the whole output limit"
        endpoint.useless += 1
        if endpoint.useless >= _UNUSABLE_IN_A_ROW:
            endpoint.health.give_up(Reason.UNAVAILABLE, f"{what}, {endpoint.useless} times in a row")
        else:  # the same request would end in the same way
            self.move_on(task, Reason.UNAVAILABLE, f"{endpoint.label}: {what}")

    def _too_long(self, task: Task, endpoint: Endpoint) -> None:
        """The limits were learned; the next try is sized by them, and if that fails it is split."""
        task.refits += 1
        if task.refits < _REFITS:
            return
        if not (isinstance(task, Leaf) and self._board.halve(task, rung=task.rung)):
            self.move_on(task, Reason.UNAVAILABLE, f"{endpoint.label} has too small a context window")

    def _sent_wrongly(self, task: Task, endpoint: Endpoint, outcome: Outcome) -> None:
        """The request was refused as it stands: the next try has other limits."""
        if isinstance(outcome, PromptTooLong):
            self._too_long(task, endpoint)
            return
        detail = outcome.detail if isinstance(outcome, BadCall | OutputLimitRejected) else "it was refused"
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

    def _repeating(self, task: Task, endpoint: Endpoint, detail: str) -> None:
        """The same prompt may loop again: the second time the chunk is parted, which makes others of it."""
        leaf = task if isinstance(task, Leaf) and task.unusable else None
        if leaf is None or not self._board.halve(leaf, rung=leaf.rung):
            self._unusable(task, endpoint, detail)

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


def _option(endpoint: Endpoint) -> Option:
    return Option(planning.output_size(endpoint.limits), endpoint.input_cost, endpoint.output_cost)


def _raised(task: Task, endpoint: Endpoint, call: Call) -> int:
    """The output limit (tokens of our counter) to try next, if the one that was sent was ours and not the
    most that the endpoint is known, or declared, to take; else 0.
    """
    limits = endpoint.limits
    if task.room or not call.max_tokens or (limits.ceiling or call.max_tokens + 1) <= call.max_tokens:
        return 0
    most = bounds.left(limits, call.prompt_tokens, 2 * call.max_tokens)
    if limits.declared is not None:
        most = min(most, limits.declared)
    return int(most / max(1.0, limits.scale)) if most > 1.25 * call.max_tokens else 0
