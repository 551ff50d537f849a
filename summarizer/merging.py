"""Which neighbours are merged so that the text fits its budget: one rule, lowest level and fewest tokens
first. Pure: it decides, nothing is called here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from summarizer.planning import useful_length
from summarizer.result import Gap, Section

__all__ = ["Merge", "plan_merges"]


@dataclass(frozen=True, slots=True)
class Merge:
    """The entries ``first`` to ``last`` (indexes, inclusive) become one section of ``target`` tokens."""

    first: int
    last: int
    target: int


@dataclass(frozen=True, slots=True)
class _Group:
    first: int
    last: int
    level: int
    read: int
    size: int
    whole: bool = True


_Pair = tuple[int, int, int, int, int]
"""Level and tokens of two neighbours, where the one begins, and where the other begins and ends."""


def plan_merges(
    entries: Sequence[Section | Gap], budget: int, read: int, write: int, into_one: bool = False
) -> list[Merge]:
    """One round of merges that brings the sections' sum to ``budget`` tokens, or as near as one round can.

    The pair with the lowest (level, tokens) is merged first, again and again; what thereby comes together
    is merged by one call, which reads at most ``read`` and writes at most ``write`` tokens. Sections with a
    gap between them stay apart. ``into_one``: go on until one text is left.
    """
    groups = _Groups(entries, read)
    while into_one or groups.size > budget:
        if not groups.join_lowest():
            break
    return _scaled(groups.in_order(), budget, write)


class _Groups:
    """Neighbouring sections that come together; the pairs are kept in a heap, which may hold stale ones."""

    def __init__(self, entries: Sequence[Section | Gap], read: int) -> None:
        sections = [(i, entry) for i, entry in enumerate(entries) if isinstance(entry, Section)]
        self._by_first = {i: _Group(i, i, s.level, s.tokens, s.tokens) for i, s in sections}
        self._by_last = dict(self._by_first)
        self._most = read
        self._pairs: list[_Pair] = []
        self.size = sum(section.tokens for _, section in sections)
        for group in self._by_first.values():
            self._push(group, self._by_first.get(group.last + 1))

    def in_order(self) -> list[_Group]:
        return [self._by_first[first] for first in sorted(self._by_first)]

    def join_lowest(self) -> bool:
        """Join the pair with the lowest (level, tokens), the first of several; False if there is none."""
        while self._pairs:
            _, _, first, second, last = heappop(self._pairs)
            a, b = self._by_first.get(first), self._by_first.get(second)
            if a and b and a.last + 1 == second and b.last == last:
                self._join(a, b)
                return True
        return False

    def _join(self, a: _Group, b: _Group) -> None:
        group = _joined(a, b)
        del self._by_first[b.first], self._by_last[a.last]
        self._by_first[a.first] = self._by_last[b.last] = group
        self.size += group.size - a.size - b.size
        self._push(self._by_last.get(a.first - 1), group)
        self._push(group, self._by_first.get(b.last + 1))

    def _push(self, a: _Group | None, b: _Group | None) -> None:
        if a and b and a.read + b.read <= self._most:
            heappush(self._pairs, (max(a.level, b.level), a.size + b.size, a.first, b.first, b.last))


def _joined(a: _Group, b: _Group) -> _Group:
    together = a.size + b.size
    size = min(together, max(useful_length(a.read + b.read), together // 2))
    return _Group(a.first, b.last, max(a.level, b.level) + 1, a.read + b.read, size, whole=False)


def _scaled(groups: Sequence[_Group], budget: int, write: int) -> list[Merge]:
    """The merged groups share what the others leave of the budget, in proportion to their sizes.

    Where that is too little to be worth reading, they get a useful length: the next round merges them.
    """
    merged = [g for g in groups if not g.whole]
    left = budget - sum(g.size for g in groups if g.whole)
    wanted = sum(g.size for g in merged) or 1
    return [Merge(g.first, g.last, _target(g, left * g.size // wanted, write, len(groups))) for g in merged]


def _target(group: _Group, share: int, write: int, groups: int) -> int:
    if groups > 1:
        share = max(share, useful_length(group.read))
    return max(16, min(share, group.read * 9 // 10, write))
