"""What stands behind sections, as passages, and the sentences for where nothing does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from summarizer.recall.entries import Place, Span, stand_in
from summarizer.recall.passages import Passage
from summarizer.recall.tables import Kept
from summarizer.records import Record

__all__ = ["NOTHING_KEPT", "NO_SECTIONS", "missed", "nowhere", "passages_at"]

NO_SECTIONS = "there are no sections, and so no records behind them"
"""What is said where somebody looks behind nothing."""

NOTHING_KEPT = "nothing is kept of these records"
"""What is said where recall was off, or all was forgotten."""


def passages_at(
    places: Iterable[Place], kept: Mapping[str, Kept], opened: Callable[[Kept], Record | None]
) -> tuple[list[Passage], int]:
    """The records at places, each a passage, and how many are missing there."""
    passages, missing = [], 0
    for place in places:
        if place.section is not None:
            passages.append(_passage(stand_in(place.section), place.section.fingerprint, place.position, 0.0))
            continue
        found = kept.get(place.key)
        record = opened(found) if found else None
        if found and record:
            passages.append(_passage(record, found.id, place.position, found.added_at))
        else:
            missing += place.number
    return passages, missing


def _passage(record: Record, key: str, position: int, added_at: float) -> Passage:
    return Passage(
        role=record.role, name=record.name, text=record.text, record=key, position=position, added_at=added_at
    )


def missed(number: int, *, every: bool) -> str | None:
    """What is said of so many records that are not kept (``every`` one of them), if there are any."""
    if not number:
        return None
    if every:
        return NOTHING_KEPT
    return f"{number:,} records are not kept any more, or not readable with this key"


def nowhere(spans: Sequence[Span], first: int, last: int | None) -> str:
    """What is said where no section stands for a record at the positions ``first`` to ``last``."""
    if not spans:
        return NO_SECTIONS
    end = "the end" if last is None else last
    wanted = f"record {first}" if last == first else f"records {first} to {end}"
    low, high = min(span.first for span in spans), max(span.last for span in spans)
    return f"no section stands for {wanted}: these sections stand for records {low} to {high}"
