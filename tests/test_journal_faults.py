"""A store that fails in mid-run costs nobody a summary: it is right, in time, and says what was not kept."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from summarizer import CallEnded, Complete, Event, Model, Partial, Settings, Summarizer
from summarizer.result import load_result
from summarizer_providers.database import FILE

FACTS = 40
WORDS = "the boat went on in the rain and the others waited for it at the bridge. " * 6
MODEL = Model("scripted/m", extra={"ceiling": 4_000, "latency": 0.02})
AT = 3
"""Calls that end before something happens; the run makes about a dozen."""

Harm = Callable[[Path], object]
Result = Complete | Partial


def messages() -> list[dict[str, str]]:
    return [{"role": "user", "content": f"{WORDS}\nFACT-{100_000 + i}: value {i}"} for i in range(FACTS)]


def summarized(folder: Path, harm: Harm | None = None) -> Result:
    """A run whose store is harmed when some of its calls have ended."""
    ended = 0

    def on_event(event: Event) -> None:
        nonlocal ended
        ended += isinstance(event, CallEnded)
        if harm is not None and ended == AT and isinstance(event, CallEnded):
            harm(folder)

    with Summarizer(Settings(data_dir=folder, models=[MODEL], chunk_tokens=400, concurrency=2)) as summarizer:
        return summarizer.summarize(messages(), 1_500, on_event=on_event)


def check(result: Result, *, says: str | None) -> None:
    """It is the summary that an untouched store would have given, and a notice says what is the matter."""
    assert isinstance(result, Complete)
    assert result.coverage.covered == FACTS
    assert all(f"FACT-{100_000 + i}: value {i}" in result.text for i in range(FACTS))
    told = [notice.message for notice in result.notices if notice.code in ("journal", "store")]
    assert any(says in message for message in told) if says else not told, told


def emptied_log(path: Path) -> None:
    """Everything is in the file itself, so that what harms it is felt."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


# ---- a broken file ----


def garbage(folder: Path) -> None:
    for path in folder.iterdir():
        path.write_bytes(b"\x00\x01 no database " * 2_000)


def torn(folder: Path) -> None:
    emptied_log(path := folder / FILE)
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xa5" * (len(content) - 100))


def cut_short(folder: Path) -> None:
    emptied_log(path := folder / FILE)
    path.write_bytes(path.read_bytes()[:5_000])


@pytest.mark.timeout(30)
@pytest.mark.parametrize("harm", [garbage, torn, cut_short])
def test_a_file_that_breaks_is_kept_aside(tmp_path: Path, harm: Harm) -> None:
    """The rest of the run is kept in a new one, where the next run finds it; unless whoever had the file open
    at that moment put it right again, as SQLite does from its log.
    """
    result = summarized(tmp_path, harm)
    damaged = list(tmp_path.glob("*.damaged-*.db"))
    check(result, says="was damaged: it is kept as" if damaged else None)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
    assert summarized(tmp_path).usage.cached_calls > 0


def removed(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # the store may make another file meanwhile


def files_removed(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink(missing_ok=True)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("harm", [removed, files_removed])
def test_a_store_that_somebody_removes_is_begun_anew(tmp_path: Path, harm: Harm) -> None:
    """As if it had been emptied: nothing is wrong with it."""
    folder = tmp_path / "data"
    check(summarized(folder, harm), says=None)
    assert summarized(folder).usage.cached_calls > 0


# ---- a locked file ----


@contextmanager
def held(path: Path, statement: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """Another user of the file holds its lock."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as connection:
        connection.execute(statement)
        yield


@pytest.mark.timeout(20)
def test_a_lock_that_is_taken_in_mid_run_and_never_let_go(tmp_path: Path) -> None:
    """The run waits for it once, not again and again; it is found by the next one as far as it was kept."""
    locks = []

    def lock(folder: Path) -> None:
        locks.append(lock := held(folder / FILE))
        lock.__enter__()

    try:
        result = summarized(tmp_path, lock)
    finally:
        for each in locks:
            each.__exit__(None, None, None)
    check(result, says="is locked by another process")
    check(again := summarized(tmp_path), says=None)
    assert again.usage.calls <= result.usage.calls


@pytest.mark.timeout(20)
@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_file_that_is_locked_from_the_beginning(tmp_path: Path, statement: str) -> None:
    """The summary comes all the same, and in time."""
    first = summarized(tmp_path)
    (tmp_path / FILE).touch()
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("DELETE FROM journal_sections")
        connection.commit()
    with held(tmp_path / FILE, statement):
        result = summarized(tmp_path)
    check(result, says="is locked by another process")
    assert result.usage.calls <= first.usage.calls + 1


# ---- a disk that takes nothing more ----


@contextmanager
def filling_up() -> Iterator[Harm]:
    """A harm behind which no database gets one page more: SQLite then says that the disk is full."""
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    def limited(connection: Any, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # as many as there are, that is

    try:
        yield lambda _: event.listen(Engine, "connect", limited)
    finally:
        event.remove(Engine, "connect", limited)


@pytest.mark.timeout(30)
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """What was kept until then is found by the next run, when there is room again."""
    with filling_up() as harm:
        result = summarized(tmp_path, harm)
    check(result, says="the disk is full")
    check(again := summarized(tmp_path), says=None)
    assert again.usage.calls <= result.usage.calls


LIMITED = """
import resource, sys
from pathlib import Path
from tests.test_journal_faults import summarized
limit = lambda _: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
print(summarized(Path(sys.argv[1]), limit).to_json())
"""


@pytest.mark.timeout(60)
@pytest.mark.skipif(sys.platform == "win32", reason="no limits of a process there")
def test_a_file_that_may_not_grow(tmp_path: Path, root: Path) -> None:
    """A quota, as the system enforces it in mid-run."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), str(root / "providers")])}
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, env=environ, cwd=root
    )
    assert ran.returncode == 0, ran.stderr
    check(load_result(ran.stdout), says="cannot be written")
    check(summarized(tmp_path), says=None)


# ---- a folder that cannot be used ----


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    """It is left as it is."""
    folder = tmp_path / "data"
    folder.write_text("mine")
    check(summarized(folder), says="cannot be opened")
    assert folder.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
@pytest.mark.parametrize("used_before", [False, True])
def test_a_folder_that_may_only_be_read(tmp_path: Path, used_before: bool) -> None:
    """What was kept before is still found in it."""
    first = summarized(tmp_path) if used_before else None
    for path in (*tmp_path.iterdir(), tmp_path):
        path.chmod(0o500)
    try:
        result = summarized(tmp_path)
    finally:
        for path in (tmp_path, *tmp_path.iterdir()):
            path.chmod(0o700)
    if first is None:
        check(result, says="cannot")
    else:
        assert (result.text, isinstance(result, Complete)) == (first.text, True)
