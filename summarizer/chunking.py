"""Units → chunks, each read by one call: borders where they read best, no chunk above its size. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from summarizer.prepare import Unit
from summarizer.prompts import framed

__all__ = ["SMALLEST", "Chunk", "chunks", "halves", "pieces", "split"]

SMALLEST = 32
"""Tokens: no piece of a record is made smaller than this on purpose, its frame line aside."""

_FAR = 20_000
"""Characters: a good place to cut is not looked for further away than this."""

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

    A unit larger than ``size`` is split into even pieces; a piece is larger only where one of ``SMALLEST``
    tokens, or one grapheme, is. Units that do not follow each other by position are never read together.
    """
    runs = _runs(units, size)
    total = sum(unit.tokens for unit in units) or 1
    result: list[Chunk] = []
    for first, last in runs:
        tokens = sum(unit.tokens for unit in units[first : last + 1])
        if first == last and tokens > size:
            result += split(units[first], Chunk(first, first, tokens), size, count)
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
    and its result counts as half the share further away, one before a user's turn as a tenth nearer.
    """
    best, best_cost, best_tokens, tokens = first, float("inf"), units[first].tokens, 0
    for i in range(first, last + 1):
        tokens += units[i].tokens
        if tokens > size and i > first:
            break
        cost = abs(tokens - share) + _awkwardness(units, i) * share
        if cost <= best_cost:
            best, best_cost, best_tokens = i, cost, tokens
        if tokens > share * 1.5:
            break
    return best, best_tokens


def _awkwardness(units: Sequence[Unit], i: int) -> float:
    if i + 1 == len(units) or units[i + 1].position != units[i].position + 1:
        return -0.1
    after = units[i + 1]
    if after.tied:
        return 0.5
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
    """A unit's text, or a piece of it, in ``parts`` even pieces that begin and end where it reads best.

    Fewer where the text has fewer graphemes; the chunk alone where it has one.
    """
    start = chunk.start
    stop = len(unit.text) if chunk.end is None else chunk.end
    slack = (stop - start) // (parts * 5) + 1
    borders = [start]
    for i in range(1, parts):
        ideal = start + (stop - start) * i // parts
        cut = _best_cut(unit.text, ideal, slack, borders[-1], stop)
        if cut is not None:
            borders.append(cut)
    borders.append(stop)
    if len(borders) == 2:
        return [chunk]
    return [_piece(unit, chunk, a, b, count) for a, b in pairwise(borders)]


def _piece(unit: Unit, chunk: Chunk, start: int, stop: int, count: Count) -> Chunk:
    text = framed(unit.record.role, unit.record.name, unit.text[start:stop])
    return Chunk(chunk.first, chunk.last, count(text), start, stop)


def split(unit: Unit, chunk: Chunk, size: int, count: Count) -> list[Chunk]:
    """A unit's text, or a piece of it, in even pieces of at most ``size`` tokens; see ``chunks``."""
    frame = count(framed(unit.record.role, unit.record.name, ""))
    room = max(SMALLEST, size - frame)
    text = chunk.tokens - frame
    if text <= room:
        return [chunk]
    # A twentieth more than needed: pieces are of like, not of equal size, and few have to be split again.
    smaller = pieces(unit, chunk, max(2, -(-text * 21 // (room * 20))), count)
    if len(smaller) == 1:
        return smaller
    return [piece for part in smaller for piece in split(unit, part, size, count)]


_BREAKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n[ \t]*\n\s*",
        r"\n",
        r"(?<![.!?…])[.!?…]+[\"')\]]*\s+|[。！？]+[」』）]*",  # a run is tried once, not at each of its marks
        r"\s+",
    )
)


def _best_cut(text: str, ideal: int, slack: int, start: int, stop: int) -> int | None:
    """The break nearest to ``ideal`` within ``slack`` characters: paragraph, line, sentence, word, any.

    It lies between ``start`` and ``stop`` and parts no grapheme; None if there is no such place.
    """
    from summarizer_providers.segmentation import grapheme_floor

    slack = min(slack, _FAR)
    low, high = max(start, ideal - slack), min(stop, ideal + slack)
    window = text[low:high]
    for pattern in _BREAKS:
        ends = sorted(
            (low + found.end() for found in pattern.finditer(window)), key=lambda at: abs(at - ideal)
        )
        whole = (end for end in ends if low < end < high and grapheme_floor(text, end) == end)
        best = next(whole, None)
        if best is not None:
            return best
    return _grapheme_end(text, ideal, start, stop)


def _grapheme_end(text: str, ideal: int, start: int, stop: int) -> int | None:
    """The end of a grapheme that is nearest before ``ideal``, else the next one behind it."""
    from summarizer_providers.segmentation import grapheme_floor

    floor = grapheme_floor(text, max(ideal, start + 1))
    if floor > start:
        return floor if floor < stop else None
    return next((at for at in range(ideal + 1, stop) if grapheme_floor(text, at) > start), None)
