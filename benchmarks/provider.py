"""Scripted models behind an OpenAI-compatible address on loopback, so that the whole client is exercised.

python -m benchmarks.provider [--port 0] [parameter=value …]      e.g. ceiling=4000 window=128000

The parameters are those of ``scripted/…`` models. ``POST …/chat/completions`` answers as the script says, in
pieces where that is asked for; ``GET /totals`` tells what was asked and answered so far; ``POST /script``
with an object changes parameters. ``outage_seconds`` beside them: every call within so many seconds of the
next one meets a 503.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.measure import environment
from benchmarks.planted import remark
from summarizer_providers.tokens import get_counter
from summarizer_providers.transports.script import Script, script_of
from summarizer_providers.transports.scripted import ScriptedTransport, answer
from summarizer_providers.types import Call, Failure, Hints, Message, Model, Passage, Reply

__all__ = ["Provider", "VariedTransport", "configure", "main", "serving", "totals", "varied"]

_WORDS = re.compile(r"at most ([\d,]+) words")
_TOKENS_PER_WORD = 1.35
_A_MESSAGE = 4
"""Tokens that a chat template puts around each message."""
_A_REMARK = 11
"""Tokens of a sentence of prose."""
_A_PIECE = 64
"""Characters of a streamed piece."""


class Provider:
    """A script, the number of the call, and the sums of what was asked and answered. Safe between threads."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.totals: Counter[str] = Counter(calls=0, failed=0, cuts=0, input_tokens=0, output_tokens=0)
        self._sent: Counter[str] = Counter()
        self._outage = 0.0
        self._back_at = 0.0
        self._lock = threading.Lock()

    def configure(self, changes: Mapping[str, Any]) -> None:
        """Other parameters from now on. Raises ValueError or TypeError for those that there are not."""
        with self._lock:
            given = dict(changes)
            self._outage = float(given.pop("outage_seconds", self._outage))
            self.script = replace(self.script, **given)

    def answer(self, body: Mapping[str, Any]) -> Reply | Failure:
        """What the model says to a request, after its latency."""
        call = _call(body)
        said = "".join(message.content for message in call.messages)
        with self._lock:
            self.totals["calls"] += 1
            number, nth, script = self.totals["calls"], self._sent[said], self.script
            self._sent[said] += 1
            out = self._is_out()
        down = Failure("The service is not available.", 503, "service_unavailable")
        reply = down if out else answer(script, call, nth, number)
        with self._lock:
            self._add(reply)
        written = reply.output_tokens or 0 if isinstance(reply, Reply) else 0
        time.sleep(script.latency + written * script.latency_per_token)
        return varied(reply)

    def _is_out(self) -> bool:
        if self._outage:
            self._outage, self._back_at = 0.0, time.monotonic() + self._outage
        return time.monotonic() < self._back_at

    def _add(self, reply: Reply | Failure) -> None:
        if isinstance(reply, Failure):
            self.totals["failed"] += 1
            return
        self.totals["cuts"] += reply.finish_reason == "length"
        self.totals["input_tokens"] += reply.input_tokens or 0
        self.totals["output_tokens"] += reply.output_tokens or 0


