"""What a user writes into hermes' configuration, and calls through hermes' own clients."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from summarizer.events import CeilingLearned, Planned, SectionDone
from summarizer.hermes.attempts import Attempt, Progress
from summarizer.hermes.options import options_in
from summarizer.hermes.transport import HostTransport
from summarizer_providers.types import Call, Failure, Hints, Message, Reply


def config(plugin: object = None, **compression: object) -> dict[str, Any]:
    return {"plugins": {"entries": {"summarizer": plugin}}, "compression": compression}


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({}, "share", 0.15),
        (None, "share", 0.15),
        (config({"budget_share": 0.3}), "share", 0.3),
        (config({"deadline": "90"}), "deadline", 90.0),
        (config({"tools": False}), "tools", False),
        (config({"models": "openai/gpt-4o-mini"}), "models", "openai/gpt-4o-mini"),
        (config({"models": [{"name": "openai/x", "api_base": "http://h/v1"}]}), "models", "openai/x"),
        (config(threshold=0.8), "threshold", 0.8),
        (config(protect_first_n=0), "first", 0),
        (config(protect_last_n=5), "last", 5),
        (config(abort_on_summary_failure="yes"), "keep_gaps", True),
        ({"model": {"max_tokens": 8192}}, "max_tokens", 8192),
        ({"model": "a name"}, "max_tokens", None),
    ],
)
def test_options_are_read(given: dict[str, Any], name: str, value: object) -> None:
    """The plugin's own entry, and what hermes has under ``compression``."""
    options = options_in(given)
    found = getattr(options, name)
    assert (found[0].name if name == "models" else found) == value
    assert options.problems == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            config({"budget_share": 3}),
            "plugins.entries.summarizer.budget_share: expected a number from 0.01 to 0.5",
        ),
        (config({"deadline": "soon"}), "deadline: expected a number"),
        (config({"budget": 10}), "plugins.entries.summarizer.budget: unknown"),
        (config({"models": ["nonsense"]}), "plugins.entries.summarizer.models[0]"),
        (config({"instructions": 7}), "instructions: expected a text"),
        (config(threshold=[]), "compression.threshold: expected a number"),
    ],
)
def test_what_cannot_be_read_is_said_and_the_default_holds(given: dict[str, Any], words: str) -> None:
    """A mistake in the configuration never stops hermes."""
    options = options_in(given)
    assert any(words in problem for problem in options.problems)
    assert (options.share, options.deadline, options.threshold) == (0.15, 600.0, 0.5)


# ---- words for the user ----


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (
            Attempt(
                session="s",
                trigger="manual",
                status="complete",
                before=439_000,
                after=21_000,
                calls=6,
                seconds=38,
            ),
            "compacted 439,000 → 21,000 tokens in 6 calls, 38 s",
        ),
        (
            Attempt(session="s", trigger="automatic", status="failed", failure="rate limited", failures=3),
            "not compacted: 3 failures in a row: rate limited",
        ),
        (
            Attempt(
                session="s",
                trigger="automatic",
                status="partial",
                records=9,
                covered=8,
                before=10,
                after=2,
                calls=1,
                failure="out of time",
            ),
            "compacted 10 → 2 tokens in 1 call, 0 s; 1 message stays as it is: out of time",
        ),
    ],
)
def test_the_user_reads_what_happened(attempt: Attempt, words: str) -> None:
    """In one sentence, with the numbers that matter."""
    assert attempt.sentence == words


def test_the_log_has_one_line_that_is_found_by_the_session() -> None:
    """With all that the host's telemetry knows, and without content."""
    attempt = Attempt(
        session="20261201_1", trigger="automatic", status="failed", kind="rate_limited", chunks=3
    )
    assert "session=20261201_1 " in attempt.line
    assert "failure_class=rate_limited" in attempt.line
    assert attempt.telemetry(100)["failure_class"] == "rate_limited"
    assert attempt.telemetry(100)["commit_status"] == "aborted"


def test_progress_is_told_now_and_then_and_ticked_always() -> None:
    """The user is not flooded, and a host that watches for progress sees all of it."""
    said: list[str] = []
    ticks: list[None] = []
    clock = iter([0.0, 5.0, 21.0, 21.0])
    progress = Progress(said.append, lambda: ticks.append(None), every=20.0, now=lambda: next(clock))
    progress(Planned(10, 439_000, 6, 50))
    progress(CeilingLearned("openai/x", 4_000, None))
    progress(SectionDone(0.2, 5, 30.0))
    progress(SectionDone(0.4, 3, 20.0))
    assert len(ticks) == 4
    assert said == [
        "compacting 439,000 tokens, about 6 calls",
        "openai/x writes at most 4,000 tokens in one call: planning with that",
        "compacting: 40% done, 3 calls left, about 20 s",
    ]
    assert progress.chunks == 6


# ---- hermes' own clients ----

KEY = "sk-ant-oat01-0123456789abcdef"


class Client:
    """A client with OpenAI's face, as hermes makes them for providers that have another."""

    base_url = "https://api.example.com/"
    api_key = KEY

    def __init__(self, answer: object) -> None:
        self.asked: dict[str, Any] = {}
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))
        self._answer = answer

    def create(self, **asked: Any) -> object:
        self.asked = asked
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def said(text: str | None, reason: str | None = "stop") -> SimpleNamespace:
    choice = SimpleNamespace(message=SimpleNamespace(content=text, reasoning="hm"), finish_reason=reason)
    return SimpleNamespace(choices=[choice], usage=SimpleNamespace(prompt_tokens=12, completion_tokens=3))


def sent(client: Client) -> Reply | Failure:
    transport = HostTransport()
    model = transport.model(client, "claude-x", 200_000)
    call = Call(1, model, (Message("user", "hello"),), Hints((), 10, 1), 100, 5)
    return asyncio.run(transport.send(call))


def test_a_call_goes_through_hermes_client() -> None:
    """With its model's name, the limit and a time; the answer comes back with the provider's counts."""
    client = Client(said("A summary.", "length"))
    reply = sent(client)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish_reason, reply.input_tokens, reply.output_tokens) == (
        "A summary.",
        "length",
        12,
        3,
    )
    assert client.asked["model"] == "claude-x"
    assert client.asked["max_tokens"] == 100
    assert client.asked["timeout"] > 0


class Overloaded(Exception):
    """As clients raise it."""

    status_code = 529
    response = SimpleNamespace(
        status_code=529, headers={"retry-after": "7"}, text=f'{{"error": "key {KEY}"}}'
    )


def test_what_a_client_raises_is_a_failure_without_the_key() -> None:
    """Status, words and the time to wait are kept; the key is nowhere in it."""
    failure = sent(Client(Overloaded(f"overloaded, your key {KEY} is fine")))
    assert isinstance(failure, Failure)
    assert (failure.status, failure.retry_after) == (529, 7.0)
    assert KEY not in f"{failure.message} {failure.body}"


def test_a_model_of_a_host_is_nothing_without_its_program() -> None:
    """``host/…`` on a command line is told in plain words."""
    from summarizer import summarize

    result = summarize(["word " * 400], 100, models=["host/claude-x"])
    assert result.status == "partial"
    assert "no transport here" in result.gaps[0].detail
