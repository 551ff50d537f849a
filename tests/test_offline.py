"""The offline model answers like any other, at no cost, from its hints alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from summarizer_providers.extractive import extract
from summarizer_providers.tokens import get_counter
from summarizer_providers.transports.offline import OfflineTransport
from summarizer_providers.types import Call, Failure, Hints, Message, Model, Passage, Reply

TEXT = "\n".join(f"Step {n} changed module_{n}.py and left {n * 3} failures." for n in range(200))


def call(target: int = 300, max_tokens: int = 4_096, text: str = TEXT, encoding: str = "o200k_base") -> Call:
    hints = Hints((Passage(0, "user", text),), target, 1, encoding=encoding)
    prompt = (Message("user", "The prompt is not read."),)
    return Call(1, Model("offline/extractive"), prompt, hints, max_tokens, prompt_tokens=5_000)


def send(one: Call) -> Reply:
    reply = asyncio.run(OfflineTransport().send(one))
    assert not isinstance(reply, Failure)
    return reply


def test_a_reply_says_what_it_cost_and_that_it_ended_well() -> None:
    """Nothing is paid, and the tokens are counted."""
    reply = send(call())
    tokens = get_counter().count(reply.text)
    assert reply == Reply(reply.text, "stop", input_tokens=5_000, output_tokens=tokens, cost=0.0)


@pytest.mark.parametrize("target", [16, 50, 300, 1_500])
def test_it_writes_to_the_length_that_it_is_asked_for(target: int) -> None:
    """At most the target, and nearly all of it where there is enough to say."""
    tokens = get_counter().count(send(call(target)).text)
    assert (0.9 if target > 100 else 0.5) * target <= tokens <= target


def test_it_keeps_to_max_tokens_too() -> None:
    """The smaller of the two limits holds."""
    assert get_counter().count(send(call(300, max_tokens=60)).text) <= 60


def test_the_hints_name_the_counter() -> None:
    """Tokens are those of the encoding that the caller counts in."""
    assert get_counter("cl100k_base").count(send(call(encoding="cl100k_base")).text) <= 300


def test_the_same_call_gives_the_same_text() -> None:
    """Nothing is drawn by lot."""
    assert send(call()) == send(call())


def test_two_calls_run_beside_each_other() -> None:
    """The loop is free while the model works."""

    async def both() -> list[Reply | Failure]:
        transport = OfflineTransport()
        return await asyncio.gather(transport.send(call(100)), transport.send(call(200)))

    assert all(isinstance(reply, Reply) for reply in asyncio.run(both()))


def test_a_cancelled_call_stops_its_thread() -> None:
    """Whoever cancels need not wait for work that nobody wants any more."""
    with pytest.raises(InterruptedError):
        extract(call().hints.passages, 300, 1, count=get_counter().count, stopped=lambda: True)


def test_it_never_imports_litellm(root: Path) -> None:
    """Four seconds of CPU that nobody asked for."""
    code = (
        "import asyncio, sys; from summarizer_providers.transports.offline import OfflineTransport as T;"
        "from tests.test_offline import call; asyncio.run(T().send(call()));"
        "print('litellm' in sys.modules)"
    )
    path = f"import sys; sys.path[:0] = [{str(root)!r}, {str(root / 'providers')!r}];"
    run = subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
