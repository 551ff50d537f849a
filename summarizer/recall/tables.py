"""What can be recalled, as tables: records by their content, sections by their records, an index of passages.

Everything that is particular to a database is here: records and sections are kept in any, the full-text
index is SQLite's FTS5. It is made when something is searched for, not when something is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from summarizer.recall.passages import spans
from summarizer.recall.terms import Term, indexed
from summarizer_providers.database import Migration

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "MIGRATIONS",
    "Kept",
    "add",
    "among",
    "clear",
    "confine",
    "counted",
    "existing",
    "index_some",
    "is_pending",
    "lists",
    "loose",
    "matching",
    "pending_among",
    "put_lists",
    "records",
    "size",
    "spots",
    "tidy",
    "touch",
]

_AT_ONCE = 500
"""Values in one ``IN``: SQLite takes 999 in the oldest version that has FTS5."""

Spot = tuple[str, int, int]
"""A passage: the hash of its record, and its first and last character (the last one exclusive)."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A record as it is kept: ``sealed`` if ``text`` is encrypted, with role and name in it then.

    ``id`` is the hash of its content, ``added_at`` when it was first kept, in seconds since the epoch.
    """

    id: str
    role: str
    name: str | None
    text: str
    sealed: bool
    added_at: float


def _first(connection: Connection) -> None:
    for statement in (
        "CREATE TABLE recall_records (id VARCHAR(32) PRIMARY KEY, role TEXT NOT NULL, name TEXT, "
        "text TEXT NOT NULL, size BIGINT NOT NULL, sealed SMALLINT NOT NULL, indexed SMALLINT NOT NULL, "
        "added_at DOUBLE PRECISION NOT NULL, seen_at DOUBLE PRECISION NOT NULL)",
        "CREATE INDEX recall_records_seen ON recall_records (seen_at, size)",
        "CREATE INDEX recall_records_loose ON recall_records (indexed, sealed, seen_at)",
        "CREATE TABLE recall_sections (fingerprint VARCHAR(64) PRIMARY KEY, records TEXT NOT NULL, "
        "seen_at DOUBLE PRECISION NOT NULL)",
        "CREATE INDEX recall_sections_seen ON recall_sections (seen_at)",
        "CREATE TABLE recall_passages (id INTEGER PRIMARY KEY, record VARCHAR(32) NOT NULL, "
        "first BIGINT NOT NULL, last BIGINT NOT NULL)",
        "CREATE INDEX recall_passages_record ON recall_passages (record)",
    ):
        _run(connection, statement)


MIGRATIONS = (Migration("recall/1-tables", _first),)
"""The steps that bring any older database to the present form, in order."""

# Records and sections --------------------------------------------------------------------------------------

_ADD = (
    "INSERT INTO recall_records (id, role, name, text, size, sealed, indexed, added_at, seen_at) "
    "VALUES (:id, :role, :name, :text, :size, :sealed, 0, :at, :at) ON CONFLICT (id) DO NOTHING"
)
_TOUCH = "UPDATE recall_records SET seen_at = :now WHERE id IN :ids AND seen_at < :before"
_PUT = (
    "INSERT INTO recall_sections (fingerprint, records, seen_at) VALUES (:fingerprint, :records, :now) "
    "ON CONFLICT (fingerprint) DO UPDATE SET records = :records, seen_at = :now"
)
_KEPT = "SELECT id, role, name, text, sealed, added_at FROM recall_records"


def existing(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Those of the records that are kept already."""
    return {str(key) for (key,) in _among(connection, "SELECT id FROM recall_records WHERE id IN :ids", ids)}


def add(connection: Connection, kept: Sequence[Kept]) -> None:
    """Keep records; those that are there already stay as they are."""
    if kept:
        _run(connection, _ADD, [_row(record) for record in kept])


def touch(connection: Connection, ids: Iterable[str], now: float, before: float) -> None:
    """Records that were last seen ``before`` were seen ``now`` (seconds since the epoch)."""
    for some in _batches(ids):
        _run(connection, _TOUCH, {"ids": some, "now": now, "before": before}, "ids")


def put_lists(connection: Connection, found: dict[str, str], now: float) -> None:
    """Keep which records stand behind sections, by the sections' fingerprints."""
    if found:
        rows = [{"fingerprint": key, "records": each, "now": now} for key, each in found.items()]
        _run(connection, _PUT, rows)


def lists(connection: Connection, fingerprints: Iterable[str]) -> dict[str, str]:
    """Which records stand behind sections, as they were kept."""
    wanted = "SELECT fingerprint, records FROM recall_sections WHERE fingerprint IN :ids"
    return {str(key): str(each) for key, each in _among(connection, wanted, fingerprints)}


