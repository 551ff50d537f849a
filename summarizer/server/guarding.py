"""What stands before every route: who may ask, how much they may send, and what is said where all fails."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from summarizer.server.refusals import Refusal, as_sent

__all__ = ["Guard", "is_loopback", "json_of", "refused"]

logger = logging.getLogger("summarizer.server")

_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


def is_loopback(host: str) -> bool:
    """Whether a host's name or address can only mean this machine."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def refused(refusal: Refusal) -> Response:
    """A refusal as it is sent."""
    return Response(
        as_sent(refusal.body), refusal.status, dict(refusal.headers), media_type="application/json"
    )


class Guard:
    """Lets requests through that name this machine, and that no page of another site has made a browser send:
    a name that an attacker points here (DNS rebinding) is not ours. Also the log, which has no contents.
    """

    def __init__(self, app: ASGIApp, paths: Iterable[str] = ()) -> None:
        self._app = app
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_missing(message["headers"])]
            await send(message)

        try:
            await (_stranger(scope) or self._app)(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - what it says may hold what was sent
            logger.error("%s in %s", type(error).__name__, _place(error))
            if not status:
                await refused(_failed())(scope, receive, sending)
        path = scope["path"] if scope["path"] in self._paths else "another path"
        logger.info("%s %s: %d, %.1f s", scope["method"], path, status, time.monotonic() - started)


def _failed() -> Refusal:
    return Refusal(500, "the server failed; its log says where", code="internal_error")


def _missing(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    there = {name for name, _ in headers}
    return [header for header in _HEADERS if header[0] not in there]


def _place(error: BaseException) -> str:
    """Where an error was raised, without what it says."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "?" if trace is None else f"{trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno}"


def _stranger(scope: Scope) -> Response | None:
    """The answer to a request that this server is not meant for."""
    request = Request(scope)
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    if not is_loopback(_host_of(f"//{host}")):
        return refused(Refusal(403, "Host: expected the name of this machine (127.0.0.1, localhost)", "Host"))
    if origin is not None and not is_loopback(_host_of(origin)):
        return refused(Refusal(403, "Origin: a page of another site may not use this server", "Origin"))
    return None


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


async def json_of(request: Request, most: int) -> dict[str, Any]:
    """The JSON object of a request's body of at most ``most`` bytes. Raises ``Refusal``."""
    data = await _body_of(request, most)
    try:
        value = await asyncio.to_thread(json.loads, data)
    except RecursionError:
        raise Refusal(400, "the body: expected JSON, got one that is nested too deeply") from None
    except ValueError as error:
        where = f" at byte {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise Refusal(400, f"the body: expected JSON, got something else{where}") from None
    if not isinstance(value, dict):
        raise Refusal(400, "the body: expected a JSON object with messages") from None
    return value


async def _body_of(request: Request, most: int) -> bytes:
    stated = request.headers.get("content-length", "0")
    if stated.isdecimal() and int(stated) > most:
        raise _too_large(most)
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise _too_large(most)
    except ClientDisconnect:
        raise Refusal(400, "the body: the client went away before its end") from None
    return bytes(body)


def _too_large(most: int) -> Refusal:
    return Refusal(413, f"the body: expected at most {most:,} bytes", headers={"connection": "close"})
