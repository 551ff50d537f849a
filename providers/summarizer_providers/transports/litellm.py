"""Calls through litellm: one request each, and whatever goes wrong becomes a ``Failure``.

litellm hides much of what happened: it repeats requests on some routes, rewrites statuses, finish reasons and
errors, and invents the usage that a provider did not send. So the request is watched where it leaves, in
``httpx.AsyncClient.send``, and what came back there goes before what litellm makes of it. A context variable
keeps this to the calls of this module: the requests of everybody else pass unchanged.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from summarizer_providers import catalog
from summarizer_providers.secrets import masked, one_line
from summarizer_providers.transports import wire
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["LitellmTransport"]

_SETTINGS = {"suppress_debug_info": True, "disable_aiohttp_transport": True}
_LOGGERS = ("LiteLLM", "httpx", "openai._base_client")
_NO_RETRY = "x-should-retry"
"""The header by which a server tells OpenAI's client whether to try again; that client obeys nothing else on
the routes on which litellm loses ``max_retries``."""
_READERS = ("callbacks", "success_callback", "_async_success_callback")
_PASSING = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)


class LitellmTransport:
    """One request through litellm, quietly, without any retry but the caller's."""

    async def send(self, call: Call) -> Reply | Failure:
        """Send a call once; litellm is imported for the first one, off the loop (about 4 CPU seconds).

        Only cancellation is raised. A failure's message is one line, and no key is in it.
        """
        result = _unset_key(call) or await _send(call)
        if isinstance(result, Reply):
            return result
        return replace(result, message=one_line(result.message, _secrets(call)))


async def _send(call: Call) -> Reply | Failure:
    try:
        litellm = _modules[0] if _modules else await asyncio.to_thread(_loaded)
    except Exception as error:  # noqa: BLE001 - whatever keeps a foreign package from loading
        return Failure(f"litellm cannot be loaded: {error}", code="not_installed", kind=type(error).__name__)
    exchange = _Exchange(_secrets(call))
    token = _watching.set(exchange)
    try:
        with _settings(litellm):
            response = await litellm.acompletion(**_arguments(call))
        return wire.failure(exchange.received) or wire.reply(exchange.received, response)
    except _PASSING:
        raise
    except BaseException as error:  # noqa: BLE001 - litellm's some hundred classes, and tiktoken's panics
        return wire.failure(exchange.received) or wire.unexplained(exchange.received, error)
    finally:
        exchange.open = False
        _watching.reset(token)


# ---- the module, its settings and the arguments ----


def _loaded() -> Any:
    """litellm with its requests watched. Importing it must not ask the network for prices."""
    with _lock:
        if not _modules:
            os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            httpx, litellm = import_module("httpx"), import_module("litellm")
            _watch(httpx.AsyncClient)
            _log_only_where_asked(litellm)
            for name in _LOGGERS:
                logging.getLogger(name).addFilter(_discreet)
            _modules.append(litellm)
        return _modules[0]


def _discreet(record: logging.LogRecord) -> bool:
    """Nothing of litellm's, whose warnings end in outcomes, and no keys in what is below it, while a call of
    ours is open; the logs of everybody else stay as they are.
    """
    exchange = _watching.get()
    if exchange is None or not exchange.open:
        return True
    record.msg, record.args = masked(record.getMessage(), exchange.secrets), None
    return record.name != "LiteLLM"


def _log_only_where_asked(litellm: Any) -> None:
    """litellm's queue of log entries is one for the process and bound to a loop: with several loops it loses
    entries, aloud. So ours reach it only where the program has somebody to read them.
    """
    try:
        worker = import_module("litellm.litellm_core_utils.logging_worker").GLOBAL_LOGGING_WORKER
        plain = worker.ensure_initialized_and_enqueue
    except (ImportError, AttributeError):
        return

    def enqueue(async_coroutine: Any) -> Any:
        readers = [reader for name in _READERS for reader in getattr(litellm, name, None) or ()]
        if _watching.get() is None or any(reader != "cache" for reader in readers):  # "cache" is litellm's
            return plain(async_coroutine)
        return async_coroutine.close()

    worker.ensure_initialized_and_enqueue = enqueue


