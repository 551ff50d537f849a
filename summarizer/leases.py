"""Leases: of two runs of one job at the same time one works, and the other waits for what it finishes."""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from summarizer.journal import Journal

__all__ = ["RENEW", "Lease"]

RENEW = 3.0
"""Seconds between two renewals."""
_WAIT = 2.0
"""Seconds that a lease waits for a lock of the database."""
_HELD = 12.0
"""Seconds without a renewal after which an owner is taken for dead: four renewals that failed."""


def _is_alive(host: str, pid: int) -> bool:
    """Whether a process still runs; one of another machine is taken to."""
    if host != socket.gethostname():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@dataclass(slots=True)
class Lease:
    """The right to work on a job, for as long as it is renewed. Where the database cannot be used everybody
    has it: work done twice is better than none.
    """

    journal: Journal
    job: str
    clock: Callable[[], float] = time.time
    owner: str = field(default_factory=lambda: uuid.uuid4().hex)

    def take(self) -> bool:
        """Whether this run may work on the job now: nobody else does, or who did is dead."""
        taken = self.journal.attempt("reserved", self._take)
        return taken is not False

    def renew(self) -> None:
        """Tell that this run is still at work."""
        self.journal.attempt("reserved", partial(self._write, _RENEW, until=self.clock() + _HELD))

    def give_back(self) -> None:
        """Others may work on the job."""
        self.journal.attempt("reserved", partial(self._write, _RELEASE))

    def _take(self) -> bool:
        now = self.clock()
        mine = {"host": socket.gethostname()[:200], "pid": os.getpid(), "until": now + _HELD}
        with self.journal.database.writing(_WAIT) as connection:
            held = _run(connection, _HOLDER, {"job": self.job}).one_or_none()
            if held is not None:
                owner, host, pid, until = held
                if owner != self.owner and until > now and _is_alive(str(host), int(pid)):
                    return False
            _run(connection, _TAKE, mine | {"job": self.job, "owner": self.owner})
        return True

    def _write(self, statement: str, **more: object) -> None:
        with self.journal.database.writing(_WAIT) as connection:
            _run(connection, statement, {"job": self.job, "owner": self.owner, **more})


_HOLDER = "SELECT owner, host, pid, until FROM journal_leases WHERE job = :job"
_TAKE = (
    "INSERT INTO journal_leases (job, owner, host, pid, until) VALUES (:job, :owner, :host, :pid, :until) "
    "ON CONFLICT (job) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid, "
    "until = excluded.until"
)
_RENEW = "UPDATE journal_leases SET until = :until WHERE job = :job AND owner = :owner"
_RELEASE = "DELETE FROM journal_leases WHERE job = :job AND owner = :owner"


def _run(connection: Any, statement: str, given: dict[str, object]) -> Any:
    from sqlalchemy import text

    return connection.execute(text(statement), given)
