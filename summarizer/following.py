"""How far an answer that was cut had come in its material, where its own words prove it. Pure.

An answer follows its material if its lines name what stands in one place only (numbers, names, rare words)
and these places come in order. Then it has said of the records before its end all that it was going to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from summarizer_providers.segmentation import spans

__all__ = ["Followed", "breaks_off", "follow", "goes_through"]

_WORD = re.compile(r"\w{3,}")
_BLOCKS = 200
"""Stretches in which a place is told apart: fine enough for a record, wide enough for a line's words."""
_LEAST_LINES = 8
"""With fewer lines their order proves nothing: eight come in order by chance once in 40,000 times."""
_ANCHORED = 0.9
_IN_ORDER = 0.98
_NEAR_THE_END = 0.7
_LEAST_END, _LEAST_COPIED, _LOOKED_BACK = 8, 5, 20
_NEAR = 1
"""Blocks by which a line may seem to go back: it speaks of two places."""


@dataclass(frozen=True, slots=True)
class Followed:
    """An answer that follows its material: ``progress`` is the share of the material, 0 to 1 by characters,
    that it had come through; ``text`` its whole lines about the records before ``record`` (an index).
    """

    progress: float
    record: int
    text: str


@dataclass(frozen=True, slots=True)
class _Block:
    record: int
    end: int


def follow(answer: str, records: Sequence[str]) -> Followed | None:
    """How far a cut ``answer`` follows the ``records`` it was given; None where that cannot be verified."""
    blocks, places = _places(records)
    lines = _whole_lines(answer)
    found = [_place(line, places) for line in lines]
    if not _in_order(found):
        return None
    last = max(place for place in found if place is not None)
    record = blocks[last].record
    kept = _lines_before(lines, found, blocks, record)
    return Followed(blocks[last].end / max(1, blocks[-1].end), record, "\n".join(kept))


def breaks_off(answer: str, records: Sequence[str]) -> bool:
    """Whether an answer that copies lines of its material ends within one of them: then it was cut, whatever
    was said of it.
    """
    *whole, last = [line.strip() for line in answer.rstrip().splitlines()] or [""]
    if len(last) < _LEAST_END or len(whole) < _LEAST_COPIED:
        return False
    material = "\n".join(("", *records, ""))
    copied = sum(f"\n{line}\n" in material for line in whole[-_LOOKED_BACK:])
    if copied < _ANCHORED * min(len(whole), _LOOKED_BACK):
        return False
    return f"\n{last}" in material and f"\n{last}\n" not in material


def _whole_lines(answer: str) -> list[str]:
    """The sentences and lines of an answer but the last, in the middle of which it was cut."""
    return [answer[start:end].strip() for start, end in spans(answer)][:-1]


def _places(records: Sequence[str]) -> tuple[list[_Block], dict[str, int]]:
    """The blocks of the material, in order, and the words that stand in one of them alone."""
    size = max(1, sum(map(len, records)) // _BLOCKS)
    blocks: list[_Block] = []
    places: dict[str, int] = {}
    for record, start, text in _stretches(records, size):
        for word in set(_WORD.findall(text)):
            places[word] = -1 if word in places else len(blocks)
        blocks.append(_Block(record, start + len(text)))
    return blocks, {word: place for word, place in places.items() if place >= 0}


def _stretches(records: Sequence[str], size: int) -> Iterator[tuple[int, int, str]]:
    """Parts of at most about ``size`` characters, none over two records: record, place in the whole, text."""
    before = 0
    for i, text in enumerate(records):
        at = 0
        while at < len(text):
            stop = text.find("\n", at + size) + 1 or len(text)
            stop = min(stop, at + 2 * size)
            yield i, before + at, text[at:stop]
            at = stop
        before += len(text)


def _place(line: str, places: dict[str, int]) -> int | None:
    """The block that a line speaks of: most of its rare words stand there, several, or one with a digit."""
    words = [word for word in set(_WORD.findall(line)) if word in places]
    if not words:
        return None
    place, votes = Counter(places[word] for word in words).most_common(1)[0]
    certain = votes > 1 or any(character.isdigit() for word in words for character in word)
    return place if certain and 2 * votes > len(words) else None


def goes_through(answer: str, records: Sequence[str]) -> bool | None:
    """Whether a whole answer goes through its material once, from the beginning to near the end; None where
    its words do not tell.
    """
    blocks, places = _places(records)
    found = [_place(line, places) for line in _whole_lines(answer)]
    order = _in_order(found)
    if not order:
        return order
    furthest = max(place for place in found if place is not None)
    return True if blocks[furthest].end >= _NEAR_THE_END * blocks[-1].end else None


def _in_order(found: Sequence[int | None]) -> bool | None:
    """Whether nearly no line goes back; None where too few lines have a place."""
    places = [place for place in found if place is not None]
    if len(places) < max(_LEAST_LINES, _ANCHORED * len(found)):
        return None
    furthest, back = -1, 0
    for place in places:
        back += place < furthest - _NEAR
        furthest = max(furthest, place)
    return back <= (1 - _IN_ORDER) * len(places)


def _lines_before(
    lines: Sequence[str], found: Sequence[int | None], blocks: Sequence[_Block], record: int
) -> list[str]:
    """The lines up to the first that speaks of ``record`` or a later one."""
    kept: list[str] = []
    for line, place in zip(lines, found, strict=True):
        if place is not None and blocks[place].record >= record:
            break
        kept.append(line)
    return kept
