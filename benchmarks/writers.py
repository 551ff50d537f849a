"""Many processes that learn at once into one SQLite file: is anything lost, or there twice?

python -m benchmarks.writers [--processes 8] [--observations 2000]
"""

from __future__ import annotations

import argparse
import multiprocessing
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import table
from summarizer_providers.database import FILE
from summarizer_providers.observations import Kind, Observation
from summarizer_providers.store import Store

__all__ = ["Written", "main", "write_many"]

LONGEST = 120.0  # seconds: a process that hangs is in trouble, and this one does not wait for it for ever


@dataclass(frozen=True, slots=True)
class Written:
    """What was found afterwards: rows ``lost`` and ``doubled``, processes in ``trouble``, ``seconds``."""

    expected: int
    lost: int
    doubled: int
    trouble: int
    seconds: float


def _write(folder: str, number: int, observations: int, ready: object) -> None:
    ready.wait(LONGEST)  # type: ignore[attr-defined]
    store = Store.open(folder)
    for i in range(observations):
        # prompt_tokens tells which row of which writer it is
        store.add(
            Observation(
                "shared", time.time(), Kind.COMPLETED, 16_384, 900, number * observations + i, 1_000, 800
            )
        )
    store.flush(60.0)
    raise SystemExit(1 if store.trouble else 0)


def write_many(processes: int, observations: int, start: str = "spawn") -> Written:
    """Let processes begin at the same moment, without a file yet, and count what they leave in it."""
    context = multiprocessing.get_context(start)
    ready = context.Barrier(processes + 1)
    with tempfile.TemporaryDirectory() as folder:
        running = [
            context.Process(target=_write, args=(folder, number, observations, ready), daemon=True)
            for number in range(processes)
        ]
        for process in running:
            process.start()
        ready.wait(LONGEST)
        started = time.perf_counter()
        for process in running:
            process.join(LONGEST)
        seconds = time.perf_counter() - started
        found = _found(Path(folder) / FILE)
    expected = processes * observations
    return Written(
        expected=expected,
        lost=expected - len(found),
        doubled=sum(found.values()) - len(found),
        trouble=sum(process.exitcode != 0 for process in running),
        seconds=seconds,
    )


def _found(path: Path) -> Counter[int]:
    with closing(sqlite3.connect(path)) as connection:
        return Counter(number for (number,) in connection.execute("SELECT prompt_tokens FROM observations"))


def main() -> None:
    """Prints one line for each way in which processes start."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--observations", type=int, default=2_000)
    options = parser.parse_args()
    rows = []
    for start in multiprocessing.get_all_start_methods():
        if start != "forkserver":
            found = write_many(options.processes, options.observations, start)
            rate = round(found.expected / found.seconds)
            rows.append(
                [start, found.expected, found.lost, found.doubled, found.trouble, found.seconds, rate]
            )
    table(
        f"{options.processes} processes × {options.observations:,} observations, one SQLite file",
        ["start", "expected", "lost", "doubled", "in trouble", "wall s", "a second"],
        rows,
    )
    print("\nlost and doubled must be 0")


if __name__ == "__main__":
    main()
