"""What the tests of the outer layers share: sessions with planted facts, and the command in this process."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from summarizer.cli import main

MODEL = "scripted/small"
WORDS = "the north river ran over its banks and the salt barges waited for the morning tide "


def messages(records: int = 30) -> list[dict[str, str]]:
    """The texts of a session as chat messages of two speakers."""
    return [
        {"role": "user" if i % 2 else "assistant", "content": text} for i, text in enumerate(session(records))
    ]


def jsonl(items: list[dict[str, str]]) -> str:
    """One message a line."""
    return "".join(json.dumps(item) + "\n" for item in items)


def facts(text: str) -> list[int]:
    """The positions of the records whose facts a text holds."""
    return [int(line[5:11]) - 100_000 for line in text.splitlines() if line.startswith("FACT-")]


def session(records: int = 30, first: int = 0) -> list[str]:
    """Texts of about 60 tokens, each with a planted fact that names its position."""
    return [f"{WORDS * 3}\nFACT-{100_000 + i}: barge {i}" for i in range(first, first + records)]


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call, also of one that has to be awaited."""
    made = call()
    return asyncio.run(made) if asyncio.iscoroutine(made) else made


class Shell:
    """Runs the command in this process, and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.out = self.err = ""
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def __call__(self, *words: str, stdin: bytes | None = None) -> int:
        if stdin is not None:
            self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main([*words])
        except SystemExit as end:
            code = int(end.code or 0)
        self.out, self.err = self._capsys.readouterr()
        return code

    def run(self, *words: str, budget: str = "900", stdin: bytes | None = None) -> int:
        """``summarizer run … --budget … --model scripted/small`` (unless another model is named)."""
        model = () if "--model" in words else ("--model", MODEL)
        return self("run", *words, "--budget", budget, *model, stdin=stdin)


def one_line(shell: Shell) -> str:
    """What a mistake must look like: nothing on stdout, one line on stderr."""
    assert shell.out == ""
    assert shell.err.count("\n") == 1, shell.err
    assert "Traceback" not in shell.err
    return shell.err
