"""The file of an embedded database: who may read it, what is wrong with it, and damaged ones moved aside."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

__all__ = [
    "LOCKED",
    "exposure",
    "is_damaged",
    "move_aside",
    "prepare",
    "sentence",
    "switch_to_wal",
    "without_password",
]

LOCKED = "is locked by another process"
"""What ``sentence`` says of a database that another process does not let go."""

_PASSWORD = re.compile(r"(://[^:/@\s]*):[^@\s]*@")
_DAMAGE = re.compile(r"malformed|not a database|disk image|corrupt", re.I)
_STALE = 30.0
_SAID = (
    (_DAMAGE, "is damaged"),
    (re.compile(r"\blocked\b|\bbusy\b", re.I), LOCKED),
    (re.compile(r"disk is full|No space left|quota", re.I), "cannot be written: the disk is full"),
    (re.compile(r"read-?only|not permitted|permission denied", re.I), "cannot be written: it is read-only"),
    (re.compile(r"unable to open", re.I), "cannot be opened"),
    (re.compile(r"disk I/O error|File too large", re.I), "cannot be written: the disk gives an error"),
)


def prepare(path: Path) -> None:
    """Make the folder and an empty file that only their owner may read. Raises ``OSError``.

    Of what exists already, the rights of others are taken away where that is ours to do.
    """
    _make_folder(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return
    if path.stat().st_mode & _OTHERS:
        for each in _files(path):
            with suppress(OSError):
                each.chmod(each.stat().st_mode & 0o700)


_OTHERS = 0o077
_OTHERS_WRITE = 0o022


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it; ``parents=True`` would leave those above open to others."""
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _files(path: Path) -> Iterator[Path]:
    """The file, its log, and the index of that: SQLite makes these with the file's own rights."""
    yield from (path.with_name(path.name + tail) for tail in ("", "-wal", "-shm"))


def exposure(path: Path) -> str | None:
    """A sentence where others than its owner could read a database or put another one in its place; else
    None. Raises nothing.

    Their rights to the file are taken away by ``prepare``, where the file system has any; a folder that was
    there before is its owner's to close.
    """
    if os.name == "nt":
        return None
    with suppress(OSError):
        folder = path.parent.stat().st_mode
        if any(each.stat().st_mode & _OTHERS for each in _files(path) if each.exists()):
            return f"{path} can be read by others, and its rights cannot be changed"
        if folder & _OTHERS_WRITE and not folder & stat.S_ISVTX:
            return f"{path.parent} can be written by others, who could put another database there"
    return None


def is_damaged(path: Path) -> bool:
    """Whether SQLite says that a file is none of its own, or broken. One that is locked, or that may not be
    read, is not damaged.
    """
    try:
        if not path.is_file():
            return False
        with closing(sqlite3.connect(path, timeout=1)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except (OSError, sqlite3.DatabaseError) as error:
        return bool(_DAMAGE.search(str(error)))


def move_aside(path: Path) -> Path | None:
    """Rename a damaged file so that its name holds the date; None if another process was faster.

    Only one process at a time looks and moves, or the second would move the first one's new file.
    Raises ``OSError``.
    """
    with _alone(path.with_name(path.name + ".repair")):
        if not is_damaged(path):
            return None
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S-%f")
        kept = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
        for tail in ("-wal", "-shm", ""):  # its log first: a new file must never meet it
            with suppress(FileNotFoundError):
                path.with_name(path.name + tail).rename(kept.with_name(kept.name + tail))
        prepare(path)
        return kept


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock file; one that a killed process left behind is taken over after half a minute."""
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            break
        except FileExistsError:
            with suppress(FileNotFoundError):
                if time.time() - lock.stat().st_mtime > _STALE:
                    lock.unlink()
            time.sleep(0.05)
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            lock.unlink()


def switch_to_wal(cursor: sqlite3.Cursor) -> None:
    """Let readers and a writer work side by side, where the file system can.

    SQLite does not wait for a lock here, so this does: ten processes may begin at the same moment. Without
    it, or on a file that can only be read, the database works all the same.
    """
    for pause in (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.0):
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) and "busy" not in str(error):
                return
            time.sleep(pause)


def sentence(error: Exception) -> str:
    """What is wrong, to follow the name of the database: ``is locked by another process``."""
    root: BaseException = getattr(error, "orig", None) or error
    if isinstance(root, OSError):
        return f"cannot be opened: {os.strerror(root.errno or errno.EIO)}"
    if isinstance(root, ImportError):
        return f"cannot be used: its driver is not installed ({root.name or root})"
    said = " ".join(str(root).split())
    for pattern, meaning in _SAID:
        if pattern.search(said):
            return meaning
    return f"cannot be used: {without_password(said)[:200] or type(root).__name__}"


def without_password(url: str) -> str:
    """A database's URL as it may be shown."""
    return _PASSWORD.sub(r"\1:***@", url)
