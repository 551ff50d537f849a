"""Records as they are, as text for a reader: what comes back where it fits the budget without a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from summarizer.assembly import SEPARATOR
from summarizer.prepare import Unit, fingerprint
from summarizer.prompts import heading
from summarizer.result import Section

__all__ = ["rendered", "verbatim_section"]


def rendered(units: Sequence[Unit]) -> str:
    """The records' texts with a blank line between, and who speaks where more than one does."""
    speakers = {(unit.record.role, unit.record.name) for unit in units}
    shown = [unit.record for unit in units if unit.text.strip()]
    if len(speakers) < 2:
        return SEPARATOR.join(record.text for record in shown)
    return SEPARATOR.join(f"{heading(record.role, record.name)}: {record.text}" for record in shown)


def verbatim_section(units: Sequence[Unit], room: int, count: Callable[[str], int]) -> Section | None:
    """One section that holds the records as they are, if that takes at most ``room`` tokens."""
    if not any(unit.text.strip() for unit in units):
        return _section(units, "", 0)
    framed = sum(unit.tokens for unit in units)
    if framed - 12 * len(units) > room:  # a frame line has about 6 tokens: no need to count exactly
        return None
    text = rendered(units)
    tokens = count(text)
    return _section(units, text, tokens) if tokens <= room else None


def _section(units: Sequence[Unit], text: str, tokens: int) -> Section:
    return Section(
        text=text,
        tokens=tokens,
        first=units[0].position,
        last=units[-1].position,
        model=None,
        method="verbatim",
        level=0,
        fingerprint=fingerprint(units),
        prompt_id="verbatim",
        source_tokens=sum(unit.tokens for unit in units),
    )
