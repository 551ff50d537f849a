"""Runs for requests: what happens in them, what ends them, and all of them at once when the server stops."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

from summarizer.events import Event
from summarizer.result import Complete, Partial

__all__ = ["Run", "Runs", "Work", "gone"]

Result = Complete | Partial
Work = Callable[[Callable[[Event], None], threading.Event], Coroutine[Any, Any, Result]]
"""Summarizes: it is given who is told of events, and what stops it softly."""


class Run:
    """A run on its way."""

    def __init__(self, work: Work, cancel: threading.Event) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._held: list[Event | None] = []
        self._task = asyncio.create_task(work(self._events.put_nowait, cancel))
        self._task.add_done_callback(lambda _: self._events.put_nowait(None))

    async def event(self, seconds: float) -> Event | None:
        """The next event; None once the run has ended. Raises TimeoutError if none comes for so long."""
        if self._held:
            return self._held.pop()
        async with asyncio.timeout(max(0.0, seconds)):
            return await self._events.get()

    async def begun(self, seconds: float) -> None:
        """Wait until there is something to tell, so long at most. Raises what the run raised by then."""
        with contextlib.suppress(TimeoutError):
            self._held.append(await self.event(seconds))
        if self._held == [None]:
            await self.result()

    async def result(self) -> Result:
        """What it gave. Raises what it raised."""
        return await asyncio.shield(self._task)

    async def end(self) -> None:
        """Give it up, if it has not ended: what is finished is in the journal."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class Runs:
    """All runs of a server."""

    def __init__(self) -> None:
        self._live: set[threading.Event] = set()
        self._stopping = False

    @contextlib.asynccontextmanager
    async def started(self, work: Work) -> AsyncIterator[Run]:
        """A run, which does not outlive the block."""
        cancel = threading.Event()
        if self._stopping:
            cancel.set()
        self._live.add(cancel)
        run = Run(work, cancel)
        try:
            yield run
        finally:
            await run.end()
            self._live.discard(cancel)

    def __len__(self) -> int:
        """How many are on their way."""
        return len(self._live)

    def stop(self) -> None:
        """Every run comes back soon with what it has. Safe to call from a signal handler."""
        self._stopping = True
        for cancel in tuple(self._live):
            cancel.set()


async def gone(receive: Callable[[], Awaitable[Any]]) -> None:
    """Wait until the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass
