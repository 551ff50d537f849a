"""Brings litellm in: once, off the event loop, with its requests watched and its log kept to itself."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from summarizer_providers.transports.exchange import Exchange, discreet, ours, watch
from summarizer_providers.transports.shims import without_tool_servers
from summarizer_providers.types import Call, Hints, Model

__all__ = ["load", "readers"]

_LOGGERS = ("LiteLLM", "httpx", "openai._base_client")
_READERS = ("callbacks", "success_callback", "_async_success_callback")
_ANTHROPIC = (
    *("litellm.litellm_core_utils.default_encoding", "litellm.proxy.guardrails.exception_utils"),
    *("litellm.llms.anthropic.completion.transformation", "fastapi.exceptions"),
)
_LAZY: dict[str, tuple[str, ...]] = {
    "anthropic": _ANTHROPIC,
    "vertex_ai": _ANTHROPIC,
    "azure_ai": _ANTHROPIC,
    "bedrock": (*_ANTHROPIC, "boto3"),
}
"""What litellm imports in the middle of a route's first call, where that takes more than 0.1 CPU seconds."""

_NO_CALL = Call(0, Model("openai/x"), (), Hints((), 0, 0), 0, 0)
_lock = threading.Lock()
_loads: dict[str, Future[Any]] = {}


async def load(route: str) -> Any:
    """litellm, ready for calls of a route (of its names' first part). The first time takes about 4 CPU
    seconds in a thread of its own. Raises whatever keeps litellm from loading; the next call tries again.
    """
    future = _begun(route)
    return future.result() if future.done() else await asyncio.wrap_future(future)


def readers(litellm: Any) -> bool:
    """Whether the program has somebody read litellm's log; "cache" is litellm's own."""
    return any(reader != "cache" for name in _READERS for reader in getattr(litellm, name, None) or ())


def _begun(route: str) -> Future[Any]:
    """The loading of a route that all its calls wait for, whatever their loops."""
    with _lock:
        future = _loads.get(route)
        if future is None or (future.done() and future.exception() is not None):
            future = _loads[route] = Future()
            future.set_running_or_notify_cancel()  # a call that is cancelled leaves it to the others
            threading.Thread(target=_finish, args=(future, route), name=f"litellm for {route}").start()
        return future


def _finish(future: Future[Any], route: str) -> None:
    try:
        with _importing, _uncollected():
            litellm = _module[0] if _module else _imported()
            for name in ("openai.resources.chat", *_LAZY.get(route, ())):
                with suppress(Exception):
                    import_module(name)
    except BaseException as error:  # noqa: BLE001 - whatever a foreign package raises, somebody waits for it
        future.set_exception(error)
    else:
        future.set_result(litellm)


_importing = threading.Lock()
_module: list[Any] = []


def _imported() -> Any:
    """litellm with its requests watched. Importing it must not ask the network for prices."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    httpx, litellm = import_module("httpx"), import_module("litellm")
    without_tool_servers()
    # They quote what a provider sent in the wrong place, and that may be the key.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    watch(httpx.AsyncClient)
    _log_only_where_asked(litellm)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(discreet)
    _rehearse(litellm)
    _module.append(litellm)
    return litellm


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector. What is imported stays, and looking through it again and again takes a
    fifth of the time, in stretches of up to 0.2 s that stop every thread; and so would a first look at all of
    it at the end, which is why it is put among the old objects unseen.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _rehearse(litellm: Any) -> None:
    """A call that is not sent: a tenth of litellm is imported by the first one, which would stop the loop."""
    if not readers(litellm):
        said = [{"role": "user", "content": "x"}]
        with Exchange(_NO_CALL, dict), suppress(Exception):
            litellm.completion(model="openai/x", messages=said, mock_response="x", api_key="none")


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
        if not ours() or readers(litellm):
            return plain(async_coroutine)
        return async_coroutine.close()

    worker.ensure_initialized_and_enqueue = enqueue
