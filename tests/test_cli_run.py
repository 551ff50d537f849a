"""``summarizer run`` as a user types it: input, budgets, going on, interruptions, exit codes."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from summarizer import Complete, Partial
from summarizer.cli import main
from summarizer_providers.transports import scripted
from summarizer_providers.transports.scripted import ScriptedTransport
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


# Going on --------------------------------------------------------------------------------------------------


@pytest.fixture
def partial(folder: Path, shell: Shell) -> Partial:
    """A partial result in ``partial.json``: a filter refused the records 7 and 8."""
    items = messages()
    for i in (7, 8):
        items[i] = items[i] | {"content": items[i]["content"] + " POISON"}
    (folder / "poison.jsonl").write_text(jsonl(items))
    words = ("poison.jsonl", "--model", "scripted/poison=POISON", "--format", "json")
    assert shell.run(*words, "--output", "partial.json") == 3
    assert shell.out == ""
    assert "missing: records 7–8: blocked: scripted/poison=POISON: " in shell.err
    assert "to go on: the same command with --previous partial.json" in shell.err
    return Partial.from_json(Path("partial.json").read_text())


@pytest.mark.parametrize("more", [0, 5])
@pytest.mark.parametrize("given", ["everything", "what is missing"])
def test_a_partial_result_is_gone_on_from(shell: Shell, partial: Partial, given: str, more: int) -> None:
    """With the whole session again, which may have grown, or with the missing records and new ones alone."""
    items = messages(30 + more)
    rest = items if given == "everything" else [items[7], items[8], *items[30:]]
    words = ("-", "--previous", "partial.json", "--format", "json")
    assert shell.run(*words, stdin=jsonl(rest).encode(), budget="1500") == 0
    result = Complete.from_json(shell.out)
    assert result.coverage.total == 30 + more
    assert facts(result.text) == list(range(30 + more))
    assert result.usage.calls <= 2


def test_a_complete_result_with_its_session_comes_back(shell: Shell) -> None:
    """Nothing to do: no call."""
    assert shell.run("session.jsonl", "--format", "json", "--output", "done.json") == 0
    assert shell.run("session.jsonl", "--format", "json", "--previous", "done.json") == 0
    result = Complete.from_json(shell.out)
    assert (result.usage.calls, result.text) == (0, Complete.from_json(Path("done.json").read_text()).text)


def test_too_few_records_to_go_on_are_a_mistake(shell: Shell, partial: Partial) -> None:
    """One of two missing records is not enough."""
    assert shell.run("-", "--previous", "partial.json", stdin=jsonl(messages()[7:8]).encode()) == 2
    assert "records: previous misses 2 records, expected at least these, got 1" in one_line(shell)


# Limits and interruptions ----------------------------------------------------------------------------------


def test_a_deadline_gives_what_is_there(shell: Shell) -> None:
    """Exit code 3, and what to do next."""
    assert shell.run("session.jsonl", "--model", "scripted/latency=3600", "--deadline", "0.2") == 3
    assert shell.out == ""
    assert "partial: 0 of 30 records" in shell.err
    assert "missing: records 0–29: deadline: the deadline passed" in shell.err


class Stalling(ScriptedTransport):
    """Answers three calls, then does something and waits for ever."""

    then: Callable[[], object]

    def __init__(self) -> None:
        super().__init__(sleep=self._stall)
        self._stalled = False

    async def _stall(self, _: float) -> None:
        if self.count > 3:
            if not self._stalled:
                self._stalled = True
                type(self).then()
            await asyncio.Event().wait()


@pytest.fixture
def stalling(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Small chunks, and a model that stalls at the fourth and then does what it is told."""

    def then(what: Callable[[], object]) -> None:
        Stalling.then = staticmethod(what)  # type: ignore[assignment]
        monkeypatch.setattr(scripted, "ScriptedTransport", Stalling)
        monkeypatch.setenv("SUMMARIZER_CHUNK_TOKENS", "256")

    return then  # type: ignore[return-value]


SLOW = "scripted/latency=1"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_prints_what_is_there(
    shell: Shell, stalling: Any, number: signal.Signals, code: int
) -> None:
    """Ctrl-C and SIGTERM: the partial result on stdout, nothing lost, and the handlers are as before."""
    before = signal.getsignal(number)
    stalling(lambda: os.kill(os.getpid(), number))
    assert shell.run("session.jsonl", "--model", SLOW, "--format", "json") == code
    result = Partial.from_json(shell.out)
    assert 0 < result.coverage.covered < 30
    assert facts(result.text) == [i for s in result.sections for i in range(s.first, s.last + 1)]
    assert ": cancelled" in shell.err
    assert signal.getsignal(number) == before


def test_an_interrupted_run_is_gone_on_from(
    shell: Shell, stalling: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run reads only what is missing."""
    stalling(lambda: os.kill(os.getpid(), signal.SIGINT))
    assert shell.run("session.jsonl", "--model", SLOW, "--format", "json", "--output", "part.json") == 130
    monkeypatch.setattr(scripted, "ScriptedTransport", ScriptedTransport)
    monkeypatch.setenv("SUMMARIZER_CHUNK_TOKENS", "auto")
    assert shell.run("session.jsonl", "--previous", "part.json", "--format", "json", budget="1500") == 0
    result = Complete.from_json(shell.out)
    assert facts(result.text) == list(range(30))
    assert result.usage.calls <= 1  # what is missing may fit word for word


def test_an_output_that_cannot_be_written_any_more_is_printed(
    shell: Shell, stalling: Any, folder: Path
) -> None:
    """The folder went away in mid-run: what was paid for is not lost."""
    (folder / "out").mkdir()

    def remove() -> None:
        shutil.rmtree(folder / "out")
        os.kill(os.getpid(), signal.SIGINT)

    stalling(remove)
    assert shell.run("session.jsonl", "--model", SLOW, "--output", "out/text.txt") == 2
    assert facts(shell.out)
    assert shell.err.count("\n") == 1
    assert "No such file or directory" in shell.err


def test_it_runs_in_any_thread(shell: Shell) -> None:
    """Where no signals can be handled, too."""
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["run", "session.jsonl", "--budget", "900"])))
    thread.start()
    thread.join()
    assert codes == [0]


STALLS = """\
import asyncio, sys
from summarizer.cli import main
from summarizer_providers.transports import scripted

class Stalling(scripted.ScriptedTransport):
    async def send(self, call):
        if self.count > 3:
            print("stalled", file=sys.stderr, flush=True)
            await asyncio.Event().wait()
        return await super().send(call)

scripted.ScriptedTransport = Stalling
sys.exit(main())
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_real_process_is_interrupted(folder: Path, number: signal.Signals, code: int) -> None:
    """Its exit code is the contract's; a killed one leaves the old file as it was, and none beside it."""
    (folder / "out.json").write_text("old")
    before = sorted(folder.iterdir())
    words = ["run", "session.jsonl", "--budget", "900", "--model", MODEL, "--format", "json"]
    with subprocess.Popen(
        [sys.executable, "-c", STALLS, *words, "--output", "out.json"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "SUMMARIZER_CHUNK_TOKENS": "256"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stderr.readline() == b"stalled\n"
        process.send_signal(number)
        assert process.wait(30) == code
        assert process.stdout.read() == b""
    assert sorted(folder.iterdir()) == before
    if number == signal.SIGKILL:
        assert (folder / "out.json").read_text() == "old"
    else:
        assert Partial.from_json((folder / "out.json").read_text()).coverage.covered > 0
