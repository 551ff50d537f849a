"""A grammar of limits: which number of an error is whose. It knows what limits are called, and what we sent.

Every number has a word that says what it is, mostly the last one before it ("supports at most 4096"), else
the first one behind it ("8192 tokens maximum"). What goes beyond something is ours, and what it goes beyond
is theirs. Numbers without a word are told by what was sent: a limit that was broken is below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from summarizer_providers.understanding.cues import (
    ARGUMENT,
    BEYOND,
    BY,
    COMPARED,
    CONDITION,
    INPUT,
    LEAST_WORDS,
    LEFT_OF_LIMIT,
    LIMIT,
    MODAL,
    NOT_BELOW,
    OURS,
    OURS_BY_NOUN,
    OUTPUT,
    OVER,
    REMAINS,
    RIGHT_LIMIT,
    TOGETHER,
    WINDOW,
)
from summarizer_providers.understanding.lexicon import Lexicon
from summarizer_providers.understanding.numerals import LEAST, Numeral, numerals

__all__ = ["Part", "Reading", "Told", "by_contrast", "read"]

_NEAR = 48
_BEHIND = 36


class Part(Enum):
    """What a number is: a limit of theirs, something of ours, or neither."""

    LIMIT = auto()
    OURS = auto()
    MINIMUM = auto()
    EXCESS = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Told:
    """A number with its part; ``of_input`` and ``of_output``: by the words directly at it."""

    value: int
    part: Part
    of_input: bool
    of_output: bool
    where: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence's numbers, and which sides its words are about."""

    numbers: tuple[Told, ...]
    about_input: bool
    about_output: bool
    about_window: bool


def read(sentence: str, sent: int) -> Reading:
    """The numbers of one normalized sentence; ``sent`` is the ``max_tokens`` of the call (0: none)."""
    found = numerals(sentence)
    gaps = _gaps(sentence, found)
    told = [_told(sentence, each, gaps[i], gaps[i + 1], sent) for i, each in enumerate(found)]
    told = _compared(_sums(_ranges(told, gaps), gaps), gaps)
    told = [each for each in told if each.value >= LEAST or each.part is Part.MINIMUM]
    of_input, of_output = bool(INPUT.search(sentence)), bool(OUTPUT.search(sentence))
    both = of_input and of_output and TOGETHER.search(sentence) is not None
    window = bool(WINDOW.search(sentence)) or any(map(_adds, gaps[1:-1])) or both
    return Reading(tuple(by_contrast(told, sent)), of_input, of_output, window)


def _gaps(sentence: str, found: Sequence[Numeral]) -> list[str]:
    """What stands before, between and behind the numbers."""
    ends = [0, *(each.end for each in found)]
    starts = [*(each.start for each in found), len(sentence)]
    return [sentence[end:start] for end, start in zip(ends, starts, strict=True)]


def _adds(gap: str) -> bool:
    return len(gap) < 40 and re.search(r"\+|\bplus\b|加上?|足す", gap) is not None


# ---- one number ----


def _told(sentence: str, number: Numeral, before: str, behind: str, sent: int) -> Told:
    near, next_words = before[-_NEAR:], re.sub(r"[(\[][^)\]]*$", "", behind[:_BEHIND])
    part = _left(near, sentence[: number.start]) or _right(next_words) or Part.UNKNOWN
    if CONDITION.search(next_words) and BEYOND.search(near):  # "with max_tokens > 4096 must have …"
        part = Part.EXCESS
    if number.value == sent and ARGUMENT.search(near):
        part = Part.OURS
    if REMAINS.search(near) or REMAINS.search(re.split(r"[,:;]", next_words)[0]):
        part = Part.EXCESS
    if part in (Part.OURS, Part.UNKNOWN) and _right(next_words, strong=True) is Part.LIMIT:
        part = Part.LIMIT if number.value != sent else Part.OURS
    noun = re.split(r"[,:;()]|\b(?:and|plus|but|while|is|are|exceed\w*)\b|[+=>]|加上?", behind, maxsplit=1)[
        0
    ][:28]
    at_input = bool(INPUT.search(noun)) or _ends_with(INPUT, before)
    at_output = bool(OUTPUT.search(noun)) or _ends_with(OUTPUT, before)
    where = sentence[max(0, number.start - 40) : number.end + 24].strip()
    return Told(number.value, part, at_input and not (at_output and not INPUT.search(noun)), at_output, where)


def _ends_with(words: Lexicon, before: str) -> bool:
    """Whether the last words before a number name a side: ``prompt: 500``, ``the input (500 tokens)``."""
    tail = re.split(r"[,;>+=]|\b(?:and|plus)\b", re.sub(r"(?<![<>])[=:( ]+$", "", before[-_NEAR:]))[-1]
    matches = list(words.all(tail))
    return bool(matches) and len(tail) - matches[-1].end() <= 24


