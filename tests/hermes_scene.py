"""A scene for tests with the real hermes: its home, its own model, a provider for summaries, a session."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks import hermes_host, planted
from benchmarks.provider import Provider, _Server
from summarizer_providers.transports.script import Script

WINDOW = 200_000
"""Tokens: hermes compacts at three quarters of a window of this size."""
THRESHOLD = 150_000
ASK = "Please go on with the next step."


def need_hermes() -> None:
    """Skip where hermes is not installed; where it must be (``make hermes``), fail."""
    if os.environ.get("WITH_HERMES"):
        import hermes_cli  # noqa: F401
    else:
        pytest.importorskip("hermes_cli", reason="hermes-agent is not installed here: make hermes runs these")


@dataclass
class Scene:
    """``own`` is the agent's model, ``provider`` the one that summaries are asked of, at ``root``."""

    home: Path
    own: hermes_host.Own
    provider: Provider
    root: str
    heard: list[str] = field(default_factory=list)
    _database: Any = None

    def configure(self, **options: Any) -> None:
        """Write hermes' configuration and load its plugins anew."""
        auxiliary = {
            "provider": "custom",
            "base_url": self.root,
            "api_key": "sk-aux-12345678",
            "model": "aux",
        }
        hermes_host.configured(self.home, self.own.root, auxiliary=auxiliary, window=WINDOW, **options)
        hermes_host.discovered()

    @property
    def database(self) -> Any:
        """hermes' sessions."""
        if self._database is None:
            self._database = hermes_host.sessions(self.home)
        return self._database

    def agent(self, session: str = "s1") -> Any:
        """An agent for a session."""
        made = hermes_host.agent(self.own.root, self.database, session, self.heard)
        made._ensure_db_session()
        return made

    def restarted(self) -> None:
        """As after a new start of hermes: nothing is remembered but what lies on the disk."""
        from summarizer.hermes import services

        services._services.cache_clear()
        self._database = None
        hermes_host.discovered()

    def stored(self, session: str) -> list[dict[str, Any]]:
        """A session as hermes reads it from its database."""
        return list(self.database.get_messages_as_conversation(session))


@contextlib.contextmanager
def scene(folder: Path, **script: Any) -> Iterator[Scene]:
    """Everything on loopback; ``script`` are the parameters of the model that summarizes."""
    provider = Provider(Script(**{"window": 1_000_000, **script}))
    server = _Server(provider, 0)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()

    def summary(request: Mapping[str, Any]) -> dict[str, Any]:
        reply = provider.answer(request)
        return {"role": "assistant", "content": getattr(reply, "text", "")}

    try:
        with hermes_host.answering(hermes_host.Own(summarizer=summary, window=WINDOW)) as own:
            yield Scene(folder / "hermes", own, provider, f"http://127.0.0.1:{server.server_port}/v1")
    finally:
        server.shutdown()
        server.server_close()


def silent(_: object) -> dict[str, Any]:
    """The agent's own model, as the second rung of the ladder, gives no summaries either."""
    return {"role": "assistant", "content": ""}


def turn(scene: Scene, agent: Any, history: list[dict[str, Any]], ask: str = ASK) -> list[dict[str, Any]]:
    """The messages after a turn of the agent."""
    return list(agent.run_conversation(ask, "You are careful.", history)["messages"])


def session(tokens: int = 175_000, facts: int = 300, seed: int = 1) -> planted.Session:
    """A session that is due for compaction, with planted facts."""
    return planted.session(tokens, facts, seed)


def digest_of(messages: list[dict[str, Any]]) -> str:
    """The text of the one message that holds a digest."""
    (row,) = [message for message in messages if hermes_host.is_summary(message)]
    return str(row["content"])


def beside(messages: list[dict[str, Any]]) -> str:
    """All that the other messages say."""
    return "\n".join(planted.said(m) for m in messages if not hermes_host.is_summary(m))


def kept_share(made: planted.Session, messages: list[dict[str, Any]]) -> float:
    """Of the facts that stand nowhere else in a session, the share that its digest has to the letter."""
    elsewhere, digest = planted.facts_in(beside(messages)), planted.facts_in(digest_of(messages))
    only = {name: value for name, value in made.facts.items() if name not in elsewhere}
    assert only, "nothing went into the digest"
    return sum(digest.get(name) == value for name, value in only.items()) / len(only)


def assert_valid(messages: list[dict[str, Any]]) -> None:
    """What an API wants of a list: results follow their calls, and nobody speaks twice in a row."""
    open_calls: set[str] = set()
    before = ""
    for message in messages:
        role = message["role"]
        if role == "tool":
            assert message["tool_call_id"] in open_calls
            open_calls.discard(message["tool_call_id"])
        else:
            assert not open_calls
            assert role != before or role not in ("user", "assistant")
            open_calls = {call["id"] for call in message.get("tool_calls") or ()}
        before = role
    assert not open_calls
