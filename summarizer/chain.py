"""Which of the sections that exist already stand in for records: the newest that fit, apart. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Candidate", "chosen"]

_LEAST_ASKED = 0.4
"""A section for which less than this share of today's length was asked says too little now."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A section that stands for the units ``first`` to ``last`` (indexes, inclusive) of ``source`` tokens,
    and for which ``asked`` tokens were asked; ``id`` is its name in the journal.
    """

    id: str
    first: int
    last: int
    source: int
    asked: int


def chosen(candidates: Iterable[Candidate], wish: Callable[[int], int]) -> list[Candidate]:
    """Those that are taken, in order of their units: of two that overlap the one that comes first in
    ``candidates`` (newest first: so the end of the last run stands, not its parts). ``wish`` is the length to
    ask for today, for so many tokens.
    """
    taken: list[Candidate] = []
    starts: list[int] = []
    for each in candidates:
        if each.asked < _LEAST_ASKED * wish(each.source):
            continue
        at = bisect_left(starts, each.first)
        before = taken[at - 1] if at else None
        after = taken[at] if at < len(taken) else None
        if (before and before.last >= each.first) or (after and after.first <= each.last):
            continue
        taken.insert(at, each)
        starts.insert(at, each.first)
    return taken
