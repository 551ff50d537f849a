"""The server around the application: its socket, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import uvicorn

from summarizer.errors import InvalidSettings
from summarizer.server.app import create_app
from summarizer.server.guarding import is_loopback
from summarizer.server.service import Service

__all__ = ["Server", "listening"]

_GRACE = 10
"""Seconds that requests have to end once the server is to stop: their runs come back at once with what they
have, so that this is for slow readers."""


class Server(uvicorn.Server):
    """A server that, told to stop, lets every run come back with what it has."""

    def __init__(self, service: Service) -> None:
        self._runs = service.runs
        super().__init__(
            uvicorn.Config(
                create_app(service),
                loop="asyncio",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",  # the application has its own log, without contents
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE,
            )
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal: the first one ends softly, another one at once."""
        self._runs.stop()
        super().handle_exit(sig, frame)

    def stop(self) -> None:
        """End softly, from another thread."""
        self._runs.stop()
        self.should_exit = True

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until a signal comes, or ``stop`` is called."""
        with _quiet_signals():
            self.run(sockets=[listener])


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on loopback. Raises ``InvalidSettings`` for another address, and for a port that
    is taken.
    """
    if not is_loopback(host):
        raise InvalidSettings(
            f"--host: expected an address of this machine alone (127.0.0.1, ::1, localhost), got {host!r:.80}"
            ": clients are not asked for a key, so that others on the network could use your models"
        )
    bare = "127.0.0.1" if host.lower().rstrip(".") == "localhost" else host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    try:
        return socket.create_server((bare, port), family=family, backlog=1024)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise InvalidSettings(
            f"--port: cannot listen on {host}, port {port}: {reason}; choose another one, or 0 for any"
        ) from None


@contextlib.contextmanager
def _quiet_signals() -> Iterator[None]:
    """Signals that ended the server are sent once more when it has ended: by then all is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[signal.Signals, Any] = {
        number: signal.signal(number, _ignored) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ignored(_: int, __: FrameType | None) -> None:
    """It was heard already."""
