"""Finished work → sections, gaps and one text within the budget. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from summarizer.result import Coverage, Gap, Section

__all__ = ["SEPARATOR", "coverage", "fitted", "joined", "merged_gaps"]

SEPARATOR = "\n\n"

Fit = Callable[[str, int], str]
"""Shortens a text to at most so many tokens by leaving out its least weighty sentences."""
Count = Callable[[str], int]


def joined(entries: Sequence[Section | Gap]) -> str:
    """The sections' texts, in order."""
    return SEPARATOR.join(e.text for e in entries if isinstance(e, Section) and e.text)


def fitted(
    entries: Sequence[Section | Gap], budget: int, count: Count, fit: Fit
) -> tuple[list[Section | Gap], str, int]:
    """The entries with the longest sections shortened until the joined text has at most ``budget`` tokens,
    that text, and its tokens.
    """
    result, text = list(entries), joined(entries)
    tokens, room = count(text), budget
    while tokens > budget:
        cap = _cap([e.tokens for e in result if isinstance(e, Section)], room)
        result = [_capped(e, cap, count, fit) for e in result]
        text = joined(result)
        tokens = count(text)
        room = min(room - 1, room * 19 // 20) if room > 1 else 0
        if cap <= 0 and tokens > budget:
            return result, "", 0
    return result, text, tokens


def _cap(sizes: Sequence[int], budget: int) -> int:
    """The largest length that all sections may have so that together, with separators, they fit."""
    left, remaining = budget - 2 * max(0, len(sizes) - 1), len(sizes)
    for size in sorted(sizes):
        if size * remaining >= left:
            break
        left, remaining = left - size, remaining - 1
    return max(0, left // max(1, remaining))


def _capped(entry: Section | Gap, cap: int, count: Count, fit: Fit) -> Section | Gap:
    if isinstance(entry, Gap) or entry.tokens <= cap:
        return entry
    text = fit(entry.text, cap) if cap > 0 else ""
    return replace(entry, text=text, tokens=count(text))


def coverage(entries: Sequence[Section | Gap]) -> Coverage:
    """How many records the sections and the gaps stand for."""
    covered = sum(e.last - e.first + 1 for e in entries if isinstance(e, Section))
    missing = sum(e.last - e.first + 1 for e in entries if isinstance(e, Gap))
    return Coverage(covered, missing, covered + missing)


def merged_gaps(entries: Sequence[Section | Gap]) -> list[Section | Gap]:
    """The same with neighbouring gaps of one reason and detail as one."""
    result: list[Section | Gap] = []
    for entry in entries:
        before = result[-1] if result else None
        if (
            isinstance(entry, Gap)
            and isinstance(before, Gap)
            and (before.reason, before.detail) == (entry.reason, entry.detail)
        ):
            result[-1] = replace(before, last=entry.last)
        else:
            result.append(entry)
    return result
