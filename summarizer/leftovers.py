"""What models leave is read by the offline model, where the user put it at the end of the ladder. No I/O."""

from __future__ import annotations

from summarizer.board import Board
from summarizer.ladder import Ladder
from summarizer.sizing import Sizing
from summarizer.work import Task

__all__ = ["Leftovers"]


class Leftovers:
    """The records of one run that are for the offline model: it comes last, and in as few calls as there are
    stretches of them, so that a run whose ladder it ends always completes.
    """

    def __init__(self, board: Board, ladder: Ladder, sizing: Sizing) -> None:
        self._board = board
        self._ladder = ladder
        self._sizing = sizing

    def run_short(self, spare_calls: int) -> bool:
        """Whether so many calls are just enough for the offline model to read what is left."""
        size = self._sizing.most(self._ladder.endpoints[-1])
        return spare_calls <= self._board.calls_for_rest(size) + 1

    def are(self, task: Task) -> bool:
        """Whether a task is for the offline model that ends a ladder of others."""
        endpoint = self._ladder.current(task)
        at_end = self._ladder.ends_offline and not self._ladder.is_offline
        return at_end and endpoint is not None and endpoint.is_offline

    def hand_over(self) -> None:
        """All that waits goes to the offline model."""
        rung = len(self._ladder) - 1
        offline = self._ladder.endpoints[rung]
        self._board.hand_over(rung)
        size = self._sizing.most(offline)
        self._board.replan(rung, size, size, self._sizing.output(offline))
