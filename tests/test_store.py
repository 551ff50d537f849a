"""What was learned outlives the process, whoever else writes; and a store that fails costs nothing else."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchmarks.writers import write_many
from summarizer_providers import rows
from summarizer_providers.database import FILE
from summarizer_providers.learning import learn
from summarizer_providers.observations import Kind, Observation
from summarizer_providers.store import Store

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")


def seen(number: int = 1, endpoint: str = "e", kind: Kind = Kind.COMPLETED) -> Observation:
    return Observation(endpoint, float(number), kind, 16_384, 900, 10_000, 11_000, 1_000 + number, 0)


FULL = Observation("e", 1.25, Kind.CUT, 1, 2, 3, 4, 5, 6, 7, 8, "≤ 4096 令牌")
BARE = Observation("e", 0.1 + 0.2, Kind.PROMPT_TOO_LONG)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path)
    yield store
    store.close()


def counted(path: Path) -> int:
    with closing(sqlite3.connect(path / FILE)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM observations").fetchone()[0])


def until(true: Callable[[], bool]) -> None:
    for _ in range(400):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it never came to that")


def test_what_is_added_is_known_at_once_and_afterwards(store: Store, tmp_path: Path) -> None:
    """To this process before it is written, to others soon, every field as it was."""
    store.add(FULL)
    store.add(BARE)
    assert store.about("e") == [BARE, FULL]
    store.flush()
    assert Store.open(tmp_path).about("e") == [BARE, FULL]
    assert (store.endpoints(), store.about("other"), store.trouble) == (["e"], [], None)


def test_writing_needs_no_call(store: Store, tmp_path: Path) -> None:
    """It goes out in the background, and the background rests when there is nothing to do."""
    store.add(seen())
    until(lambda: (tmp_path / FILE).exists() and Store.open(tmp_path).about("e") == [seen()])
    until(lambda: store._thread is None)
    store.add(seen(2))
    until(lambda: len(Store.open(tmp_path).about("e")) == 2)


def test_the_user_sets_and_forgets(store: Store, tmp_path: Path) -> None:
    """A ceiling of theirs goes before what was seen; forgetting removes all of it."""
    store.add(seen(kind=Kind.CUT))
    store.set("e", 9_000)
    upper = learn(Store.open(tmp_path).about("e")).upper
    assert upper is not None
    assert (upper.value, upper.kind) == (9_000, Kind.SET)
    store.add(seen(2))
    store.add(seen(2, "other"))
    assert store.forget("e") == 3
    assert (store.about("e"), store.endpoints()) == ([], ["other"])


def test_two_equal_observations_are_two(store: Store) -> None:
    """Sixteen calls that end alike in one second are sixteen."""
    for _ in range(3):
        store.add(seen())
    store.flush()
    store.add(seen())
    assert len(store.about("e")) == 4


def test_a_batch_that_is_written_again_is_not_doubled(store: Store, tmp_path: Path) -> None:
    """As after a commit whose answer was lost."""
    store.endpoints()
    assert rows.insert(store.database, {"a": seen(1), "b": seen(2)}, 1.0)
    assert rows.insert(store.database, {"b": seen(2), "c": seen(3)}, 1.0)
    assert counted(tmp_path) == 3


def test_threads_write_into_one_store(store: Store, tmp_path: Path) -> None:
    """Every observation of eight threads is there once, while they also read."""

    def work(number: int) -> None:
        for i in range(100):
            store.add(seen(number * 100 + i))
            if i % 25 == 0:
                store.about("e")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.flush()
    assert counted(tmp_path) == 800


def test_processes_write_into_one_file() -> None:
    """None lost and none doubled; `python -m benchmarks.writers` does it with more."""
    found = write_many(4, 300, "fork" if hasattr(os, "fork") else "spawn")
    assert (found.expected, found.lost, found.doubled, found.trouble) == (1_200, 0, 0, 0)


CHILD = """
import os, sys, time
from summarizer_providers.observations import Kind, Observation
from summarizer_providers.store import Store
store = Store.open(sys.argv[1])
for i in range(50):
    store.add(Observation("e", float(i), Kind.CUT))
