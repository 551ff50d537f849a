"""What was summarized, kept and found again: the records behind a result, by section and by search.

Nothing here raises because of the database: what could not be done is told in a sentence.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from summarizer.prepare import Unit, fingerprint
from summarizer.recall import arguments, entries, tables
from summarizer.recall.arguments import Sections
from summarizer.recall.behind import NO_SECTIONS, missed, nowhere, passages_at
from summarizer.recall.entries import Span
from summarizer.recall.finding import Finder
from summarizer.recall.passages import Passage, Recalled, answer
from summarizer.recall.scope import Scope
from summarizer.recall.tables import Kept
from summarizer.records import Record
from summarizer.secrecy import Cipher
from summarizer_providers.database import Database, Unavailable
from summarizer_providers.tokens import get_counter

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["MAX_BYTES", "Recall"]

_Result = TypeVar("_Result")

MAX_BYTES = 512 * 2**20
"""Bytes of records' texts beyond which those that were not seen for the longest time are forgotten."""

_DAY = 86_400.0
_WAIT = 1.0
"""Seconds that the end of a run waits for a lock that another process holds."""
_TIDIED = 2_000
"""Records that are forgotten at once: more would keep others from writing."""
_EVERY = 64
"""Runs of one process after which it is looked again whether something is to be forgotten."""


