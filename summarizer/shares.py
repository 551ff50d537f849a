"""How much room each part of the whole gets: by its size, and by its age where that is asked for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf
from typing import TypeGuard

from summarizer.planning import useful_length
from summarizer.result import Gap, Section

__all__ = ["EVEN", "SLACK", "has_text", "least", "most_of_later", "share_of_new", "source_of", "weights"]

SLACK = 0.5
"""A digest that grew too long is rewritten to this share of its budget, so that its source doubles before
that is due again: each text is rewritten O(log n) times, and in between nothing changes but the end."""
EVEN = 1.5
"""Sections that have up to so many times their share are left as they are: what is kept of one age and of
another differs by no more, and nothing is rewritten for the sake of a little."""
_SHORTER = 10
"""Times: how long the source of a section is taken to be whose result does not say it."""


def weights(entries: Sequence[Section | Gap], recent: float = 1.0) -> list[float]:
    """What each entry weighs (gaps: 0): the tokens that it stands for, each of the newest ``recent`` times as
    much as each of the oldest, those between in proportion to their place.
    """
    sizes = [source_of(entry) for entry in entries]
    total, before, found = sum(sizes) or 1, 0, []
    for size in sizes:
        place = (before + size / 2) / total
        found.append(size * (1.0 + (recent - 1.0) * place))
        before += size
    return found


def source_of(entry: Section | Gap) -> int:
    """The tokens of the records that an entry stands for (gaps: 0, else at least 1)."""
    if isinstance(entry, Gap):
        return 0
    return entry.source_tokens or max(1, entry.tokens) * (1 if entry.method == "verbatim" else _SHORTER)


def least(read: int) -> int:
    """The tokens that a section for ``read`` tokens has at least in a digest that grows: half of a useful
    length; one whose share is less is merged with a neighbour.
    """
    return max(16, useful_length(read) // 2)


def share_of_new(
    known: Sequence[Section], new: int, budget: int, recent: float = 1.0, *, rolling: bool = False
) -> int:
    """The part of ``budget`` for ``new`` tokens of records beside the ``known`` sections, at least 16.

    ``rolling``: they come behind them, and get as much for a token as the known have, so that no age is
    squeezed out by another. Where that does not fit any more, it is what they get when all is rewritten.
    What is too little to be worth reading is rounded up: it is merged later.
    """
    source = sum(map(source_of, known))
    if not new or not source:
        return budget
    old = source * (1.0 + (recent - 1.0) * source / (2 * (source + new)))
    fresh = new * (1.0 + (recent - 1.0) * (source + new / 2) / (source + new))
    fair = budget * fresh / (old + fresh)
    tokens = sum(section.tokens + 2 for section in known)
    if not rolling:
        return max(16, int(fair), min(budget - tokens, useful_length(new)))
    wanted = min(fair, max(SLACK * fair, tokens * fresh / old))
    share = wanted if tokens + wanted <= budget else SLACK * fair
    return min(budget, max(least(new), int(share)))


def most_of_later(entries: Sequence[Section | Gap], budget: int, recent: float = 1.0) -> list[float]:
    """The most tokens that each entry of a digest that grows may have, although there is room: what models
    wrote of the later half of the source, ``EVEN`` times what the earlier half has, or will have when all is
    rewritten; others, any number.
    """
    shared = weights(entries, recent)
    total = sum(shared)
    is_later = [before > total / 2 for before in accumulate(shared)]
    early = [
        (e.tokens, w)
        for e, w, later in zip(entries, shared, is_later, strict=True)
        if has_text(e) and not later
    ]
    if not early:
        return [inf] * len(shared)
    rate = max(SLACK * budget / total, sum(tokens for tokens, _ in early) / sum(w for _, w in early))
    return [
        max(least(source_of(entry)), EVEN * rate * weight) if later and _is_written(entry) else inf
        for entry, weight, later in zip(entries, shared, is_later, strict=True)
    ]


def _is_written(entry: Section | Gap) -> TypeGuard[Section]:
    return isinstance(entry, Section) and entry.method != "verbatim"


def has_text(entry: Section | Gap) -> TypeGuard[Section]:
    """Whether it is a section that is not blank."""
    return isinstance(entry, Section) and bool(entry.text)
