"""Which records stand behind a section: a list of their hashes, one entry for each position."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from summarizer.records import Record

__all__ = ["GONE", "WITHIN", "Span", "by_position", "keys_in", "listed", "plausible", "stand_in", "stand_ins"]

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
