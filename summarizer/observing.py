"""A client that keeps what its answers teach."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from summarizer_providers.client import Client
from summarizer_providers.observations import observe
from summarizer_providers.outcome import Answer
from summarizer_providers.store import Store
from summarizer_providers.types import Call, Model

__all__ = ["Observing"]


class Observing(Client):
    """A client that hands what its answers teach to the store; ``keys`` are the endpoints' by model and
    by whether they are to stream.
    """

    def __init__(self, client: Client, store: Store, keys: Mapping[tuple[Model, bool], str]) -> None:
        self._client = client
        self._store = store
        self._keys = keys

    async def send(self, call: Call, *more: Any, **options: Any) -> Answer:
        """As the client behind it; an answer that teaches something is kept."""
        answer = await self._client.send(call, *more, **options)
        key = self._keys.get((call.model, answer.streamed))
        seen = observe(key, call, answer.outcome, time.time()) if key else None
        if seen is not None:
            self._store.add(seen)
        return answer
