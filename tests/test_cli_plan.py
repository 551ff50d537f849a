"""``summarizer plan``: what a run would send, told without sending it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from summarizer.cli import main
from summarizer_providers.transports import offline, scripted
from summarizer_providers.transports.scripted import ScriptedTransport

WORDS = "the north river ran over its banks and the salt barges waited for the morning tide "


class Sent(Exception):
    """Raised where something is sent."""


@pytest.fixture(autouse=True)
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of 120 records in the working folder; whatever is sent fails the test."""

    def sent(*_: object) -> ScriptedTransport:
        raise Sent

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scripted, "ScriptedTransport", sent)
    monkeypatch.setattr(offline, "OfflineTransport", sent)
    lines = [json.dumps({"role": "user", "content": f"{i} {WORDS * 5}"}) for i in range(120)]
    (tmp_path / "session.jsonl").write_text("\n".join(lines))


def plan(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command prints."""
    assert main(["plan", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The same in its JSON form."""
    found = json.loads(plan(capsys, *words, "--format", "json"))
    assert isinstance(found, dict)
    return found


def test_chunks_tokens_and_cost_are_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row a chunk, and the sums."""
    monkeypatch.setenv("SUMMARIZER_CHUNK_TOKENS", "2500")
    out = plan(capsys, "session.jsonl", "--budget", "2000", "--model", "openai/gpt-4o-mini")
    assert out.startswith("120 records, ")
    assert "model: openai/gpt-4o-mini\n" in out
    assert out.count("–") == 5
    assert "calls: 5 (at most " in out
    assert "cost: $0.0" in out


def test_the_json_form_adds_up(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record in one chunk, every chunk within its size, the whole within the bounds that are told."""
    monkeypatch.setenv("SUMMARIZER_CHUNK_TOKENS", "1000")
    found = as_json(capsys, "session.jsonl", "--budget", "4000", "--model", "openai/gpt-4o-mini")
    rows = found["chunks"]
    assert [i for row in rows for i in range(row["first"], row["last"] + 1)] == list(range(120))
    assert sum(row["tokens"] for row in rows) == found["tokens"]
    assert max(row["tokens"] for row in rows) <= 1_000
    assert found["calls"] == len(rows) <= found["max_calls"]
    assert found["input_tokens"] > found["tokens"]
    assert 0 < found["output_tokens"] <= found["budget"] == 4_000
    assert found["cost"] > 0


@pytest.mark.parametrize(
    ("words", "cost"),
    [([], 0.0), (["--model", "offline/extractive"], 0.0), (["--model", "openai/no-price"], None)],
)
def test_what_is_not_known_of_a_cost_is_not_made_up(
    capsys: pytest.CaptureFixture[str], words: list[str], cost: float | None
) -> None:
    """Offline costs nothing; a model without a price has none."""
    assert as_json(capsys, "session.jsonl", "--budget", "500", *words)["cost"] == cost
    assert f"cost: {'not known' if cost is None else '$0.0000'}" in plan(
        capsys, "session.jsonl", "--budget", "500", *words
    )


def test_where_no_call_is_needed_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """What fits comes back as it is."""
    assert "no call is needed" in plan(capsys, "session.jsonl", "--budget", "50000")
    found = as_json(capsys, "session.jsonl", "--budget", "50000")
    assert (found["calls"], found["chunks"], found["model"]) == (0, [], None)
    assert as_json(capsys, "session.jsonl", "--budget", "50000", "--focus", "barges")["calls"] == 1


def test_a_long_plan_is_not_shown_row_by_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty rows, and how many more there are."""
    monkeypatch.setenv("SUMMARIZER_CHUNK_TOKENS", "256")
    out = plan(capsys, "session.jsonl", "--budget", "2000", "--model", "scripted/small")
    assert "        … " in out
    assert out.count("–") == 40


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.jsonl", "--budget", "500"], "none.jsonl: expected a file, found none of that name"),
        (
            ["session.jsonl", "--budget", "500", "--model", "nonsense"],
            "models[0]: 'nonsense' has no known route",
        ),
        (["session.jsonl", "--budget", "500", "--max-cost", "-1"], "--max-cost: expected a number above 0"),
        (
            ["session.jsonl", "--budget", "500", "--model", "openai/no-price", "--max-cost", "1"],
            "max_cost: models[0] (openai/no-price) has no known price",
        ),
        (
            [
                "session.jsonl",
                "--budget",
                "500",
                "--instructions",
                "word " * 40_000,
                "--model",
                "scripted/window=9000",
            ],
            "focus and instructions: expected fewer than ",
        ),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    """As it would be for ``run``."""
    assert main(["plan", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"summarizer plan: {told}")
