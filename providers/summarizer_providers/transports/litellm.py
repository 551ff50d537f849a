"""Calls through litellm: one request each, and whatever goes wrong becomes a ``Failure``.

litellm hides much of what happened: it repeats requests on some routes, rewrites statuses, finish reasons and
errors, and invents the usage that a provider did not send. So the request is watched where it leaves (see
``exchange``), and what came back there goes before what litellm makes of it. A stream is read there and
nowhere else: litellm's own reading of one takes about 0.7 ms of CPU a piece, and loses how it ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from summarizer_providers import catalog, timing
from summarizer_providers.secrets import masked, one_line, without_keys
from summarizer_providers.transports import keys, wire
from summarizer_providers.transports.exchange import Exchange, connected
from summarizer_providers.transports.loading import load, readers
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["LitellmTransport"]

_SETTINGS = {"suppress_debug_info": True}
_PASSING = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)


class LitellmTransport:
    """One request through litellm, quietly, without any retry but the caller's."""

    async def prepare(self, call: Call) -> None:
        """Import litellm before the first call of a route, off the loop (about 4 CPU seconds). What keeps it
        from loading is said by the call.
        """
        if _unset_key(call) is None:
            with suppress(Exception):
                await load(call.model.route)

    async def send(self, call: Call) -> Reply | Failure:
        """Send a call once, ``prepare`` first where that was not done.

        Only cancellation is raised. A failure's message is one line, and no key is in it.
        """
        return await self.follow(call, None)

    async def follow(self, call: Call, progress: Callable[[int], None] | None) -> Reply | Failure:
        """The same; ``progress`` is told the number of characters that came of a stream, as it grows."""
        result = _unset_key(call) or await _send(call, progress)
        if isinstance(result, Reply):
            return replace(result, text=without_keys(result.text, _secrets(call)))
        return _discreet(result, _secrets(call))


async def _send(call: Call, progress: Callable[[int], None] | None) -> Reply | Failure:
    try:
        litellm = await load(call.model.route)
    except Exception as error:  # noqa: BLE001 - whatever keeps a foreign package from loading
        return Failure(f"litellm cannot be loaded: {error}", code="not_installed", kind=type(error).__name__)
    with Exchange(call, partial(_secrets, call), progress) as exchange:
        try:
            with _settings(litellm):
                async with connected():
                    response = await litellm.acompletion(**_arguments(call))
                    if call.stream:
                        response = await _collected(litellm, response, exchange)
            result = _result(exchange, response)
        except _PASSING:
            raise
        except BaseException as error:  # noqa: BLE001 - litellm's some hundred classes, and tiktoken's panics
            result = _result(exchange, error)
        return _without(result, exchange.sent)


def _without(result: Reply | Failure, sent: frozenset[str]) -> Reply | Failure:
    """The result without the keys that were sent: in any form in errors, letter for letter in answers."""
    if isinstance(result, Failure):
        result = _said(result, lambda text: keys.hidden(text, sent))
    if not any(key in result.text for key in sent):
        return result
    return replace(result, text=keys.hidden(result.text, sent))


def _discreet(failure: Failure, secrets: dict[str, str]) -> Failure:
    """The failure in one line, without anything that may be a key."""
    quiet = _said(failure, lambda text: masked(text, secrets))
    return replace(quiet, message=one_line(quiet.message, {}), text=without_keys(failure.text, secrets))


def _said(failure: Failure, change: Callable[[str], str]) -> Failure:
    """The failure with a change in all that was said of it; what a model wrote stays."""
    return replace(
        failure,
        message=change(failure.message),
        code=failure.code and change(failure.code),
        param=failure.param and change(failure.param),
        codes=tuple(map(change, failure.codes)),
        body=change(failure.body),
    )


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
    if exchange.reading is not None and exchange.reading.understood and not readers(litellm):
        return response
    rest = [piece async for piece in pieces]
    found = [piece for piece in (*first, *rest) if piece is not None]
    return litellm.stream_chunk_builder(found) if found else response


# ---- litellm's settings and arguments ----


_lock = threading.Lock()
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
