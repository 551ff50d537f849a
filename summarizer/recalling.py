"""At the end of a run: the records behind its result are kept; the result says where they could not be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from summarizer.prepare import Unit
from summarizer.recall import recall_in
from summarizer.result import Complete, Notice, Partial, Section

if TYPE_CHECKING:
    from summarizer.settings import Settings
    from summarizer_providers.database import Database

__all__ = ["with_records_kept"]


def with_records_kept(
    result: Complete | Partial,
    units: Sequence[Unit],
    known: Sequence[Section],
    settings: Settings,
    database: Database,
) -> Complete | Partial:
    """The result, whose records can be looked up from now on, or with a notice that they cannot.

    ``units`` were read in this run, ``known`` are the sections that it went on from. It waits for the
    database, at most for some seconds, and takes about 20 ms of CPU time for a million tokens.
    """
    if settings.recall == "off":
        return result
    trouble = recall_in(database, settings).keep(units, result.sections, known)
    return replace(result, notices=(*result.notices, Notice("recall", trouble))) if trouble else result
