"""The engine that everything kept stands on: where it lies, migrations by name, faults as one sentence.

Each layer owns its tables: it hands its migrations to ``Database.attempt``, with the work that it does in
``reading`` or ``writing``. SQLAlchemy is imported when a database is opened, not before (0.4 CPU seconds).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from summarizer_providers import damage
from summarizer_providers.forks import at_work

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

__all__ = ["FILE", "Database", "Migration", "Unavailable", "location"]

_Result = TypeVar("_Result")

FILE = "summarizer.db"
"""The name of the embedded database in its folder."""

_FORMAT = 1
"""SQLite's ``user_version``: raised when a file can no longer be used by older versions of this package."""

WRITE_WAIT, READ_WAIT = 10.0, 1.0
"""Seconds to wait for a lock: writing is done in the background and may wait, reading is waited for."""


_IN_EARNEST, _IMPATIENT = 1.0, 10.0
"""Seconds: a lock that was waited for so long in vain is not waited for again for so long."""


class Unavailable(Exception):
    """The database cannot be used now; ``str`` is a sentence that says why. ``lasting``: nor later;
    ``locked``: another process uses it.
    """

    def __init__(self, why: str, *, lasting: bool = False, locked: bool = False) -> None:
        super().__init__(why)
        self.lasting = lasting
        self.locked = locked


@dataclass(frozen=True, slots=True)
class Migration:
    """One step, applied once and in order; its name stays for ever and begins with its layer and a slash."""

    name: str
    apply: Callable[[Connection], object]


def location(
    data_dir: str | os.PathLike[str] | None, url: str | None, environ: Mapping[str, str] | None = None
) -> str | Path:
    """The URL of the database, or the path of the embedded one.

    ``url``, else ``data_dir``, else ``SUMMARIZER_STORE``, else ``SUMMARIZER_DATA_DIR``, else the platform's
    folder for data. ``environ`` is the process's where None.
    """
    environ = os.environ if environ is None else environ
    url = url or (environ.get("SUMMARIZER_STORE") if data_dir is None else None)
    if url:
        return url
    folder = data_dir or environ.get("SUMMARIZER_DATA_DIR")
    if folder:
        return Path(folder).expanduser() / FILE
    from platformdirs import user_data_dir

    return Path(user_data_dir("summarizer-gateway", appauthor=False)) / FILE


