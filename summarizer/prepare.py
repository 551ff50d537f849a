"""The stage before chunking: records → units, each as a model will read it and counted once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from summarizer.prompts import framed
from summarizer.records import Record

__all__ = ["Unit", "combined_fingerprint", "fingerprint", "prepare", "record_digest"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One record as it will be read: ``position`` in the whole input, ``tokens`` with its frame line.

    ``tied`` units stay with the one before them where that is possible: a tool's result with its call.
    """

    position: int
    record: Record
    tokens: int
    tied: bool = False

    @property
    def text(self) -> str:
        """What is read of the record."""
        return self.record.text


def prepare(records: Sequence[Record], positions: Iterable[int], count: Callable[[str], int]) -> list[Unit]:
    """Units for the records that stand at these positions.

    Every text is counted once, and the heading that it will stand under once for each speaker. Together
    they are a few tokens more or less than the framed text has: tokens join where the two meet, and marks
    in the text that could close its frame are replaced.
    """
    headings: dict[tuple[str, str | None], int] = {}
    units = []
    for record, position, tied in zip(records, positions, _ties(records), strict=True):
        speaker = (record.role, record.name)
        frame = headings.get(speaker)
        if frame is None:
            frame = headings[speaker] = count(framed(*speaker, ""))
        units.append(Unit(position, record, frame + count(record.text), tied))
    return units


def _ties(records: Sequence[Record]) -> list[bool]:
    """Whether each record answers a call made since the last record that makes calls.

    Call ids repeat in real sessions, so an id is looked for in the nearest calls before it only.
    """
    open_calls: frozenset[str] = frozenset()
    ties = []
    for record in records:
        tied = record.answers is not None and record.answers in open_calls
        if record.calls:
            open_calls = frozenset(record.calls)
        elif not tied and record.answers is None:
            open_calls = frozenset()
        ties.append(tied)
    return ties


_PRIME = 2**127 - 1
_BASE = 0x5EED_0F_A11_7E4_5E55_1045


def fingerprint(units: Iterable[Unit]) -> str:
    """A hash of what units say and who says it; their positions and ids do not count.

    It is a polynomial over the records' hashes, so that neighbours' can be put together without them.
    """
    value = 0
    for unit in units:
        value = (value * _BASE + int.from_bytes(record_digest(unit.record))) % _PRIME
    return f"{value:032x}"


def record_digest(record: Record) -> bytes:
    """A hash of what a record says and who says it (16 bytes)."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (record.role, record.name or "", record.text):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def combined_fingerprint(parts: Iterable[tuple[str, int]]) -> str:
    """The fingerprint of consecutive stretches, from each one's and its number of records."""
    value = 0
    for part, records in parts:
        value = (value * pow(_BASE, records, _PRIME) + _number(part)) % _PRIME
    return f"{value:032x}"


def _number(part: str) -> int:
    """A fingerprint of another making, as an edited file may hold it, matches nothing and breaks nothing."""
    try:
        return int(part, 16)
    except ValueError:
        return int.from_bytes(hashlib.blake2b(part.encode("utf-8", "replace"), digest_size=16).digest())
