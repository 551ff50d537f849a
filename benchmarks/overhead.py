"""What the client adds to a call: its CPU against that of bare `litellm.acompletion`, on one local server.

python -m benchmarks.overhead [--calls N] [--rounds N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from benchmarks.measure import environment, log, table
from summarizer_providers.client import Client
from summarizer_providers.types import Call, Hints, Message, Model

__all__ = ["main"]

AT_ONCE = 64
LONGEST = 1_800
WORDS = [f"word{i} " for i in range(200)]
TEXT = "Some words of a chunk that is to be summarized. " * 100
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 200, "total_tokens": 1_200}
BASE: dict[str, Any] = {"id": "x", "created": 1, "model": "m"}
KINDS = {
    "bare": "litellm.acompletion",
    "client": "our client, by default",
    "bare-stream": "litellm.acompletion, streamed",
    "client-stream": "our client, streamed",
}


def plain() -> bytes:
    """A whole answer of 200 words."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "".join(WORDS)},
        "finish_reason": "stop",
    }
    return json.dumps({**BASE, "object": "chat.completion", "choices": [choice], "usage": USAGE}).encode()


def pieces() -> list[bytes]:
    """The same answer in pieces, a word each."""
    deltas: list[tuple[dict[str, str], str | None]] = [({"content": word}, None) for word in WORDS] + [
        ({}, "stop")
    ]
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": d, "finish_reason": r}]} for d, r in deltas
    ]
    events.append({"choices": [], "usage": USAGE})
    named = ({**BASE, "object": "chat.completion.chunk", **event} for event in events)
    return [b"data: " + json.dumps(event).encode() + b"\n\n" for event in named] + [b"data: [DONE]\n\n"]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection: an answer to each request, in pieces where that is asked for."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            body = await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
            if b'"stream":true' in body.replace(b": ", b":"):
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                    b"transfer-encoding: chunked\r\n\r\n"
                )
                for piece in PIECES:
                    writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    await writer.drain()
                writer.write(b"0\r\n\r\n")
            else:
                head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
                writer.write(head % len(PLAIN) + PLAIN)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def serve() -> None:
    """Prints its port, then answers until its standard input ends: it never outlives the benchmark."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)
    os._exit(0)  # connections that are still open are nobody's any more


def sender(kind: str, root: str) -> Callable[[int], Awaitable[None]]:
    """A function that makes one call of a kind."""
    import litellm

    client, stream = Client(), kind.endswith("stream")
    messages = [("system", "Summarize."), ("user", TEXT)]

    async def bare(_: int) -> None:
        response = await litellm.acompletion(
            model="openai/gpt-4o",
            messages=[{"role": role, "content": content} for role, content in messages],
            max_tokens=500,
            api_base=root,
            api_key="none",
            stream=stream,
        )
        if stream:
            async for _piece in response:
                pass

    async def ours(number: int) -> None:
        model = Model("openai/gpt-4o", api_base=root, extra={"api_key": "none"})
        said = tuple(Message(role, content) for role, content in messages)  # type: ignore[arg-type]
        await client.send(
            Call(number, model, said, Hints((), 200, 1), 500, 1_000, stream=True if stream else None)
        )

    return bare if kind.startswith("bare") else ours


async def calls(kind: str, root: str, number: int) -> float:
    """CPU milliseconds a call, of ``number`` calls, 64 at a time, after 32 that do not count."""
    send, gate = sender(kind, root), asyncio.Semaphore(AT_ONCE)

    async def one(i: int) -> None:
        async with gate:
            await send(i)

    await asyncio.gather(*map(one, range(32)))
    before = time.process_time()
    await asyncio.gather(*map(one, range(number)))
    return (time.process_time() - before) / number * 1e3


def command(*arguments: str) -> list[str]:
    """This benchmark again, as a child."""
    return [sys.executable, "-W", "ignore", "-m", "benchmarks.overhead", *arguments]


def child(*arguments: str) -> float:
    """One kind of call, measured in a process of its own; raises RuntimeError where that fails."""
    ran = subprocess.run(
        command(*arguments),
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
        timeout=LONGEST,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {ran.returncode}")
    return float(ran.stdout.split()[-1])


@contextmanager
def serving() -> Iterator[str]:
    """The server's address, while it runs; whatever happens here, it ends."""
    with subprocess.Popen(
        command("--serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    ) as server:
        try:
            port = server.stdout.readline() if server.stdout else ""
            if not port:
                raise RuntimeError("the server did not start")
            yield f"http://127.0.0.1:{int(port)}/v1"
        finally:
            server.kill()


def measured(number: int, rounds: int) -> dict[str, list[float]]:
    """CPU milliseconds a call of each kind in each round. The kinds take turns, so that what else the machine
    does falls on all alike; streamed calls are a fortieth, since litellm's own take twenty times as long.
    """
    spent: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with serving() as root:
        for turn in range(rounds):
            for kind in KINDS if turn % 2 == 0 else reversed(KINDS):
                few = max(1, number // 40) if kind.endswith("stream") else number
                spent[kind].append(child("--kind", kind, "--root", root, "--calls", str(few)))
                log(f"round {turn + 1} of {rounds}: {KINDS[kind]}: {spent[kind][-1]:.2f} ms")
    return spent


def report(spent: dict[str, list[float]], number: int) -> None:
    """The least and the median of the rounds, against bare litellm's, and the ratio that counts."""
    bare = spent["bare"]
    rows = [
        [KINDS[kind], min(each), median(each), min(each) / min(bare), median(each) / median(bare)]
        for kind, each in spent.items()
    ]
    head = ["CPU ms a call", "least", "median", "least to bare", "median to bare"]
    table(f"{number} calls, {AT_ONCE} at a time", head, rows)
    print(f"\nour client / bare litellm.acompletion: {min(spent['client']) / min(bare):.2f} (≤ 1.3)")


def main() -> None:
    """Measures each kind in turn, or is one of the children that are measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    parser.add_argument("--root", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve())
    elif given.kind:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            print(asyncio.run(calls(given.kind, given.root, given.calls)))
    else:
        report(measured(given.calls, given.rounds), given.calls)


PLAIN, PIECES = plain(), pieces()

if __name__ == "__main__":
    main()
