"""Finding passages: by the index where there is one, and by reading the records that it does not hold."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from summarizer.recall import tables
from summarizer.recall.passages import Passage, lines_of, spans, window
from summarizer.recall.scope import Scope
from summarizer.recall.tables import Kept
from summarizer.recall.terms import Query, Scorer, parsed
from summarizer.records import Record
from summarizer_providers.database import Database, Unavailable

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["Finder"]

_CANDIDATES = 300
"""Passages that are looked at more closely. An answer shows some ten of them, but the index holds words that
stand in every second passage for worthless, and these may be all that tells one from another.
"""
_NEAR = 2.0
"""The weight of words that stand in one line, against the same words anywhere in a passage."""
_LENGTH, _USUAL = 0.3, 80
"""As the b of BM25: how much less the same words say in a line of more than so many characters."""
_WORTH = 0.15
"""Of the best score: what has less shares no more with the query than common words."""
_AT_ONCE = 500
"""Records that are taken into the index in one transaction."""
_MOST_READ = 32 * 2**20
"""Characters of records without an index that one search reads, the newest first: a few seconds."""

_Found = tuple[Passage, list[int]]
"""A passage and how often each term occurs in it."""


class Finder:
    """One search, of what is in ``scope`` or, where that is None, of everything.

    ``notice`` says afterwards in a sentence what was not searched, if anything.
    """

    def __init__(
        self,
        database: Database,
        opened: Callable[[Kept], Record | None],
        query: str,
        scope: Scope | None = None,
    ) -> None:
        self.notice: str | None = None
        self._database = database
        self._opened = opened
        self._scope = scope
        self._is_confined = scope is not None
        self._query = parsed(query)
        self._scorer = Scorer(self._query)

    def passages(self) -> list[Passage]:
        """The passages that answer the query, the best first. Raises ``Unavailable``."""
        found = self._found(self._query)
        if not found and self._query.required:
            self._query = self._query.relaxed
            found = self._found(self._query)
        return found

    def shown(self, passages: Iterable[Passage], room: Callable[[str], bool]) -> Iterator[Passage]:
        """The same with what is around the words that were searched for, each text once."""
        seen = set()
        for passage in passages:
            text = window(passage.text, self._scored, room)
            if text and text not in seen:
                seen.add(text)
                yield replace(passage, text=text)

    def _found(self, query: Query) -> list[Passage]:
        self._scorer = Scorer(query)
        if not query.expression and not query.literal:
            return []
        having, number, chosen = self._by_index(query) if query.expression else ([0], None, [])
        read = [*self._own(), *self._by_reading(every=number is None)]
        fitting = [each for each in read if self._scorer.fits(each[1])]
        sums = [sum(1 for _, counts in read if counts[i]) for i in range(len(having))]
        self._scorer.weigh([a + b for a, b in zip(having, sums, strict=True)], (number or 0) + len(read))
        scored = [(self._scorer.score(counts), passage) for passage, counts in (*chosen, *fitting)]
        scored = heapq.nlargest(_CANDIDATES, scored, key=lambda each: each[0])
        ranked = [(score + _NEAR * self._best_line(passage), passage) for score, passage in scored]
        ranked.sort(key=lambda each: (-round(each[0], 3), -_recency(each[1])))
        return [passage for score, passage in ranked if score >= _WORTH * ranked[0][0]]

    def _best_line(self, passage: Passage) -> float:
        return max(map(self._dense, lines_of(passage.text)), default=0.0)

    def _dense(self, line: str) -> float:
        return self._scored(line) / (1 + _LENGTH * max(0.0, len(line) / _USUAL - 1))

    def _scored(self, text: str) -> float:
        return self._scorer.score(self._scorer.counts(text))

    def _by_index(self, query: Query) -> tuple[list[int], int | None, list[_Found]]:
        """How many passages have each term, of how many (None: no index can be read), and the best."""
        terms = (*query.required, *query.terms)
        if self._scope is not None and not self._scope.ids:
            return [0] * len(terms), 0, []
        with suppress(Unavailable):  # what is not in the index is read instead
            self._index()
        try:
            with self._database.reading() as connection:
                if self._scope is not None:
                    tables.confine(connection, self._scope.ids)
                number = tables.spots(connection, confined=self._is_confined)
                if not number:
                    return [0] * len(terms), 0, []
                best = tables.matching(connection, query.expression, _CANDIDATES, confined=self._is_confined)
                kept = tables.records(connection, {record for record, _, _ in best})
                having = tables.counted(connection, terms, confined=self._is_confined)
        except Unavailable as error:
            if error.locked or error.lasting:
                raise
            return [0] * len(terms), None, []
        parts = (self._part(kept[key], self._opened(kept[key]), a, b) for key, a, b in best if key in kept)
        return having, number, [(each, self._scorer.counts(each.text)) for each in parts if each]

    def _index(self) -> None:
        """In a scope nobody waits for the records of others to be taken into the index."""
        if self._scope is None:
            self._index_all()
        else:
            self._index_those(self._scope.ids)

    def _index_all(self) -> None:
        with self._database.reading() as connection:
            taken = _AT_ONCE if tables.is_pending(connection) else 0
        while taken == _AT_ONCE:
            with self._database.writing(1.0) as connection:
                taken = tables.index_some(connection, _AT_ONCE)

    def _index_those(self, wanted: Sequence[str]) -> None:
        with self._database.reading() as connection:
            ids = tables.pending_among(connection, wanted)
        for i in range(0, len(ids), _AT_ONCE):
            with self._database.writing(1.0) as connection:
                tables.index_some(connection, _AT_ONCE, ids[i : i + _AT_ONCE])

    def _own(self) -> Iterator[_Found]:
        for kept in self._scope.own if self._scope is not None else ():
            yield from self._parts(kept, self._opened(kept))

    def _by_reading(self, *, every: bool) -> Iterator[_Found]:
        if self._scope is not None and not self._scope.ids:
            return
        unread, left = 0, _MOST_READ
        with self._database.reading() as connection:
            for kept in self._unindexed(connection, every):
                left -= len(kept.text)
                if left < 0:
                    self.notice = "only the newest records were searched, for there is no index of them"
                    break
                record = self._opened(kept)
                unread += record is None
                yield from self._parts(kept, record)
        if unread:
            self.notice = f"{unread:,} records are encrypted and cannot be read with the key that is set"

    def _unindexed(self, connection: Connection, every: bool) -> Iterator[Kept]:
        if self._scope is not None:
            return tables.among(connection, self._scope.ids, every=every)
        return tables.loose(connection, every=every)

    def _parts(self, kept: Kept, record: Record | None) -> Iterator[_Found]:
        for first, last in spans(record.text) if record else ():
            passage = self._part(kept, record, first, last)
            if passage is not None:
                yield passage, self._scorer.counts(passage.text)

    def _part(self, kept: Kept, record: Record | None, first: int, last: int) -> Passage | None:
        if record is None:
            return None
        return Passage(
            role=record.role,
            name=record.name,
            text=record.text[first:last],
            record=kept.id,
            position=None if self._scope is None else self._scope.positions.get(kept.id),
            added_at=kept.added_at,
        )


def _recency(passage: Passage) -> float:
    return passage.added_at if passage.position is None else passage.position
