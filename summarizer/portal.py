"""One event loop in a thread of its own, on which every run works.

So ``summarize`` can be called from any thread and inside any running loop, ``asummarize`` never holds up
the loop that awaits it, and connections are shared by all runs of a process.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["in_thread", "submit"]

T = TypeVar("T")


class _Portal:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="summarizer", daemon=True).start()
            return self._loop


_portal = _Portal()


def _after_fork() -> None:
    """A forked child has the loop but not the thread that ran it."""
    global _portal
    _portal = _Portal()


os.register_at_fork(after_in_child=_after_fork)


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine on the shared loop; cancelling the future cancels it there."""
    return asyncio.run_coroutine_threadsafe(work, _portal.loop())


async def in_thread(function: Callable[[], T]) -> T:
    """A function's result from one of the portal's threads: the caller's loop goes on meanwhile, and the
    caller's own executor is left alone.
    """
    return await asyncio.wrap_future(submit(asyncio.to_thread(function)))