def _left(near: str, whole: str) -> Part | None:
    """By the last word before the number that says anything."""
    if BY.search(near):
        return Part.EXCESS
    last, part = -1, None
    for words, meaning in _LEFT:
        for match in words.all(near):
            if match.end() > last or (match.end() == last and part is Part.LIMIT):
                last, part = match.end(), meaning
    if part is None and OURS_BY_NOUN.search(near):
        return Part.OURS
    if part is Part.EXCESS:  # what lies beyond: a limit, or a least where one is demanded
        clause = re.split(r"[.;]", whole)[-1]
        demanded = MODAL.search(clause) and not re.search(r"\bnot?\b|n't\b|cannot|不", clause)
        return Part.MINIMUM if demanded and not re.search(r"\d", clause) else Part.LIMIT
    return part


_LEFT = (
    (LIMIT, Part.LIMIT),
    (OURS, Part.OURS),
    (BEYOND, Part.EXCESS),
    (LEAST_WORDS, Part.MINIMUM),
    (NOT_BELOW, Part.MINIMUM),
)


def _right(behind: str, *, strong: bool = False) -> Part | None:
    """By the first words behind the number, up to where others begin."""
    if (match := OVER.search(behind)) and match.start() == 0:
        return Part.EXCESS
    words = re.split(r"[,:;]|\b(?:and|but|while|whereas)\b", behind, maxsplit=1)[0]
    found = [(match.start(), part) for lexicon, part in _RIGHT for match in lexicon.all(words)]
    first = min(found, key=lambda each: each[0], default=None)
    if first is None:
        return None
    if strong:
        return first[1] if first[1] is Part.LIMIT else None
    return first[1]


_RIGHT = ((LEFT_OF_LIMIT, Part.OURS), (RIGHT_LIMIT, Part.LIMIT), (OURS, Part.OURS))


# ---- numbers together ----


def _ranges(told: list[Told], gaps: Sequence[str]) -> list[Told]:
    """``[1, 8192]``, ``between 1 and 8192``, ``1 (inclusive) to 8193 (exclusive)``: a least and a most."""
    for i in range(len(told) - 1):
        low, high = told[i], told[i + 1]
        gap = re.sub(r"\([^)]*\)", "", gaps[i + 1]).strip().lower()
        if not (low.value < high.value and _is_range(gap, gaps[i], low.value)):
            continue
        open_end = re.match(r"\s*(?:\(exclusive|\)(?=.{0,3}$|[^\]]*$))", gaps[i + 2]) is not None
        bracket = gaps[i].rstrip().endswith(("[", "("))
        most = _inner(high.value) if open_end and (bracket or "exclusive" in gaps[i + 2]) else high.value
        told[i] = replace(low, part=Part.MINIMUM)
        told[i + 1] = replace(high, part=Part.LIMIT, value=most)
    return told


def _sums(told: list[Told], gaps: Sequence[str]) -> list[Told]:
    """What is added up is ours, and so is what it comes to."""
    for i in range(len(told) - 1):
        if _adds(gaps[i + 1]) or (gaps[i + 1].strip() == "=" and i and _adds(gaps[i])):
            told[i : i + 2] = [replace(each, part=Part.OURS) for each in told[i : i + 2]]
    return told


def _compared(told: list[Told], gaps: Sequence[str]) -> list[Told]:
    """In ``90123 > 32768`` and ``90123 tokens / 32768`` the first is ours, whatever stands before it."""
    for i in range(len(told) - 1):
        if (
            told[i].value > told[i + 1].value
            and COMPARED.search(gaps[i + 1])
            and told[i + 1].part is not Part.OURS
        ):
            told[i] = replace(told[i], part=Part.OURS)
            told[i + 1] = replace(told[i + 1], part=Part.LIMIT)
    return told


def _is_range(gap: str, before: str, low: int) -> bool:
    before = before.rstrip().lower()
    if gap == ",":
        return before.endswith(("[", "("))
    if gap == "and":
        return before.endswith("between")
    return gap in ("to", "-", "–", "—", "~", "到", "至", "から", "through", "thru") and low <= 4096


def _inner(most: int) -> int:
    """The largest number below an end that does not belong: of the two, the rounder one is the limit."""
    return most - 1 if _rounder(most - 1, most) else most


def _rounder(one: int, other: int) -> bool:
    def roundness(n: int) -> int:
        return max(n & -n, int("1" + "0" * (len(str(n)) - len(str(n).rstrip("0")))))

    return roundness(one) > roundness(other)


def by_contrast(told: Sequence[Told], sent: int) -> list[Told]:
    """A number without a word is the limit if what we ``sent``, or a larger one of ours, is beside it."""
    unknown = [
        each for each in told if each.part is Part.UNKNOWN and each.value != sent and not each.of_input
    ]
    limits = [each for each in told if each.part is Part.LIMIT]
    ours = [each.value for each in told if each.part is Part.OURS or (sent and each.value == sent)]
    if limits or len(unknown) != 1 or not any(value > unknown[0].value for value in ours):
        return list(told)
    return [replace(each, part=Part.LIMIT) if each is unknown[0] else each for each in told]
