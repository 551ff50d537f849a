"""Observations as rows of a table: its migrations, and the statements that every database understands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

from summarizer_providers.database import Database, Migration, Unavailable
from summarizer_providers.learning import MAX_COMPLETED, MAX_OTHERS, MAX_SIZES, SIZED
from summarizer_providers.observations import MAX_SOURCE, Kind, Observation

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "MAX_ROWS",
    "MIGRATIONS",
    "Result",
    "Work",
    "about",
    "delete",
    "endpoints",
    "insert",
    "tidy",
]

Result = TypeVar("Result")
"""What a piece of work on the database gives."""
Work = Callable[[], Result]
"""A piece of work on the database."""

MAX_ROWS = 20_000
"""Rows of one endpoint (about 5 MB) beyond which those that no longer matter are removed."""

_KINDS = {kind.value for kind in Kind}
_COLUMNS = tuple(field.name for field in fields(Observation))
_NAMES = {"at": "seen_at"}
_LISTED = ", ".join(_NAMES.get(name, name) for name in _COLUMNS)
_INSERT = f"INSERT INTO observations (id, {_LISTED}) VALUES (:id, {', '.join(f':{n}' for n in _COLUMNS)})"  # noqa: S608
_SELECT = f"SELECT id, {_LISTED} FROM observations WHERE endpoint = :endpoint"  # noqa: S608
_OF_KIND = f"{_SELECT} AND kind = :kind ORDER BY seen_at DESC LIMIT :most"
_LONGEST = f"{_SELECT} AND kind = :kind AND output_tokens > 0 ORDER BY output_tokens DESC LIMIT :most"
_CROWDED = "SELECT endpoint FROM observations GROUP BY endpoint HAVING COUNT(*) > :most"


def _first(connection: Connection) -> None:
    numbers = (
        *("max_tokens", "target", "prompt_tokens", "input_tokens", "output_tokens"),
        *("reasoning_tokens", "stated_ceiling", "stated_window"),
    )
    _run(
        connection,
        "CREATE TABLE observations (id VARCHAR(32) PRIMARY KEY, endpoint VARCHAR(400) NOT NULL, "
        "seen_at DOUBLE PRECISION NOT NULL, kind VARCHAR(40) NOT NULL, "
        f"{', '.join(f'{name} BIGINT' for name in numbers)}, source VARCHAR(400) NOT NULL)",
    )
    _run(connection, "CREATE INDEX observations_newest ON observations (endpoint, kind, seen_at)")
    _run(connection, "CREATE INDEX observations_longest ON observations (endpoint, kind, output_tokens)")


MIGRATIONS = (Migration("observations/1-table", _first),)
"""The steps that bring any older store to the present form, in order."""


def insert(database: Database, batch: Mapping[str, Observation], wait: float) -> bool:
    """Write a batch, by id, in one transaction; what is there already, from a try that seemed to fail, stays.

    Raises ``Unavailable``; a lock is waited for ``wait`` seconds.
    """
    from sqlalchemy.exc import IntegrityError

    try:
        _insert(database, batch, wait)
    except Unavailable as error:
        if not isinstance(error.__cause__, IntegrityError):
            raise
        with database.reading() as connection:
            there = _existing(connection, list(batch))
        _insert(database, {key: each for key, each in batch.items() if key not in there}, wait)
    return True


def _insert(database: Database, batch: Mapping[str, Observation], wait: float) -> None:
    with database.writing(wait) as connection:
        if batch:
            _run(connection, _INSERT, [_row(key, each) for key, each in batch.items()])


def about(database: Database, endpoint: str) -> dict[str, Observation]:
    """The rows of an endpoint that still matter, by id. Raises ``Unavailable``."""
    with database.reading() as connection:
        return _matter(connection, endpoint)


def endpoints(database: Database) -> set[str]:
    """The keys of all endpoints that have rows. Raises ``Unavailable``."""
    with database.reading() as connection:
        return {str(key) for (key,) in _run(connection, "SELECT DISTINCT endpoint FROM observations")}


def delete(database: Database, endpoint: str) -> int:
    """Remove all rows of an endpoint; how many there were. Raises ``Unavailable``."""
    with database.writing() as connection:
        gone = _run(connection, "DELETE FROM observations WHERE endpoint = :endpoint", {"endpoint": endpoint})
        return int(gone.rowcount)


def tidy(database: Database, most: int = MAX_ROWS) -> int:
    """Remove the rows that no longer matter of endpoints with more than ``most``; the number of endpoints.

    Raises ``Unavailable``.
    """
    with database.reading() as connection:
        crowded = [str(key) for (key,) in _run(connection, _CROWDED, {"most": most})]
    for endpoint in crowded:
        with database.writing() as connection:
            names = {f"id{i}": key for i, key in enumerate(_matter(connection, endpoint))}
            rest = ", ".join(f":{name}" for name in names)
            statement = f"DELETE FROM observations WHERE endpoint = :endpoint AND id NOT IN ({rest})"  # noqa: S608
            _run(connection, statement, {"endpoint": endpoint, **names})
    return len(crowded)


def _matter(connection: Connection, endpoint: str) -> dict[str, Observation]:
    found: dict[str, Observation] = {}
    for kind in Kind:
        most = MAX_COMPLETED if kind is Kind.COMPLETED else MAX_OTHERS
        wanted = {"endpoint": endpoint, "kind": kind.value}
        found |= _read(_run(connection, _OF_KIND, wanted | {"most": most}))
        if kind in SIZED:
            found |= _read(_run(connection, _LONGEST, wanted | {"most": MAX_SIZES}))
    return found


def _existing(connection: Connection, keys: Sequence[str]) -> set[str]:
    names = {f"id{i}": key for i, key in enumerate(keys)}
    listed = ", ".join(f":{name}" for name in names)
    return {str(k) for (k,) in _run(connection, f"SELECT id FROM observations WHERE id IN ({listed})", names)}  # noqa: S608


def _row(key: str, seen: Observation) -> dict[str, object]:
    return {"id": key, **asdict(seen), "kind": seen.kind.value, "source": seen.source[:MAX_SOURCE]}


def _read(rows: Iterable[Sequence[Any]]) -> dict[str, Observation]:
    """Rows as observations; a kind that a newer version wrote is left out."""
    found: dict[str, Observation] = {}
    for key, *values in rows:
        named = dict(zip(_COLUMNS, values, strict=True))
        if named["kind"] in _KINDS:
            found[str(key)] = Observation(**(named | {"kind": Kind(named["kind"])}))
    return found


def _run(connection: Connection, statement: str, values: Any = None) -> Any:
    from sqlalchemy import text

    return connection.execute(text(statement), values)
