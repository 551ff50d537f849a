"""A fork waits until no thread works on a database: a child must not inherit one halfway through."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["at_work"]

_LONGEST = 3.0
"""Seconds that a fork waits for work that does not end, as where another process holds a lock."""


class _Gate:
    def __init__(self) -> None:
        self.active = 0
        self.changed = threading.Condition(threading.Lock())


_gate = _Gate()


@contextmanager
def at_work() -> Iterator[None]:
    """No fork meanwhile. SQLAlchemy's locks, a module that is being imported, an open connection: none of
    them would come to an end in the child.
    """
    gate = _gate
    with gate.changed:
        gate.active += 1
    try:
        yield
    finally:
        with gate.changed:
            gate.active -= 1
            gate.changed.notify_all()


def _before() -> None:
    _gate.changed.acquire()
    _gate.changed.wait_for(lambda: _gate.active == 0, _LONGEST)


def _in_parent() -> None:
    _gate.changed.release()


def _in_child() -> None:
    global _gate
    _gate = _Gate()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
