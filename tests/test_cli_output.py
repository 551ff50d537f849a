"""What the command prints and writes, and where: forms, files, terminals, closed and broken streams."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import stat
import subprocess
import sys
import termios
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from summarizer import Complete, Coverage, Gap, Notice, Partial, Reason, Section, Usage, load_result
from summarizer.cli import main
from summarizer.cli.output import check_output, closing_lines, say, shown, write

TEXT = "Café: 北の川 — the tide 🌊 and the barges."


def section(first: int, last: int, text: str = TEXT) -> Section:
    """A section of some records."""
    return Section(text, 9, first, last, "scripted/small", "model", 0, "f", "p")


USAGE = Usage(calls=2, input_tokens=3_000, output_tokens=90, cost=0.0123)
COMPLETE = Complete(TEXT, 9, 900, (section(0, 3),), Coverage(4, 0, 4), USAGE)
PARTIAL = Partial(
    TEXT,
    9,
    900,
    (section(0, 3), section(9, 9, "")),
    Coverage(5, 5, 10),
    Usage(calls=1, cost=None),
    notices=(Notice("endpoint_failed", "it was given up"),),
    gaps=(Gap(4, 4, Reason.BLOCKED, "filtered"), Gap(5, 8, Reason.DEADLINE, "the deadline passed")),
    reason=Reason.BLOCKED,
    retry_at=datetime(2030, 1, 1, 12, tzinfo=UTC),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with one short text in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def command(
    *words: str, shell: str = "", stdin: int | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """``summarizer`` as a process of its own; ``shell`` is what a shell does with its streams."""
    line = [sys.executable, "-m", "summarizer", *words]
    if shell:
        line = ["sh", "-c", f'"$@" {shell}', "sh", *line]
    full = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run(line, env=full, capture_output=True, stdin=stdin, timeout=60)


# Forms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [COMPLETE, PARTIAL])
def test_text_is_the_text_and_a_line_end(result: Complete | Partial) -> None:
    """Nothing else; and nothing at all where there is no text."""
    assert shown(result, "text") == TEXT + "\n"
    assert shown(Complete("", 0, 900, (), Coverage(0, 0, 0), Usage()), "text") == ""


@pytest.mark.parametrize("result", [COMPLETE, PARTIAL])
def test_json_is_the_whole_result(result: Complete | Partial) -> None:
    """Readable, with its status and version, and the same when it is read again."""
    text = shown(result, "json")
    assert load_result(text) == result
    assert {"version", "status", "coverage", "usage"} < json.loads(text).keys()
    assert "北の川" in text


def test_markdown_has_the_sections_and_what_is_missing() -> None:
    """With the records that each stands for; a section without text has no heading."""
    assert shown(PARTIAL, "markdown").splitlines() == [
        "# Summary",
        "",
        "*5 of 10 records, 9 of 900 tokens.*",
        "",
        "## Records 0–3",
        "",
        TEXT,
        "",
        "## Missing",
        "",
        "- record 4: blocked: filtered",
        "- records 5–8: deadline: the deadline passed",
    ]
    assert "Missing" not in shown(COMPLETE, "markdown")


def test_the_closing_line_tells_what_it_covers_and_costs() -> None:
    """One line for a complete result."""
    assert list(closing_lines(COMPLETE, 1.25, None)) == [
        "complete: 4 of 4 records in 9 of 900 tokens; 2 calls, 3,000 tokens read, 90 written, $0.0123, 1.2 s"
    ]


@pytest.mark.parametrize(("saved", "how"), [(None, "keep the result"), ("out.json", "--previous out.json")])
def test_a_partial_result_says_what_is_missing_and_how_to_go_on(saved: str | None, how: str) -> None:
    """Every gap with its reason, from when on another try makes sense, and each notice."""
    lines = list(closing_lines(PARTIAL, 1.0, saved))
    assert "1 call, " in lines[0]
    assert "cost unknown" in lines[0]
    assert lines[1:3] == [
        "missing: record 4: blocked: filtered",
        "missing: records 5–8: deadline: the deadline passed",
    ]
    assert lines[3].startswith("to ")
    assert how in lines[3]
    assert lines[4:] == ["note: it was given up"]


def test_many_gaps_are_not_all_told() -> None:
    """Ten, and how many more."""
    gaps = tuple(Gap(2 * i, 2 * i, Reason.BLOCKED, "filtered") for i in range(13))
    many = Partial("", 0, 900, (), Coverage(0, 13, 13), Usage(), gaps=gaps)
    lines = list(closing_lines(many, 1.0, None))
    assert sum(line.startswith("missing: record ") for line in lines) == 10
    assert "missing: 3 more stretches" in lines


# Files -----------------------------------------------------------------------------------------------------


def test_a_file_is_written_whole(folder: Path) -> None:
    """In UTF-8, with the permissions of any new file, and no other file beside it."""
    before = {*folder.iterdir()}
    write(TEXT, "out.txt")
    assert (folder / "out.txt").read_text(encoding="utf-8") == TEXT
    assert {*folder.iterdir()} - before == {folder / "out.txt"}
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((folder / "out.txt").stat().st_mode) == 0o666 & ~mask


def test_an_old_file_keeps_its_permissions_and_its_links(folder: Path) -> None:
    """A private file stays private, and a link goes on pointing where it did."""
    (folder / "private").write_text("old")
    (folder / "private").chmod(0o600)
    (folder / "link").symlink_to("private")
    write(TEXT, "link")
    assert (folder / "link").is_symlink()
    assert (folder / "private").read_text(encoding="utf-8") == TEXT
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_stays_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something fails between the first byte and the last: the old content is there, and nothing else."""
    (folder / "out.txt").write_text("old")
    before = {*folder.iterdir()}

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write(TEXT, "out.txt")
    assert (folder / "out.txt").read_text() == "old"
    assert {*folder.iterdir()} == before


