"""Finished work → sections, gaps and one text within the budget. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from summarizer.result import Coverage, Gap, Section

__all__ = ["SEPARATOR", "coverage", "fitted", "joined", "merged_gaps"]

SEPARATOR = "\n\n"
"""What stands between two sections' texts."""

_LEAST = 16
"""Tokens, with its separator: where sections would get less than about a sentence, fewer are kept."""

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
    that text, and its tokens. Where that would leave less than a sentence of each, some are left blank.
    """
    text = joined(entries)
    tokens = count(text)
    if tokens <= budget:
        return list(entries), text, tokens
    counted = [replace(e, tokens=count(e.text)) if isinstance(e, Section) else e for e in entries]
    for room in _rooms(budget):
        result = _shortened(counted, room, count, fit)
        text = joined(result)
        tokens = count(text)
        if tokens <= budget:
            break
    return result, text, tokens


def _rooms(budget: int) -> Iterator[int]:
    """Ever less: what is shortened a little too little is shortened once more."""
    room = budget
    while room > 0:
        yield room
        room = min(room - 1, room * 19 // 20)
    yield 0


def _shortened(entries: Sequence[Section | Gap], room: int, count: Count, fit: Fit) -> list[Section | Gap]:
    sections = [e for e in entries if isinstance(e, Section) and e.text]
    most = max(1, room // _LEAST)
    if len(sections) > most:
        # Those that stand for most, and of equals the later ones: where things stand at the end counts.
        sections = sorted(sections, key=lambda e: (e.source_tokens, e.first), reverse=True)[:most]
    weights = {e.first: e.source_tokens or e.tokens for e in sections}
    rate = _rate([(e.tokens, weights[e.first]) for e in sections], room)
    return [
        e if isinstance(e, Gap) else _capped(e, int(rate * weights.get(e.first, 0)), count, fit)
        for e in entries
    ]


def _rate(sizes: Sequence[tuple[int, int]], budget: int) -> float:
    """The tokens that each section may have for each token that it stands for, so that together, with
    separators, they fit; ``sizes`` are what each has and stands for. No part of the input is squeezed out by
    another.
    """
    left, weights = budget - 2 * max(0, len(sizes) - 1), sum(weight for _, weight in sizes)
    for size, weight in sorted(sizes, key=lambda each: each[0] / each[1]):
        if size * weights >= left * weight:
            break
        left, weights = left - size, weights - weight
    return max(0.0, left / max(1, weights))


def _capped(section: Section, cap: int, count: Count, fit: Fit) -> Section:
    if section.tokens <= cap:
        return section
    text = fit(section.text, cap) if cap > 0 else ""
    return replace(section, text=text, tokens=count(text))


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
