"""A scripted model on loopback that keeps a book of its calls: when each began, and when its answer was out.

python -m benchmarks.journal_server [--least 0.05] [--most 0.2] [parameter=value …]

The parameters are those of ``scripted/…`` models; an answer takes from ``--least`` to ``--most`` seconds,
drawn from what is asked. ``GET /calls`` gives the book, ``POST /begin`` empties it and sets parameters, and
``POST /wait`` is answered when so many calls have come, or after a moment.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.measure import environment
from benchmarks.provider import Provider
from summarizer_providers.tokens import get_counter
from summarizer_providers.transports.script import Script, script_of
from summarizer_providers.types import Failure, Model, Reply

__all__ = ["Entry", "awaited", "begin", "booked", "main", "serving"]

_A_PIECE = 64
"""Characters of a streamed piece."""
_A_MOMENT = 0.5
"""Seconds."""


@dataclass(slots=True)
class Entry:
    """A call: when it was read whole (seconds of the machine's monotonic clock), when the last byte of its
    answer was handed over (None: never, since nobody was there any more), and its tokens.
    """

    began: float
    ended: float | None = None
    read: int = 0
    written: int = 0
    reason: str = ""

    def was_cut_off(self, kills: Sequence[float]) -> bool:
        """Whether its caller was killed before the answer was out; ``kills``: moments of the same clock."""
        ended = self.ended
        return ended is None or any(self.began <= kill < ended for kill in kills)


class _Server:
    """The model, its latency, and the book."""

    def __init__(self, script: Script, latency: tuple[float, float]) -> None:
        self.script = script
        self.latency = latency
        self._came = asyncio.Event()
        self.begin({})

    def begin(self, changes: Mapping[str, Any]) -> None:
        """A new book, and other parameters."""
        self.script = replace(self.script, **changes)
        self.provider = Provider(self.script)
        self.book: list[Entry] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until it is closed or lost."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
                body = await reader.readexactly(int(size or 0))
                await self._answer(head.split()[1].decode(), body, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # a client that was killed is what is measured here
        finally:
            writer.close()

    async def _answer(
        self, path: str, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if path == "/calls":
            writer.write(_whole(200, [asdict(entry) for entry in self.book]))
        elif path == "/begin":
            self.begin(json.loads(body))
            writer.write(_whole(200, {}))
        elif path == "/wait":
            writer.write(_whole(200, await self._awaited(json.loads(body))))
        else:
            entry = Entry(time.monotonic())
            self.book.append(entry)
            self._came.set()
            writer.write(await self._said(entry, json.loads(body)))
            await writer.drain()
            entry.ended = None if reader.at_eof() else time.monotonic()
        await writer.drain()

    async def _awaited(self, calls: int) -> int:
        until = time.monotonic() + _A_MOMENT
        while len(self.book) < calls and (left := until - time.monotonic()) > 0:
            self._came.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._came.wait(), left)
        return len(self.book)

    async def _said(self, entry: Entry, body: Mapping[str, Any]) -> bytes:
        reply = self.provider.answer(body)
        if isinstance(reply, Reply):
            entry.read, entry.written = reply.input_tokens or 0, reply.output_tokens or 0
        entry.reason = str(reply.finish_reason if isinstance(reply, Reply) else reply.status)
        await asyncio.sleep(random.Random(str(body["messages"])).uniform(*self.latency))
        return _answered(reply, body)


def _answered(reply: Reply | Failure, body: Mapping[str, Any]) -> bytes:
    if isinstance(reply, Failure):
        return _whole(reply.status or 500, {"error": {"message": reply.message, "type": "server_error"}})
    if body.get("stream"):
        return _streamed(reply, str(body["model"]))
    said = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": said, "finish_reason": reply.finish_reason}
    return _whole(200, _named("chat.completion", str(body["model"]), [choice]) | {"usage": _usage(reply)})


def _usage(reply: Reply) -> dict[str, int]:
    read, written = reply.input_tokens or 0, reply.output_tokens or 0
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _named(kind: str, model: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "x", "object": kind, "created": 1, "model": model, "choices": choices}


def _whole(status: int, data: object) -> bytes:
    content = json.dumps(data).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    return head.encode() + content


def _streamed(reply: Reply, model: str) -> bytes:
    pieces = [reply.text[at : at + _A_PIECE] for at in range(0, len(reply.text), _A_PIECE)]
    events = [
        _named("chat.completion.chunk", model, [{"index": 0, "delta": delta, "finish_reason": reason}])
        for delta, reason in [*(({"content": p}, None) for p in pieces), ({}, reply.finish_reason)]
    ]
    events.append(_named("chat.completion.chunk", model, []) | {"usage": _usage(reply)})
    said = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events] + [b"data: [DONE]\n\n"]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in said) + b"0\r\n\r\n"


# ---- from outside ----


@contextmanager
def serving(least: float = 0.05, most: float = 0.2, **parameters: object) -> Iterator[str]:
    """A server in a process of its own while the block runs; gives its root address."""
    pairs = [f"{name}={value}" for name, value in parameters.items()]
    command = [
        sys.executable,
        "-m",
        "benchmarks.journal_server",
        f"--least={least}",
        f"--most={most}",
        *pairs,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as server:
        try:
            yield server.stdout.readline().strip() if server.stdout else ""
        finally:
            server.kill()


def begin(root: str, **changes: object) -> None:
    """Empty the book of a running server, and set other parameters."""
    urllib.request.urlopen(f"{root}/begin", json.dumps(changes).encode()).close()


def awaited(root: str, calls: int) -> int:
    """Wait a moment until so many calls have come; how many came so far."""
    with urllib.request.urlopen(f"{root}/wait", json.dumps(calls).encode()) as reply:
        return int(json.load(reply))


def booked(root: str) -> list[Entry]:
    """The calls since the book was emptied, in the order in which they came."""
    with urllib.request.urlopen(f"{root}/calls") as reply:
        return [Entry(**entry) for entry in json.load(reply)]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the address, then serve until interrupted."""
    parser = argparse.ArgumentParser(prog="benchmarks.journal_server", description=__doc__.splitlines()[0])
    parser.add_argument("--least", type=float, default=0.05, help="seconds")
    parser.add_argument("--most", type=float, default=0.2, help="seconds")
    parser.add_argument("parameters", nargs="*", metavar="parameter=value")
    given = parser.parse_args(argv)
    script = script_of(Model("scripted/model," + ",".join(given.parameters)))
    get_counter().count("")  # the table is loaded before anybody waits for it
    asyncio.run(_serve(_Server(script, (given.least, given.most))))
    return 0


async def _serve(server: _Server) -> None:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, backlog=512)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    raise SystemExit(main())
