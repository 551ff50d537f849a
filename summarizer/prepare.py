"""The stage before chunking: records → units, each as a model will read it and counted once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from summarizer.prompts import framed
from summarizer.records import Record

__all__ = ["Unit", "combined_fingerprint", "fingerprint", "prepare"]


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
    """Units for the records that stand at these positions; every text is counted once."""
    ties = _ties(records)
    return [
        Unit(position, record, count(framed(record.role, record.name, record.text)), tied)
        for record, position, tied in zip(records, positions, ties, strict=True)
    ]


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


def fingerprint(units: Iterable[Unit]) -> str:
    """A hash of what units say and who says it; their positions and ids do not count."""
    digest = hashlib.blake2b(digest_size=16)
    for unit in units:
        record = unit.record
        for part in (record.role, record.name or "", record.text):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def combined_fingerprint(parts: Iterable[str]) -> str:
    """A hash of consecutive stretches that have fingerprints already."""
    return hashlib.blake2b("+".join(parts).encode(), digest_size=16).hexdigest()
