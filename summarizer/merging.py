"""Which sections are written again, alone or with their neighbours, so that the text fits its budget: one
rule, lowest level and fewest tokens first. Pure: it decides, nothing is called here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import takewhile

from summarizer.planning import useful_length
from summarizer.result import Gap, Section
from summarizer.shares import EVEN, SLACK, least, source_of, weights

__all__ = ["Merge", "plan_merges", "plan_rewrite"]


@dataclass(frozen=True, slots=True)
class Merge:
    """The entries ``first`` to ``last`` (indexes, inclusive) become one section of ``target`` tokens, written
    in so many ``pieces``, by a call each.
    """

    first: int
    last: int
    target: int
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbours that become one section: what it reads and the ``size`` that it will have, in tokens; its
    ``share`` of the budget; the ``source`` that it stands for; ``whole``: one section that stays as it is.
    """

    first: int
    last: int
    level: int
    read: int
    size: int
    share: float = 0.0
    source: int = 0
    whole: bool = True

    @property
    def is_too_large(self) -> bool:
        """Whether it takes much more than its share: one that is too small to be worth reading alone."""
        return self.size > EVEN * max(16.0, self.share)


_Pair = tuple[int, float, int, int, int]
"""Level and tokens of two neighbours, where the one begins, and where the other begins and ends."""


def plan_merges(
    entries: Sequence[Section | Gap], budget: int, read: int, write: int, into_one: bool = False
) -> list[Merge]:
    """One round of merges that brings the sections' sum to ``budget`` tokens, or as near as one round can.

    The pair with the lowest (level, tokens) is merged first, again and again; what thereby comes together
    is merged by one call, which reads at most ``read`` and writes at most ``write`` tokens. Sections with a
    gap between them stay apart. ``into_one``: go on until one text is left.
    """
    sections = [(i, entry) for i, entry in enumerate(entries) if isinstance(entry, Section)]
    groups = _Groups([_Group(i, i, s.level, s.tokens, s.tokens) for i, s in sections], read)
    while into_one or groups.size > budget:
        if not groups.join_lowest():
            break
    return _scaled(groups.in_order(), budget, write)


def plan_rewrite(
    entries: Sequence[Section | Gap], budget: int, read: int, write: int, recent: float = 1.0
) -> list[Merge]:
    """One round that brings a digest which grew too long to ``SLACK`` × ``budget`` tokens, so that the next
    steps need none: sections that have more than their share are written again, each by itself where its
    share is worth reading, else with its neighbours, the pair with the lowest (level, share) first. What was
    just written stays as it is.

    A section that is larger than what one call reads or writes is written again in pieces. ``recent``: see
    ``summarizer.shares.weights``.
    """
    shared = weights(entries, recent)
    rate = SLACK * budget / (sum(shared) or 1)
    alone = [
        _alone(i, entry, rate * weight)
        for i, (entry, weight) in enumerate(zip(entries, shared, strict=True))
        if isinstance(entry, Section)
    ]
    fresh = _just_written(entries, alone)
    groups = _Groups(alone[: len(alone) - fresh], read, by_share=True)
    while groups.join_lowest():
        pass
    found = groups.in_order()
    if len(alone) == 1 and alone[0].size > budget:
        found = [replace(alone[0], size=int(SLACK * budget), whole=False)]
    return [_again(group, read, write) for group in found if not group.whole]


def _alone(at: int, section: Section, share: float) -> _Group:
    group = _Group(at, at, section.level, section.tokens, section.tokens, share, source_of(section))
    if share < least(group.source) or not group.is_too_large:
        return group
    return replace(group, size=int(share), whole=False)


def _just_written(entries: Sequence[Section | Gap], alone: Sequence[_Group]) -> int:
    """How many of the last sections are as they should be: the last one also if it is merely too small."""
    found = len(list(takewhile(lambda g: g.whole and not (g.level or g.is_too_large), reversed(alone))))
    last = entries[alone[-1].first] if len(alone) > 1 else None
    if found or not isinstance(last, Section) or last.level:
        return found
    return int(last.tokens <= least(source_of(last)))


def _again(group: _Group, read: int, write: int) -> Merge:
    target, write = max(16, min(group.size, group.read * 9 // 10)), max(16, write)
    if group.first == group.last:
        pieces = max(-(-target // write), -(-group.read // read))
        return Merge(group.first, group.last, target, pieces)
    return Merge(group.first, group.last, min(target, write))


class _Groups:
    """Neighbouring sections that come together; the pairs are kept in a heap, which may hold stale ones."""

    def __init__(self, groups: Sequence[_Group], read: int, *, by_share: bool = False) -> None:
        self._by_share = by_share
        self._by_first = {group.first: group for group in groups}
        self._by_last = dict(self._by_first)
        self._most = read
        self._pairs: list[_Pair] = []
        self.size = sum(group.size for group in groups)
        for group in groups:
            self._push(group, self._by_first.get(group.last + 1))

    def in_order(self) -> list[_Group]:
        return [self._by_first[first] for first in sorted(self._by_first)]

    def join_lowest(self) -> bool:
        """Join the pair with the lowest (level, tokens), the first of several; False if there is none."""
        while self._pairs:
            *_, first, second, last = heappop(self._pairs)
            a, b = self._by_first.get(first), self._by_first.get(second)
            if a and b and a.last + 1 == second and b.last == last:
                self._join(a, b)
                return True
        return False

    def _join(self, a: _Group, b: _Group) -> None:
        group = _joined(a, b, by_share=self._by_share)
        del self._by_first[b.first], self._by_last[a.last]
        self._by_first[a.first] = self._by_last[b.last] = group
        self.size += group.size - a.size - b.size
        self._push(self._by_last.get(a.first - 1), group)
        self._push(group, self._by_first.get(b.last + 1))

    def _push(self, a: _Group | None, b: _Group | None) -> None:
        if a and b and a.read + b.read <= self._most:
            if not self._by_share:
                heappush(self._pairs, (max(a.level, b.level), a.size + b.size, a.first, b.first, b.last))
            elif a.is_too_large or b.is_too_large:
                heappush(self._pairs, (max(a.level, b.level), a.share + b.share, a.first, b.first, b.last))


def _joined(a: _Group, b: _Group, *, by_share: bool) -> _Group:
    read, together, share = a.read + b.read, a.size + b.size, a.share + b.share
    source, level = a.source + b.source, max(a.level, b.level) + 1
    wanted = max(least(source), int(share)) if by_share else max(useful_length(read), together // 2)
    return _Group(a.first, b.last, level, read, min(together, wanted), share, source, whole=False)


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
