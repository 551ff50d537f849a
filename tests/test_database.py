"""The database begins by itself, once, for its owner alone; and what is wrong with it is one sentence."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from summarizer_providers.damage import exposure
from summarizer_providers.database import FILE, Database, Migration, Unavailable, location

Connection = Any


def statement(sql: str) -> Callable[[Connection], object]:
    return lambda connection: connection.exec_driver_sql(sql)


FIRST = Migration("journal/1-table", statement("CREATE TABLE sections (id INTEGER PRIMARY KEY)"))
SECOND = Migration("journal/2-text", statement("ALTER TABLE sections ADD COLUMN text VARCHAR(10)"))
OTHER = Migration("others/1-table", statement("CREATE TABLE others (id INTEGER PRIMARY KEY)"))
BROKEN = Migration("journal/2-broken", statement("CREATE TABLE sections (id INTEGER)"))


def add(database: Database, *migrations: Migration) -> None:
    """One row in the journal's table."""
    wanted = migrations or (FIRST,)

    def work() -> None:
        with database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO sections DEFAULT VALUES")

    database.attempt(wanted, work)


def rows(path: Path, what: str = "COUNT(*) FROM sections") -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute(f"SELECT {what}")]


@pytest.mark.parametrize(
    ("data_dir", "url", "environ", "expected"),
    [
        ("/a", None, {}, Path("/a", FILE)),
        ("/a", "sqlite:////b.db", {}, "sqlite:////b.db"),
        (None, None, {"SUMMARIZER_DATA_DIR": "/c"}, Path("/c", FILE)),
        (None, None, {"SUMMARIZER_DATA_DIR": "/c", "SUMMARIZER_STORE": "sqlite://"}, "sqlite://"),
        ("/a", None, {"SUMMARIZER_STORE": "sqlite://"}, Path("/a", FILE)),
    ],
)
def test_location(data_dir: str | None, url: str | None, environ: dict[str, str], expected: object) -> None:
    """Arguments go before the environment, a URL before a folder."""
    assert location(data_dir, url, environ) == expected


def test_the_default_location_is_the_platforms_folder_for_data() -> None:
    """Named after the project."""
    found = location(None, None, {})
    assert isinstance(found, Path)
    assert (found.name, "summarizer-gateway" in found.parts) == (FILE, True)


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    """The folder, the file and the files beside it; a file that others could read is closed to them."""
    path = tmp_path / "made" / FILE
    database = Database(path)
    add(database)
    with database.writing():
        modes = {each.name: each.stat().st_mode & 0o077 for each in [path.parent, *path.parent.iterdir()]}
    assert set(modes.values()) == {0}
    path.chmod(0o644)
    add(Database(path))
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A process whose new files and folders are everybody's, unless it says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_only_its_owner_can_read_it_whatever_the_umask(tmp_path: Path) -> None:
    """Every folder that was made for it, the file, its log, and what is beside them."""
    path = tmp_path / "a" / "b" / FILE
    database = Database(path)
    add(database)
    with database.writing():
        made = [*path.parent.iterdir(), path.parent, path.parent.parent]
        assert {each.stat().st_mode & 0o077 for each in made} == {0}
    assert len(made) > 4
    assert exposure(path) is None


def test_the_log_of_a_file_that_others_could_read_is_closed_too(tmp_path: Path) -> None:
    """It holds the same as the file, and was made with the same rights."""
    path = tmp_path / FILE
    database = Database(path)
    add(database)
    path.chmod(0o664)
    with database.writing():
        path.chmod(0o664)
        for each in tmp_path.iterdir():
            each.chmod(0o664)
        with Database(path).reading():
            assert {each.stat().st_mode & 0o077 for each in tmp_path.iterdir()} == {0}


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        (0o700, None),
        (0o755, None),
        (0o1777, None),
        (0o777, "can be written by others"),
        (0o775, "can be written"),
    ],
)
def test_a_folder_that_others_can_write_is_told_and_left_as_it_is(
    tmp_path: Path, mode: int, told: str | None
) -> None:
    """It was there before, so it is its owner's to close; the file in it is closed all the same."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    path = folder / FILE
    add(Database(path))
    assert (folder.stat().st_mode & 0o7777, path.stat().st_mode & 0o777) == (mode, 0o600)
    assert (exposure(path) is None) if told is None else (told in str(exposure(path)))


def test_a_file_that_stays_open_to_others_is_told(tmp_path: Path) -> None:
    """As on a file system without rights, or where it is somebody else's."""
    path = tmp_path / FILE
    path.touch(0o644)
    path.chmod(0o644)
    assert str(exposure(path)).startswith(f"{path} can be read by others")
    assert exposure(tmp_path / "none" / FILE) is None


def test_nothing_is_loaded_or_made_before_it_is_used(tmp_path: Path) -> None:
    """Opening costs nothing: SQLAlchemy is imported and the file made with the first use."""
    code = (
        "import sys; from summarizer_providers.store import Store; s = Store.open(sys.argv[1]); "
        "print('sqlalchemy' in sys.modules, 'platformdirs' in sys.modules)"
    )
    folder = tmp_path / "later"
    ran = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True)
    assert (ran.stdout.split(), ran.stderr, folder.exists()) == (["False", "False"], "", False)


