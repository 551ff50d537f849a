"""Calls through litellm: one request each, and whatever goes wrong becomes a ``Failure``.

litellm hides much of what happened: it repeats requests on some routes, rewrites statuses, finish reasons and
errors, and invents the usage that a provider did not send. So the request is watched where it leaves (see
``exchange``), and what came back there goes before what litellm makes of it. A stream is read there and
nowhere else: litellm's own reading of one takes about 0.7 ms of CPU a piece, and loses how it ended.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from summarizer_providers import catalog, timing
from summarizer_providers.secrets import one_line, without_keys
from summarizer_providers.transports import wire
from summarizer_providers.transports.exchange import Exchange, connected, discreet, ours, watch
from summarizer_providers.transports.shims import without_tool_servers
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["LitellmTransport"]

_SETTINGS = {"suppress_debug_info": True}
_LOGGERS = ("LiteLLM", "httpx", "openai._base_client")
_READERS = ("callbacks", "success_callback", "_async_success_callback")
_PASSING = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)


class LitellmTransport:
    """One request through litellm, quietly, without any retry but the caller's."""

    async def send(self, call: Call) -> Reply | Failure:
        """Send a call once; litellm is imported for the first one, off the loop (about 4 CPU seconds).

        Only cancellation is raised. A failure's message is one line, and no key is in it.
        """
        return await self.follow(call, None)

    async def follow(self, call: Call, progress: Callable[[int], None] | None) -> Reply | Failure:
        """The same; ``progress`` is told the number of characters that came of a stream, as it grows."""
        result = _unset_key(call) or await _send(call, progress)
        if isinstance(result, Reply):
            return replace(result, text=without_keys(result.text, _secrets(call)))
        return replace(result, message=one_line(result.message, _secrets(call)))


async def _send(call: Call, progress: Callable[[int], None] | None) -> Reply | Failure:
    try:
        litellm = _modules[0] if _modules else await asyncio.to_thread(_loaded)
    except Exception as error:  # noqa: BLE001 - whatever keeps a foreign package from loading
        return Failure(f"litellm cannot be loaded: {error}", code="not_installed", kind=type(error).__name__)
    with Exchange(call, partial(_secrets, call), progress) as exchange:
        try:
            with _settings(litellm):
                async with connected():
                    response = await litellm.acompletion(**_arguments(call))
                    if call.stream:
                        response = await _collected(litellm, response, exchange)
            return _result(exchange, response)
        except _PASSING:
            raise
        except BaseException as error:  # noqa: BLE001 - litellm's some hundred classes, and tiktoken's panics
            return _result(exchange, error)


def _result(exchange: Exchange, given: Any) -> Reply | Failure:
    """What came, the raw answer before ``given``: litellm's answer or error."""
    received, reading = exchange.received, exchange.reading
    good = reading is not None and reading.error is None and reading.understood
    if reading is not None and good and (reading.finish_reason or received.error is None):
        return reading.reply()
    text = "" if reading is None else reading.text
    if reading is not None and reading.error is not None:
        received = replace(received, content=json.dumps(reading.error).encode(), error=None)
    failed = wire.failure(received) if reading is None or received.error or reading.error else None
    if failed is not None:
        return replace(failed, text=text) if text else failed
    if isinstance(given, BaseException):
        return wire.unexplained(received, given)
    return wire.reply(received, given)


async def _collected(litellm: Any, response: Any, exchange: Exchange) -> Any:
    """litellm's own reading of a stream, where somebody wants it or we have none. On some routes nothing is
    sent before its first piece is asked for.
    """
    if not hasattr(response, "__aiter__"):
        return response
    pieces = response.__aiter__()
    first = [await anext(pieces, None)] if exchange.reading is None else []
    if exchange.reading is not None and exchange.reading.understood and not _readers(litellm):
        return response
    rest = [piece async for piece in pieces]
    found = [piece for piece in (*first, *rest) if piece is not None]
    return litellm.stream_chunk_builder(found) if found else response


# ---- the module, its settings and the arguments ----


def _loaded() -> Any:
    """litellm with its requests watched. Importing it must not ask the network for prices."""
    with _lock:
        if not _modules:
            os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            httpx, litellm = import_module("httpx"), import_module("litellm")
            without_tool_servers()
            # They quote what a provider sent in the wrong place, and that may be the key.
            warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
            watch(httpx.AsyncClient)
            _log_only_where_asked(litellm)
            for name in _LOGGERS:
                logging.getLogger(name).addFilter(discreet)
            _modules.append(litellm)
        return _modules[0]


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
        if not ours() or _readers(litellm):
            return plain(async_coroutine)
        return async_coroutine.close()

    worker.ensure_initialized_and_enqueue = enqueue


def _readers(litellm: Any) -> bool:
    """Whether the program has somebody read litellm's log; "cache" is litellm's own."""
    return any(reader != "cache" for name in _READERS for reader in getattr(litellm, name, None) or ())


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
        **({"max_tokens": call.max_tokens} if call.max_tokens else {}),
        "timeout": timing.limit(call),
        "api_base": catalog.address(model, os.environ),
        "api_key": catalog.api_key(model, os.environ) or model.extra.get("api_key"),
        "num_retries": 0,
        "max_retries": 0,
        "stream": bool(call.stream),
        **({"stream_options": {"include_usage": True}} if call.stream and call.stream_usage else {}),
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
