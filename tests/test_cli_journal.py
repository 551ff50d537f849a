"""``summarizer journal``: what is kept can be seen, and removed for good."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from summarizer import InvalidSettings
from summarizer.cli.journal import Ask, Kept, carry_out
from summarizer.journal import JournalStats
from summarizer_providers.database import FILE, Database
from tests.shell import Shell, jsonl, messages, one_line


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command in this process."""
    return Shell(capsys, monkeypatch)


def ran(shell: Shell) -> str:
    """A run whose sections are kept, and its text."""
    assert shell.run("-", stdin=jsonl(messages()).encode()) == 0
    return shell.out


def stats(shell: Shell) -> dict[str, object]:
    assert shell("journal", "stats", "--format", "json") == 0
    found: dict[str, object] = json.loads(shell.out)
    return found


def test_nothing_is_kept_at_first(shell: Shell, clean_environment: Path) -> None:
    """It is told where something would be, and asking makes no file."""
    assert shell("journal") == 0
    assert "sections: 0 " in shell.out
    assert f"where: {clean_environment / FILE}" in shell.out
    assert shell("journal", "clear", "--yes") == 0
    assert shell.out == "nothing is kept\n"
    assert not (clean_environment / FILE).exists()


def test_a_run_is_kept_and_counted(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sections, tokens, bytes, since when, how often they were reused, and whether a key seals them."""
    ran(shell)
    found = stats(shell)
    assert min(int(str(found[name])) for name in ("sections", "tokens", "bytes")) > 0
    assert found["oldest"] <= found["newest"]  # type: ignore[operator]
    assert (found["used"], found["encrypted"]) == (0, False)
    ran(shell)
    monkeypatch.setenv("SUMMARIZER_ENCRYPTION_KEY", "correct horse")
    assert int(str(stats(shell)["used"])) > 0
    assert shell("journal") == 0
    assert shell.out.endswith("encrypted: yes\n")


def test_a_folder_that_others_can_write_is_told(shell: Shell, clean_environment: Path) -> None:
    """Where what is kept could be taken away or replaced by somebody else."""
    ran(shell)
    assert stats(shell)["exposed"] is None
    clean_environment.chmod(0o777)
    assert shell("journal") == 0
    assert f"exposed: {clean_environment} can be written by others" in shell.out


def test_what_was_removed_is_gone_for_good(shell: Shell, clean_environment: Path) -> None:
    """Not even a trace is left in the files of the database."""
    line = max(ran(shell).splitlines(), key=len).encode()
    places = list(clean_environment.iterdir())
    assert any(line[:40] in path.read_bytes() for path in places)
    assert shell("journal", "clear", "--yes") == 0
    assert "sections removed: " in shell.out
    assert not any(line[:40] in path.read_bytes() for path in clean_environment.iterdir())
    assert stats(shell)["sections"] == 0


def test_only_the_old_can_be_removed(shell: Shell) -> None:
    """What was used within so many days stays."""
    ran(shell)
    assert shell("journal", "clear", "--older-than", "1", "--yes") == 0
    assert shell.out == "sections removed: 0\n"
    assert shell("journal", "clear", "--older-than", "1e-9", "--yes") == 0
    assert stats(shell)["sections"] == 0


@pytest.mark.parametrize("word", ["0", "-1", "nan", "soon"])
def test_a_wrong_age_is_one_line(shell: Shell, word: str) -> None:
    """Nothing is removed."""
    ran(shell)
    assert shell("journal", "clear", f"--older-than={word}", "--yes") == 2
    assert "--older-than: expected a number above 0" in one_line(shell)
    assert stats(shell)["sections"] != 0


def test_nothing_is_removed_where_nobody_can_be_asked(shell: Shell) -> None:
    """A script has to say --yes."""
    ran(shell)
    assert shell("journal", "clear", stdin=b"y\n") == 2
    assert "expected --yes to remove" in one_line(shell)
    assert stats(shell)["sections"] != 0


def test_a_file_that_cannot_be_read_is_one_line(shell: Shell, clean_environment: Path) -> None:
    """It is named."""
    (clean_environment / FILE).mkdir()
    assert shell("journal") == 2
    assert str(clean_environment / FILE) in one_line(shell)


# ---- with records, and somebody to ask ----


@dataclass
class Sections:
    count: int = 3
    trouble: str | None = None
    cleared: list[float | None] = field(default_factory=list)

    def stats(self) -> JournalStats:
        return JournalStats(self.count, 900, 250_000, 0.0, 86_400.0, 2)

    def clear(self, before: float | None = None) -> int:
        self.cleared.append(before)
        return self.count


@dataclass
class Records:
    count: int = 40
    trouble: str | None = None
    cleared: int = 0

    def size(self) -> tuple[int, int]:
        return self.count, 1_234

    def clear(self) -> tuple[int, str | None]:
        self.cleared += 1
        return self.count, self.trouble


def done(
    tmp_path: Path, sections: Sections, records: Records | None, ask: Ask | None, **given: object
) -> int:
    options = {"action": "clear", "yes": False, "older_than": None, "format": "text"} | given
    kept = Kept(Database(tmp_path / FILE), sections, records, encrypted=True)
    return carry_out(argparse.Namespace(**options), kept, ask)


@pytest.mark.parametrize(("answer", "said"), [(True, "records removed: 40"), (False, "nothing was removed")])
def test_a_person_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: bool, said: str
) -> None:
    """What would be removed and from where; only a yes removes it."""
    sections, records, questions = Sections(), Records(), []

    def ask(question: str) -> bool:
        questions.append(question)
        return answer

    assert done(tmp_path, sections, records, ask) == 0
    assert questions == [f"remove 3 sections and 40 records in {tmp_path / FILE}? [y/N] "]
    assert said in capsys.readouterr().out
    assert (len(sections.cleared), records.cleared) == (int(answer), int(answer))


def test_records_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the sections, with dates and sizes that people read."""
    assert done(tmp_path, Sections(), Records(), None, action="stats") == 0
    out = capsys.readouterr().out
    assert "sections: 3 (900 tokens, 0.2 MB), reused 2 times" in out
    assert "made: 1970-01-01 00:00 UTC to 1970-01-02 00:00 UTC" in out
    assert "records for recall: 40 (1,234 bytes)" in out


def test_records_alone_are_removed_too(tmp_path: Path) -> None:
    """Also where no section is left; but not by an age, which they have a setting for."""
    records = Records()
    assert done(tmp_path, Sections(count=0), records, None, yes=True) == 0
    assert done(tmp_path, Sections(), records, None, yes=True, older_than="3") == 0
    assert records.cleared == 1


@pytest.mark.parametrize(
    ("sections", "records"),
    [(Sections(trouble="the disk is full"), None), (Sections(), Records(trouble="the disk is full"))],
)
def test_what_could_not_be_done_is_told(tmp_path: Path, sections: Sections, records: Records | None) -> None:
    """In the words of whoever could not do it."""
    with pytest.raises(InvalidSettings, match="the disk is full"):
        done(tmp_path, sections, records, None, yes=True)


def test_the_terminal_is_asked(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The question is on standard error, the answer is typed."""
    pty = pytest.importorskip("pty")
    ran(shell)
    controller, terminal = pty.openpty()
    os.write(controller, b"n\ny\n")
    with os.fdopen(terminal, "r", encoding="utf-8") as typed:
        monkeypatch.setattr("sys.stdin", typed)
        assert shell("journal", "clear") == 0
        assert shell.out == "nothing was removed\n"
        assert shell.err.startswith("remove ")
        assert shell("journal", "clear") == 0
    os.close(controller)
    assert shell.out.startswith("sections removed: ")
