"""``summarizer journal``: what is kept of earlier runs, how much and where, and how to be rid of it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from summarizer.cli.exits import COMPLETE
from summarizer.cli.inputs import number
from summarizer.cli.output import write
from summarizer.errors import InvalidSettings
from summarizer.journal import JournalStats, open_journal
from summarizer.knowledge import open_store
from summarizer.recall import open_recall
from summarizer.settings import Settings
from summarizer_providers.damage import exposure, without_password
from summarizer_providers.database import Database, Unavailable

__all__ = ["Kept", "Records", "Sections", "carry_out", "journal"]

_DAY = 86_400.0
Ask = Callable[[str], bool]
"""Asks a person a question; True is a yes."""


class Sections(Protocol):
    """What is used of the journal."""

    @property
    def trouble(self) -> str | None:
        """What could not be done, in a sentence."""

    def stats(self) -> JournalStats:
        """What it holds."""

    def clear(self, before: float | None = None) -> int:
        """Remove what was not used since ``before`` (seconds since the epoch; None: all); how many."""


class Records(Protocol):
    """What is used of the records that are kept for recall."""

    def size(self) -> tuple[int, int]:
        """How many there are, and the bytes of their texts."""

    def clear(self) -> tuple[int, str | None]:
        """Remove all; how many, and a sentence where that was not possible."""


@dataclass(frozen=True, slots=True)
class Kept:
    """All that is kept of what people said: sections, and the records behind them where they are kept."""

    database: Database
    sections: Sections
    records: Records | None
    encrypted: bool


def journal(options: argparse.Namespace) -> int:
    """Carry the command out; raises ``InvalidSettings`` where it cannot be."""
    settings = Settings()
    store = open_store(settings.data_dir, settings.store)
    sections = open_journal(store.database, settings)
    kept = Kept(store.database, sections, open_recall(settings), settings.encryption_key is not None)
    return carry_out(options, kept, _asked if sys.stdin is not None and sys.stdin.isatty() else None)


def carry_out(options: argparse.Namespace, kept: Kept, ask: Ask | None) -> int:
    """The same, for what is kept in some place; ``ask`` is None where nobody can be asked.

    Raises ``InvalidSettings``.
    """
    lines = _clear(options, kept, ask) if options.action == "clear" else _stats(options, kept)
    write("".join(f"{line}\n" for line in lines), None)
    return COMPLETE


def _asked(question: str) -> bool:
    print(question, end="", file=sys.stderr, flush=True)  # noqa: T201
    return sys.stdin.readline().strip().lower() in ("y", "yes")


# ---- stats ----


def _stats(options: argparse.Namespace, kept: Kept) -> Iterator[str]:
    stats, (records, size) = _looked_up(kept)
    if options.format == "json":
        found: dict[str, Any] = asdict(stats) | {"records": records, "record_bytes": size}
        found |= {
            "where": _where(kept.database),
            "exposed": _exposed(kept.database),
            "encrypted": kept.encrypted,
        }
        yield json.dumps(found, ensure_ascii=False, indent=2)
        return
    size_of_all = f"{stats.tokens:,} tokens, {_sized(stats.bytes)}"
    yield f"sections: {stats.sections:,} ({size_of_all}), reused {stats.used:,} times"
    if stats.oldest is not None and stats.newest is not None:
        yield f"made: {_dated(stats.oldest)} to {_dated(stats.newest)}"
    if kept.records is not None:
        yield f"records for recall: {records:,} ({_sized(size)})"
    yield f"where: {_where(kept.database)}"
    if exposed := _exposed(kept.database):
        yield f"exposed: {exposed}"
    yield f"encrypted: {'yes' if kept.encrypted else 'no (SUMMARIZER_ENCRYPTION_KEY is not set)'}"


def _looked_up(kept: Kept) -> tuple[JournalStats, tuple[int, int]]:
    stats = kept.sections.stats()
    _must_be_well(kept.sections.trouble)
    return stats, kept.records.size() if kept.records else (0, 0)


def _must_be_well(trouble: str | None) -> None:
    if trouble is not None:
        raise InvalidSettings(trouble)


def _where(database: Database) -> str:
    return without_password(str(database.where))


def _exposed(database: Database) -> str | None:
    return exposure(database.where) if isinstance(database.where, Path) else None


def _sized(number: int) -> str:
    return f"{number / 1e6:,.1f} MB" if number >= 100_000 else f"{number:,} bytes"


def _dated(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


# ---- clear ----


def _clear(options: argparse.Namespace, kept: Kept, ask: Ask | None) -> Iterator[str]:
    days = number(options, "older_than")
    stats, (records, _) = _looked_up(kept)
    if not stats.sections and not (records and days is None):
        yield "nothing is kept"
        return
    if not options.yes and not _agreed(_what(stats, records, days) + f" in {_where(kept.database)}", ask):
        yield "nothing was removed"
        return
    yield from _removed(kept, None if days is None else time.time() - days * _DAY)


def _what(stats: JournalStats, records: int, days: float | None) -> str:
    if days is not None:
        return f"sections that were not used for {days:g} days"
    return f"{stats.sections:,} sections" + (f" and {records:,} records" if records else "")


def _agreed(what: str, ask: Ask | None) -> bool:
    if ask is None:
        raise InvalidSettings(f"expected --yes to remove {what}, for nobody can be asked here")
    return ask(f"remove {what}? [y/N] ")


def _removed(kept: Kept, before: float | None) -> Iterator[str]:
    """Remove sections and, where all is to go, records: these grow old by a setting of their own."""
    number = kept.sections.clear(before)
    _must_be_well(kept.sections.trouble)
    yield f"sections removed: {number:,}"
    if kept.records is not None and before is None:
        gone, trouble = kept.records.clear()
        _must_be_well(trouble)
        yield f"records removed: {gone:,}"
    _forget(kept.database)


def _forget(database: Database) -> None:
    """Write an embedded database anew: what was deleted can be read in its file and its log until then."""
    if database.is_absent:
        return
    try:
        with database.reading() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("VACUUM")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    except Unavailable as error:
        raise InvalidSettings(
            f"removed, but traces stay in the file until the same is done once more: {error}"
        ) from None
