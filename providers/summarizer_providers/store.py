"""The store of observations: kept for all processes, and in memory where it cannot be kept.

Writes are gathered and go out in the background within a quarter of a second: adding costs no time, and a
process that is killed loses no more than that; one that ends normally loses nothing.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Sequence
from functools import partial

from summarizer_providers import rows
from summarizer_providers.database import WRITE_WAIT, Database, Unavailable, location
from summarizer_providers.learning import kept
from summarizer_providers.observations import Observation, chosen

__all__ = ["Store"]

_PAUSE, _LONGEST_PAUSE = 0.25, 30.0
_LAST_WAIT = 3.0
"""Seconds that the end of a process waits for a lock that another one holds."""
_BATCH = 1_000
_READING, _WRITING = "reading", "writing"
_MOST_PENDING = 4_096


class Store:
    """What was observed of every endpoint. Nothing here raises because of the database: ``trouble`` says, in
    a sentence, why it is not used. Any thread may call, and forked processes go on with it.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._why: dict[str, str] = {}
        self._gone = self._closed = self._tidied = False
        self._renew()
        _stores.add(self)

    def _renew(self) -> None:
        """Locks and threads do not survive a fork, and what waits to be written is the parent's to write."""
        self._lock, self._flushing = threading.RLock(), threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._pending: dict[str, Observation] = {}
        self._hooked = False

    @classmethod
    def open(cls, data_dir: str | os.PathLike[str] | None = None, url: str | None = None) -> Store:
        """The store at a database URL, in a folder, or where the environment or the platform says.

        The database itself is opened when it is first read or written.
        """
        return cls(Database(location(data_dir, url)))

    @property
    def trouble(self) -> str | None:
        """Why observations are only kept in memory, or what happened to those of old; None if all is well."""
        return next(iter(self._why.values()), self.database.notice)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was ever kept here: nothing has to be opened to know that nothing is known."""
        return self.database.is_absent and not self._waiting()

    # ---- reading ----

    def about(self, endpoint: str) -> list[Observation]:
        """The observations of an endpoint that still matter, oldest first (see ``learning.kept``)."""
        waiting = {key: each for key, each in self._waiting().items() if each.endpoint == endpoint}
        found = self._tried(_READING, partial(rows.about, self.database, endpoint)) or {}
        return kept((waiting | found).values())

    def endpoints(self) -> list[str]:
        """The keys of all endpoints of which something is known, sorted."""
        waiting = {each.endpoint for each in self._waiting().values()}
        return sorted(waiting | (self._tried(_READING, partial(rows.endpoints, self.database)) or set()))

    def _waiting(self) -> dict[str, Observation]:
        """What is not written yet; asked for before the rows, or it could be missed on its way there."""
        with self._lock:
            return dict(self._pending)

    def _tried(self, doing: str, work: rows.Work[rows.Result]) -> rows.Result | None:
        """The result of some work on the database; None where that is not possible now."""
        if self._gone:
            return None
        try:
            result = self.database.attempt(rows.MIGRATIONS, work)
        except Unavailable as error:
            self._why[doing], self._gone = f"{error}; what is learned is kept in memory", error.lasting
            return None
        self._why.pop(doing, None)  # that reading works says nothing of writing
        return result

    # ---- writing ----

    def add(self, observation: Observation) -> None:
        """Keep an observation; it is written soon."""
        with self._lock:
            self._pending[uuid.uuid4().hex] = observation
            if len(self._pending) > _MOST_PENDING:
                self._pending = _bounded(self._pending)
            self._hook()
            if self._thread is None and not self._gone and not self._closed:
                self._thread = threading.Thread(target=self._run, name="summarizer-store", daemon=True)
                self._thread.start()

    def set(self, endpoint: str, ceiling: int) -> None:
        """Take ``ceiling`` (tokens) for the most that an endpoint can write, whatever was seen before.

        Raises ``ValueError`` if it is not at least 1.
        """
        self.add(chosen(endpoint, ceiling, time.time()))
        self.flush()

    def forget(self, endpoint: str) -> int:
        """Remove everything that is known of an endpoint; the number of observations removed."""
        with self._flushing, self._lock:
            waiting = [key for key, each in self._pending.items() if each.endpoint == endpoint]
            for key in waiting:
                del self._pending[key]
        return len(waiting) + (self._tried(_WRITING, partial(rows.delete, self.database, endpoint)) or 0)

    def flush(self, wait: float = WRITE_WAIT) -> bool:
        """Write what waits to be written; False if it could not be, and goes on waiting in memory.

        A lock that another process holds is waited for ``wait`` seconds.
        """
        with self._flushing:
            while batch := self._batch():
                if self._tried(_WRITING, partial(rows.insert, self.database, batch, wait)) is None:
                    return False
                with self._lock:
                    for key in batch:
                        self._pending.pop(key, None)
            return True

    def close(self) -> None:
        """Write what waits to be written. Raises nothing; what is added afterwards stays in memory."""
        self._closed = True
        self._stop.set()
        self.flush(_LAST_WAIT)
        writing = self._thread
        if writing is not None and writing is not threading.current_thread():
            writing.join(_LAST_WAIT)

    def _batch(self) -> dict[str, Observation]:
        return dict(list(self._waiting().items())[:_BATCH])

    def _run(self) -> None:
        """The background: gathers for a moment, writes, and ends when nothing waits any more."""
        pause = _PAUSE
        while not self._stop.wait(pause):
            pause = _PAUSE if self.flush() else min(_LONGEST_PAUSE, 2 * pause)
            if not self._tidied and pause == _PAUSE:
                self._tidied = self._tried(_WRITING, partial(rows.tidy, self.database)) is not None
            with self._lock:
                if not self._pending or self._gone:
                    self._thread = None
                    return

    def _hook(self) -> None:
        """See to it that this process writes at its end what still waits then."""
        if self._hooked:
            return
        self._hooked = True
        last = _Last(self)
        atexit.register(last)
        process = sys.modules.get("multiprocessing.process")
        if process is not None and process.parent_process() is not None:
            from multiprocessing import util  # its children end without atexit

            util.Finalize(None, last, exitpriority=0)


class _Last:
    """Closes a store at the end of the process, if it is still there."""

    def __init__(self, store: Store) -> None:
        self._store = weakref.ref(store)

    def __call__(self) -> None:
        store = self._store()
        if store is not None:
            store.close()


def _bounded(pending: dict[str, Observation]) -> dict[str, Observation]:
    """What still matters of what cannot be written."""
    by_endpoint: dict[str, list[Observation]] = {}
    for each in pending.values():
        by_endpoint.setdefault(each.endpoint, []).append(each)
    matter: Sequence[Observation] = [each for group in by_endpoint.values() for each in kept(group)]
    ids = {id(each) for each in matter}
    chosen_ = {key: each for key, each in pending.items() if id(each) in ids}
    return dict(list(chosen_.items())[-_MOST_PENDING // 2 :])


_stores: weakref.WeakSet[Store] = weakref.WeakSet()


def _after_in_child() -> None:
    for store in list(_stores):
        store._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_in_child)
