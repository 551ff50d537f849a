"""An endpoint on loopback that answers as a test says, and calls to it through litellm."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
import time
import warnings
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from summarizer_providers.transports.litellm import LitellmTransport
from summarizer_providers.types import Call, Failure, Hints, Message, Model, Reply

KEY = "sk-proj-0123456789abcdefghij"
ROUTES = ["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash", "ollama_chat/llama3"]
ROUTES += ["hosted_vllm/m", "zai/glm-4.6", "nvidia_nim/m"]  # on the last two litellm loses ``max_retries``
OPENAI: dict[str, Any] = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "A summary."}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
}


def load_litellm() -> None:
    """litellm, imported once; what it warns of at import is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm  # noqa: F401


class Server:
    """An endpoint on loopback: ``answers`` is what it does with each request, ``paths`` what it got."""

    def __init__(self, answers: Callable[[Any], None]) -> None:
        self.paths: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.body = self.rfile.read(int(self.headers.get("content-length") or 0))
                server.paths.append(self.path)
                answers(self)

            def log_message(self, *_: object) -> None:
                pass

        class Loopback(ThreadingHTTPServer):
            request_queue_size = 128

            def handle_error(self, *_: object) -> None:
                """A client that went away is what some tests are about."""

        self._http = Loopback(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.root = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def saying(
    body: object = OPENAI, status: int = 200, headers: dict[str, str] | None = None, delay: float = 0
) -> Callable[[Any], None]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(handler: Any) -> None:
        time.sleep(delay)
        handler.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def resetting(handler: Any) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    closing(handler)


def closing(handler: Any) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def breaking_off(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    closing(handler)


def model(name: str, root: str, **fields: Any) -> Model:
    bare = name.partition("/")[0] in ("anthropic", "gemini", "ollama_chat")
    return Model(name, api_base=root if bare else f"{root}/v1", **fields)


def a_call(model: Model, timeout: float = 20.0) -> Call:
    messages = (Message("system", "Summarize."), Message("user", "A long text."))
    return Call(1, model, messages, Hints((), 100, 1), max_tokens=500, prompt_tokens=10, timeout=timeout)


def send(model: Model, timeout: float = 20.0) -> Reply | Failure:
    return asyncio.run(LitellmTransport().send(a_call(model, timeout)))


def failed(answers: Callable[[Any], None], name: str = "openai/gpt-4o", timeout: float = 20.0) -> Failure:
    with Server(answers) as server:
        result = send(model(name, server.root), timeout)
    assert isinstance(result, Failure), result
    assert len(server.paths) == 1
    return result


def replied(body: object, name: str = "openai/gpt-4o") -> Reply:
    with Server(saying(body)) as server:
        result = send(model(name, server.root))
    assert isinstance(result, Reply), result
    return result