def records(connection: Connection, ids: Iterable[str]) -> dict[str, Kept]:
    """Records by their ids; those that are no longer kept are left out."""
    return {row[0]: _kept(row) for row in _among(connection, f"{_KEPT} WHERE id IN :ids", ids)}


def loose(connection: Connection, *, every: bool) -> Iterator[Kept]:
    """The records that no index holds (or ``every`` one), the newest first, read one by one."""
    which = "" if every else " WHERE indexed = 0"
    yield from map(_kept, _run(connection, f"{_KEPT}{which} ORDER BY seen_at DESC"))


def among(connection: Connection, ids: Iterable[str], *, every: bool) -> Iterator[Kept]:
    """Those of the records that no index holds (or ``every`` one), in the order of the ids, more or less."""
    which = "" if every else " AND indexed = 0"
    yield from map(_kept, _among(connection, f"{_KEPT} WHERE id IN :ids{which}", ids))


def size(connection: Connection) -> tuple[int, int]:
    """How many records are kept, and the bytes of their texts."""
    found = _run(connection, "SELECT COUNT(*), COALESCE(SUM(size), 0) FROM recall_records").one()
    return int(found[0]), int(found[1])


def tidy(connection: Connection, since: float, most_bytes: int, at_once: int) -> int:
    """Forget what was not seen ``since`` (seconds since the epoch), and the oldest of what is beyond
    ``most_bytes``, of so many records at once; how many were forgotten.
    """
    _run(connection, "DELETE FROM recall_sections WHERE seen_at < :since", {"since": since})
    excess = size(connection)[1] - most_bytes
    oldest = "SELECT id, size, seen_at FROM recall_records ORDER BY seen_at LIMIT :most"
    gone = []
    for key, bytes_, seen_at in _run(connection, oldest, {"most": at_once}):
        if seen_at >= since and excess <= 0:
            break
        gone.append(str(key))
        excess -= int(bytes_)
    for some in _batches(gone):
        _forget_passages(connection, some)
        _run(connection, "DELETE FROM recall_records WHERE id IN :ids", {"ids": some}, "ids")
    return len(gone)


def clear(connection: Connection) -> int:
    """Forget everything; how many records there were."""
    if _has_index(connection):
        _run(connection, "DROP TABLE recall_index")
    number, _ = size(connection)
    for table in ("recall_passages", "recall_sections", "recall_records"):
        _run(connection, f"DELETE FROM {table}")  # noqa: S608 - one of three names
    return number


# The index -------------------------------------------------------------------------------------------------

_CREATE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS recall_index USING fts5(text, content='', "
    "tokenize=\"porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'\")"
)
_LOOSE = "indexed = 0 AND sealed = 0"
_PENDING = f"{_KEPT} WHERE {_LOOSE} ORDER BY seen_at DESC LIMIT :most"
_PLACE = "INSERT INTO recall_passages (id, record, first, last) VALUES (:id, :record, :first, :last)"
_INDEX = "INSERT INTO recall_index (rowid, text) VALUES (:id, :text)"
_UNINDEX = "INSERT INTO recall_index (recall_index, rowid, text) VALUES ('delete', :id, :text)"
_MATCH = (
    "SELECT p.record, p.first, p.last FROM recall_index{scope} JOIN recall_passages p "
    "ON p.id = recall_index.rowid WHERE recall_index MATCH :expression{range} "
    "ORDER BY bm25(recall_index) LIMIT :most"
)
_COUNT = "SELECT COUNT(*) FROM recall_index{scope} WHERE recall_index MATCH :expression{range}"

_CONFINE = (
    "DROP TABLE IF EXISTS temp.recall_scope",
    "CREATE TEMP TABLE recall_scope (id INTEGER PRIMARY KEY)",
)
_ALLOW = "INSERT INTO temp.recall_scope SELECT id FROM recall_passages WHERE record IN :ids"
# CROSS JOIN: the index is asked first, whatever SQLite thinks of the sizes. A session's passages stand near
# each other, and the range lets the index pass over all that is before and behind them.
_SCOPE = " CROSS JOIN temp.recall_scope s ON s.id = recall_index.rowid"
_RANGE = (
    " AND recall_index.rowid BETWEEN (SELECT MIN(id) FROM temp.recall_scope) "
    "AND (SELECT MAX(id) FROM temp.recall_scope)"
)


def is_pending(connection: Connection) -> bool:
    """Whether there are records that the index could hold, and does not."""
    if connection.dialect.name != "sqlite":
        return False
    return _run(connection, _PENDING, {"most": 1}).first() is not None


def pending_among(connection: Connection, ids: Iterable[str]) -> list[str]:
    """Those of the records that the index could hold, and does not."""
    if connection.dialect.name != "sqlite":
        return []
    wanted = f"SELECT id FROM recall_records WHERE id IN :ids AND {_LOOSE}"  # noqa: S608 - a constant
    return [str(key) for (key,) in _among(connection, wanted, ids)]


