"""The call that always returns, in its two forms: ``summarize`` and ``asummarize``."""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from summarizer.budget import Budget
from summarizer.events import Event
from summarizer.records import Record
from summarizer.result import Complete, Partial

if TYPE_CHECKING:
    from summarizer.recall import Recall, Recalled, RecallTools, Sections
    from summarizer.run import Request
    from summarizer.settings import Settings
    from summarizer_providers.client import Client
    from summarizer_providers.types import Model

__all__ = ["Summarizer", "asummarize", "summarize"]


class Summarizer:
    """The two calls as methods, holding settings and connections. Safe to share between threads.

    ``settings`` are read from the environment and ``summarizer.toml`` where None; ``client`` carries the
    calls (tests pass one with transports of their own). Raises ``InvalidSettings``.
    """

    def __init__(self, settings: Settings | None = None, *, client: Client | None = None) -> None:
        from summarizer.knowledge import open_store
        from summarizer_providers.client import Client

        self.settings = _settings(settings)
        self._client = client or Client()
        self._store = open_store(self.settings.data_dir, self.settings.store)

    def search(self, query: str, tokens: int = 1_000, within: Sections | None = None) -> Recalled:
        """What was said about something in records that were summarized, in at most ``tokens`` tokens; only
        in those behind ``within``, where it is given: see ``summarizer.recall.search``.
        """
        return self._recall().search(query, tokens, within)

    def expand(
        self, section: Sections, tokens: int = 4_000, first: int | None = None, last: int | None = None
    ) -> Recalled:
        """The records behind sections, or those of them at the positions ``first`` to ``last``, in at most
        ``tokens`` tokens: see ``summarizer.recall.expand``.
        """
        return self._recall().expand(section, tokens, first, last)

    def recall_tools(self, within: Sections, most_tokens: int = 4_000) -> RecallTools:
        """Tools by which an agent looks up what its summary no longer says: see
        ``summarizer.recall.RecallTools``.
        """
        from summarizer.recall import RecallTools

        return RecallTools(self._recall(), within, most_tokens)

    def _recall(self) -> Recall:
        from summarizer.recall import recall_in

        return recall_in(self._store.database, self.settings)

    def close(self) -> None:
        """Write what was learned of models and not written yet; also the end of a ``with``."""
        self._store.flush()

    def __enter__(self) -> Summarizer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        from summarizer import bridge

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
        return bridge.finished(request, self._client, self._store, on_event)

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
        import asyncio

        from summarizer import portal

        taken = list(records) if isinstance(records, list | tuple) else records
        await portal.in_thread(_loaded)
        from summarizer import bridge

        check = functools.partial(
            self._request,
            await bridge.taken(taken),
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
        request = await portal.in_thread(check)
        if on_event is None:
            return await asyncio.wrap_future(
                bridge.started(request, self._client, self._store, bridge.ignore)
            )
        listener = bridge.Listener(on_event)
        return await listener.result_of(bridge.started(request, self._client, self._store, listener.emit))

    def _request(self, records: object, budget: object, *, on_event: object, **given: Any) -> Request:
        from summarizer.errors import InvalidSettings
        from summarizer.run import Request

        if on_event is not None and not callable(on_event):
            raise InvalidSettings(f"on_event: expected a function, got {type(on_event).__name__}")
        return Request.of(records, budget, self.settings, **given)


def _loaded() -> None:
    """Import what a run needs away from the caller's loop: it takes about 50 ms the first time."""
    importlib.import_module("summarizer.bridge")


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
    from summarizer import portal

    summarizer = await portal.in_thread(functools.partial(Summarizer, settings))
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
