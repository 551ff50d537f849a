"""The real hermes on loopback: a home folder for it, a model for its own turns, and agents that compact.

Needs hermes-agent beside the project (``make hermes`` builds such an environment).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["Own", "agent", "answering", "configured", "discovered", "is_summary", "sessions"]

Message = dict[str, Any]
_SUMMARY = "[CONTEXT COMPACTION"
_FRAME = "┃┃begin"
"""What stands before the records in a prompt of the gateway."""
_HIDDEN = ("OPENAI_", "OPENROUTER_", "ANTHROPIC_")


class Own:
    """The model that an agent itself runs on: it says ``reply`` (a text, or what a function makes of the
    request) to every turn, counts four characters a token, and keeps the requests. Requests for summaries are
    handed to ``summarizer``, a function of their body, where there is one.
    """

    def __init__(
        self,
        reply: str | Callable[[Mapping[str, Any]], Message] = "Done.",
        summarizer: Callable[[Mapping[str, Any]], Message] | None = None,
        window: int = 1_000_000,
    ) -> None:
        self.requests: list[Mapping[str, Any]] = []
        self.reply = reply
        self.summarizer = summarizer
        self.window = window
        self.root = ""

    @property
    def prompts(self) -> list[int]:
        """The tokens of each turn's prompt, by hermes' rule of thumb."""
        return [_tokens(request["messages"]) for request in self.requests]

    def answer(self, request: Mapping[str, Any]) -> Message:
        """The assistant's message to a request."""
        if self.summarizer is not None and _FRAME in str(request["messages"][-1].get("content")):
            return self.summarizer(request)
        self.requests.append(request)
        return (
            {"role": "assistant", "content": self.reply}
            if isinstance(self.reply, str)
            else self.reply(request)
        )


def _tokens(messages: list[Message]) -> int:
    return sum(len(json.dumps(message)) for message in messages) // 4


@contextmanager
def answering(own: Own) -> Iterator[Own]:
    """Serve a model on loopback while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            listed = {"id": "own", "object": "model", "context_length": own.window}
            self._send(json.dumps({"object": "list", "data": [listed]}), "application/json")

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
            message = own.answer(request)
            read = _tokens(request["messages"])
            usage = {"prompt_tokens": read, "completion_tokens": 3, "total_tokens": read + 3}
            if request.get("stream"):
                return self._send(_streamed(message, usage), "text/event-stream")
            choice = {"index": 0, "message": message, "finish_reason": _reason(message)}
            body = _named("chat.completion", [choice]) | {"usage": usage}
            return self._send(json.dumps(body), "application/json")

        def _send(self, text: str, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    own.root = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield own
    finally:
        server.shutdown()
        server.server_close()


def _streamed(message: Message, usage: Mapping[str, int]) -> str:
    delta = dict(message)
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": i, **call} for i, call in enumerate(delta["tool_calls"])]
    chunks = [
        [{"index": 0, "delta": delta, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": _reason(message)}],
    ]
    events: list[dict[str, Any]] = [_named("chat.completion.chunk", choices) for choices in chunks]
    events.append(_named("chat.completion.chunk", []) | {"usage": usage})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def _reason(message: Message) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _named(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "x", "object": kind, "created": 1, "model": "own", "choices": choices}


def configured(
    home: Path,
    own: str,
    *,
    auxiliary: Mapping[str, Any] | None = None,
    engine: str = "summarizer",
    window: int = 1_000_000,
    compression: Mapping[str, Any] | None = None,
    plugin: Mapping[str, Any] | None = None,
) -> None:
    """Write hermes' ``config.yaml``: ``own`` is the address of the agent's model, ``auxiliary`` the section
    ``auxiliary.compression``, ``plugin`` the options of the engine. JSON is YAML too.
    """
    model = {"default": "own", "provider": "custom", "base_url": own, "api_key": "sk-own"}
    config = {
        "model": model | {"context_length": window},
        "plugins": {"enabled": ["summarizer"], "entries": {"summarizer": dict(plugin or {})}},
        "context": {"engine": engine},
        "compression": dict(compression or {}),
        **({"auxiliary": {"compression": dict(auxiliary)}} if auxiliary else {}),
    }
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.yaml").write_text(json.dumps(config), "utf-8")
    os.environ["HERMES_HOME"] = str(home)
    for name in [name for name in os.environ if name.startswith(_HIDDEN)]:
        del os.environ[name]


def discovered() -> Any:
    """Load hermes' plugins anew, as at its start; gives the engine that is registered, if any."""
    plugins = import_module("hermes_cli.plugins")
    manager = plugins.get_plugin_manager()
    manager._context_engine = None
    plugins.discover_plugins(force=True)
    return plugins.get_plugin_context_engine()


def sessions(home: Path) -> Any:
    """hermes' database of sessions in a home folder."""
    return import_module("hermes_state").SessionDB(home / "state.db")


def agent(own: str, database: Any, session: str, heard: list[str]) -> Any:
    """An agent of hermes, as its gateway makes one; ``heard`` gets what its user is told."""
    return import_module("run_agent").AIAgent(
        base_url=own,
        api_key="sk-own",
        provider="custom",
        model="own",
        session_id=session,
        session_db=database,
        enabled_toolsets=["context_engine"],
        skip_context_files=True,
        quiet_mode=True,
        status_callback=lambda _, words: heard.append(str(words)),
    )


def is_summary(message: Mapping[str, Any]) -> bool:
    """Whether a message of a session holds a digest, by hermes' prefix."""
    return _SUMMARY in str(message.get("content"))
