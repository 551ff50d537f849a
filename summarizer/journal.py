"""The journal: finished sections, kept under what they stand for, and found again by any later run.

A section is found by its records alone, wherever they stand and whatever was planned around them: the journal
knows the first record of each section, and a hash of all of them proves the rest. So a session that grew, or
whose limits were learned meanwhile, finds all that was finished, whatever its chunks would be today.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from summarizer import journal_rows as rows
from summarizer.chain import Candidate, chosen
from summarizer.prepare import Unit, record_digest
from summarizer.result import Section
from summarizer.secrecy import Cipher
from summarizer.work import Finished
from summarizer_providers.database import Database, Unavailable

if TYPE_CHECKING:
    from summarizer.settings import Settings

__all__ = ["Found", "Journal", "JournalStats", "Pages", "Sealing", "open_journal"]

DAY = 86_400.0
RESULT = rows.RESULT
_WAIT = 2.0
"""Seconds that a run waits for a lock before it goes on with what it has in memory."""

T = TypeVar("T")


class Sealing(Protocol):
    """How content is written down: in clear, or under a key."""

    def seal(self, text: str) -> str:
        """The text as it is stored."""
        ...

    def open(self, sealed: str) -> str | None:
        """The text that was stored; None if this key does not open it."""
        ...

    def name(self, data: bytes) -> str:
        """A name for content that tells nothing of it to who does not have it (at most 64 characters)."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """A section of the journal that stands for the units ``first`` to ``last`` (indexes, inclusive)."""

    first: int
    last: int
    section: Section


@dataclass(frozen=True, slots=True)
class JournalStats:
    """What a journal holds: sections of so many tokens and bytes; times are in seconds since the epoch,
    ``used`` counts reuses.
    """

    sections: int
    tokens: int
    bytes: int
    oldest: float | None
    newest: float | None
    used: int


class Journal:
    """The journal in a database. Nothing here raises because of the database: ``trouble`` says, in a
    sentence, what could not be kept or looked up.
    """

    def __init__(
        self, database: Database, sealing: Sealing | None = None, days: float = 30.0, most: int = 200_000_000
    ) -> None:
        self.database = database
        self.sealing: Sealing = sealing or Cipher.of(None)
        self.trouble: str | None = None
        self._days = days
        self._most = most
        self._gone = False
        self._keeper: sqlite3.Connection | None = None

    def stats(self) -> JournalStats:
        """What it holds; nothing where it cannot be read."""
        if self.database.is_absent:
            return JournalStats(0, 0, 0, None, None, 0)
        found = self.attempt("read", partial(rows.stats, self.database))
        return JournalStats(*(found or (0, 0, 0, None, None, 0)))

    def clear(self, before: float | None = None) -> int:
        """Remove the sections that were not used since ``before`` (seconds since the epoch; None: all)."""
        if self.database.is_absent:
            return 0
        return self.attempt("emptied", partial(rows.clear, self.database, before)) or 0

    def attempt(self, doing: str, work: Callable[[], T]) -> T | None:
        """The result of some work on the database; None, with ``trouble`` set, where that is not possible."""
        if self._gone:
            return None
        try:
            return self.database.attempt(rows.MIGRATIONS, work)
        except Unavailable as error:
            self.trouble, self._gone = f"finished sections could not be {doing}: {error}", error.lasting
            self.let_go()
            return None

    def write(self, made: Sequence[rows.Row], wait: float) -> bool:
        """Keep sections; False if that is not possible now. A lock is waited for ``wait`` seconds."""
        trouble = self.trouble
        done = self.attempt("kept", partial(self._write, made, wait))
        if not done and not wait:  # it was not tried in earnest yet
            self.trouble = trouble
        return bool(done)

    def _write(self, made: Sequence[rows.Row], wait: float) -> bool:
        with self.database.writing(wait) as connection:
            rows.insert(connection, made)
        self._keep_open()
        return True

    def remember(self, name: str, text: str) -> None:
        """Keep a text under a name (64 characters at most): it lives as long as sections do."""
        now = time.time()
        row = rows.Row(name, RESULT, "", "", 0, "", RESULT, 0, 0, now, now, 0, self.sealing.seal(text))
        self.write([row], _WAIT)

    def recall(self, name: str) -> str | None:
        """The text that was kept under a name, if it still is and this key opens it."""
        if self.database.is_absent:
            return None
        found = self.attempt("looked up", partial(rows.values, self.database, [name]))
        sealed = (found or {}).get(name)
        if sealed is None:
            return None
        self.attempt("marked", partial(rows.touch, self.database, [name], time.time(), _WAIT))
        return self.sealing.open(sealed)

    def _keep_open(self) -> None:
        """The last one to close a SQLite file writes its log back, which takes 20 times as long as a write:
        while a run goes on, somebody has it open.
        """
        if self._keeper is None and isinstance(self.database.where, Path):
            self._keeper = sqlite3.connect(self.database.where, timeout=0.0, check_same_thread=False)
            self._keeper.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()

    def let_go(self) -> None:
        """Close the file that was kept open for a run."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()

    def tidy(self) -> None:
        """Remove what is too old or too much, at the end of a run, and close the file."""
        if self._keeper is not None:
            old = time.time() - self._days * DAY
            self.attempt("tidied", partial(rows.shrink, self.database, old, self._most))
        self.let_go()


