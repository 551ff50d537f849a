"""Going on from a result: whether records are those that it was made from, and which of them it lacks."""

from __future__ import annotations

from collections.abc import Sequence

from summarizer.prepare import Unit, fingerprint
from summarizer.records import Record
from summarizer.result import Complete, Partial

__all__ = ["begins_with", "still_to_do"]


def begins_with(records: Sequence[Record], before: Complete | Partial) -> bool:
    """Whether the records begin with all that a result was made from, by the content of its sections."""
    if len(records) < before.coverage.total:
        return False
    units = [Unit(i, record, 0) for i, record in enumerate(records)]
    return any(
        fingerprint(units[section.first : section.last + 1]) == section.fingerprint
        for section in before.sections
    )


def still_to_do(
    records: list[Record], before: Complete | Partial | None, *, masked: bool = False
) -> list[Record]:
    """What a run that goes on is given, where the whole session may be given again.

    Records that are not those of ``before`` are what it lacks, as they stand. ``masked``: their secrets are
    masked before they are read, and were then.
    """
    if before is None or not begins_with(_masked(records) if masked else records, before):
        return records
    gone = before.missing(records) if isinstance(before, Partial) else []
    return gone + records[before.coverage.total :]


def _masked(records: list[Record]) -> Sequence[Record]:
    from summarizer.redaction import redact_records

    return redact_records(records)[0]
