"""Finished sections and leases as rows of two tables: their migrations and statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from summarizer_providers.database import Database, Migration

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "MIGRATIONS",
    "RESULT",
    "Row",
    "clear",
    "insert",
    "listed",
    "shrink",
    "stand",
    "stats",
    "touch",
    "values",
]

_AT_ONCE = 500

RESULT = "result"
"""The context and method of whole results, which are no sections."""


@dataclass(frozen=True, slots=True)
class Row:
    """One finished section. ``context`` names the prompt and the wishes, ``start`` its first record,
    ``content`` all its ``records`` records, ``endpoint`` who wrote it; ``asked`` and ``tokens`` are its
    lengths (tokens), times are in seconds since the epoch, ``value`` is the section, sealed.
    """

    id: str
    context: str
    start: str
    content: str
    records: int
    endpoint: str
    method: str
    asked: int
    tokens: int
    made_at: float
    used_at: float
    uses: int = 0
    value: str = ""


_COLUMNS = tuple(field.name for field in fields(Row))
_LISTED = ", ".join(name for name in _COLUMNS if name != "value")
_INSERT = (
    f"INSERT INTO journal_sections ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{n}' for n in _COLUMNS)}) "  # noqa: S608
    "ON CONFLICT (id) DO UPDATE SET made_at = excluded.made_at, used_at = excluded.used_at, "
    "tokens = excluded.tokens, value = excluded.value"
)


def _first(connection: Connection) -> None:
    _run(
        connection,
        "CREATE TABLE journal_sections (id VARCHAR(64) PRIMARY KEY, context VARCHAR(64) NOT NULL, "
        "start VARCHAR(64) NOT NULL, content VARCHAR(64) NOT NULL, records BIGINT NOT NULL, "
        "endpoint VARCHAR(400) NOT NULL, method VARCHAR(20) NOT NULL, asked BIGINT NOT NULL, "
        "tokens BIGINT NOT NULL, made_at DOUBLE PRECISION NOT NULL, used_at DOUBLE PRECISION NOT NULL, "
        "uses BIGINT NOT NULL, value TEXT NOT NULL)",
    )
    _run(connection, "CREATE INDEX journal_sections_context ON journal_sections (context, made_at)")
    _run(connection, "CREATE INDEX journal_sections_used ON journal_sections (used_at)")
    _run(
        connection,
        "CREATE TABLE journal_leases (job VARCHAR(64) PRIMARY KEY, owner VARCHAR(64) NOT NULL, "
        "host VARCHAR(200) NOT NULL, pid BIGINT NOT NULL, until DOUBLE PRECISION NOT NULL)",
    )


MIGRATIONS = (Migration("journal/1-sections", _first),)
"""The steps that bring any older store to the present form, in order."""


def listed(database: Database, context: str) -> list[Row]:
    """All sections of a context, without their values, newest first. Raises ``Unavailable``."""
    statement = f"SELECT {_LISTED} FROM journal_sections WHERE context = :context ORDER BY made_at DESC, id"  # noqa: S608
    with database.reading() as connection:
        return [Row(*row) for row in _run(connection, statement, {"context": context})]


def stand(database: Database, context: str) -> tuple[int, float]:
    """How many sections a context has and when the last was made: it changes when one is added."""
    statement = "SELECT COUNT(*), COALESCE(MAX(made_at), 0) FROM journal_sections WHERE context = :context"
    with database.reading() as connection:
        number, newest = _run(connection, statement, {"context": context}).one()
        return int(number), float(newest)


def values(database: Database, ids: Sequence[str]) -> dict[str, str]:
    """The sealed values of some sections, by id. Raises ``Unavailable``."""
    found: dict[str, str] = {}
    with database.reading() as connection:
        for names in _named(ids):
            statement = f"SELECT id, value FROM journal_sections WHERE id IN ({_marks(names)})"  # noqa: S608
            found |= {str(key): str(value) for key, value in _run(connection, statement, names)}
    return found


def insert(connection: Connection, rows: Sequence[Row]) -> None:
    """Write sections; one that is there already is renewed."""
    _run(connection, _INSERT, [asdict(row) for row in rows])


def touch(database: Database, ids: Sequence[str], now: float, wait: float) -> None:
    """Note that sections were used; a lock is waited for ``wait`` seconds. Raises ``Unavailable``."""
    with database.writing(wait) as connection:
        for names in _named(ids):
            statement = (
                "UPDATE journal_sections SET used_at = :now, uses = uses + 1 "  # noqa: S608
                f"WHERE id IN ({_marks(names)})"
            )
            _run(connection, statement, names | {"now": now})


def shrink(database: Database, before: float, most: int) -> int:
    """Remove what was not used since ``before``, and the least recently used beyond ``most`` bytes; how many
    sections. Raises ``Unavailable``.
    """
    gone = clear(database, before)
    with database.reading() as connection:
        total = _bytes(connection)
    if total <= most:
        return gone
    statement = "SELECT id, LENGTH(value) FROM journal_sections ORDER BY used_at, made_at"
    doomed: list[str] = []
    with database.reading() as connection:
        for key, size in _run(connection, statement):
            if total <= most:
                break
            doomed.append(str(key))
            total -= int(size)
    with database.writing() as connection:
        for names in _named(doomed):
            _run(connection, f"DELETE FROM journal_sections WHERE id IN ({_marks(names)})", names)  # noqa: S608
    return gone + len(doomed)


def clear(database: Database, before: float | None) -> int:
    """Remove sections that were not used since ``before`` (all where None); how many.

    Raises ``Unavailable``.
    """
    with database.writing() as connection:
        if before is None:
            return int(_run(connection, "DELETE FROM journal_sections").rowcount)
        statement = "DELETE FROM journal_sections WHERE used_at < :before"
        return int(_run(connection, statement, {"before": before}).rowcount)


def stats(database: Database) -> tuple[int, int, int, float | None, float | None, int]:
    """Sections, their tokens and bytes, when the oldest and the newest were made, and how often they were
    used in all. Raises ``Unavailable``.
    """
    statement = (
        "SELECT COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(LENGTH(value)), 0), MIN(made_at), "
        "MAX(made_at), (SELECT COALESCE(SUM(uses), 0) FROM journal_sections) "
        "FROM journal_sections WHERE method <> :result"
    )
    with database.reading() as connection:
        number, tokens, size, oldest, newest, uses = _run(connection, statement, {"result": RESULT}).one()
        return int(number), int(tokens), int(size), oldest, newest, int(uses)


def _bytes(connection: Connection) -> int:
    return int(_run(connection, "SELECT COALESCE(SUM(LENGTH(value)), 0) FROM journal_sections").scalar_one())


def _named(ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield {f"id{i}": key for i, key in enumerate(ids[start : start + _AT_ONCE])}


def _marks(names: dict[str, Any]) -> str:
    return ", ".join(f":{name}" for name in names)


def _run(connection: Connection, statement: str, given: Any = None) -> Any:
    from sqlalchemy import text

    return connection.execute(text(statement), given)
