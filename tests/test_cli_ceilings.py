"""``summarizer ceilings``: what was learned can be seen, set and forgotten."""

from __future__ import annotations

import json

import pytest

from tests.shell import MODEL, Shell, jsonl, messages, one_line

CUT = "scripted/cut,ceiling=150,obey=false"
KEY = f"{CUT}, whole"


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command in this process."""
    return Shell(capsys, monkeypatch)


def learned(shell: Shell) -> None:
    """A run whose first answer is cut at the model's real ceiling."""
    assert shell.run("-", "--model", CUT, stdin=jsonl(messages()).encode()) == 0


def test_nothing_is_known_at_first(shell: Shell) -> None:
    """An empty store is said in words, not with an empty page."""
    assert shell("ceilings") == 0
    assert "nothing is known yet" in shell.out


def test_a_run_teaches_a_ceiling_that_the_list_shows(shell: Shell) -> None:
    """The interval goes from the longest whole answer to the lowest limit that was seen."""
    learned(shell)
    assert shell("ceilings", "list", "--format", "json") == 0
    (known,) = json.loads(shell.out)
    assert (known["endpoint"], known["ceiling"]) == (KEY, 150)
    assert shell("ceilings") == 0
    assert "to 150" in shell.out


def test_the_next_run_begins_with_what_was_learned(shell: Shell) -> None:
    """One surprise a ceiling: the second run of the same text has no cut call."""
    learned(shell)
    assert shell.run("-", "--model", CUT, "--format", "json", stdin=jsonl(messages()).encode()) == 0
    assert json.loads(shell.out)["usage"]["wasted_output_tokens"] == 0


def test_show_tells_what_stands_behind_a_number(shell: Shell) -> None:
    """Each number with the kind of observation, how often and when, and the observations themselves."""
    learned(shell)
    assert shell("ceilings", "show", CUT) == 0
    assert "writes at most: 150 tokens (cut" in shell.out
    assert "wrote 150" in shell.out


def test_a_ceiling_can_be_set_and_forgotten(shell: Shell) -> None:
    """What the user says goes before what was seen, for a model that was never used as well."""
    assert shell("ceilings", "set", MODEL, "2,000") == 0
    assert shell("ceilings", "show", MODEL, "--format", "json") == 0
    assert json.loads(shell.out)[0]["ceiling"] == 2_000
    assert shell("ceilings", "forget", MODEL) == 0
    assert shell("ceilings", "list", "--format", "json") == 0
    assert json.loads(shell.out) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "openai/none"), "nothing is known of 'openai/none'"),
        (("forget", "openai/none"), "nothing is known of 'openai/none'"),
        (("set", MODEL, "0"), "whole number of tokens"),
        (("set", MODEL, "many"), "whole number of tokens"),
        (("set", "nowhere/at-all", "100"), "no known route"),
    ],
)
def test_a_mistake_is_one_line(shell: Shell, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, nothing on standard output, nothing stored."""
    assert shell("ceilings", *words) == 2
    assert said in one_line(shell)