def index_some(connection: Connection, most: int, ids: Iterable[str] | None = None) -> int:
    """Take so many records more into the index, or the given ones; how many there were to take.

    Sealed ones are not: an index of their words could be read by whoever reads the file.
    """
    if connection.dialect.name != "sqlite":
        return 0
    _run(connection, _CREATE)
    if ids is None:
        pending = [_kept(row) for row in _run(connection, _PENDING, {"most": most})]
    else:
        pending = [_kept(row) for row in _among(connection, f"{_KEPT} WHERE id IN :ids AND {_LOOSE}", ids)]
    next_id = int(_run(connection, "SELECT COALESCE(MAX(id), 0) + 1 FROM recall_passages").scalar_one())
    places, texts = [], []
    for record in pending:
        for first, last in spans(record.text):
            places.append({"id": next_id, "record": record.id, "first": first, "last": last})
            texts.append({"id": next_id, "text": indexed(record.text[first:last])})
            next_id += 1
    if places:
        _run(connection, _PLACE, places)
        _run(connection, _INDEX, texts)
    for some in _batches(record.id for record in pending):
        _run(connection, "UPDATE recall_records SET indexed = 1 WHERE id IN :ids", {"ids": some}, "ids")
    return len(pending)


def confine(connection: Connection, ids: Iterable[str]) -> None:
    """From now on this connection's ``confined`` searches see passages of these records and no others."""
    if connection.dialect.name == "sqlite":
        for statement in _CONFINE:
            _run(connection, statement)
        for some in _batches(ids):
            _run(connection, _ALLOW, {"ids": some}, "ids")


def matching(connection: Connection, expression: str, most: int, *, confined: bool = False) -> list[Spot]:
    """The passages that fit an FTS5 expression best, the best first."""
    statement = _scoped(_MATCH, confined)
    found = _run(connection, statement, {"expression": expression, "most": most})
    return [(str(record), int(first), int(last)) for record, first, last in found]


def counted(connection: Connection, terms: Sequence[Term], *, confined: bool = False) -> list[int]:
    """How many passages of the index have each term."""
    statement = _scoped(_COUNT, confined)
    return [int(_run(connection, statement, {"expression": term.expression}).scalar_one()) for term in terms]


def spots(connection: Connection, *, confined: bool = False) -> int:
    """How many passages the index has."""
    if confined and connection.dialect.name != "sqlite":
        return 0
    where = "temp.recall_scope" if confined else "recall_passages"
    return int(_run(connection, f"SELECT COUNT(*) FROM {where}").scalar_one())  # noqa: S608 - one of two


def _scoped(statement: str, confined: bool) -> str:
    return statement.format(scope=_SCOPE if confined else "", range=_RANGE if confined else "")


def _forget_passages(connection: Connection, ids: Sequence[str]) -> None:
    """The index keeps no texts: to forget one, it has to be told again what it was."""
    placed = "SELECT id, record, first, last FROM recall_passages WHERE record IN :ids"
    rows = list(_run(connection, placed, {"ids": ids}, "ids"))
    if not rows:
        return
    texts = {key: record.text for key, record in records(connection, ids).items()}
    if _has_index(connection):
        gone = [{"id": key, "text": indexed(texts[record][a:b])} for key, record, a, b in rows]
        _run(connection, _UNINDEX, gone)
    _run(connection, "DELETE FROM recall_passages WHERE record IN :ids", {"ids": ids}, "ids")


def _has_index(connection: Connection) -> bool:
    if connection.dialect.name != "sqlite":
        return False
    found = _run(connection, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'recall_index'")
    return bool(found.scalar_one())


# Statements ------------------------------------------------------------------------------------------------


def _row(record: Kept) -> dict[str, object]:
    return {
        "id": record.id,
        "role": record.role,
        "name": record.name,
        "text": record.text,
        "size": len(record.text.encode("utf-8", "replace")),
        "sealed": int(record.sealed),
        "at": record.added_at,
    }


def _kept(row: Sequence[Any]) -> Kept:
    key, role, name, text, sealed, added_at = row
    return Kept(str(key), str(role), name, str(text), bool(sealed), float(added_at))


def _among(connection: Connection, statement: str, ids: Iterable[str]) -> Iterator[Sequence[Any]]:
    for some in _batches(ids):
        yield from _run(connection, statement, {"ids": some}, "ids")


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    distinct = list(dict.fromkeys(ids))
    return (distinct[i : i + _AT_ONCE] for i in range(0, len(distinct), _AT_ONCE))


def _run(connection: Connection, statement: str, values: Any = None, listed: str | None = None) -> Any:
    from sqlalchemy import bindparam, text

    made = text(statement)
    if listed is not None:
        made = made.bindparams(bindparam(listed, expanding=True))
    return connection.execute(made, values)
