"""An OpenAI-compatible endpoint on loopback that cuts its answers, and counts calls and tokens for all alike.

python -m benchmarks.peers.server --ceiling 4000 [--window 1000000] [--port 0]

Its model repeats every planted fact that it reads, in order, a line each, with prose in between as it sees
fit, whatever length it is asked for. An answer is cut at the ceiling, at the request's ``max_tokens`` or at
the window, whichever is least, with ``finish_reason`` "length"; nothing tells the ceiling. A prompt above the
window is refused as OpenAI refuses it. ``GET /calls`` gives what was asked so far, an object a call.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from summarizer_providers.tokens import get_counter

__all__ = ["MODEL", "WINDOW", "Limits", "Served", "answer_to", "main", "remarks_in", "serving"]

MODEL = "house-model"  # a name that no table knows, so that no product finds limits for it by itself
WINDOW = 1_000_000
"""Tokens: an agent's session of 800,000 only exists where the window is larger."""
Body = dict[str, Any]
_FACT = re.compile(r"FACT-\d{6}: [^\n\"\\]+")
_REMARK = re.compile(r"Remark (\d+)-\d+ ")
_EVERY = 4  # facts between two remarks: about a quarter of an answer is prose
_REMARKS = (
    "the work went on from there without a surprise and was looked at once more.",
    "nobody had an objection, so it stayed as it was written down here.",
    "what came after depends on it, which is why it is told in this place.",
)
_PIECE = 600  # characters of one streamed event
# Seconds: about fifty times as fast as a hosted model, so that sixteen answers of a thousand tokens take one.
_FIRST, _READ, _WRITE = 0.02, 1e-6, 1 / 5_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The most tokens that one answer may have, and prompt and answer together."""

    ceiling: int
    window: int = WINDOW


@dataclass(frozen=True, slots=True)
class Served:
    """One call: ``status``, tokens read and written, ``finish`` ("stop", "length" or empty), and the numbers
    of earlier answers whose remarks its prompt repeats.
    """

    number: int
    status: int
    prompt_tokens: int
    completion_tokens: int
    finish: str
    repeats: tuple[int, ...]


def remarks_in(text: str) -> set[int]:
    """The numbers of the answers of which at least one remark stands in the text."""
    return {int(number) for number in _REMARK.findall(text)}


def answer_to(prompt: str, number: int) -> str:
    """What the model writes to a prompt if nothing cuts it: facts, and remarks with the call's number."""
    facts = list(dict.fromkeys(match.strip() for match in _FACT.findall(prompt)))
    lines = [_remark(number, 0)]
    for at in range(0, len(facts), _EVERY):
        lines += [*facts[at : at + _EVERY], _remark(number, at // _EVERY + 1)]
    return "\n".join(lines)


def _remark(number: int, index: int) -> str:
    return f"Remark {number}-{index} says that {_REMARKS[index % len(_REMARKS)]}"


def _text_of(messages: Sequence[Body]) -> str:
    """Everything in a prompt that a model reads, a line a part."""
    return "\n".join(part for message in messages for part in _parts(message))


def _parts(message: Body) -> Iterator[str]:
    content = message.get("content") or ""
    yield content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    for call in message.get("tool_calls") or ():
        # As a model reads them: an escaped line break in arguments is one, too.
        yield call["function"]["arguments"].replace("\\n", "\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, limits: Limits, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.limits, self.calls, self.lock, self.taken = limits, list[Served](), threading.Lock(), 0
        self.counter = get_counter()

    def handle_error(self, *_: object) -> None:
        """A client that goes away is its own affair."""

    def number(self) -> int:
        with self.lock:
            self.taken += 1
            return self.taken


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Nothing: ``/calls`` tells."""

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/calls"):
            self._json(200, [asdict(call) for call in self.server.calls])
        elif self.path.rstrip("/").endswith("/models"):
            self._json(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        else:
            self._json(404, {"error": {"message": f"no such route: {self.path}"}})

    def do_POST(self) -> None:
        body = json.loads(self._body())
        if not self.path.rstrip("/").endswith("/chat/completions"):
            self._json(404, {"error": {"message": f"no such route: {self.path}"}})
            return
        number, prompt = self.server.number(), _text_of(body["messages"])
        tokens = self.server.counter.count(prompt) + 4 * len(body["messages"])
        if tokens >= self.server.limits.window:
            self._refuse(number, prompt, tokens)
        else:
            self._answer(body, number, prompt, tokens)

    def _body(self) -> bytes:
        if "chunked" not in (self.headers.get("transfer-encoding") or "").lower():
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        data = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _refuse(self, number: int, prompt: str, tokens: int) -> None:
        message = (
            f"Input tokens exceed the configured limit of {self.server.limits.window} tokens. Your messages "
            f"resulted in {tokens} tokens. Please reduce the length of the messages."
        )
        self._note(Served(number, 400, tokens, 0, "", tuple(sorted(remarks_in(prompt)))))
        error = {"type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}
        self._json(400, {"error": {"message": message, **error}})

    def _answer(self, body: Body, number: int, prompt: str, tokens: int) -> None:
        limits, count = self.server.limits, self.server.counter
        asked = body.get("max_completion_tokens") or body.get("max_tokens") or limits.ceiling
        most = min(limits.ceiling, int(asked), limits.window - tokens)
        whole = answer_to(prompt, number)
        text = count.head(whole, most)
        written, finish = count.count(text), "stop" if text == whole else "length"
        time.sleep(_FIRST + tokens * _READ + written * _WRITE)
        self._note(Served(number, 200, tokens, written, finish, tuple(sorted(remarks_in(prompt)))))
        head: Body = {"id": f"chatcmpl-{number}", "created": int(time.time()), "model": MODEL}
        usage = {"prompt_tokens": tokens, "completion_tokens": written, "total_tokens": tokens + written}
        if body.get("stream"):
            self._stream(head, text, finish, usage)
        else:
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self._json(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    def _note(self, call: Served) -> None:
        with self.server.lock:
            self.server.calls.append(call)

    def _stream(self, head: Body, text: str, finish: str, usage: Body) -> None:
        head = {**head, "object": "chat.completion.chunk"}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        deltas: list[Body] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": text[at : at + _PIECE]} for at in range(0, len(text), _PIECE)]
        for delta in deltas:
            self._event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        self._event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        self._event({**head, "choices": [], "usage": usage})
        self._chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, event: Body) -> None:
        self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _json(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serving(limits: Limits, port: int = 0) -> Iterator[str]:
    """The endpoint while the block runs, in threads of this process; gives its root address, without /v1."""
    server = _Server(limits, port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until standard input ends or the process is stopped; the first line printed is the address."""
    parser = argparse.ArgumentParser(prog="benchmarks.peers.server", description=__doc__.splitlines()[0])
    parser.add_argument("--ceiling", type=int, required=True, help="most tokens of an answer")
    parser.add_argument("--window", type=int, default=WINDOW, help="most tokens of prompt and answer")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args(argv)
    with serving(Limits(given.ceiling, given.window), given.port) as root:
        print(root, flush=True)
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