def varied(reply: Reply | Failure) -> Reply | Failure:
    """The same answer with prose that never repeats itself: the script's own, which has five sentences, would
    be taken for that of a model which is caught in a loop.
    """
    if isinstance(reply, Failure) or "\n" not in reply.text:
        return reply
    counter, rng = get_counter(), random.Random(reply.text)
    wanted, cut = (reply.output_tokens or 0) - reply.reasoning_tokens, reply.finish_reason == "length"
    lines = [line if line.startswith("FACT-") else remark(rng) for line in reply.text.split("\n")]
    lines += [remark(rng) for _ in range((wanted - counter.count("\n".join(lines))) // _A_REMARK + cut)]
    if cut:
        return replace(reply, text=counter.head("\n".join(lines), wanted))
    while counter.count("\n".join(lines)) > wanted and not lines[-1].startswith("FACT-"):
        lines.pop()
    return replace(reply, text="\n".join(lines))


class VariedTransport(ScriptedTransport):
    """``scripted/…`` models in this process, whose prose does not repeat itself."""

    async def send(self, call: Call) -> Reply | Failure:
        """The scripted answer, varied."""
        return varied(await super().send(call))


def _call(body: Mapping[str, Any]) -> Call:
    """The request as a scripted model reads it: all text is material; the length is the last one named."""
    said = tuple(Message(each["role"], each["content"] or "") for each in body["messages"])
    named = _WORDS.findall(said[-1].content[-2_000:])
    words = int(named[-1].replace(",", "")) if named else 0
    count = get_counter().count
    read = sum(count(message.content) + _A_MESSAGE for message in said)
    hints = Hints((Passage(0, "user", said[-1].content),), int(words * _TOKENS_PER_WORD), 1)
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    return Call(0, Model(f"scripted/{body['model']}"), said, hints, limit, read)


def _usage(reply: Reply) -> dict[str, int]:
    read, written = reply.input_tokens or 0, reply.output_tokens or 0
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Nothing: the totals tell what happened."""

    def do_GET(self) -> None:
        self._json(200, dict(self.server.provider.totals))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        if self.path == "/script":
            self.server.provider.configure(body)
            return self._json(200, {})
        reply = self.server.provider.answer(body)
        if isinstance(reply, Failure):
            error = {"message": reply.message, "type": reply.kind or "server_error", "code": reply.code}
            return self._json(reply.status or 500, {"error": error})
        if body.get("stream"):
            return self._stream(body, reply)
        said = {"role": "assistant", "content": reply.text}
        choice = {"index": 0, "message": said, "finish_reason": reply.finish_reason}
        return self._json(200, _named("chat.completion", body, [choice]) | {"usage": _usage(reply)})

    def _stream(self, body: Mapping[str, Any], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        pieces = [reply.text[at : at + _A_PIECE] for at in range(0, len(reply.text), _A_PIECE)]
        for delta, reason in [*(({"content": p}, None) for p in pieces), ({}, reply.finish_reason)]:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            self._event(_named("chat.completion.chunk", body, [choice]))
        self._event(_named("chat.completion.chunk", body, []) | {"usage": _usage(reply)})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, data: Mapping[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(data).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _json(self, status: int, data: Mapping[str, Any]) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _named(kind: str, body: Mapping[str, Any], choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "x", "object": kind, "created": 1, "model": body["model"], "choices": choices}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, provider: Provider, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.provider = provider

    def handle_error(self, *_: object) -> None:
        """A client that was killed in the middle is what some benchmarks are about."""


@contextmanager
def serving(**parameters: object) -> Iterator[str]:
    """A provider in a process of its own while the block runs; gives its root address."""
    pairs = [f"{name}={value}" for name, value in parameters.items()]
    command = [sys.executable, "-m", "benchmarks.provider", *pairs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as server:
        try:
            yield server.stdout.readline().strip() if server.stdout else ""
        finally:
            server.kill()


def totals(root: str) -> Counter[str]:
    """``calls`` (with ``failed`` and ``cuts`` among them), ``input_tokens`` and ``output_tokens`` so far."""
    with urllib.request.urlopen(f"{root}/totals") as reply:
        return Counter(json.load(reply))


def configure(root: str, **changes: object) -> None:
    """Other parameters for a running provider."""
    urllib.request.urlopen(f"{root}/script", json.dumps(changes).encode()).close()


def main(argv: Sequence[str] | None = None) -> int:
    """Print the address, then serve until interrupted."""
    parser = argparse.ArgumentParser(prog="benchmarks.provider", description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("parameters", nargs="*", metavar="parameter=value")
    given = parser.parse_args(argv)
    script = script_of(Model("scripted/model," + ",".join(given.parameters)))
    server = _Server(Provider(script), given.port)
    get_counter().count("")  # the table is loaded before anybody waits for it
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
