"""Runs that find most of their sections in the journal: the same, a session that grew, a lower ceiling."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.host import settle
from benchmarks.journal_marks import Row, at_least, at_most, told
from benchmarks.journal_runs import Finished, Job, finished, run, session_of, start
from benchmarks.journal_server import Entry, begin, booked, serving
from benchmarks.measure import measured, python, session
from benchmarks.planning import tiktoken_pass
from summarizer import Complete

__all__ = ["ceiling", "grown", "grown_once", "in_this_process", "same"]

SIZE, DIGEST = 900_000, 40_000
AGAIN = "import sys; from benchmarks.journal_again import in_this_process; in_this_process(sys.argv[1])"
MESSAGES, A_MESSAGE, CHUNKS = 2_000, 100, 20
GROWTH = ((10, 2), (100, 4))
"""Messages that are added, and chunks that may be read again."""
CUT_AT, DIES_AFTER, REUSED = 1_500, 12, 10
RUNS = 3


def same(share: float = 1.0) -> Iterator[Row]:
    """A run that is finished is started again, in another process."""
    case, tokens, budget = "the same run again", int(SIZE * share), int(DIGEST * share)
    with (
        serving(least=0.0, most=0.0, ceiling=4_096, verbosity=0.9) as root,
        tempfile.TemporaryDirectory() as folder,
        session(tokens) as path,
    ):
        first = finished(Job(_read(path), budget, root, folder))
        yield told(case, "calls of the first", len(booked(root)))
        begin(root)
        load, once, counted = tiktoken_pass(path)
        argument = json.dumps({"path": str(path), "budget": budget, "root": root, "data_dir": folder})
        again = [json.loads(measured(python(AGAIN, argument)).output) for _ in range(RUNS)]
        yield told(case, "tokens", counted)
        yield at_least(case, "complete", isinstance(first.result, Complete) + again[0]["complete"], 2)
        yield at_most(case, "calls", len(booked(root)), 0)
        equal = {_digest(first.result.text)} == {each["text"] for each in again}
        yield at_least(case, "text is equal", equal, 1)
        yield told(case, "sections", len(first.result.sections))
        yield told(case, "cached_calls", again[0]["cached"])
        least = min(each["cpu"] for each in again)
        yield at_most(case, "CPU of the process beside the token count, s", least - load - once, 2)
        yield told(case, "token count, s", load + once)


def _read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def in_this_process(argument: str) -> None:
    """In a child: run a job, and print what came of it with the CPU seconds of the whole process."""
    given = json.loads(argument)
    settle()
    job = Job(_read(Path(given["path"])), given["budget"], given["root"], given["data_dir"])
    result = run(job).result
    told = {
        "complete": isinstance(result, Complete),
        "text": _digest(result.text),
        "cached": result.usage.cached_calls,
        "cpu": sum(os.times()[:2]),
    }
    sys.stdout.write(json.dumps(told))


def grown(seeds: Sequence[int]) -> Iterator[Row]:
    """A session that is summarized, grows a little, is summarized again, grows more, and again."""
    for seed in seeds:
        for name, chunk in (("", A_MESSAGE * MESSAGES // CHUNKS), (", sizes by ceiling", None)):
            yield from grown_once(f"a grown session {seed}{name}", 1.0, seed, chunk)


def grown_once(case: str, share: float, seed: int, chunk: int | None) -> Iterator[Row]:
    """One session; without a size of chunks it is the model's ceiling that makes 20 of it."""
    number, added = int(MESSAGES * share), sum(more for more, _ in GROWTH)
    records = session_of(number + added, A_MESSAGE, 1_000, seed)
    budget = number * A_MESSAGE // 10
    ceiling_ = 16_384 if chunk else budget // CHUNKS
    with (
        serving(least=0.0, most=0.02, ceiling=ceiling_, verbosity=0.9) as root,
        tempfile.TemporaryDirectory() as folder,
    ):
        job = Job(records[:number], budget, root, folder, chunk and int(chunk * share))
        before = finished(job)
        if chunk is None:  # once more in another folder, with what was learned of the ceiling
            before = finished(replace(job, journal="off"))
        reads = [call.read for call in booked(root)[-len(before.result.sections) :]]
        a_chunk = sum(reads) / len(reads)
        yield told(case, "sections", len(before.result.sections))
        for more, chunks in GROWTH:
            new = _new(records[number : number + more], root, folder)
            number += more
            begin(root)
            after = finished(replace(job, records=records[:number]))
            yield from _grown(f"{case}, {more} more", after, booked(root), new, a_chunk, chunks)


def _new(records: Sequence[dict[str, Any]], root: str, folder: str) -> int:
    """The tokens of what is new, as a call reads it: the prompt of a run that summarizes nothing else."""
    begin(root)
    finished(Job(records, max(16, len(records) * A_MESSAGE // 4), root, f"{folder}/new", journal="off"))
    return sum(call.read for call in booked(root)[:1])


def _grown(
    case: str, after: Finished, calls: Sequence[Entry], new: int, a_chunk: float, chunks: int
) -> Iterator[Row]:
    read = sum(call.read for call in calls)
    yield at_least(case, "complete", isinstance(after.result, Complete), 1)
    yield at_most(case, f"(input - {new:,} new) / a chunk of {a_chunk:,.0f}", (read - new) / a_chunk, chunks)
    yield told(case, "calls", len(calls))
    yield told(case, "sections", len(after.result.sections))
    yield told(case, "cached_calls", after.result.usage.cached_calls)


def ceiling(share: float = 1.0, falls_at: Sequence[int] = (1, 3, 6, 9)) -> Iterator[Row]:
    """The model's answers are cut from a call on; the run is killed behind 12 sections, and started again."""
    number = int(MESSAGES * share)
    for at in falls_at:
        case = f"a ceiling learned at call {at}"
        script = {"ceiling": 16_384, "later_ceiling": int(CUT_AT * share), "moves_at": at, "verbosity": 0.9}
        with serving(**script) as root, tempfile.TemporaryDirectory() as folder:
            records = session_of(number, A_MESSAGE, 1_000, at)
            budget, chunk = number * A_MESSAGE // 5, number * A_MESSAGE // CHUNKS
            job = Job(records, budget, root, folder, chunk, concurrency=4)
            start(replace(job, dies_after=DIES_AFTER)).finished()
            calls = booked(root)
            begin(root, ceiling=int(CUT_AT * share), later_ceiling=0, moves_at=0)
            after = finished(job)
            yield from _reused(case, after, calls, booked(root))


def _reused(case: str, after: Finished, before: Sequence[Entry], calls: Sequence[Entry]) -> Iterator[Row]:
    yield at_least(case, "complete", isinstance(after.result, Complete), 1)
    yield told(case, "calls before the kill", len(before))
    yield told(case, "cut among them", sum(call.reason == "length" for call in before))
    yield at_least(case, f"sections used again of {DIES_AFTER}", after.result.usage.cached_calls, REUSED)
    yield told(case, "calls of the next run", len(calls))
    yield told(case, "cut among them", sum(call.reason == "length" for call in calls))
    yield told(case, "sections", len(after.result.sections))


if __name__ == "__main__":
    raise SystemExit("python -m benchmarks.journal runs it")
