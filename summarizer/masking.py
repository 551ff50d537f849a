"""Secrets are masked in everything that a run sends or keeps, where the settings ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from summarizer.records import Record
from summarizer.redaction import redact_records, redacted
from summarizer.result import Complete, Notice, Partial

__all__ = ["masked_records", "masked_result", "masked_text"]


def masked_records(records: Sequence[Record]) -> tuple[Sequence[Record], tuple[Notice, ...]]:
    """Records with their secrets masked, and a notice of how many there were."""
    found, number = redact_records(records)
    if not number:
        return found, ()
    secrets = "1 secret was" if number == 1 else f"{number} secrets were"
    return found, (Notice("redacted", f"{secrets} masked in the records before anything was sent"),)


def masked_text(text: str | None) -> str | None:
    """A text with its secrets masked."""
    return text and redacted(text)[0]


def masked_result(previous: Complete | Partial | None) -> Complete | Partial | None:
    """An earlier result with the secrets masked that its texts hold."""
    if previous is None:
        return None
    sections = tuple(replace(each, text=redacted(each.text)[0]) for each in previous.sections)
    return replace(previous, text=redacted(previous.text)[0], sections=sections)