_lock = threading.RLock()
_modules: list[Any] = []
_before: dict[str, Any] = {}
_open: list[None] = []


@contextmanager
def _settings(litellm: Any) -> Iterator[None]:
    """Our settings while any call of ours is open, and the program's own again after the last."""
    with _lock:
        if not _open:
            _before.update({name: getattr(litellm, name, None) for name in _SETTINGS})
        for name, value in _SETTINGS.items():
            setattr(litellm, name, value)
        _open.append(None)
    try:
        yield
    finally:
        with _lock:
            _open.pop()
            if not _open:
                for name, value in _before.items():
                    setattr(litellm, name, value)


def _arguments(call: Call) -> dict[str, Any]:
    model = call.model
    return {
        "drop_params": True,
        **model.extra,
        "model": model.name,
        "messages": [{"role": message.role, "content": message.content} for message in call.messages],
        "max_tokens": call.max_tokens,
        "timeout": call.timeout,
        "api_base": catalog.address(model, os.environ),
        "api_key": catalog.api_key(model, os.environ) or model.extra.get("api_key"),
        "num_retries": 0,
        "max_retries": 0,
        "stream": False,
    }


def _unset_key(call: Call) -> Failure | None:
    """A variable that is named and empty: litellm would send another address's key instead."""
    name = call.model.api_key_env
    if name is None or os.environ.get(name):
        return None
    words = f"the environment variable {name}, which should hold the key of {call.model.name}, is not set"
    return Failure(words, status=401, code="invalid_api_key", kind="AuthenticationError")


def _secrets(call: Call) -> dict[str, str]:
    """What must not be quoted: the environment's secrets, the key that is sent, those among the arguments."""
    given = {name: value for name, value in call.model.extra.items() if isinstance(value, str)}
    key = catalog.api_key(call.model, os.environ) or ""
    return {**os.environ, **given, "THE_KEY_SENT": key}


# ---- the request, where it leaves ----


@dataclass(slots=True)
class _Exchange:
    """What one call has sent and got so far: the latest answer, or what kept it from coming."""

    secrets: Mapping[str, str]
    open: bool = True
    received: wire.Received = field(default_factory=wire.Received)

    async def once(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        """Send a request; the same one again gets what the first one got, without being sent.

        A broken connection is answered by a 503 of our own, for an exception would be tried again.
        """
        import httpx

        if self.received.url != str(request.url):
            self.received = wire.Received(str(request.url))
            try:
                return await self._carry(request, send)
            except Exception as error:  # noqa: BLE001 - wire.failure() says what it was
                self.received = replace(self.received, error=error)
        headers = {"content-type": "application/json", _NO_RETRY: "false"}
        content = self.received.content or b'{"error": {"message": "no answer"}}'
        return httpx.Response(self.received.status or 503, headers=headers, content=content, request=request)

    async def _carry(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        if not os.environ.get("LITELLM_HTTP2"):  # HTTP/2 has no such header
            request.headers["connection"] = "close"
        response = await send()
        content = await response.aread()
        self.received = wire.Received(str(request.url), response.status_code, response.headers, content)
        response.headers[_NO_RETRY] = "false"
        return response


_watching: ContextVar[_Exchange | None] = ContextVar("summarizer_exchange", default=None)


def _watch(client: Any) -> None:
    """Have every client show its POST requests to the open exchange. Connections are not kept open: a
    handshake is nothing beside a summary, and idle ones break, or outlive the loop that they belong to.
    """
    plain = client.send

    async def send(self: Any, request: Any, **options: Any) -> Any:
        exchange = _watching.get()
        if exchange is None or not exchange.open or request.method != "POST":
            return await plain(self, request, **options)
        return await exchange.once(request, lambda: plain(self, request, **options))

    client.send = send
