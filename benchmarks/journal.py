"""Nothing is paid for twice: what the journal saves where runs are killed, repeated or meet, and its cost.

python -m benchmarks.journal [--json] [--only kill|same|grown|ceiling|ten|overhead] [--kills 200] [--quick]

kill: a run of about 60 calls to a server on loopback, which takes 50 to 200 ms for each, is killed -9 at
random moments, one to four times, and started again. Input tokens of all calls whose answers were out before
their caller died may be 1.1 times those of an undisturbed run, and what was in flight at each kill.
same: a finished run of 900,000 tokens again: no call, the same text, 2 s of CPU beside the token count (the
whole process, from the interpreter's start).
grown: 2,000 messages in 20 sections, then 10 more, then 100 more: what is new may be read, and 2 (4) chunks.
ceiling: answers are cut at 1,500 tokens from a call on, and the run is killed behind 12 answers that were not
cut; at least 10 sections are used again.
ten: ten processes begin the same job at the same moment, and make 1.05 times the calls of one; then again,
while three of them are killed one after the other.
overhead: CPU of a run of 2,000 calls with the journal, against one without: at most 1.1 times as much.

``--quick`` makes everything smaller, to see that it runs. The exit code is 0 if all marks were reached.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from statistics import median
from typing import Literal

from benchmarks.host import settle
from benchmarks.journal_again import ceiling, grown, same
from benchmarks.journal_kills import at_once, kills
from benchmarks.journal_marks import Row, at_most, told
from benchmarks.journal_runs import Job, finished, session_of
from benchmarks.journal_server import booked, serving
from benchmarks.measure import log, table
from summarizer import Complete

__all__ = ["cases", "main", "overhead"]

CALLS, A_CALL = 2_000, 400
ROUNDS = 3
QUICK = 0.1
SWITCHES: tuple[Literal["on", "off"], ...] = ("off", "on")


def overhead(share: float = 1.0, rounds: int = ROUNDS) -> Iterator[Row]:
    """CPU of runs with the journal and without, in turn; what disturbs a measurement only ever adds to it."""
    case, number = "overhead", int(CALLS * share)
    spent: dict[str, list[float]] = {switch: [] for switch in SWITCHES}
    records = session_of(number, A_CALL, 4_000)
    with serving(least=0.0, most=0.0, ceiling=16_384, verbosity=0.9) as root:
        for turn in range(rounds):
            for switch in SWITCHES if turn % 2 == 0 else reversed(SWITCHES):
                spent[switch].append(_cpu(records, root, switch))
                log(f"round {turn + 1} of {rounds}, journal {switch}: {spent[switch][-1]:.2f} s of CPU")
        yield told(case, "calls of a run", len(booked(root)) / rounds / 2)
    yield told(case, "CPU without, s, least", min(spent["off"]))
    yield told(case, "CPU with, s, least", min(spent["on"]))
    yield at_most(case, "with / without, least", min(spent["on"]) / min(spent["off"]), 1.1)
    yield told(case, "with / without, median", median(spent["on"]) / median(spent["off"]))


def _cpu(records: Sequence[dict[str, object]], root: str, switch: Literal["on", "off"]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        budget = len(records) * A_CALL // 4
        job = Job(records, budget, root, folder, int(A_CALL * 1.3), switch, concurrency=32)
        found = finished(job)
        if not isinstance(found.result, Complete):
            raise RuntimeError(f"a run was not complete: {found.result.reason}")
        return found.cpu


def cases(share: float, number: int) -> Mapping[str, Callable[[], Iterator[Row]]]:
    """What is measured, by name; ``share`` makes it smaller, ``number`` is how many kills."""
    return {
        "kill": partial(kills, number, share),
        "same": partial(same, share),
        "grown": partial(grown, (1,) if share < 1 else (1, 2, 3)),
        "ceiling": partial(ceiling, share),
        "ten": partial(at_once, share),
        "overhead": partial(overhead, share),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Print each measure, and whether its mark was reached."""
    names = list(cases(1.0, 1))
    parser = argparse.ArgumentParser(prog="benchmarks.journal", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one object a line for each measure")
    parser.add_argument("--only", choices=names, help="one case")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="smaller, to see that it runs")
    given = parser.parse_args(argv)
    settle()
    number = min(given.kills, 6) if given.quick else given.kills
    rows: list[Row] = []
    for name, case in cases(QUICK if given.quick else 1.0, number).items():
        if given.only in (None, name):
            log(name)
            found = list(case())
            rows += found
            if given.json:
                print("\n".join(json.dumps(asdict(row), ensure_ascii=False) for row in found), flush=True)
    if not given.json:
        _show(rows)
    return 0 if all(row.good is not False for row in rows) else 1


def _show(rows: Sequence[Row]) -> None:
    said = {True: "PASS", False: "short", None: ""}
    cells = [[row.case, row.measure, row.value, row.mark, said[row.good]] for row in rows]
    table("Nothing is paid for twice", ["case", "measure", "value", "mark", ""], cells)


if __name__ == "__main__":
    raise SystemExit(main())
