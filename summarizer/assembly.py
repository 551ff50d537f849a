"""Finished work → sections, gaps and one text within the budget. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from summarizer.result import Coverage, Gap, Section
from summarizer.shares import SLACK, has_text, most_of_later, weights

__all__ = ["SEPARATOR", "coverage", "evened", "fitted", "joined", "merged_gaps"]

SEPARATOR = "\n\n"
"""What stands between two sections' texts."""

_LEAST = 16
"""Tokens, with its separator: where sections would get less than about a sentence, fewer are kept."""

_ROUNDING = 1e-6

Fit = Callable[[str, int], str]
"""Shortens a text to at most so many tokens by leaving out its least weighty sentences."""
Count = Callable[[str], int]


def joined(entries: Sequence[Section | Gap]) -> str:
    """The sections' texts, in order."""
    return SEPARATOR.join(e.text for e in entries if isinstance(e, Section) and e.text)


def fitted(
    entries: Sequence[Section | Gap],
    budget: int,
    count: Count,
    fit: Fit,
    *,
    recent: float = 1.0,
    rolling: bool = False,
) -> tuple[list[Section | Gap], str, int]:
    """The entries with the longest sections, by what they stand for, shortened until the joined text has at
    most ``budget`` tokens, that text, and its tokens. Where that would leave less than a sentence of each,
    some are left blank.

    ``recent``: see ``summarizer.shares.weights``. ``rolling``: the text is to change rarely as it grows, so
    it is evened, and where it is too long so much is left out that this lasts for a while.
    """
    if rolling:
        entries = evened(entries, budget, count, fit, recent)
    text = joined(entries)
    tokens = count(text)
    if tokens <= budget:
        return list(entries), text, tokens
    counted = [replace(e, tokens=count(e.text)) if isinstance(e, Section) else e for e in entries]
    room = int(SLACK * budget) if rolling else budget
    found = _shortened(counted, weights(counted, recent), budget, count, fit, room)
    text = joined(found)
    return found, text, count(text)


def evened(
    entries: Sequence[Section | Gap], budget: int, count: Count, fit: Fit, recent: float = 1.0
) -> list[Section | Gap]:
    """The entries of a digest that grows to ``budget`` tokens, with sections of its later half shortened that
    are much longer, by what they stand for, than those of the earlier half: else they would be too long soon
    in any case, and until then squeeze out what is older.
    """
    most = most_of_later(entries, budget, recent)
    return [
        e if isinstance(e, Gap) or e.tokens <= cap else _cut(e, int(cap), count, fit)
        for e, cap in zip(entries, most, strict=True)
    ]


def _shortened(
    entries: Sequence[Section | Gap], given: Sequence[float], budget: int, count: Count, fit: Fit, room: int
) -> list[Section | Gap]:
    """The entries in at most ``budget`` tokens, ``room`` at first: what is shortened a little too little is
    shortened once more.
    """
    while room > 0:
        found = _capped(entries, given, room, count, fit)
        if count(joined(found)) <= budget:
            return found
        room = min(room - 1, room * 19 // 20)
    return _capped(entries, given, 0, count, fit)


def _capped(
    entries: Sequence[Section | Gap], given: Sequence[float], room: int, count: Count, fit: Fit
) -> list[Section | Gap]:
    """Each section with no more than its share of the ``room``."""
    sections = [(w, i, e.tokens) for i, (w, e) in enumerate(zip(given, entries, strict=True)) if has_text(e)]
    most = max(1, room // _LEAST)
    if len(sections) > most:
        # Those that stand for most, and of equals the later ones: where things stand at the end counts.
        sections = sorted(sections, reverse=True)[:most]
    rate = _rate([(tokens, weight) for weight, _, tokens in sections], room)
    caps = {i: int(rate * weight + _ROUNDING) for weight, i, _ in sections}
    return [e if isinstance(e, Gap) else _cut(e, caps.get(i, 0), count, fit) for i, e in enumerate(entries)]


def _rate(sizes: Sequence[tuple[int, float]], budget: int) -> float:
    """The tokens that each section may have for each that it weighs, so that together, with separators, they
    fit; ``sizes`` are what each has and weighs. No part of the input is squeezed out by
    another.
    """
    left, weights = budget - 2 * max(0, len(sizes) - 1), sum(weight for _, weight in sizes)
    for size, weight in sorted(sizes, key=lambda each: each[0] / each[1]):
        if size * weights >= left * weight:
            break
        left, weights = left - size, weights - weight
    return max(0.0, left / max(1.0, weights))


def _cut(section: Section, cap: int, count: Count, fit: Fit) -> Section:
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
