"""A server on loopback that gives each case of a corpus its reply, byte for byte, whatever it is asked.

python -m benchmarks.quirk_replay --corpus FILE [--port 0]

A request below ``/<number of the case>/`` is answered as the case's ``wire`` says: ``status`` (200),
``headers`` (an underscore in a name stands for a hyphen), ``delay`` (seconds), one of ``json``, ``text`` and
``sse`` (objects become ``data:`` events, texts go as they are; ``{"$bytes": …}`` in the place of a text holds
latin-1 encoded bytes), ``drop`` (the connection ends after the last event; "rst" resets it), ``drop_body``
(500 bytes fewer come than were announced), ``reset_before`` (the connection is reset before any reply).
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["Case", "main", "read_corpus", "serving"]

Case = Mapping[str, Any]
_MISSING = 500
_PAUSE = 0.005  # seconds between events, so that they leave as separate pieces
_AT_ONCE = struct.pack("ii", 1, 0)


def read_corpus(path: Path) -> list[Case]:
    """The cases of a file with one JSON object a line; an empty line is passed over."""
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Nothing: what happened is told by the benchmark."""

    def do_POST(self) -> None:
        try:
            self._take()
            number = self.path.lstrip("/").partition("/")[0]
            wire = self.server.wires.get(number)
            if wire is None:
                self._head({"status": 404}, {"content-length": "0"})
            else:
                self.server.requests[number] = self.server.requests.get(number, 0) + 1
                self._answer(wire)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST  # noqa: N815 - the name is the base class's

    def _take(self) -> None:
        """Read the request's body, of a known length or in chunks; what it holds does not matter."""
        if "chunked" not in (self.headers.get("transfer-encoding") or "").lower():
            self.rfile.read(int(self.headers.get("content-length") or 0))
            return
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            self.rfile.read(size + 2)
        self.rfile.readline()

    def _answer(self, wire: Case) -> None:
        time.sleep(wire.get("delay", 0))
        if wire.get("reset_before"):
            self._break(reset=True)
        elif "sse" in wire:
            self._stream(wire)
        else:
            self._whole(wire)

    def _whole(self, wire: Case) -> None:
        if "json" in wire:
            kind, data = "application/json", json.dumps(wire["json"], separators=(",", ":")).encode()
        else:
            kind, data = "text/plain; charset=utf-8", _bytes(wire.get("text", ""))
        announced = len(data) + (_MISSING if wire.get("drop_body") else 0)
        self._head(wire, {"content-type": kind, "content-length": str(announced)})
        self.wfile.write(data)
        if wire.get("drop_body"):
            self.wfile.flush()
            self._break(reset=False)

    def _stream(self, wire: Case) -> None:
        self._head(wire, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        for event in wire["sse"]:
            data = _bytes(event)
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
            time.sleep(_PAUSE)
        if wire.get("drop"):
            self._break(reset=wire["drop"] == "rst")
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, wire: Case, headers: Mapping[str, str]) -> None:
        given = {
            name.replace("_", "-").lower(): str(value) for name, value in (wire.get("headers") or {}).items()
        }
        self.send_response(wire.get("status", 200))
        for name, value in {**headers, **given}.items():
            self.send_header(name, value)
        self.end_headers()

    def _break(self, *, reset: bool) -> None:
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        else:
            self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True
        self.connection.close()


def _bytes(item: Any) -> bytes:
    if isinstance(item, str):
        return item.encode()
    if isinstance(item, dict) and set(item) == {"$bytes"}:
        return str(item["$bytes"]).encode("latin-1")
    return b"data: " + json.dumps(item, separators=(",", ":")).encode() + b"\n\n"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, cases: Sequence[Case], port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.wires = {str(i): case.get("wire") or {} for i, case in enumerate(cases)}
        self.requests: dict[str, int] = {}

    def handle_error(self, *_: object) -> None:
        """A client that went away in the middle is part of some cases."""


@contextmanager
def serving(cases: Sequence[Case], port: int = 0) -> Iterator[str]:
    """A server for the cases while the block runs; gives its root address."""
    server = _Server(cases, port)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve a corpus until interrupted."""
    parser = argparse.ArgumentParser(prog="benchmarks.quirk_replay", description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args(argv)
    with serving(read_corpus(given.corpus), given.port) as root:
        print(root, flush=True)
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
