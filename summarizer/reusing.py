"""From a request to the journal for it: what a run finds finished, and under what it keeps the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summarizer import planning
from summarizer.endpoints import Endpoint
from summarizer.prepare import Unit
from summarizer.prompts import prompt_id
from summarizer.result import Complete, Section
from summarizer.usage import Meter
from summarizer_providers.store import Store

if TYPE_CHECKING:
    from summarizer.journal import Pages
    from summarizer.settings import Settings

__all__ = ["Reused", "ended", "pages_of", "reused"]

_WORTH_KEEPING = 50_000
"""Tokens: the offline model reads less than this in a third of a second, which a database takes as well."""


def pages_of(
    units: Sequence[Unit],
    ladder: Sequence[Endpoint],
    settings: Settings,
    wishes: tuple[str | None, str | None],
    store: Callable[[], Store],
) -> Pages | None:
    """The journal for a run over ``units`` with a focus and instructions; None where it is off, or would cost
    more than it saves.
    """
    offline = all(endpoint.is_offline for endpoint in ladder)
    if settings.journal == "off" or (offline and sum(unit.tokens for unit in units) < _WORTH_KEEPING):
        return None
    from summarizer.journal import Pages, open_journal
    from summarizer.knowledge import key_of

    keys = {endpoint.label: key_of(endpoint.model, streaming=False) for endpoint in ladder}
    words = (prompt_id(), *(wish or "" for wish in wishes), settings.encoding)
    journal = open_journal(store().database, settings)
    return Pages(journal, units, words, keys, offline=ladder[0].is_offline)


def ended(pages: Pages | None, job: str | None) -> Complete | None:
    """What the same job ended with before, with the usage of this run: nothing but what was kept."""
    text = None if pages is None or job is None else pages.ended(job)
    if text is None:
        return None
    try:
        result = Complete.from_json(text)
    except ValueError:
        return None
    meter = Meter()
    for section in result.sections:
        meter.cached(section.model or "")
    told = tuple(notice for notice in result.notices if notice.code == "shortened")
    return replace(result, usage=meter.usage(), notices=told)


@dataclass(frozen=True, slots=True)
class Reused:
    """What is left to do, and the sections that stand for the rest, in order."""

    units: Sequence[Unit]
    sections: Sequence[Section]


def reused(pages: Pages | None, units: Sequence[Unit], budget: int, known: Sequence[Section]) -> Reused:
    """What the journal has of ``units``, where ``known`` sections stand for other records and the whole has
    ``budget`` tokens.
    """
    if pages is None:
        return Reused(units, ())
    total = sum(unit.tokens for unit in units) + sum(section.source_tokens for section in known)
    found = pages.find(lambda tokens: planning.target(tokens, total, budget, budget))
    covered = {i for each in found for i in range(each.first, each.last + 1)}
    left = [unit for i, unit in enumerate(units) if i not in covered] if covered else units
    return Reused(left, [each.section for each in found])
