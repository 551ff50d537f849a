"""The demo session is what the README says, and is the generator's work to the letter."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from summarizer_providers.tokens import get_counter

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SHIPPED = EXAMPLES / "demo-session.jsonl.gz"


@pytest.fixture(scope="module")
def messages() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(SHIPPED.read_bytes()).splitlines()]


def test_the_shipped_file_is_what_the_generator_writes(tmp_path: Path) -> None:
    """Whoever edits a scene and runs the generator gets the shipped file, on any day and any machine."""
    made = tmp_path / "made.jsonl.gz"
    subprocess.run([sys.executable, EXAMPLES / "demo_session.py", "--output", made], check=True)
    assert gzip.decompress(made.read_bytes()) == gzip.decompress(SHIPPED.read_bytes())


def test_the_archive_is_small_and_carries_no_time() -> None:
    """A clone stays small, and the file changes only when the story does."""
    raw = SHIPPED.read_bytes()
    assert len(raw) < 120_000
    assert raw[4:8] == b"\0\0\0\0"


def test_it_is_a_long_session_of_an_agent_at_work(messages: list[dict[str, Any]]) -> None:
    """At least 300 messages, people and tools, and far more text than a summary can hold."""
    assert len(messages) >= 300
    assert {message["role"] for message in messages} == {"system", "user", "assistant", "tool"}
    assert len({message["name"] for message in messages if message["role"] == "user"}) >= 4


def test_every_call_is_answered_once_and_in_order(messages: list[dict[str, Any]]) -> None:
    """The session is valid in the OpenAI chat format: tool results follow the message that called them."""
    calls = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    answers = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert calls == answers
    assert len(set(calls)) == len(calls)


def test_arguments_are_json_objects(messages: list[dict[str, Any]]) -> None:
    """Arguments are JSON in a string, as providers send them."""
    functions = [call["function"] for message in messages for call in message.get("tool_calls", [])]
    assert all(isinstance(json.loads(function["arguments"]), dict) for function in functions)


@pytest.mark.parametrize("letters", ["\u3040-\u30ff", "\u4e00-\u9fff", "äöüß"], ids=["ja", "zh", "de"])
def test_people_write_in_their_own_languages(messages: list[dict[str, Any]], letters: str) -> None:
    """Japanese, Chinese and German stand beside English."""
    written = " ".join(message["content"] or "" for message in messages if message["role"] == "user")
    assert len(re.findall(f"[{letters}]", written)) > 20


def test_it_is_longer_than_40000_tokens(messages: list[dict[str, Any]]) -> None:
    """Counted in the texts alone, without the JSON around them."""
    count = get_counter().count
    assert sum(count(message["content"] or "") for message in messages) > 40_000


def test_the_readme_counts_right(messages: list[dict[str, Any]]) -> None:
    """What the README says of the session is true of it."""
    assert f"a session of {len(messages)} messages" in (EXAMPLES.parent / "README.md").read_text("utf-8")