def open_journal(database: Database, settings: Settings) -> Journal:
    """The journal of these settings in a database."""
    sealing = Cipher.of(settings.encryption_key)
    return Journal(database, sealing, settings.journal_days, settings.journal_mb * 1_000_000)


@dataclass(slots=True)
class Pages:
    """The journal as one run sees it: ``units`` are all that it was given, ``wishes`` what its prompt asks
    for beside them (the prompt's id, focus, instructions, counter), ``endpoints`` the keys of its ladder by
    label, ``offline`` whether an offline model stands first on it.
    """

    journal: Journal
    units: Sequence[Unit]
    wishes: tuple[str, ...]
    endpoints: dict[str, str]
    offline: bool = False
    _digests: list[bytes] = field(default_factory=list)
    _index: dict[int, int] = field(default_factory=dict)
    _waiting: list[rows.Row] = field(default_factory=list)
    _stand: tuple[int, float] | None = None

    def __post_init__(self) -> None:
        self._digests = [record_digest(unit.record) for unit in self.units]
        self._index = {unit.position: i for i, unit in enumerate(self.units)}

    @property
    def context(self) -> str:
        """The name of everything beside the records that a section depends on."""
        return self.journal.sealing.name(json.dumps(self.wishes).encode())

    def job(self, *more: object) -> str:
        """A name for this run: of two with the same one, one can wait for what the other finishes."""
        words = json.dumps([*self.wishes, *self.endpoints.values(), *map(str, more)]).encode()
        return self.journal.sealing.name(words + b"".join(self._digests))

    # ---- finding ----

    def find(self, wish: Callable[[int], int]) -> list[Found]:
        """The sections that stand in for units, in order; ``wish`` is the length (tokens) to ask for today,
        for so many tokens of records.
        """
        if self.journal.database.is_absent:
            self._stand = (0, 0.0)
            return []
        return self.journal.attempt("looked up", partial(self._find, wish)) or []

    def is_stale(self) -> bool:
        """Whether sections were added since ``find``."""
        if self.journal.database.is_absent:
            return False
        now = self.journal.attempt("looked up", partial(rows.stand, self.journal.database, self.context))
        return now is not None and now != self._stand

    def _find(self, wish: Callable[[int], int]) -> list[Found]:
        listed = rows.listed(self.journal.database, self.context)
        self._stand = (len(listed), max((row.made_at for row in listed), default=0.0))
        taken = chosen(self._candidates(listed), wish)
        sealed = rows.values(self.journal.database, [each.id for each in taken])
        found = [(each, self._opened(each, sealed.get(each.id))) for each in taken]
        usable = [(each, section) for each, section in found if section is not None]
        if usable:
            used = [each.id for each, _ in usable]
            rows.touch(self.journal.database, used, time.time(), _WAIT)
        return [Found(each.first, each.last, section) for each, section in usable]

    def _candidates(self, listed: Sequence[rows.Row]) -> list[Candidate]:
        """The rows whose records stand here, one after the other, in the order of the rows."""
        starts: dict[str, list[int]] = {}
        for i, digest in enumerate(self._digests):
            starts.setdefault(self.journal.sealing.name(digest), []).append(i)
        return [
            Candidate(row.id, first, last, self._tokens(first, last), row.asked)
            for row in listed
            if self._may_use(row)
            for first, last in self._places(row, starts.get(row.start, ()))
        ]

    def _places(self, row: rows.Row, starts: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Where a section's records stand, apart from each other: records may repeat."""
        free = 0
        for first in starts:
            last = first + row.records - 1
            if first >= free and self._are_there(row, first, last):
                yield first, last
                free = last + 1

    def _may_use(self, row: rows.Row) -> bool:
        """Written by a model of the present ladder; an extract only where the first choice makes extracts."""
        return row.endpoint in self.endpoints.values() and (row.method != "extractive" or self.offline)

    def _are_there(self, row: rows.Row, first: int, last: int) -> bool:
        if row.records < 1 or last >= len(self.units):
            return False
        if self.units[last].position - self.units[first].position != last - first:
            return False
        return self._content(first, last) == row.content

    def _content(self, first: int, last: int) -> str:
        return self.journal.sealing.name(b"".join(self._digests[first : last + 1]))

    def _tokens(self, first: int, last: int) -> int:
        return sum(unit.tokens for unit in self.units[first : last + 1])

    def _opened(self, each: Candidate, sealed: str | None) -> Section | None:
        text = None if sealed is None else self.journal.sealing.open(sealed)
        if text is None:
            return None
        try:
            section = Section(**json.loads(text))
        except (TypeError, ValueError):
            return None
        first, last = self.units[each.first].position, self.units[each.last].position
        return replace(section, first=first, last=last, source_tokens=each.source)

    # ---- whole results ----

    def ended(self, job: str) -> str | None:
        """The JSON of the complete result that the same job ended with, if it did."""
        return self.journal.recall(job)

    def end(self, job: str, text: str) -> None:
        """Keep the JSON of a complete result: the same job again ends with it, to the letter."""
        self.journal.remember(job, text)

    # ---- keeping ----

    def keep(self, finished: Sequence[Finished], wait: float = _WAIT) -> bool:
        """Write sections down before the run goes on, where a lock is waited for ``wait`` seconds at most;
        what cannot be written now is tried again with the next ones. Returns whether all are written.
        """
        self._waiting += [row for row in map(self._row, finished) if row is not None]
        if self._waiting and self.journal.write(self._waiting, wait):
            self._waiting = []
        return not self._waiting

    def _row(self, finished: Finished) -> rows.Row | None:
        """None for a section whose records were not all given to this run."""
        section, now = finished.section, time.time()
        first, last = self._index.get(section.first), self._index.get(section.last)
        if first is None or last is None or last - first != section.last - section.first:
            return None
        content, endpoint = self._content(first, last), self.endpoints.get(finished.label, "")
        named = json.dumps([self.context, content, endpoint, finished.asked]).encode()
        value = {name: getattr(section, name) for name in Section.__dataclass_fields__}
        return rows.Row(
            id=self.journal.sealing.name(named),
            context=self.context,
            start=self.journal.sealing.name(self._digests[first]),
            content=content,
            records=last - first + 1,
            endpoint=endpoint,
            method=section.method,
            asked=finished.asked,
            tokens=section.tokens,
            made_at=now,
            used_at=now,
            value=self.journal.sealing.seal(json.dumps(value, ensure_ascii=False)),
        )