def test_migrations_are_applied_once_and_in_order(tmp_path: Path) -> None:
    """An older file is brought up to date; each layer has its own list."""
    path = tmp_path / FILE
    add(Database(path), FIRST)
    for _ in range(2):
        add(Database(path), FIRST, SECOND)
        Database(path).attempt((OTHER,), lambda: None)
    assert rows(path) == [3]
    assert rows(path, "name FROM migrations ORDER BY applied_at") == [FIRST.name, SECOND.name, OTHER.name]


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """It is tried again next time, from where it began."""
    path = tmp_path / FILE
    with pytest.raises(Unavailable):
        add(Database(path), FIRST, BROKEN)
    assert rows(path, "name FROM migrations") == [FIRST.name]
    add(Database(path), FIRST, SECOND)
    assert rows(path) == [1]


def _begin(path: Path, ready: Any) -> None:
    ready.wait(30)
    add(Database(path), FIRST, SECOND)


@pytest.mark.parametrize("damaged", [False, True])
def test_ten_processes_begin_at_the_same_moment(tmp_path: Path, damaged: bool) -> None:
    """Each migration is applied once and every process gets its work done; so too where the file that they
    find is damaged: it is moved aside once.
    """
    path = tmp_path / FILE
    if damaged:
        path.write_bytes(b"this is no database" * 1_000)
    context = multiprocessing.get_context("fork" if sys.platform != "win32" else "spawn")
    ready = context.Barrier(10)
    running = [context.Process(target=_begin, args=(path, ready), daemon=True) for _ in range(10)]
    for process in running:
        process.start()
    for process in running:
        process.join(60)
    assert [process.exitcode for process in running] == [0] * 10
    assert rows(path) == [10]
    assert rows(path, "COUNT(*) FROM migrations") == [2]
    assert len(list(tmp_path.glob("*.damaged-*.db"))) == damaged


def garbage(path: Path) -> None:
    path.write_bytes(b"\x00\x01 no database " * 500)


def torn(path: Path) -> None:
    """Pages in the middle are overwritten, as a failing disk does it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[100:] = b"\xa5" * (len(content) - 100)
    path.write_bytes(content)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


@pytest.mark.parametrize("harm", [garbage, torn, cut_short])
@pytest.mark.parametrize("in_use", [False, True])
def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(
    tmp_path: Path, harm: Callable[[Path], None], in_use: bool
) -> None:
    """Also when it breaks while the database is in use; nothing of what is left of it is thrown away."""
    path = tmp_path / FILE
    database = Database(path)
    add(database)
    harm(path)
    harmed = path.read_bytes()
    database = database if in_use else Database(path)
    add(database)
    (kept,) = tmp_path.glob("summarizer.damaged-20??-??-??T*.db")
    assert kept.read_bytes() == harmed
    assert rows(path) == [1]
    assert database.notice is not None
    assert kept.name in database.notice


def test_an_empty_file_is_a_beginning(tmp_path: Path) -> None:
    """Not damage."""
    path = tmp_path / FILE
    path.touch()
    add(Database(path))
    assert (rows(path), list(tmp_path.glob("*damaged*"))) == ([1], [])


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO migrations VALUES ('journal/9-of-next-year', 1.0)",
        "PRAGMA user_version = 99",
    ],
)
def test_a_newer_version_is_left_untouched(tmp_path: Path, sql: str) -> None:
    """It belongs to a newer version of the package, which will want it as it was."""
    path = tmp_path / FILE
    add(Database(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(Unavailable, match="made by a newer version") as raised:
        add(Database(path))
    assert raised.value.lasting
    assert path.read_bytes() == before


def test_a_newer_layer_does_not_shut_out_the_others(tmp_path: Path) -> None:
    """Each layer owns its tables alone."""
    path = tmp_path / FILE
    add(Database(path), FIRST, SECOND)
    Database(path).attempt((OTHER,), lambda: None)
    with pytest.raises(Unavailable):
        add(Database(path), FIRST)


def blocked(tmp_path: Path) -> str:
    (tmp_path / "file").touch()
    return f"sqlite:///{tmp_path}/file/folder/x.db"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (lambda tmp: Path(blocked(tmp).removeprefix("sqlite:///")), "cannot be opened: Not a directory"),
        (blocked, "cannot be opened: Not a directory"),
        (lambda tmp: tmp, "cannot be opened"),
        (lambda tmp: f"sqlite:///file:{tmp}/none.db?mode=ro&uri=true", "cannot be opened"),
        (lambda tmp: "no url", "cannot be used"),
        (lambda tmp: "postgresql+nothing://me:hunter2@host/db", "cannot be used"),
    ],
)
def test_a_database_that_cannot_be_used_says_why(
    tmp_path: Path, where: Callable[[Path], str | Path], said: str
) -> None:
    """One sentence, with the place and without the password."""
    with pytest.raises(Unavailable, match=said) as raised:
        add(Database(where(tmp_path)))
    assert "hunter2" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_database_in_memory_is_shared_by_threads() -> None:
    """For tests and trials: nothing is written anywhere."""
    database = Database("sqlite://")
    add(database)
    add(database)
    with database.reading() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM sections").scalar_one() == 2
