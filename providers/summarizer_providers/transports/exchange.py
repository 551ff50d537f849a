"""Watches a request where it leaves, in ``httpx.AsyncClient.send``, and reads its answer as it comes.

A context variable keeps this to the calls of ours: the requests of everybody else pass unchanged.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from summarizer_providers import timing
from summarizer_providers.secrets import masked
from summarizer_providers.transports import keys, wire
from summarizer_providers.transports.stream import Reading
from summarizer_providers.types import Call

__all__ = ["Exchange", "connected", "current", "discreet", "ours", "watch"]

_NO_RETRY = "x-should-retry"
"""The header by which a server tells OpenAI's client whether to try again; that client obeys nothing else on
the routes on which litellm loses ``max_retries``."""

_BREATH = 0.02
"""Seconds between two looks at a stream: pieces that come closer together are read at once, which is several
times cheaper, and nobody sees a text grow faster than that."""

_watching: ContextVar[Exchange | None] = ContextVar("summarizer_exchange", default=None)


@dataclass(slots=True)
class Exchange:
    """What one call has sent and got so far: the latest answer, or what kept it from coming.

    ``secrets`` gives what must not be logged, ``sent`` are the keys that went out, ``progress`` is told the
    characters that came of a stream; all limits are in seconds of the loop's clock.
    """

    call: Call
    secrets: Callable[[], Mapping[str, str]]
    progress: Callable[[int], None] | None = None
    open: bool = True
    received: wire.Received = field(default_factory=wire.Received)
    sent: frozenset[str] = frozenset()
    reading: Reading | None = None

    def __enter__(self) -> Exchange:
        self._token = _watching.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.open = False
        _watching.reset(self._token)

    _token: Any = None

    async def once(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        """Send a request; the same one again gets what the first one got, without being sent.

        A broken connection is answered by a 503 of our own, for an exception would be tried again.
        """
        import httpx

        url = str(request.url)
        if self.received.url != url:
            self.received, self.reading = wire.Received(url), None
            self.sent |= keys.carried(request.headers, url)
            try:
                return await self._carry(request, send)
            except Exception as error:  # noqa: BLE001 - wire.failure() says what it was
                self.received = replace(self.received, error=error)
        kind = self.received.headers.get("content-type", "application/json")
        headers = {"content-type": kind, _NO_RETRY: "false"}
        content = self.received.content or b'{"error": {"message": "no answer"}}'
        return httpx.Response(self.received.status or 503, headers=headers, content=content, request=request)

    async def _carry(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        began = asyncio.get_running_loop().time()
        response = await send()
        self.received = wire.Received(str(request.url), response.status_code, response.headers)
        if self.call.stream and response.status_code < 400:
            return await self._follow(request, response, began)
        content = await response.aread()
        self.received = replace(self.received, content=content)
        response.headers[_NO_RETRY] = "false"
        return response

    async def _follow(self, request: Any, response: Any, began: float) -> Any:
        """Read a stream to its end, or to where it breaks; the pieces go on as one answer."""
        import httpx

        self.reading = Reading(response.headers.get("content-type", ""))
        content: list[bytes] = []
        try:
            await self._read(response, self.reading, content, began + timing.limit(self.call))
        except Exception as error:  # noqa: BLE001 - wire.failure() says what it was
            self.received = replace(self.received, error=error)
        finally:
            self.received = replace(self.received, content=b"".join(content))
            self.reading.close()
            await response.aclose()
        kind = response.headers.get("content-type", "")
        return httpx.Response(
            response.status_code,
            headers={"content-type": kind, _NO_RETRY: "false"},
            content=self.received.content,
            request=request,
        )

    async def _read(self, response: Any, reading: Reading, content: list[bytes], latest: float) -> None:
        """Raises ``TimeoutError`` where no byte comes for too long, and at the call's own limit."""
        clock = asyncio.get_running_loop().time
        pause = clock() + _BREATH
        async with asyncio.timeout_at(
            min(latest, clock() + timing.patience(self.call, begun=False))
        ) as guard:
            async for data in response.aiter_bytes():
                content.append(data)
                reading.feed(data)
                now = clock()
                if now < pause:
                    continue
                if self.progress is not None:
                    self.progress(reading.characters)
                guard.reschedule(min(latest, now + timing.patience(self.call, begun=True)))
                await asyncio.sleep(_BREATH)
                pause = clock() + _BREATH / 4
        if self.progress is not None:
            self.progress(reading.characters)


def current() -> Exchange | None:
    """The exchange of the call that this code runs for, while it is open."""
    exchange = _watching.get()
    return exchange if exchange is not None and exchange.open else None


def ours() -> bool:
    """Whether this code runs for a call of ours, or is left over from one."""
    return _watching.get() is not None


def discreet(record: logging.LogRecord) -> bool:
    """Nothing of litellm's, whose warnings end in outcomes, and no keys in what is below it, while a call of
    ours is open; the logs of everybody else stay as they are.
    """
    exchange = current()
    if exchange is None:
        return True
    said = keys.hidden(record.getMessage(), exchange.sent)
    record.msg, record.args = masked(said, exchange.secrets()), None
    return record.name != "LiteLLM"


def watch(client: Any) -> None:
    """Have every client show its POST requests to the open exchange."""
    plain = client.send

    async def send(self: Any, request: Any, **options: Any) -> Any:
        exchange = current()
        if exchange is None or request.method != "POST":
            return await plain(self, request, **options)
        _used.setdefault(asyncio.get_running_loop(), {})[id(self)] = self
        return await exchange.once(request, lambda: plain(self, request, **options))

    client.send = send


@asynccontextmanager
async def connected() -> AsyncIterator[None]:
    """Connections last while a call of ours is open on this loop: idle ones break, or outlive the loop that
    they belong to. A client that was closed opens new ones by itself.
    """
    loop = asyncio.get_running_loop()
    _open[loop] = _open.get(loop, 0) + 1
    try:
        yield
    finally:
        _open[loop] -= 1
        if not _open[loop]:
            del _open[loop]
            for client in _used.pop(loop, {}).values():
                await _hang_up(client)


_open: dict[asyncio.AbstractEventLoop, int] = {}
_used: dict[asyncio.AbstractEventLoop, dict[int, Any]] = {}


async def _hang_up(client: Any) -> None:
    """Close the connections of an httpx client, not the client: litellm keeps it for the next call."""
    transport = getattr(client, "_transport", None)
    session = getattr(transport, "client", None)  # litellm's own, upon aiohttp
    pool = session if session is not None else getattr(transport, "_pool", None)
    close = getattr(pool, "close", None) or getattr(pool, "aclose", None)
    if close is not None:
        with suppress(Exception):
            await close()
