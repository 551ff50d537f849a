"""The call that always returns, in its two forms: ``summarize`` and ``asummarize``."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from summarizer import portal
from summarizer.budget import Budget
from summarizer.events import Event
from summarizer.records import Record
from summarizer.result import Complete, Partial

if TYPE_CHECKING:
    from summarizer.run import Request
    from summarizer.settings import Settings
    from summarizer_providers.client import Client
    from summarizer_providers.types import Model

__all__ = ["Summarizer", "asummarize", "summarize"]

T = TypeVar("T")

_SLICE = 0.01
"""Seconds for which the caller's own iterator may hold up the caller's loop at a stretch."""


class Summarizer:
    """The two calls as methods, holding settings and connections. Safe to share between threads.

    ``settings`` are read from the environment and ``summarizer.toml`` where None; ``client`` carries the
    calls (tests pass one with transports of their own). Raises ``InvalidSettings``.
    """

    def __init__(self, settings: Settings | None = None, *, client: Client | None = None) -> None:
        from summarizer_providers.client import Client

        self.settings = _settings(settings)
        self._client = client or Client()

    def summarize(
        self,
        records: Iterable[Record | Mapping[str, Any] | str],
        budget: int | Budget,
        *,
        models: Sequence[str | Model] | None = None,
        focus: str | None = None,
        instructions: str | None = None,
        previous: Complete | Partial | None = None,
        deadline: float | None = None,
        max_cost: float | None = None,
        cancel: threading.Event | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Complete | Partial:
        """See ``summarizer.summarize``; the settings are this object's."""
        events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        request = self._request(
            records,
            budget,
            models=models,
            focus=focus,
            instructions=instructions,
            previous=previous,
            deadline=deadline,
            max_cost=max_cost,
            cancel=cancel,
            on_event=on_event,
        )
        emit = _ignore if on_event is None else events.put
        return _awaited(portal.submit(_work(request, self._client, emit)), events, on_event or _ignore)

    async def asummarize(
        self,
        records: Iterable[Record | Mapping[str, Any] | str],
        budget: int | Budget,
        *,
        models: Sequence[str | Model] | None = None,
        focus: str | None = None,
        instructions: str | None = None,
        previous: Complete | Partial | None = None,
        deadline: float | None = None,
        max_cost: float | None = None,
        cancel: threading.Event | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> Complete | Partial:
        """See ``summarizer.asummarize``; the settings are this object's."""
        check = functools.partial(
            self._request,
            await _taken(records),
            budget,
            models=models,
            focus=focus,
            instructions=instructions,
            previous=previous,
            deadline=deadline,
            max_cost=max_cost,
            cancel=cancel,
            on_event=on_event,
        )
        request = await _in_thread(check)
        if on_event is None:
            return await asyncio.wrap_future(portal.submit(_work(request, self._client, _ignore)))
        listener = _Listener(on_event)
        return await listener.result_of(portal.submit(_work(request, self._client, listener.emit)))

    def _request(self, records: object, budget: object, *, on_event: object, **given: Any) -> Request:
        from summarizer.errors import InvalidSettings
        from summarizer.run import Request

        if on_event is not None and not callable(on_event):
            raise InvalidSettings(f"on_event: expected a function, got {type(on_event).__name__}")
        return Request.of(records, budget, self.settings, **given)


async def _work(request: Request, client: Client, emit: Callable[[Event], None]) -> Complete | Partial:
    """One run, on the portal's loop; what takes CPU time in proportion to the input leaves that loop free."""
    from summarizer.engine import drive
    from summarizer.flow import Flow
    from summarizer.run import lay_out

    laid_out = await asyncio.to_thread(lay_out, request, emit)
    if not isinstance(laid_out, Flow):
        return laid_out
    return await drive(laid_out, client, emit=emit, cancel=request.cancel)


def _awaited(
    future: Future[T], events: queue.SimpleQueue[Event | None], on_event: Callable[[Event], None]
) -> T:
    """The future's result; events are handed over in this thread while it is waited for."""
    future.add_done_callback(lambda _: events.put(None))
    try:
        while (event := events.get()) is not None:
            on_event(event)
        return future.result()
    except BaseException:
        future.cancel()
        raise


class _Listener:
    """Calls a function with each event on the loop that awaits the run; what it raises ends the run."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event: Callable[[Event], None] | None = on_event
        self._loop = asyncio.get_running_loop()
        self._error: Exception | None = None
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
        except Exception as error:  # noqa: BLE001 - it is raised where the run is awaited
            self._error, self._on_event = error, None
            if self._run is not None:
                self._run.cancel()

    async def result_of(self, run: Future[T]) -> T:
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


def _ignore(_: Event) -> None: ...


async def _in_thread(function: Callable[[], T]) -> T:
    """In a thread of the portal's: the caller's loop goes on, and the caller's executor is left alone."""
    return await asyncio.wrap_future(portal.submit(asyncio.to_thread(function)))


async def _taken(records: object) -> object:
    """The caller's list as it is now; the caller's iterator is run here, in slices."""
    if isinstance(records, list | tuple):
        return list(records)
    if not isinstance(records, Iterator):
        return records
    taken, until = [], time.monotonic() + _SLICE
    for record in records:
        taken.append(record)
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + _SLICE
    return taken


def _settings(settings: Settings | None) -> Settings:
    from summarizer.errors import InvalidSettings
    from summarizer.settings import Settings

    if settings is not None and not isinstance(settings, Settings):
        raise InvalidSettings(f"settings: expected Settings, got {type(settings).__name__}")
    return Settings() if settings is None else settings


def summarize(
    records: Iterable[Record | Mapping[str, Any] | str],
    budget: int | Budget,
    *,
    models: Sequence[str | Model] | None = None,
    focus: str | None = None,
    instructions: str | None = None,
    previous: Complete | Partial | None = None,
    deadline: float | None = None,
    max_cost: float | None = None,
    cancel: threading.Event | None = None,
    on_event: Callable[[Event], None] | None = None,
    settings: Settings | None = None,
) -> Complete | Partial:
    """Turn any amount of input into text of at most ``budget`` tokens: complete, or a partial to go on from.

    ``records`` are strings, chat messages (OpenAI's form) or ``Record``; ``budget`` is a number of tokens
    (16 to 10,000,000, tiktoken's o200k_base unless the settings name another) or a ``Budget``. ``models``
    is the ladder, first choice first (the settings' if None, offline if none is set); ``focus`` says what
    to keep above all else, ``instructions`` is added to the prompt, ``previous`` an earlier result to go
    on from: ``records`` are then what it misses, and new ones. ``deadline`` is in seconds, ``max_cost`` in
    US dollars; setting ``cancel`` brings a ``Partial`` back soon; ``on_event`` is called with each event
    in the thread of the caller.

    A provider's failure never raises: it ends in a ``Partial``. A caller's mistake raises before anything
    is sent: ``InvalidRecords``, ``InvalidBudget``, ``InvalidSettings`` (all ``SummarizerError``).
    Works from any thread, also from one with a running event loop.
    """
    return Summarizer(settings).summarize(
        records,
        budget,
        models=models,
        focus=focus,
        instructions=instructions,
        previous=previous,
        deadline=deadline,
        max_cost=max_cost,
        cancel=cancel,
        on_event=on_event,
    )


async def asummarize(
    records: Iterable[Record | Mapping[str, Any] | str],
    budget: int | Budget,
    *,
    models: Sequence[str | Model] | None = None,
    focus: str | None = None,
    instructions: str | None = None,
    previous: Complete | Partial | None = None,
    deadline: float | None = None,
    max_cost: float | None = None,
    cancel: threading.Event | None = None,
    on_event: Callable[[Event], None] | None = None,
    settings: Settings | None = None,
) -> Complete | Partial:
    """``summarize`` for async code; it holds up the running loop at no point. Tokens, seconds, US dollars,
    and the errors ``InvalidRecords``, ``InvalidBudget`` and ``InvalidSettings`` are as described there.

    If the awaiting task is cancelled, the run is, and ``CancelledError`` is raised.
    """
    summarizer = await _in_thread(functools.partial(Summarizer, settings))
    return await summarizer.asummarize(
        records,
        budget,
        models=models,
        focus=focus,
        instructions=instructions,
        previous=previous,
        deadline=deadline,
        max_cost=max_cost,
        cancel=cancel,
        on_event=on_event,
    )