def test_a_device_is_written_to() -> None:
    """``--output /dev/null`` is no file that could be replaced."""
    check_output(os.devnull)
    write(TEXT, os.devnull)
    assert not Path(os.devnull).is_file()


def test_names_of_any_length_and_kind(folder: Path) -> None:
    """The temporary name beside it does not become too long, and the file's own name is told if it is."""
    check_output("n" * 250)
    write(TEXT, "n" * 250)
    assert (folder / ("n" * 250)).read_text(encoding="utf-8") == TEXT
    for name in ("n" * 5_000, "nul\0"):
        with pytest.raises(ValueError, match=r"--output: .*: expected "):
            check_output(name)


# Streams ---------------------------------------------------------------------------------------------------


def test_a_caller_may_put_its_own_stream_in_the_place_of_stdout() -> None:
    """One that has no bytes beneath it."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        assert main(["run", "text.txt", "--budget", "100"]) == 0
    assert out.getvalue() == TEXT + "\n"


def test_what_no_encoding_can_hold_is_replaced(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Half of a surrogate pair in an old result ends nothing."""
    write("half \ud83d of a pair", None)
    assert capfdbinary.readouterr().out == b"half ? of a pair"


def test_the_text_is_utf_8_whatever_the_locale_says() -> None:
    """On servers without a locale, too; and what is said on stderr does not fail either."""
    ran = command("run", "text.txt", "--budget", "100", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (ran.returncode, ran.stdout.decode()) == (0, TEXT + "\n")
    assert ran.stderr.startswith(b"complete: 1 of 1 records")


@pytest.mark.parametrize(
    ("streams", "code", "out", "err"),
    [
        ("| head -c 1", 0, TEXT[:1].encode(), b"complete: "),
        (">/dev/full", 2, b"", b"summarizer run: [Errno 28] No space left on device\n"),
        (">&-", 2, b"", b"summarizer run: standard output is closed\n"),
        ("2>&-", 0, (TEXT + "\n").encode(), b""),
        ("- <&-", 2, b"", b"summarizer run: stdin: expected something to read, but it is closed\n"),
    ],
)
def test_streams_that_are_full_or_closed(streams: str, code: int, out: bytes, err: bytes) -> None:
    """No traceback, no second complaint at exit, and never a message in the place of the text."""
    if "/dev/full" in streams and not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    ran = command("run", "text.txt", "--budget", "100", shell=streams)
    assert (ran.returncode, ran.stdout) == (code, out)
    assert ran.stderr.startswith(err)
    assert ran.stderr.count(b"\n") <= 1


def test_a_reader_who_leaves_early_has_what_they_wanted(folder: Path) -> None:
    """``| head -1`` of more than a pipe holds: no error, and the closing line."""
    (folder / "long.txt").write_text("\n".join(f"line {i}" for i in range(60_000)))
    ran = command("run", "long.txt", "--budget", "1000000", shell="| head -n 1")
    assert (ran.returncode, ran.stdout) == (0, b"line 0\n")
    assert ran.stderr.startswith(b"complete: ")
    assert ran.stderr.count(b"\n") == 1


WORDS = ("run", "text.txt", "--budget", "16", "--model", "scripted/latency=0.1", "--focus", "barges")


def test_progress_is_not_for_files_and_pipes(capsys: pytest.CaptureFixture[str]) -> None:
    """Never a bar, a colour or a carriage return where nobody sees it."""
    assert main(WORDS) == 0
    out, err = capsys.readouterr()
    assert not {"\r", "\x1b", "%"} & {*out, *err}


def test_progress_is_shown_on_a_terminal() -> None:
    """A bar on stderr, that leaves nothing behind in the text."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    line = [sys.executable, "-m", "summarizer", *WORDS]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=theirs, env=environment) as process:
        os.close(theirs)
        seen = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while found := os.read(ours, 4_096):
                seen += found
        assert process.stdout is not None
        assert b"\r" not in process.stdout.read()
    os.close(ours)
    assert process.returncode == 0
    assert b"1 calls of about 1 100%" in seen
    assert b"complete: 1 of 1" in seen


def test_the_help_loads_nothing_heavy() -> None:
    """So that it is there at once."""
    code = (
        "import sys\nfrom summarizer.cli import main\n"
        "try:\n main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = ('pydantic', 'regex', 'tiktoken', 'litellm', 'tqdm', 'httpx')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert ran.stderr == b"[]\n"
    assert b"usage: summarizer" in ran.stdout


def test_a_result_can_be_written_to_a_pipe(tmp_path: Path) -> None:
    """``--output`` takes a FIFO or /dev/stdout as they are, and does not look for a file behind them."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write("the text\n", str(pipe))
    reader.join(10)
    assert read == ["the text\n"]


def test_a_standard_error_that_cannot_be_written_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk behind ``2>`` is not the fault of the run."""

    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError("no space left")

    monkeypatch.setattr(sys, "stderr", Full())
    say("nobody hears it")