class Database:
    """A database that may not be there: whatever goes wrong is raised as ``Unavailable`` and nothing else.

    No connection is kept between two uses, so threads and forked processes can share it. ``notice`` is a
    sentence about a damaged file that was moved aside.
    """

    def __init__(self, where: str | Path) -> None:
        self.where = where
        self.notice: str | None = None
        self._engine: Engine | None = None
        self._migrated: set[str] = set()
        self._turn: AbstractContextManager[object] = nullcontext()
        self._locked_until = 0.0

    @property
    def is_absent(self) -> bool:
        """Whether the embedded database was never made: then there is nothing to read or to load."""
        return isinstance(self.where, Path) and not self.where.exists()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read from, without waiting for writers. Raises ``Unavailable``."""
        with self._waiting(READ_WAIT), self._connected(READ_WAIT) as connection:
            yield connection

    @contextmanager
    def writing(self, wait: float = WRITE_WAIT) -> Iterator[Connection]:
        """A transaction: all of it is written, or nothing. A lock is waited for ``wait`` seconds.

        Raises ``Unavailable``.
        """
        with self._waiting(wait), self._connected(wait) as connection, connection.begin():
            if connection.dialect.name == "sqlite":
                # The lock is taken now: one that is taken later, for the first write, may be refused at once.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    def attempt(self, migrations: Sequence[Migration], work: Callable[[], _Result]) -> _Result:
        """Do what a layer wants done on its tables, which are there: its migrations are applied before.

        A damaged file is moved aside, a new one is begun, and the work is done on that. Raises
        ``Unavailable``: for good where a newer version of the layer has been here; that is left untouched.
        """
        with self._explained():
            try:
                self._migrate(migrations)
                return work()
            except Unavailable as error:
                if error.lasting or error.locked:
                    raise
                self._repair()
            self._migrated.clear()
            self._migrate(migrations)
            return work()

    def _repair(self) -> None:
        """Move a damaged file aside, if it is one."""
        if not isinstance(self.where, Path) or not damage.is_damaged(self.where):
            return
        try:
            kept = damage.move_aside(self.where)
        except OSError as error:
            raise Unavailable(f"{self.where} is damaged and cannot be moved: {error.strerror}") from error
        if kept is not None:
            self.notice = f"{self.where} was damaged: it is kept as {kept.name}, and a new one was begun"

    # ---- migrations ----

    def _migrate(self, migrations: Sequence[Migration]) -> None:
        layer = migrations[0].name.partition("/")[0] + "/"
        if layer in self._migrated:
            return
        known = [migration.name for migration in migrations]
        with self.reading() as connection:
            self._check(connection, applied := _applied(connection), layer, known)
        if not applied.issuperset(known):
            with self.writing() as connection:
                _create_table(connection)
            for migration in migrations:
                self._apply(migration, layer, known)
        self._migrated.add(layer)

    def _apply(self, migration: Migration, layer: str, known: Sequence[str]) -> None:
        """A migration and its name in one transaction, the name first: so only one process does it."""
        from sqlalchemy.exc import IntegrityError

        try:
            with self.writing() as connection:
                self._check(connection, applied := _applied(connection), layer, known)
                if migration.name not in applied:
                    connection.execute(_text(_TAKE), {"name": migration.name, "at": time.time()})
                    migration.apply(connection)
        except Unavailable as error:
            if not isinstance(error.__cause__, IntegrityError):
                raise

    def _check(self, connection: Connection, applied: set[str], layer: str, known: Sequence[str]) -> None:
        newer = {name for name in applied if name.startswith(layer)} - set(known)
        if connection.dialect.name == "sqlite":
            version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
            newer |= {f"format {version}"} if version > _FORMAT else set()
        if newer:
            what = ", ".join(sorted(newer))
            raise Unavailable(f"{self._shown()} was made by a newer version ({what})", lasting=True)

    # ---- connections ----

    @contextmanager
    def _waiting(self, wait: float) -> Iterator[None]:
        """Explains what goes wrong; a lock that was waited for in vain is not waited for again for a while,
        whoever asks: a run uses a database in many places, and would stand still in each of them.
        """
        try:
            with self._explained():
                yield
        except Unavailable as error:
            if error.locked and wait >= _IN_EARNEST and self._patience(wait) > 0:
                self._locked_until = time.monotonic() + _IMPATIENT
            raise

    def _patience(self, wait: float) -> float:
        return 0.0 if time.monotonic() < self._locked_until else wait

    @contextmanager
    def _connected(self, wait: float) -> Iterator[Connection]:
        with at_work(), self._turn, self._engine_there().connect() as connection:
            driver: Any = connection.connection.driver_connection
            if connection.dialect.name == "sqlite":
                driver.execute(f"PRAGMA busy_timeout = {int(self._patience(wait) * 1000)}")
            yield connection

    def _engine_there(self) -> Engine:
        engine = self._engine or self._opened()
        if isinstance(self.where, Path):
            damage.prepare(self.where)
        return engine

    def _opened(self) -> Engine:
        from sqlalchemy import create_engine, event
        from sqlalchemy.engine import URL, make_url
        from sqlalchemy.pool import NullPool, StaticPool

        if isinstance(self.where, Path):
            url = URL.create("sqlite", database=str(self.where))
        else:
            url = make_url(self.where)
            if url.get_backend_name() == "sqlite" and _is_plain_file(url.database):
                self.where = Path(str(url.database))
        memory = url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:")
        arguments: dict[str, Any] = {"connect_args": {"check_same_thread": False}} if memory else {}
        if memory:  # one connection for all threads
            self._turn = threading.RLock()
        engine = create_engine(url, poolclass=StaticPool if memory else NullPool, **arguments)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", self._prepare_sqlite)
        self._engine = engine
        return engine

    def _prepare_sqlite(self, connection: Any, _record: object) -> None:
        """Readers beside a writer (WAL), durable when a process is killed; transactions begin where we say
        so.
        """
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {int(self._patience(READ_WAIT) * 1000)}")
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
            damage.switch_to_wal(cursor)
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise self._why(error) from error

    def _why(self, error: Exception) -> Unavailable:
        if isinstance(error, Unavailable):
            return error
        said = damage.sentence(error)
        return Unavailable(f"{self._shown()} {said}", locked=said == damage.LOCKED)

    def _shown(self) -> str:
        return str(self.where) if isinstance(self.where, Path) else damage.without_password(self.where)


def _is_plain_file(database: str | None) -> bool:
    return bool(database) and database != ":memory:" and not str(database).startswith("file:")


_TABLE = "CREATE TABLE IF NOT EXISTS migrations (name VARCHAR(200) PRIMARY KEY, applied_at DOUBLE PRECISION)"
_TAKE = "INSERT INTO migrations (name, applied_at) VALUES (:name, :at)"


def _text(statement: str) -> Any:
    from sqlalchemy import text

    return text(statement)


def _create_table(connection: Connection) -> None:
    connection.execute(_text(_TABLE))
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {_FORMAT}")


def _applied(connection: Connection) -> set[str]:
    from sqlalchemy import inspect

    if not inspect(connection).has_table("migrations"):
        return set()
    return {str(name) for (name,) in connection.execute(_text("SELECT name FROM migrations"))}
