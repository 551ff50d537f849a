"""What is unlike the rest among lines of one form: logs and listings say the same thing over and over."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from summarizer_providers.extractive.candidates import Candidate
from summarizer_providers.types import Passage

__all__ = ["Oddity", "oddities"]

_LEAST_LINES = 30
"""So many lines of one form make a listing; fewer do not tell what is usual."""
_LEAST = 3.0
"""In nats: values as rare as one line in twenty, or rarer, are odd."""
_CODES = 16
_STRESS = 1.6
"""Where so few values occur at all, they are codes (a status, a level), and a rare one counts for more."""
_END = 8.0
"""How odd the first and the last line count at least: they tell the form, and from when to when."""
_MOST_VALUES = 2
_SHORTEST = 32
_GLANCE = 600
_MOST_FIELDS = 24
_HEAD = 48
# Prose, lists and tables rarely begin like that; logs begin with a time, an address, a level or a path.
_LISTED = regex.compile(r"(?![-*#|>+]|\d+[.)]\s)[^\d\[{<\n]{0,15}[\d\[{<]")
_LETTERS = regex.compile(r"[^\W\d_]+")
_DIGITS = regex.compile(r"\d+")
_FIELD = regex.compile(r"\"(?:[^\"\\]|\\.)*\"|\[[^\]]*\]|[^\s\",]+")
_MASKED = regex.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|\b0x[\da-f]+\b|\b[\da-f]{8,}\b|\d+")
_LONGEST_CODE = 3
"""Numbers of up to so many digits may be a code (a status, a level); longer ones are measures."""


@dataclass(frozen=True, slots=True)
class Oddity:
    """How far a line of a listing is from the usual, in nats (0 for an ordinary one).

    ``values`` are the rarest things in it, each with how rare it is, in nats.
    """

    surprise: float
    values: tuple[tuple[object, float], ...] = ()


def oddities(passages: Sequence[Passage], found: Sequence[Candidate]) -> dict[int, Oddity]:
    """For the candidates that are lines of a listing, by number, how unlike the others they are.

    A value is as odd as the lines are few that have, in the same place, one as rare or rarer: a place
    where everything is rare (an address, a time) makes nothing odd.
    """
    listed: dict[int, Oddity] = {}
    for number, members in enumerate(_listings(passages, found)):
        rows = [_values(_text(passages, found[member])) for member in members]
        scores = _surprises(rows)
        for member, row in zip(members, rows, strict=True):
            listed[member] = _oddity(number, row, scores)
        for end in (members[0], members[-1]):
            listed[end] = Oddity(max(_END, listed[end].surprise), listed[end].values)
    return listed


def _text(passages: Sequence[Passage], candidate: Candidate) -> str:
    return passages[candidate.passage].text[candidate.start : min(candidate.end, candidate.start + _GLANCE)]


def _listings(passages: Sequence[Passage], found: Sequence[Candidate]) -> Iterator[list[int]]:
    forms: defaultdict[str, list[int]] = defaultdict(list)
    for number, candidate in enumerate(found):
        head = passages[candidate.passage].text[candidate.start : min(candidate.end, candidate.start + _HEAD)]
        if candidate.end - candidate.start >= _SHORTEST and _LISTED.match(head):
            forms[_form(head)].append(number)
    return (members for members in forms.values() if len(members) >= _LEAST_LINES)


def _form(head: str) -> str:
    """The first fields with all words, and all numbers, taken as the same."""
    return " ".join(_DIGITS.sub("0", _LETTERS.sub("a", head)).split()[:3])


def _values(line: str) -> list[str]:
    """What stands in each place of the line, and last its form as a whole."""
    fields = [_value(field) for field in _FIELD.findall(line)[:_MOST_FIELDS]]
    return [_MASKED.sub("0", line), *fields]


def _value(field: str) -> str:
    if field[0] == '"':
        field = field.strip('"').partition(" ")[0]
    if field.isdigit() and len(field) <= _LONGEST_CODE:
        return field
    return _DIGITS.sub("0", field)


def _surprises(rows: Sequence[Sequence[str]]) -> list[dict[str, float]]:
    """For each place, the surprise of each of its values that is odd."""
    places: list[Counter[str]] = []
    for row in rows:
        while len(places) < len(row):
            places.append(Counter())
        for place, value in zip(places, row, strict=False):
            place[value] += 1
    return [dict(_odd(place, len(rows))) for place in places]


def _odd(place: Counter[str], total: int) -> Iterator[tuple[str, float]]:
    lines: Counter[int] = Counter()
    for times in place.values():
        lines[times] += times
    missing = total - sum(place.values())
    up_to, rarer = {}, min(missing, place.most_common(1)[0][1])
    for times in sorted(lines):
        rarer += lines[times]
        up_to[times] = math.log(total / min(total, rarer))
    stress = _STRESS if len(place) <= _CODES else 1.0
    return ((value, stress * up_to[times]) for value, times in place.items() if up_to[times] >= _LEAST)


def _oddity(listing: int, row: Sequence[str], scores: Sequence[dict[str, float]]) -> Oddity:
    values = sorted(
        ((-scores[place][value], place, value) for place, value in enumerate(row) if value in scores[place]),
    )[:_MOST_VALUES]
    if not values:
        return Oddity(0.0)
    return Oddity(-values[0][0], tuple(((listing, place, value), -score) for score, place, value in values))
