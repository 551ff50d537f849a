"""Which neighbours are merged so that the text fits its budget: one rule, lowest level and fewest tokens
first. Pure: it decides, nothing is called here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from summarizer.planning import useful_length
from summarizer.result import Gap, Section

__all__ = ["Merge", "plan_merges"]


@dataclass(frozen=True, slots=True)
class Merge:
    """The entries ``first`` to ``last`` (indexes, inclusive) become one section of ``target`` tokens."""

    first: int
    last: int
    target: int


@dataclass(slots=True)
class _Group:
    first: int
    last: int
    level: int
    read: int
    size: int
    whole: bool = True


def plan_merges(
    entries: Sequence[Section | Gap], budget: int, read: int, write: int, into_one: bool = False
) -> list[Merge]:
    """One round of merges that brings the sections' sum to ``budget`` tokens, or as near as one round can.

    The pair with the lowest (level, tokens) is merged first, again and again; what thereby comes together
    is merged by one call, which reads at most ``read`` and writes at most ``write`` tokens. Sections with a
    gap between them stay apart. ``into_one``: go on until one text is left.
    """
    groups = [
        _Group(i, i, entry.level, entry.tokens, entry.tokens) if isinstance(entry, Section) else None
        for i, entry in enumerate(entries)
    ]
    while into_one or sum(g.size for g in groups if g) > budget:
        pair = _lowest_pair(groups, read)
        if pair is None:
            break
        groups[pair : pair + 2] = [_joined(groups[pair], groups[pair + 1])]
    return _scaled([g for g in groups if g], budget, write)


def _lowest_pair(groups: Sequence[_Group | None], read: int) -> int | None:
    best, best_rank = None, (0, 0)
    for i, (a, b) in enumerate(pairwise(groups)):
        if a is None or b is None or a.read + b.read > read:
            continue
        rank = (max(a.level, b.level), a.size + b.size)
        if best is None or rank < best_rank:
            best, best_rank = i, rank
    return best


def _joined(a: _Group | None, b: _Group | None) -> _Group:
    assert a is not None  # noqa: S101 - a pair of groups was chosen
    assert b is not None  # noqa: S101
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
