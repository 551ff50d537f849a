"""Units → chunks, each read by one call: borders where they read best, no chunk above its size. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from summarizer.prepare import Unit
from summarizer_providers.segmentation import grapheme_floor

__all__ = ["Chunk", "chunks", "halves", "pieces"]

SMALLEST = 64
"""A chunk of fewer tokens than this is not split any further."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one call reads: the units ``first`` to ``last`` (indexes, inclusive), or a piece of one unit.

    A piece is the characters ``start`` to ``end`` of its unit's text; ``end`` is None for whole units.
    ``tokens`` counts the frame lines.
    """

    first: int
    last: int
    tokens: int
    start: int = 0
    end: int | None = None

    @property
    def is_piece(self) -> bool:
        """Whether this is a part of one unit."""
        return self.end is not None


def chunks(units: Sequence[Unit], size: int, count: Count, at_least: int = 1) -> list[Chunk]:
    """Even chunks of at most ``size`` tokens over all units, ``at_least`` so many where there are units.

    A unit larger than ``size`` is split into even pieces. Units that do not follow each other by position
    are never read together.
    """
    runs = _runs(units, size)
    total = sum(unit.tokens for unit in units) or 1
    result: list[Chunk] = []
    for first, last in runs:
        tokens = sum(unit.tokens for unit in units[first : last + 1])
        if first == last and tokens > size:
            result += pieces(units[first], Chunk(first, first, tokens), -(-tokens // size), count)
            continue
        wanted = max(-(-tokens // size), round(at_least * tokens / total))
        result += _even(units, first, last, size, min(wanted, last - first + 1))
    return result


def _runs(units: Sequence[Unit], size: int) -> list[tuple[int, int]]:
    """Longest stretches of consecutive positions; a unit larger than ``size`` stands alone."""
    runs: list[tuple[int, int]] = []
    for i, unit in enumerate(units):
        alone = unit.tokens > size or (i > 0 and units[i - 1].tokens > size)
        if i and not alone and unit.position == units[i - 1].position + 1:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _even(units: Sequence[Unit], first: int, last: int, size: int, wanted: int) -> list[Chunk]:
    """About ``wanted`` chunks of like size: each border at the good place that is nearest to its share."""
    result = []
    left = sum(unit.tokens for unit in units[first : last + 1])
    while first <= last:
        share = left / max(1, wanted)
        owed = left - size * (wanted - 1)  # with less in this chunk, one more chunk would be needed
        stop, tokens = _border(units, first, last, min(size, max(share, owed)), size)
        result.append(Chunk(first, stop, tokens))
        first, left, wanted = stop + 1, left - tokens, wanted - 1
    return result


def _border(units: Sequence[Unit], first: int, last: int, share: float, size: int) -> tuple[int, int]:
    """The last unit of a chunk that begins at ``first``, and the chunk's tokens.

    Among the borders that keep it within ``size`` the one nearest to ``share`` wins; one between a call
    and its result counts as a quarter of the share further away, one before a user's turn as a tenth nearer.
    """
    best, best_cost, best_tokens, tokens = first, float("inf"), units[first].tokens, 0
    for i in range(first, last + 1):
        tokens += units[i].tokens
        if tokens > size and i > first:
            break
        cost = abs(tokens - share) + _awkwardness(units, i) * share
        if cost <= best_cost:
            best, best_cost, best_tokens = i, cost, tokens
        if tokens > share * 1.4 and best_cost < float("inf"):
            break
    return best, best_tokens


def _awkwardness(units: Sequence[Unit], i: int) -> float:
    if i + 1 == len(units):
        return -0.1
    after = units[i + 1]
    if after.tied:
        return 0.25
    return -0.1 if after.record.role == "user" else 0.0


def halves(units: Sequence[Unit], chunk: Chunk, count: Count) -> list[Chunk]:
    """A chunk in two, at a border of records if it has one; the chunk alone where it is too small."""
    if chunk.tokens < 2 * SMALLEST and chunk.first == chunk.last:
        return [chunk]
    if chunk.first == chunk.last:
        return pieces(units[chunk.first], chunk, 2, count)
    half = chunk.tokens / 2
    stop, tokens = _border(units, chunk.first, chunk.last - 1, half, chunk.tokens)
    return [Chunk(chunk.first, stop, tokens), Chunk(stop + 1, chunk.last, chunk.tokens - tokens)]


def pieces(unit: Unit, chunk: Chunk, parts: int, count: Count) -> list[Chunk]:
    """A unit's text, or a piece of it, in ``parts`` even pieces that begin and end where it reads best."""
    start = chunk.start
    stop = len(unit.text) if chunk.end is None else chunk.end
    borders = [start]
    for i in range(1, parts):
        ideal = start + (stop - start) * i // parts
        cut = _best_cut(unit.text, ideal, (stop - start) // (parts * 5) + 1)
        if borders[-1] < cut < stop:
            borders.append(cut)
    borders.append(stop)
    if len(borders) == 2:
        return [chunk]
    return [Chunk(chunk.first, chunk.last, count(unit.text[a:b]) + 8, a, b) for a, b in pairwise(borders)]


_BREAKS = tuple(
    regex.compile(pattern)
    for pattern in (r"\n[ \t]*\n\s*", r"\n", r"[.!?…]+[\"')\]]*\s+|[。！？]+[」』）]*", r"\s+")
)


def _best_cut(text: str, ideal: int, slack: int) -> int:
    """The break nearest to ``ideal`` within ``slack`` characters: paragraph, line, sentence, word, any."""
    slack = min(slack, 20_000)
    low, high = max(0, ideal - slack), min(len(text), ideal + slack)
    window = text[low:high]
    for pattern in _BREAKS:
        ends = [low + m.end() for m in pattern.finditer(window) if low < low + m.end() < high]
        if ends:
            return min(ends, key=lambda end: abs(end - ideal))
    return grapheme_floor(text, ideal)
