"""Between a caller and a run on the portal's loop: how each waits for the other, and how events pass."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import queue
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

from summarizer import portal
from summarizer.events import Event
from summarizer.result import Complete, Partial
from summarizer.run import Request
from summarizer.working import work
from summarizer_providers.client import Client
from summarizer_providers.store import Store

__all__ = ["Listener", "finished", "ignore", "started", "taken"]

T = TypeVar("T")

_SLICE = 0.01
"""Seconds for which the caller's own iterator may hold up the caller's loop at a stretch."""


def started(
    request: Request, client: Client, store: Store, emit: Callable[[Event], None]
) -> Future[Complete | Partial]:
    """A run on the portal's loop; cancelling the future cancels it."""
    return portal.submit(work(request, client, store, emit))


def ignore(_: Event) -> None:
    """Nobody listens."""


def finished(
    request: Request, client: Client, store: Store, on_event: Callable[[Event], None] | None
) -> Complete | Partial:
    """The result of a run that this thread waits for; events are handed over in this thread meanwhile.

    An interrupt may come at any moment, also while the run is being started: it never leaves one behind.
    """
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    leash = _Leash()
    try:
        running = work(request, client, store, ignore if on_event is None else events.put)
        future = portal.submit(leash.held(running))
        future.add_done_callback(lambda _: events.put(None))
        while (event := events.get()) is not None:
            if on_event is not None:
                on_event(event)
        return future.result()
    except BaseException:
        leash.pull()
        raise


class _Leash:
    """Cancels a run from another thread, whether it has begun by then or not."""

    def __init__(self) -> None:
        self._pulled = False
        self._end: Callable[[], object] | None = None

    async def held(self, work: Coroutine[Any, Any, T]) -> T:
        """The work, if it was not cancelled before it began."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine on a loop runs in a task
        self._end = functools.partial(loop.call_soon_threadsafe, task.cancel)
        if self._pulled:
            work.close()
            raise asyncio.CancelledError
        return await work

    def pull(self) -> None:
        """End the work."""
        self._pulled = True
        if self._end is not None:
            self._end()


class Listener:
    """Calls a function with each event on the loop that awaits the run; what it raises ends the run."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event: Callable[[Event], None] | None = on_event
        self._loop = asyncio.get_running_loop()
        self._error: BaseException | None = None
        self._run: Future[Any] | None = None

    def emit(self, event: Event) -> None:
        """Called in the run's thread."""
        with contextlib.suppress(RuntimeError):  # the loop was closed, so nobody listens any more
            self._loop.call_soon_threadsafe(self._tell, event)

    def _tell(self, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised where the run is awaited
            self._error, self._on_event = error, None
            if self._run is not None:
                self._run.cancel()

    async def result_of(self, run: Future[T]) -> T:
        """The run's result, or what the function raised."""
        self._run = run
        try:
            result = await asyncio.wrap_future(run)
        except asyncio.CancelledError:
            if self._error is None:
                raise
        finally:
            self._on_event = None
        if self._error is not None:
            raise self._error
        return result


async def taken(records: object) -> object:
    """The caller's iterator is run here, in slices; anything else is left as it is."""
    if not isinstance(records, Iterator):
        return records
    taken, until = [], time.monotonic() + _SLICE
    for record in records:
        taken.append(record)
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + _SLICE
    return taken
