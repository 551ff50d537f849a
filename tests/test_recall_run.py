"""A run keeps the records behind its result, and the command finds them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recall import LANGUAGES, figures
from summarizer import InvalidSettings, Settings, Summarizer, summarize
from summarizer_providers.database import FILE
from tests.shell import Shell, jsonl, messages, one_line, session


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


@pytest.fixture
def result(tmp_path: Path, shell: Shell) -> str:
    """The file of a finished run's result."""
    (tmp_path / "session.jsonl").write_text(jsonl(messages()))
    output = str(tmp_path / "result.json")
    assert shell.run(str(tmp_path / "session.jsonl"), "--format", "json", "--output", output) == 0
    return output


def test_a_result_expands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a section of it, behind all, in a digest that was made of a digest."""
    with Summarizer(Settings(data_dir=tmp_path)) as summarizer:
        first = summarizer.summarize(session(20), 300)
        result = summarizer.summarize(session(20, 20), 300, previous=first)
        found = summarizer.expand(result.sections, 100_000)
        assert [passage.text for passage in found.passages] == session(40)
        assert summarizer.expand(result.sections[0], 100).tokens <= 100
        assert "barge 17" in summarizer.search("FACT-100017").text
    monkeypatch.setenv("SUMMARIZER_DATA_DIR", str(tmp_path))
    assert result.expand(tokens=100_000) == found
    assert result.expand(result.sections[0]).passages


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    """Then nothing is written."""
    settings = Settings(data_dir=tmp_path, recall="off")
    result = summarize(session(), 300, settings=settings)
    assert not (tmp_path / FILE).exists()
    assert Summarizer(settings).expand(result.sections).notice == "nothing is kept of these records"


def test_where_nothing_can_be_kept_the_summary_is_right(tmp_path: Path) -> None:
    """A notice says what was not kept."""
    (tmp_path / FILE).mkdir()
    result = summarize(session(), 300, settings=Settings(data_dir=tmp_path))
    assert result.text == summarize(session(), 300, settings=Settings(recall="off")).text
    assert [notice.code for notice in result.notices] == ["no_model", "recall"]
    assert "cannot be recalled" in result.notices[1].message


def test_the_command_searches(shell: Shell, result: str) -> None:
    """Passages in bounded text, or as JSON."""
    assert shell("recall", "search", "FACT-100007") == 0
    assert "FACT-100007: barge 7" in shell.out
    assert shell("recall", "search", "barge", "7", "--tokens", "100", "--format", "json") == 0
    found = json.loads(shell.out)
    assert found["tokens"] <= 100
    assert "barge 7" in found["text"]
    assert found["passages"][0]["role"] in ("user", "assistant")
    assert shell("recall", "search", "zeppelin") == 0
    assert (shell.out, shell.err) == ("", "note: nothing was found\n")


def test_the_command_expands(shell: Shell, result: str) -> None:
    """All of a result, or one of its sections, from 1."""
    assert shell("recall", "expand", result, "--tokens", "10,000") == 0
    assert all(f"FACT-{100_000 + i}" in shell.out for i in range(30))
    assert shell("recall", "expand", result, "--section", "1", "--format", "json") == 0
    sections = json.loads(Path(result).read_text())["sections"]
    shown = json.loads(shell.out)["passages"]
    assert [passage["position"] for passage in shown] == [*range(sections[0]["last"] + 1)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("search", "x", "--tokens", "none"), "--tokens: expected a whole number from 1 to 10,000,000"),
        (("search", "x", "--tokens", "0"), "--tokens: expected"),
        (("expand", "missing.json"), "missing.json: expected a result's JSON file: No such file"),
        (("expand", "RESULT", "--section", "99"), "--section: expected a whole number from 1 to"),
        ((), "ACTION"),
        (("search",), "QUERY"),
    ],
)
def test_a_mistake_is_one_line(shell: Shell, result: str, words: tuple[str, ...], told: str) -> None:
    """And exit code 2."""
    shell("--version")
    assert shell("recall", *(result if word == "RESULT" else word for word in words)) == 2
    assert told in one_line(shell)


def test_a_store_that_cannot_be_read(shell: Shell, result: str, clean_environment: Path) -> None:
    """One line that names it, and exit code 2."""
    for path in clean_environment.iterdir():
        path.unlink()
    (clean_environment / FILE).mkdir()
    shell("--version")
    assert shell("recall", "search", "barge") == 2
    assert str(clean_environment / FILE) in one_line(shell)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"recall": "maybe"}, "expected 'on' or 'off'"),
        ({"recall_days": 0}, "expected a number of days"),
    ],
)
def test_settings_are_checked(given: dict[str, Any], told: str) -> None:
    """Like all others."""
    with pytest.raises(InvalidSettings, match=told):
        Settings(**given)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_benchmark_finds_what_it_planted(language: str) -> None:
    """In a small session, made into a digest in two steps, in any of its languages."""
    found = figures(language, 60, 12_000, 2)
    assert found.by_number == 1.0
    assert found.by_question >= 0.95
    assert found.in_digest < 60


def test_a_result_that_is_none(shell: Shell, tmp_path: Path) -> None:
    """The file is named."""
    (tmp_path / "x.json").write_text("{}")
    assert shell("recall", "expand", str(tmp_path / "x.json")) == 2
    assert "x.json: version: expected" in one_line(shell)