"""


def test_a_process_that_ends_leaves_nothing_unwritten(tmp_path: Path) -> None:
    """Without a word to the store, and before the background had its turn."""
    subprocess.run([sys.executable, "-c", CHILD], check=False)  # without an argument: ends with an error
    subprocess.run([sys.executable, "-c", CHILD, str(tmp_path)], check=True)
    assert counted(tmp_path) == 50


def test_a_process_that_is_killed_loses_only_the_last_moment(tmp_path: Path) -> None:
    """What was added a moment before is in the file, and the file is whole."""
    code = CHILD + "print('added', flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    until(lambda: len(Store.open(tmp_path).about("e")) == 50)
    child.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    child.communicate()
    store = Store.open(tmp_path)
    assert (len(store.about("e")), store.trouble) == (50, None)


def _forked(store: Store, number: int) -> None:
    for i in range(20):
        store.add(seen(number * 100 + i))


@needs_fork
def test_a_forked_process_goes_on_with_the_store(store: Store, tmp_path: Path) -> None:
    """What waited in the parent is the parent's to write; what the children add is theirs."""
    store.add(seen(9_000))
    store.endpoints()
    store.add(seen(9_001))
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_forked, args=(store, number), daemon=True) for number in range(3)]
    for child in children:
        child.start()
    store.add(seen(9_002))
    for child in children:
        child.join(60)
    store.close()
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert counted(tmp_path) == 63


def test_many_rows_are_thinned_to_those_that_matter(store: Store, tmp_path: Path) -> None:
    """The file of an endpoint that is asked all day does not grow for ever, and the bounds stay."""
    for i in range(1_500):
        store.add(seen(i, kind=Kind.CUT if i % 3 == 0 else Kind.COMPLETED))
    store.add(seen(1, "quiet"))
    store.flush()
    before = learn(store.about("e"))
    assert rows.tidy(store.database, most=1_000) == 1
    assert counted(tmp_path) < 400
    assert learn(store.about("e")) == before
    assert store.about("quiet") == [seen(1, "quiet")]


def test_rows_of_a_newer_kind_are_passed_over(store: Store, tmp_path: Path) -> None:
    """A newer version may have seen what this one has no name for."""
    store.add(seen())
    store.flush()
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("UPDATE observations SET id = 'x', kind = 'dreamt'")
        connection.commit()
    store.add(seen(2))
    assert store.about("e") == [seen(2)]


# ---- a store that fails ----


def locked(path: Path) -> Any:
    Store.open(path).endpoints()
    holder = sqlite3.connect(path / FILE, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    return holder


def test_a_locked_store_is_written_later(store: Store, tmp_path: Path) -> None:
    """Work goes on in memory meanwhile, and nothing is lost when the other lets go."""
    with closing(locked(tmp_path)) as holder:
        store.add(seen())
        assert not store.flush(wait=0.1)
        assert store.about("e") == [seen()]
        holder.execute("ROLLBACK")
    assert store.flush()
    assert (counted(tmp_path), store.trouble) == (1, None)


def test_a_locked_store_says_so(store: Store, tmp_path: Path) -> None:
    """In a sentence that a notice can quote."""
    with closing(locked(tmp_path)):
        store.add(seen())
        store.flush(wait=0.1)
        assert store.trouble == (
            f"{tmp_path / FILE} is locked by another process; what is learned is kept in memory"
        )


def newer(folder: Path) -> Store:
    Store.open(folder).endpoints()
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("INSERT INTO migrations VALUES ('observations/7-next-year', 1.0)")
        connection.commit()
    return Store.open(folder)


def no_folder(folder: Path) -> Store:
    (folder / "file").touch()
    return Store.open(folder / "file" / "data")


def read_only(folder: Path) -> Store:
    Store.open(folder).endpoints()
    return Store.open(url=f"sqlite:///file:{folder / FILE}?mode=ro&uri=true")


def no_driver(folder: Path) -> Store:
    return Store.open(url="postgresql+nothing://me:hunter2@host/db")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (newer, "newer version"),
        (no_folder, "cannot be opened"),
        (read_only, "read-only"),
        (no_driver, "cannot be used"),
    ],
)
def test_work_goes_on_in_memory(tmp_path: Path, made: Callable[[Path], Store], said: str) -> None:
    """Whatever is wrong with the place: everything works, for this process, and one sentence says why."""
    store = made(tmp_path)
    store.add(seen(1))
    store.set("e", 5_000)
    store.add(seen(2, "other"))
    assert not store.flush()
    assert [each.kind for each in store.about("e")] == [Kind.COMPLETED, Kind.SET]
    assert store.endpoints() == ["e", "other"]
    assert store.forget("other") == 1
    assert store.endpoints() == ["e"]
    store.close()
    assert store.trouble is not None
    assert said in store.trouble
    assert store.trouble.endswith("what is learned is kept in memory")


