"""The leaves of a run in order, and what can happen to them: split, moved on, given up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from summarizer import planning
from summarizer.chunking import SMALLEST, Chunk, chunks, halves, split
from summarizer.prepare import Unit
from summarizer.result import Reason
from summarizer.work import Leaf, State, is_blank

__all__ = ["Board"]


class Board:
    """All leaves over some units; their chunks always cover every unit once, in order."""

    def __init__(self, units: Sequence[Unit], count: Callable[[str], int]) -> None:
        self.units = units
        self.leaves: list[Leaf] = []
        self.tokens = sum(unit.tokens for unit in units)
        self._count = count

    def plan(self, size: int, budget: int, output: int) -> None:
        """Lay out the leaves: chunks of at most ``size`` tokens, answers of at most ``output`` tokens."""
        if not self.units:
            return
        wanted = planning.chunk_count(self.tokens, budget, size, output)
        self.leaves = [
            self._leaf(chunk, planning.target(chunk.tokens, self.tokens, budget, output), 0)
            for chunk in chunks(self.units, size, self._count, wanted)
        ]

    def _leaf(self, chunk: Chunk, target: int, rung: int) -> Leaf:
        """A leaf for a chunk; where nothing is to be read it is finished already."""
        leaf = Leaf(chunk=chunk, target=target, rung=rung)
        if is_blank(self.units, chunk):
            leaf.finish("", "", "verbatim")
        return leaf

    def open(self) -> list[Leaf]:
        """Leaves that are neither done nor given up."""
        return [leaf for leaf in self.leaves if leaf.state in (State.WAITING, State.FLYING)]

    def halve(self, leaf: Leaf, *, rung: int) -> bool:
        """Put two leaves in the place of one, each with its share of the target; False if it is too small."""
        return self._replace(leaf, halves(self.units, leaf.chunk, self._count), rung)

    def bisect(self, leaf: Leaf) -> bool:
        """Part the records of a leaf to find the one that is refused; False if it holds only one."""
        if leaf.chunk.first == leaf.chunk.last:
            return False
        return self._replace(leaf, halves(self.units, leaf.chunk, self._count), rung=0)

    def resize(self, leaf: Leaf, size: int) -> bool:
        """Put chunks of at most ``size`` tokens in the place of a leaf; False if it is too small to split."""
        chunk, size = leaf.chunk, max(SMALLEST, size)
        if chunk.first == chunk.last:
            smaller = split(self.units[chunk.first], chunk, size, self._count)
        else:
            inner = chunks(self.units[chunk.first : chunk.last + 1], size, self._count)
            smaller = [_shifted(c, chunk.first) for c in inner]
        return self._replace(leaf, smaller, leaf.rung)

    def _replace(self, leaf: Leaf, smaller: Sequence[Chunk], rung: int) -> bool:
        if len(smaller) < 2:
            return False
        total = sum(chunk.tokens for chunk in smaller) or 1
        at = self.leaves.index(leaf)
        self.leaves[at : at + 1] = [
            self._leaf(chunk, max(16, leaf.target * chunk.tokens // total), rung) for chunk in smaller
        ]
        return True

    def give_up(self, leaf: Leaf, reason: Reason, detail: str) -> None:
        """No more tries for a leaf, nor for other pieces of the same record: it cannot become whole."""
        leaf.fail(reason, detail)
        if leaf.chunk.is_piece:
            for other in self.leaves:
                same = other.chunk.is_piece and other.chunk.first == leaf.chunk.first
                if same and other.state is State.WAITING:
                    other.fail(reason, detail)


def _shifted(chunk: Chunk, by: int) -> Chunk:
    return Chunk(chunk.first + by, chunk.last + by, chunk.tokens, chunk.start, chunk.end)
