"""Recall: what was summarized can be looked up again, by section and by search, in bounded answers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from summarizer.recall.agent_tools import RecallTools
from summarizer.recall.arguments import Sections
from summarizer.recall.entries import Span
from summarizer.recall.passages import Passage, Recalled
from summarizer.recall.shelf import Recall
from summarizer.secrecy import Cipher

if TYPE_CHECKING:
    from summarizer.settings import Settings
    from summarizer_providers.database import Database

__all__ = [
    "Passage",
    "Recall",
    "RecallTools",
    "Recalled",
    "Sections",
    "Span",
    "expand",
    "open_recall",
    "recall_in",
    "search",
]


def open_recall(settings: Settings | None = None) -> Recall:
    """What the settings' database keeps (the environment's where None). Costs nothing until it is used.

    Raises ``InvalidSettings``.
    """
    from summarizer.opening import open_store
    from summarizer.settings import Settings

    settings = Settings() if settings is None else settings
    return recall_in(open_store(settings.data_dir, settings.store).database, settings)


def recall_in(database: Database, settings: Settings) -> Recall:
    """What a database keeps, one object for the process, as the settings say."""
    return _recall(database, Cipher.of(settings.encryption_key), settings.recall_days, settings.encoding)


@lru_cache(maxsize=16)
def _recall(database: Database, cipher: Cipher, days: float, encoding: str) -> Recall:
    return Recall(database, cipher, days, encoding)


def search(
    query: str, tokens: int = 1_000, settings: Settings | None = None, *, within: Sections | None = None
) -> Recalled:
    """What was said about something in records that were summarized, the best first.

    ``query`` may hold words, "quoted phrases" and identifiers, in any language; the answer has at most
    ``tokens`` tokens. Only the records behind ``within`` are searched where it is given: a section, several,
    or a result. A database that cannot be read is told in its ``notice``. Raises ``InvalidSettings``.
    """
    return open_recall(settings).search(query, tokens, within)


def expand(
    section: Sections,
    tokens: int = 4_000,
    settings: Settings | None = None,
    *,
    first: int | None = None,
    last: int | None = None,
) -> Recalled:
    """The records behind a section, several, or a result, in at most ``tokens`` tokens; only those at the
    positions ``first`` to ``last`` (inclusive) where these are given.

    What is not kept, or cannot be read, is told in the answer's ``notice``. Raises ``InvalidSettings``.
    """
    return open_recall(settings).expand(section, tokens, first, last)