def test_memory_is_bounded_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A service that runs for weeks beside a broken disk keeps what matters."""
    store = no_folder(tmp_path)
    for i in range(6_000):
        store.add(seen(i, f"e{i % 2}"))
    assert len(store._pending) < 5_000
    assert learn(store.about("e1")).lower == 1_000 + 5_999


NOT_PERMITTED = """
import os, sys, tempfile
from pathlib import Path
import sqlalchemy.dialects.sqlite
from summarizer_providers.observations import Kind, Observation
from summarizer_providers.store import Store
with tempfile.TemporaryDirectory() as folder:
    Store.open(folder).endpoints()
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
        os.chown(folder + "/summarizer.db", 65534, 65534)
        os.seteuid(65534)
    for mode in 0o400, 0o000:
        Path(folder, "summarizer.db").chmod(mode)
        for mode in 0o700, 0o500, 0o000:
            Path(folder).chmod(mode)
            store = Store.open(folder)
            store.add(Observation("e", 1.0, Kind.CUT))
            assert not store.flush(), "written"
            assert len(store.about("e")) == 1
            print(store.trouble)
            Path(folder).chmod(0o700)
    os.seteuid(os.getuid())
"""


def test_a_place_that_is_not_ours_costs_nothing(tmp_path: Path) -> None:
    """A file that may not be written or read, a folder that may not be changed or entered."""
    if not hasattr(os, "seteuid"):
        pytest.skip("no such permissions on this platform")
    ran = subprocess.run([sys.executable, "-c", NOT_PERMITTED], capture_output=True, text=True)
    assert (ran.stderr, ran.returncode) == ("", 0)
    said = ran.stdout.splitlines()
    assert len(said) == 6
    assert all("read-only" in line or "cannot be opened" in line for line in said), said


FULL_DISK = """
import resource, sys
from summarizer_providers.observations import Kind, Observation
from summarizer_providers.store import Store
store = Store.open(sys.argv[1])
store.add(Observation("e", 1.0, Kind.CUT)); assert store.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
for i in range(2_000):
    store.add(Observation("e", float(i), Kind.COMPLETED, output_tokens=i, source="x" * 200))
assert not store.flush(), "written"
assert len(store.about("e")) == 257, len(store.about("e"))
print(store.trouble)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_a_full_disk_costs_nothing_and_is_told(tmp_path: Path) -> None:
    """What could not be written waits in memory, and is written when there is room again."""
    pytest.importorskip("resource")
    ran = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True)
    assert ran.stderr == ""
    assert "cannot be written: the disk" in ran.stdout
    assert counted(tmp_path) == 2_001


def test_a_damaged_store_is_begun_anew_and_says_so(tmp_path: Path) -> None:
    """The damaged file is kept, with the date in its name."""
    (tmp_path / FILE).write_bytes(b"no database at all " * 99)
    store = Store.open(tmp_path)
    store.add(seen())
    assert store.flush()
    assert store.trouble is not None
    assert "was damaged: it is kept as summarizer.damaged-20" in store.trouble
    assert Store.open(tmp_path).about("e") == [seen()]
