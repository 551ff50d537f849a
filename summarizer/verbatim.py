"""Records as they are, as text for a reader: what comes back where it fits the budget without a call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from summarizer.assembly import SEPARATOR
from summarizer.prepare import Unit, fingerprint
from summarizer.prompts import framed, heading
from summarizer.result import Section

__all__ = ["rendered", "verbatim_section"]


def rendered(units: Sequence[Unit]) -> str:
    """The records' texts with a blank line between, and who speaks where more than one does."""
    shown = [unit.record for unit in units if unit.text.strip()]
    if len({(record.role, record.name) for record in shown}) < 2:
        return SEPARATOR.join(record.text for record in shown)
    return SEPARATOR.join(f"{heading(record.role, record.name)}: {record.text}" for record in shown)


def verbatim_section(units: Sequence[Unit], room: int, count: Callable[[str], int]) -> Section | None:
    """One section that holds the records as they are, if that takes at most ``room`` tokens."""
    shown = [unit for unit in units if unit.text.strip()]
    if not shown:
        return _section(units, "", 0)
    speakers = Counter((unit.record.role, unit.record.name) for unit in shown)
    lines = sum(count(framed(role, name, "")) * n for (role, name), n in speakers.items())
    texts = sum(unit.tokens for unit in shown) - lines
    if texts > 2 * room:  # without the frame it could still have a little less: then it is counted exactly
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
