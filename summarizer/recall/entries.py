"""Which records stand behind a section: a list of their hashes, one entry for each position."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from summarizer.records import Record

__all__ = [
    "GONE",
    "WITHIN",
    "Place",
    "Span",
    "by_position",
    "keys_in",
    "listed",
    "places",
    "plausible",
    "stand_in",
    "stand_ins",
]

GONE, WITHIN = "", "-"
"""In a section's list: a record that is not kept, and one that the entry before it holds too."""

_MOST_RECORDS = 10_000_000


class Span(Protocol):
    """What is used of a section: see ``summarizer.result.Section``."""

    @property
    def text(self) -> str:
        """Its text."""

    @property
    def first(self) -> int:
        """The position of its first record."""

    @property
    def last(self) -> int:
        """The position of its last record."""

    @property
    def method(self) -> str:
        """How its text was made."""

    @property
    def fingerprint(self) -> str:
        """The hash of its records' content."""


def plausible(sections: Sequence[Span]) -> list[Span]:
    """Without what an edited file may claim: that a section stands for more records than there can be."""
    return [section for section in sections if section.last - section.first < _MOST_RECORDS]


def stand_in(section: Span) -> Record:
    """The text of a section that holds its records as they are, where they were not kept one by one."""
    return Record(text=section.text)


def stand_ins(known: Iterable[Span], lists: Container[str]) -> dict[str, Record]:
    """What is to be kept instead of records that have no list and stand in their section as they are."""
    alone = (section for section in known if section.fingerprint not in lists)
    return {each.fingerprint: stand_in(each) for each in alone if each.method == "verbatim" and each.text}


def by_position(known: Iterable[Span], lists: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """What is kept of the records behind sections. A list may be shorter: its last entry holds the rest."""
    for section in known:
        found = lists.get(section.fingerprint, "").split(",")
        if found != [GONE]:
            yield from enumerate(found, section.first)
            yield from ((i, WITHIN) for i in range(section.first + len(found), section.last + 1))


def listed(section: Span, at: Mapping[int, str]) -> str:
    """A section's list, from the entries by position."""
    return ",".join(at.get(i, GONE) for i in range(section.first, section.last + 1))


def keys_in(lists: Iterable[str]) -> set[str]:
    """The records in some lists."""
    return {key for each in lists for key in each.split(",")} - {GONE, WITHIN}


@dataclass(frozen=True, slots=True)
class Place:
    """What stands behind a section from a ``position`` on: the record ``key``, or a ``section`` that holds
    its records as they are; with neither, ``number`` records that are not kept.
    """

    position: int
    key: str = GONE
    section: Span | None = None
    number: int = 1


def places(
    sections: Iterable[Span], lists: Mapping[str, str], first: int = 0, last: int | None = None
) -> Iterator[Place]:
    """The places behind sections, in order, of the records ``first`` to ``last`` (None: to the end)."""
    for section in sections:
        low, high = max(first, section.first), section.last if last is None else min(last, section.last)
        if low > high:
            continue
        if section.fingerprint in lists:
            yield from _listed_places(section, lists[section.fingerprint].split(","), low, high)
        elif section.method == "verbatim":
            yield from [Place(section.first, section=section)] if section.text else []
        else:
            yield Place(low, number=high - low + 1)


def _listed_places(section: Span, keys: Sequence[str], low: int, high: int) -> Iterator[Place]:
    """The entry before the first wanted one is the first, where it holds that too."""
    start = min(low - section.first, len(keys) - 1)
    while start and keys[start] == WITHIN:
        start -= 1
    for position, key in enumerate(keys[start : high - section.first + 1], section.first + start):
        if key != WITHIN:
            yield Place(position, key)