class Recall:
    """The records behind results, in a database. ``cipher`` seals them, if it has a key; ``days`` is how long
    a record is kept that no run met again, ``encoding`` what counts tokens. Any thread may call.
    """

    def __init__(
        self,
        database: Database,
        cipher: Cipher | None = None,
        days: float = 30.0,
        encoding: str = "o200k_base",
    ) -> None:
        self.database = database
        self._cipher = cipher or Cipher()
        self._days = days
        self.counter = get_counter(encoding)
        self._runs = 0

    # ---- keeping ----

    def keep(self, units: Sequence[Unit], sections: Sequence[Span], known: Sequence[Span] = ()) -> str | None:
        """Keep the records behind a result's sections; a sentence where that is not possible, else None.

        ``units`` were read in this run, ``known`` are the sections that it went on from, of which records may
        be kept already. Of a result that holds nothing but its records as they are, nothing has to be kept.
        """
        if all(section.method == "verbatim" for section in sections):
            return None
        sections, known = entries.plausible(sections), entries.plausible(known)
        work = partial(self._keep, {unit.position: unit for unit in units}, sections, known)
        _, trouble = self._tried(work)
        return trouble and f"{trouble}; the records behind this result cannot be recalled"

    def _keep(self, units: dict[int, Unit], sections: Sequence[Span], known: Sequence[Span]) -> None:
        now = time.time()
        behind = {i for section in sections for i in range(section.first, section.last + 1)}
        new = {i: self._id(unit.record) for i, unit in units.items() if i in behind}
        kept = {key: units[i].record for i, key in new.items()}
        with self.database.reading() as connection:
            before = self._lists(connection, known)
            stand_ins = {key: self._id(record) for key, record in entries.stand_ins(known, before).items()}
            kept |= {stand_ins[key]: record for key, record in entries.stand_ins(known, before).items()}
            there = tables.existing(connection, kept)
        at = dict(entries.by_position(known, before | stand_ins)) | new
        lists = {self._named(section.fingerprint): entries.listed(section, at) for section in sections}
        rows = [self._sealed(key, record, now) for key, record in kept.items() if key not in there]
        self._write(rows, lists, now)

    def _write(self, rows: Sequence[Kept], lists: dict[str, str], now: float) -> None:
        with self.database.writing(_WAIT) as connection:
            tables.add(connection, rows)
            tables.touch(connection, entries.keys_in(lists.values()), now, now - _DAY)
            tables.put_lists(connection, lists, now)
            if self._runs % _EVERY == 0:
                tables.tidy(connection, now - self._days * _DAY, MAX_BYTES, _TIDIED)
        self._runs += 1

    def _id(self, record: Record) -> str:
        return self._named(fingerprint((Unit(0, record, 0),)))

    def _named(self, found: str) -> str:
        """A fingerprint as it may be written down: with a key it tells nobody else what was said."""
        return self._cipher.name(found.encode()) if self._cipher.is_on else found

    def _lists(self, connection: Connection, spans: Iterable[Span]) -> dict[str, str]:
        """Which records stand behind sections, by fingerprint; also if kept before there was a key."""
        names = {span.fingerprint: self._named(span.fingerprint) for span in spans}
        found = tables.lists(connection, [*names, *names.values()])
        return {
            key: found.get(name, found.get(key, "")) for key, name in names.items() if {key, name} & {*found}
        }

    def _sealed(self, key: str, record: Record, now: float) -> Kept:
        if not self._cipher.is_on:
            return Kept(key, record.role, record.name, record.text, False, now)
        body = json.dumps([record.role, record.name, record.text], ensure_ascii=False)
        return Kept(key, "", None, self._cipher.seal(body), True, now)

    # ---- looking up ----

    def expand(
        self, sections: Sections, tokens: int = 4_000, first: int | None = None, last: int | None = None
    ) -> Recalled:
        """The records behind sections (or a result's), in order, in at most ``tokens`` tokens (1 to
        10,000,000).

        Only those at the positions ``first`` to ``last`` (inclusive) where these are given; no others are
        read then. Raises ``InvalidSettings`` for arguments that are none.
        """
        most, (low, high) = arguments.tokens_of(tokens), arguments.positions(first, last)
        spans = arguments.spans("sections", sections)
        found, trouble = self._looked_up(lambda: self._read(partial(self._behind, spans, low, high)))
        passages, missing = found or passages_at(entries.places(spans, {}, low, high), {}, self._opened)
        answered = answer(passages, most, self.counter, partial(_rest, len(passages)))
        notice = missed(missing, every=not passages)
        if not passages and not missing:
            notice = nowhere(spans, low, high)
        return replace(answered, notice=trouble or notice, failed=trouble is not None)

    def search(self, query: str, tokens: int = 1_000, within: Sections | None = None) -> Recalled:
        """What was said about something, the best first, in at most ``tokens`` tokens (1 to 10,000,000).

        ``query`` may hold words, "quoted phrases" and identifiers of any kind, in any language. ``within``
        (sections, or a result): only the records behind these are looked at, and the answer says at which
        positions they stand; without, it is everything that the database holds, whoever's it is. Raises
        ``InvalidSettings`` for arguments that are none.
        """
        wanted, most = arguments.query_of(query), arguments.tokens_of(tokens)
        if within is None:
            finder = Finder(self.database, self._opened, wanted)
            passages, trouble = self._looked_up(finder.passages)
            notice = "nothing is kept yet" if passages is None else None
        else:
            scope, trouble = self._scope(arguments.spans("within", within))
            finder = Finder(self.database, self._opened, wanted, scope)
            passages, told = self._found(finder, scope)
            trouble, notice = trouble or told, _unsearched(scope)
        found = self._answered(finder, passages or (), most)
        return replace(found, notice=trouble or finder.notice or notice, failed=trouble is not None)

    def _answered(self, finder: Finder, passages: Iterable[Passage], tokens: int) -> Recalled:
        room = max(60, tokens // 8)
        shown = finder.shown(passages, lambda text: self.counter.count(text) <= room)
        return answer(shown, tokens, self.counter)

    def _found(self, finder: Finder, scope: Scope) -> tuple[list[Passage] | None, str | None]:
        # What is in the sections themselves is found without a database.
        return self._looked_up(finder.passages) if scope.ids else (finder.passages(), None)

    def _scope(self, spans: Sequence[Span]) -> tuple[Scope, str | None]:
        found, trouble = self._looked_up(lambda: self._read(partial(self._scope_in, spans)))
        return found or Scope.of(entries.places(spans, {}), ()), trouble

    def _scope_in(self, spans: Sequence[Span], connection: Connection) -> Scope:
        places = list(entries.places(spans, self._lists(connection, spans)))
        return Scope.of(places, tables.existing(connection, {place.key for place in places}))

    def _behind(
        self, spans: Sequence[Span], first: int, last: int | None, connection: Connection
    ) -> tuple[list[Passage], int]:
        places = list(entries.places(spans, self._lists(connection, spans), first, last))
        kept = tables.records(connection, {place.key for place in places} - {entries.GONE})
        return passages_at(places, kept, self._opened)

    def _opened(self, kept: Kept) -> Record | None:
        """The record, if it can be read with the key that is set."""
        if not kept.sealed:
            return Record(role=kept.role, name=kept.name, text=kept.text)
        body = self._cipher.open(kept.text)
        if body is None:
            return None
        role, name, text = json.loads(body)
        return Record(role=role, name=name, text=text)

    # ---- all of it ----

    def size(self) -> tuple[int, int]:
        """How many records are kept, and the bytes of their texts."""
        return self._looked_up(lambda: self._read(tables.size))[0] or (0, 0)

    def clear(self) -> tuple[int, str | None]:
        """Forget everything: how many records there were, and a sentence where that was not possible."""
        if self.database.is_absent:
            return 0, None
        number, trouble = self._tried(self._clear)
        return number or 0, trouble

    def _clear(self) -> int:
        with self.database.writing() as connection:
            return tables.clear(connection)

    def _read(self, work: Callable[..., _Result]) -> _Result:
        with self.database.reading() as connection:
            return work(connection)

    def _looked_up(self, work: Callable[[], _Result]) -> tuple[_Result | None, str | None]:
        if self.database.is_absent:
            return None, None
        return self._tried(work)

    def _tried(self, work: Callable[[], _Result]) -> tuple[_Result | None, str | None]:
        try:
            return self.database.attempt(tables.MIGRATIONS, work), None
        except Unavailable as error:
            return None, str(error)


def _unsearched(scope: Scope) -> str | None:
    nothing = not scope.positions
    return NO_SECTIONS if nothing and not scope.missing else missed(scope.missing, every=nothing)


def _rest(number: int, shown: int) -> str:
    return f"[{shown:,} of {number:,} records are shown whole]"
