"""What a server holds for all requests: the summarizer, the models that can be named, runs on their way."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from summarizer.api import Summarizer
from summarizer.events import Event
from summarizer.models import OFFLINE, endpoints
from summarizer.result import Complete, Partial
from summarizer.server.asked import Asked, Defaults, read
from summarizer.server.refusals import Refusal
from summarizer.server.running import Runs
from summarizer.server.wire import ChatRequest, Listed, Models
from summarizer_providers.bounds import DEFAULT_WINDOW
from summarizer_providers.tokens import get_counter
from summarizer_providers.types import Model

__all__ = ["LADDER", "Limits", "Service"]

LADDER = "summarizer"
"""The name that stands for the whole ladder."""
_CONTEXT = 2_000_000
"""Tokens: what the gateway takes, whatever its models' windows, as clients ask before they send."""
_MOST_INSTRUCTIONS = 2_000
_SHARE_OF_WINDOW = 8
"""Instructions have at most this part of the smallest window: each call reads them."""
_MEGABYTE = 1_000_000
_LEAST_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """``interval``: seconds at most between two signs of life in a stream; ``deadline``: seconds after which
    an answer is given with what is there; ``most_bytes``: of a request; ``defaults``: the length where a
    request says none.
    """

    interval: float = 5.0
    deadline: float = 1_800.0
    most_bytes: int = 256 * _MEGABYTE
    defaults: Defaults = field(default_factory=Defaults)


class Service:
    """One summarizer for all requests. Raises ``InvalidSettings`` for a ladder that cannot be used."""

    def __init__(self, summarizer: Summarizer, limits: Limits | None = None) -> None:
        settings = summarizer.settings
        self.summarizer = summarizer
        self.limits = limits or Limits()
        self.runs = Runs()
        self.count: Callable[[str], int] = get_counter(settings.encoding).count
        self.ladder: Sequence[Model] = settings.models or (OFFLINE,)
        found = endpoints(self.ladder, settings.concurrency, None)
        window = min(endpoint.limits.window or DEFAULT_WINDOW for endpoint in found)
        self._room = min(_MOST_INSTRUCTIONS, window // _SHARE_OF_WINDOW)
        self._began = int(time.time())

    def names(self) -> list[str]:
        """The names that a client can give: of the ladder, and of each model on it."""
        return list(dict.fromkeys([LADDER, *(model.name for model in self.ladder)]))

    def listed(self) -> Models:
        """The models as they are listed."""
        return Models(data=[self._listed(name) for name in self.names()])

    def one(self, name: str) -> Listed:
        """One of them. Raises ``Refusal``."""
        if name not in self.names():
            raise Refusal(
                404, f"model: there is none of this name; there are {', '.join(self.names())}", "model"
            )
        return self._listed(name)

    def _listed(self, name: str) -> Listed:
        owner = LADDER if name == LADDER else name.partition("/")[0]
        return Listed(
            id=name, created=self._began, owned_by=owner, context_length=_CONTEXT, max_model_len=_CONTEXT
        )

    def models_for(self, name: str | None) -> list[Model] | None:
        """The models that a name stands for; None, the whole ladder, for every other name: many a client
        cannot help but send one of its own.
        """
        bare = (name or "").removeprefix(f"{LADDER}/")
        return [model for model in self.ladder if model.name == bare] or None

    def read(self, chat: ChatRequest, messages: Sequence[Mapping[str, Any]]) -> Asked:
        """What a request comes to. Raises ``Refusal`` where there is nothing to summarize."""
        asked = read(
            messages, chat.most_tokens, count=self.count, defaults=self.limits.defaults, room=self._room
        )
        if asked.is_blank:
            raise Refusal(
                400, "messages: expected something to summarize, but all of it is blank", "messages"
            )
        return asked

    def work(
        self, chat: ChatRequest, asked: Asked, patience: float | None
    ) -> Callable[[Callable[[Event], None], threading.Event], Coroutine[Any, Any, Complete | Partial]]:
        """The run that a request asks for, to be started. ``patience`` is how long the client waits, in
        seconds: it gets what is there before it gives up.
        """
        start = functools.partial(
            self.summarizer.asummarize,
            asked.records,
            asked.budget,
            models=self.models_for(chat.model),
            focus=asked.focus,
            instructions=asked.instructions,
            previous=asked.previous,
            deadline=min(self.limits.deadline, _before(patience)),
        )

        def work(
            on_event: Callable[[Event], None], cancel: threading.Event
        ) -> Coroutine[Any, Any, Complete | Partial]:
            return start(on_event=on_event, cancel=cancel)

        return work


def _before(patience: float | None) -> float:
    """A little sooner than a client gives up."""
    return float("inf") if patience is None else max(_LEAST_PATIENCE, patience - max(2.0, patience / 20))
