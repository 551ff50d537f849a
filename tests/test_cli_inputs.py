"""What a user types becomes the arguments of a run, or one line that names the word that is wrong."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from summarizer import load_result
from tests.shell import MODEL, Shell, facts, jsonl, messages, one_line


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a session in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "session.jsonl").write_text(jsonl(messages()))
    return tmp_path


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


# Input -----------------------------------------------------------------------------------------------------


def test_a_file_is_summarized(shell: Shell) -> None:
    """Text on stdout, one closing line on stderr, exit code 0."""
    assert shell.run("session.jsonl") == 0
    assert facts(shell.out) == list(range(30))
    assert shell.err.startswith("complete: 30 of 30 records in ")
    assert shell.err.count("\n") == 1


def test_quiet_leaves_the_text_alone(shell: Shell) -> None:
    """Nothing on stderr."""
    assert shell.run("session.jsonl", "--quiet") == 0
    assert (facts(shell.out), shell.err) == (list(range(30)), "")


@pytest.mark.parametrize("words", [(), ("-",), ("-", "--input-format", "jsonl")])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_read(shell: Shell, words: tuple[str, ...], pack: Callable[[bytes], bytes]) -> None:
    """With and without a dash, also gzipped."""
    assert shell.run(*words, stdin=pack(jsonl(messages()).encode())) == 0
    assert facts(shell.out) == list(range(30))


def test_several_files_are_one_input(shell: Shell, folder: Path) -> None:
    """In the order in which they are named, whatever their forms."""
    items = messages()
    (folder / "a.json").write_text(json.dumps({"messages": items[:10]}))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(jsonl(items[10:20]).encode()))
    (folder / "c.md").write_text("\n\n".join(item["content"] for item in items[20:29]))
    assert shell.run("a.json", "b.jsonl.gz", "c.md", "-", stdin=items[29]["content"].encode()) == 0
    assert facts(shell.out) == list(range(30))


def test_files_may_stand_anywhere(shell: Shell, folder: Path) -> None:
    """Before the options, behind them, and between."""
    for i, name in enumerate(("a", "b", "c")):
        (folder / name).write_text(jsonl(messages()[10 * i : 10 * i + 10]))
    assert shell("run", "a", "--budget", "900", "b", "--model", MODEL, "c") == 0
    assert facts(shell.out) == list(range(30))


def test_an_empty_input_gives_an_empty_text(shell: Shell) -> None:
    """Complete, and nothing is printed."""
    assert shell.run("-", stdin=b"") == 0
    assert shell.out == ""
    assert shell.err.startswith("complete: 0 of 0 records in 0 of 900 tokens; 0 calls")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.jsonl"], "none.jsonl: expected a file, found none of that name"),
        (["."], ".: expected a file, got a folder"),
        (["bad.jsonl"], "bad.jsonl, line 2: expected a JSON object (a chat message), got a list"),
        (["session.jsonl", "none"], "none: expected a file, found none of that name"),
        (["session.jsonl", "--previous", "none"], "none: expected a result's JSON file: No such file"),
        (
            ["session.jsonl", "--previous", "bad.jsonl"],
            "bad.jsonl: expected the JSON of a result: Extra data",
        ),
        (
            ["session.jsonl", "--previous", "empty.json"],
            "empty.json: version: expected a whole number; this is",
        ),
        (["session.jsonl", "--previous", "new.json"], "new.json: version: "),
        (["session.jsonl", "--previous", "edited.json"], "edited.json: sections, gaps: expected record 0"),
        (["session.jsonl", "--output", "no/where.txt"], "--output: no/where.txt: expected a folder "),
        (["session.jsonl", "--output", "."], "--output: .: expected a file, got a folder"),
        (["session.jsonl", "--output", ""], "--output: : expected the name of a file, got an empty one"),
        (["session.jsonl", "--output", "bad.jsonl/x"], "--output: bad.jsonl/x: expected a folder "),
        (["session.jsonl", "--deadline", "0"], "--deadline: expected a number above 0, got '0'"),
        (["session.jsonl", "--deadline", "soon"], "--deadline: expected a number above 0, got 'soon'"),
        (["session.jsonl", "--deadline", "-3"], "--deadline: expected a number above 0, got '-3'"),
        (["session.jsonl", "--max-cost", "nan"], "--max-cost: expected a number above 0, got 'nan'"),
        (["session.jsonl", "--max-cost", "inf"], "--max-cost: expected a number above 0, got 'inf'"),
        (["session.jsonl", "--model", "nonsense"], "models[0]: 'nonsense' has no known route"),
        (["session.jsonl", "--model", ""], "models[0]: name: expected the model's name, got ''"),
        (["session.jsonl", "--model", "{bad"], "--model: expected a name or a JSON object: Expecting"),
        (["session.jsonl", "--model", '{"nam": 1}'], "models[0]: nam: unknown; a model has name, "),
        (
            ["session.jsonl", "--model", MODEL, "--model", MODEL],
            "models[1]: scripted/small is the same endpoint",
        ),
        (
            ["session.jsonl", "--model", "openai/no-price", "--max-cost", "1"],
            "max_cost: models[0] (openai/no-price)",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    shell: Shell, folder: Path, words: list[str], told: str
) -> None:
    """It names the file or the option, and what was expected; nothing is written."""
    (folder / "bad.jsonl").write_text('{"content": "x"}\n[1]\n')
    (folder / "empty.json").write_text("{}")
    (folder / "new.json").write_text('{"version": 99, "status": "complete"}')
    section = {"text": "", "tokens": 0, "first": 3, "last": 3, "model": None, "method": "model"}
    section |= {"level": 0, "fingerprint": "", "prompt_id": ""}
    edited = {
        "version": 1,
        "status": "complete",
        "text": "",
        "tokens": 0,
        "budget": 99,
        "sections": [section],
    }
    edited |= {"coverage": {"covered": 1, "missing": 0, "total": 1}, "usage": {"by_model": {}}}
    (folder / "edited.json").write_text(json.dumps(edited | {"degraded": False, "notices": []}))
    before = sorted(folder.iterdir())
    assert shell.run(*words) == 2
    assert one_line(shell).startswith(f"summarizer run: {told}")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ("0", "budget: expected 16 to 10,000,000 tokens, got 0"),
        ("15", "budget: expected 16 to 10,000,000 tokens, got 15"),
        ("-5", "budget: expected 16 to 10,000,000 tokens, got -5"),
        ("1000000000000", "budget: expected 16 to 10,000,000 tokens, got 1000000000000"),
        ("2.5", "--budget: expected a whole number of tokens, got '2.5'"),
        ("1e3", "--budget: expected a whole number of tokens, got '1e3'"),
        ("-1e3", "argument --budget: expected one argument"),
        ("true", "--budget: expected a whole number of tokens, got 'true'"),
        ("many", "--budget: expected a whole number of tokens, got 'many'"),
        ("", "--budget: expected a whole number of tokens, got ''"),
        ("9" * 5_000, "--budget: expected a whole number of tokens, got '999"),
        ("10**12", "--budget: expected a whole number of tokens, got '10**12'"),
        ("1,00", "--budget: expected a whole number of tokens, got '1,00'"),
        ("_", "--budget: expected a whole number of tokens, got '_'"),
    ],
)
@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_wrong_budget_is_one_line(shell: Shell, command: str, budget: str, told: str) -> None:
    """Before a file is read: this one is not there."""
    assert shell(command, "none.jsonl", "--budget", budget) == 2
    line = one_line(shell)
    assert line.startswith(f"summarizer {command}: {told}")
    assert len(line) < 200


@pytest.mark.parametrize("budget", ["900", "1_000", "1,000", " 900 ", "+900", "10,000,000"])
def test_a_budget_may_be_written_as_people_write_it(shell: Shell, budget: str) -> None:
    """With the separators of thousands."""
    assert shell.run("session.jsonl", budget=budget) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "summarizer: the following arguments are required: COMMAND (see summarizer --help)"),
        (["frobnicate"], "summarizer: argument COMMAND: invalid choice: 'frobnicate' (choose from "),
        (
            ["run"],
            "summarizer run: the following arguments are required: --budget (see summarizer run --help)",
        ),
        (["run", "--budget"], "summarizer run: argument --budget: expected one argument (see"),
        (["run", "--budget", "99", "--format", "xml"], "summarizer run: argument --format: invalid choice: "),
        (["run", "--budget", "99", "--nothing"], "summarizer: unrecognized arguments: --nothing (see"),
        (["run", "--budg", "99", "x"], "summarizer run: the following arguments are required: --budget"),
    ],
)
def test_wrong_usage_is_one_line(shell: Shell, words: list[str], told: str) -> None:
    """Exit code 2, and where the help is."""
    assert shell(*words) == 2
    assert one_line(shell).startswith(told)


@pytest.mark.parametrize("command", ["run", "plan"])
def test_each_command_explains_itself_with_examples(shell: Shell, command: str) -> None:
    """``--help`` goes to stdout and says which options there are."""
    assert shell(command, "--help") == 0
    assert "examples:" in shell.out
    assert f"summarizer {command} session.jsonl --budget" in shell.out
    assert shell.err == ""


def test_the_version_is_told(shell: Shell) -> None:
    """``summarizer --version``."""
    assert shell("--version") == 0
    assert shell.out.startswith("summarizer ")


def test_a_model_may_be_an_object(shell: Shell) -> None:
    """With all its fields; a ladder of several is tried in order."""
    first = json.dumps({"name": "scripted/down", "extra": {"fail_rate": 1.0, "fail_first": 99}})
    model = json.dumps({"name": "scripted/up", "max_output_tokens": 2_000})
    assert shell.run("session.jsonl", "--model", model, "--model", first, "--format", "json") == 0
    assert list(json.loads(shell.out)["usage"]["by_model"]) == ["scripted/up"]


def test_focus_instructions_and_shape_reach_the_run(shell: Shell) -> None:
    """What would fit as it is, is summarized all the same."""
    for more in (["--focus", "barges"], ["--instructions", "in verse"], ["--shape", "one"]):
        assert shell.run("session.jsonl", *more, "--format", "json", budget="9000") == 0
        assert load_result(shell.out).usage.calls == 1
