"""The leaves of a run in order, and what can happen to them: split, moved on, given up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

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
        self._budget = 0

    def plan(self, size: int, most: int, budget: int, output: int) -> None:
        """Lay out the leaves: chunks of about ``size`` and at most ``most`` tokens, answers of at most
        ``output`` tokens, which share ``budget`` tokens.
        """
        self._budget = budget
        if self.units:
            wanted = max(
                planning.chunk_count(self.tokens, budget, most, output), planning.parts(self.tokens, size)
            )
            found = chunks(self.units, planning.loosely(size, most), self._count, wanted)
            self.leaves = [self._leaf(chunk, self._target(chunk, output), 0) for chunk in found]

    def calls_for_rest(self, size: int) -> int:
        """The calls that it can take to read what is neither done nor given up, of ``size`` tokens a call:
        any of those in flight may come back without an answer, and stand alone.
        """
        begun = self._begun()
        runs = groupby(self.leaves, lambda leaf: _waiting_in(leaf, begun))
        waiting = (sum(leaf.chunk.tokens for leaf in run) for where, run in runs if where is not None)
        flying = sum(leaf.state is State.FLYING for leaf in self.leaves)
        return flying + sum(planning.parts(tokens, size) for tokens in waiting)

    def hand_over(self, rung: int) -> None:
        """Send everything that waits to a rung, as if nothing had been tried; records of which no piece was
        read are whole again.
        """
        begun, kept = self._begun(), []
        for leaf in self.leaves:
            if leaf.state is not State.WAITING:
                kept.append(leaf)
            elif not leaf.chunk.is_piece or leaf.chunk.first in begun:
                kept.append(Leaf(chunk=leaf.chunk, target=leaf.target, rung=rung))
            elif leaf.chunk.start == 0:
                unit = self.units[leaf.chunk.first]
                whole = Chunk(leaf.chunk.first, leaf.chunk.last, unit.tokens)
                kept.append(Leaf(chunk=whole, target=leaf.target, rung=rung))
        self.leaves = kept

    def _begun(self) -> set[int]:
        """The units of which a piece is no longer waiting, be it blank, done, in flight or given up."""
        pieces = (leaf for leaf in self.leaves if leaf.chunk.is_piece and leaf.state is not State.WAITING)
        return {leaf.chunk.first for leaf in pieces}

    def replan(self, rung: int, size: int, most: int, output: int) -> bool:
        """Lay out again, by what was learned meanwhile, the leaves on a rung that have not been sent; whether
        anything changed.
        """
        result: list[Leaf] = []
        for free, group in groupby(self.leaves, partial(_freedom, rung)):
            leaves = list(group)
            result += leaves if free is None else self._again(leaves, rung, size, most, output)
        changed = len(result) != len(self.leaves)
        self.leaves = result
        return changed

    def _again(self, leaves: list[Leaf], rung: int, size: int, most: int, output: int) -> list[Leaf]:
        """Other chunks over the same stretch, unless as many are needed as there are."""
        limit = leaves[0].most
        size, most = (min(size, limit), min(most, limit)) if limit else (size, most)
        tokens = sum(leaf.chunk.tokens for leaf in leaves)
        fine = all(leaf.chunk.tokens <= planning.loosely(size, most) for leaf in leaves)
        if fine and planning.parts(tokens, size) >= len(leaves):
            return leaves
        first, last = leaves[0].chunk, leaves[-1].chunk
        whole = Chunk(first.first, last.last, tokens, first.start, last.end)
        found = self._parted(whole, size, most)
        return [self._leaf(chunk, self._target(chunk, output), rung, limit) for chunk in found]

    def _parted(self, chunk: Chunk, size: int, most: int) -> list[Chunk]:
        """A chunk in parts of about ``size`` and at most ``most`` tokens."""
        if chunk.is_piece:
            return split(self.units[chunk.first], chunk, planning.loosely(size, most), self._count)
        inner = self.units[chunk.first : chunk.last + 1]
        wanted = planning.parts(chunk.tokens, size)
        found = chunks(inner, planning.loosely(size, most), self._count, wanted)
        return [_shifted(each, chunk.first) for each in found]

    def _target(self, chunk: Chunk, output: int) -> int:
        return planning.target(chunk.tokens, self.tokens, self._budget, output)

    @property
    def share(self) -> float:
        """How much of the budget there is for a token of input."""
        return self._budget / max(1, self.tokens)

    def _leaf(self, chunk: Chunk, target: int, rung: int, most: int = 0) -> Leaf:
        """A leaf for a chunk; where nothing is to be read it is finished already."""
        leaf = Leaf(chunk=chunk, target=target, rung=rung, most=most)
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
        parted = self._replace(leaf, halves(self.units, leaf.chunk, self._count), rung=0)
        if parted:
            for half in self.leaves:
                if leaf.chunk.first <= half.chunk.first and half.chunk.last <= leaf.chunk.last:
                    half.depth = leaf.depth + 1
        return parted

    def cut(self, leaf: Leaf, size: int) -> bool:
        """Put parts of about ``size`` tokens, and at most half of it, in the place of a leaf whose answer was
        cut; they are not read together again. False if it is too small.
        """
        half = -(-leaf.chunk.tokens // 2)
        return self.resize(leaf, min(size, half), most=half) or self.halve(leaf, rung=leaf.rung)

    def keep(self, leaf: Leaf, position: int, text: str, model: str) -> tuple[Leaf, Leaf] | None:
        """Part a leaf before the record at ``position``: ``text`` stands for what is before it. Returns the
        finished leaf and that of the rest; None if nothing is before it.
        """
        first, last = leaf.chunk.first, leaf.chunk.last
        at = next((i for i in range(first, last + 1) if self.units[i].position == position), first)
        if at == first or not text:
            return None
        tokens = sum(unit.tokens for unit in self.units[first:at])
        parts = (Chunk(first, at - 1, tokens), Chunk(at, last, leaf.chunk.tokens - tokens))
        if is_blank(self.units, parts[0]):
            return None
        self._replace(leaf, parts, leaf.rung)
        done, rest = (each for each in self.leaves if each.chunk in parts)
        done.finish(text, model, "model")
        return done, rest

    def resize(self, leaf: Leaf, size: int, most: int = 0) -> bool:
        """Put chunks of about ``size`` tokens in the place of a leaf; False if it is too small to split."""
        chunk, size = leaf.chunk, max(SMALLEST, size)
        if chunk.first == chunk.last:
            smaller = split(self.units[chunk.first], chunk, size, self._count)
        else:
            smaller = self._parted(chunk, size, most or leaf.chunk.tokens)
        return self._replace(leaf, smaller, leaf.rung, most)

    def _replace(self, leaf: Leaf, smaller: Sequence[Chunk], rung: int, most: int = 0) -> bool:
        if len(smaller) < 2:
            return False
        total = sum(chunk.tokens for chunk in smaller) or 1
        at = self.leaves.index(leaf)
        most = most or leaf.most
        self.leaves[at : at + 1] = [
            self._leaf(chunk, max(16, leaf.target * chunk.tokens // total), rung, most) for chunk in smaller
        ]
        return True

    def pieces_of(self, leaf: Leaf) -> list[Leaf]:
        """The leaf; of a piece, with the other pieces of its record."""
        if not leaf.chunk.is_piece:
            return [leaf]
        return [each for each in self.leaves if each.chunk.is_piece and each.chunk.first == leaf.chunk.first]

    def give_up(self, leaf: Leaf, reason: Reason, detail: str) -> None:
        """No more tries for a leaf, nor for other pieces of the same record: it cannot become whole."""
        leaf.fail(reason, detail)
        if leaf.chunk.is_piece:
            for other in self.leaves:
                same = other.chunk.is_piece and other.chunk.first == leaf.chunk.first
                if same and other.state is State.WAITING:
                    other.fail(reason, detail)


def _freedom(rung: int, leaf: Leaf) -> tuple[int, int] | None:
    """What leaves have in common that may be laid out anew together; None if this one is to stay."""
    tried = leaf.state is not State.WAITING or leaf.tries or leaf.unusable or leaf.refits
    if tried or leaf.rung != rung:
        return None
    return leaf.most, leaf.chunk.first if leaf.chunk.is_piece else -1


def _waiting_in(leaf: Leaf, begun: set[int]) -> int | None:
    """What leaves have in common that wait and can be read by one call; None for one that does not wait."""
    if leaf.state is not State.WAITING:
        return None
    return leaf.chunk.first if leaf.chunk.is_piece and leaf.chunk.first in begun else -1


def _shifted(chunk: Chunk, by: int) -> Chunk:
    return Chunk(chunk.first + by, chunk.last + by, chunk.tokens, chunk.start, chunk.end)
