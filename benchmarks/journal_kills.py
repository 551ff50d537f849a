"""Runs of one job that are killed, and runs of one job at the same moment: what is paid for twice?"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from benchmarks.journal_marks import Row, at_least, at_most, told
from benchmarks.journal_runs import Finished, Job, finished, session_of, start, together
from benchmarks.journal_server import Entry, awaited, begin, booked, serving
from benchmarks.measure import log
from benchmarks.planted import facts_in
from summarizer import Complete

__all__ = ["Killed", "at_once", "killed", "kills"]

IN_A_ROW = (1, 1, 1, 1, 1, 1, 4)
"""How many kills a job meets before it is left alone, in turn."""
A_CALL = 0.2
"""Seconds that a call may take."""
AT_ONCE = 10
MESSAGES, A_MESSAGE, A_FACT, CHUNK, BUDGET = 480, 150, 600, 1_500, 22_000
"""About 60 calls of some 1,200 tokens beside their prompts; lengths in tokens."""


@dataclass(frozen=True, slots=True)
class Killed:
    """A job that was killed and started again until it was done. Input tokens, as the server counts them:
    ``paid`` in calls whose answers were out before their caller died, ``lost`` in those that were in flight.
    """

    kills: int
    late: int
    paid: int
    lost: int
    last: Finished


def job_of(root: str, folder: str, share: float) -> Job:
    """The job that is killed; ``share`` makes it smaller."""
    records = session_of(int(MESSAGES * share), A_MESSAGE, A_FACT)
    return Job(records, int(BUDGET * share), root, folder, CHUNK)


def kills(number: int, share: float = 1.0) -> Iterator[Row]:
    """So many kills -9 at random moments of a job, each followed by another run of the job."""
    rng = random.Random(number)
    with serving(ceiling=16_384, verbosity=0.9) as root, tempfile.TemporaryDirectory() as folder:
        job = job_of(root, f"{folder}/whole", share)
        finished(replace(job, data_dir=f"{folder}/first"))  # loads what the forked processes share
        begin(root)
        whole = finished(job)
        undisturbed = booked(root)
        jobs: list[Killed] = []
        while (done := sum(each.kills for each in jobs)) < number:
            planned = min(IN_A_ROW[len(jobs) % len(IN_A_ROW)], number - done)
            here = replace(job, data_dir=f"{folder}/{len(jobs)}")
            moments = [
                (rng.randrange(len(undisturbed)) // planned, rng.random() * A_CALL) for _ in range(planned)
            ]
            jobs.append(killed(here, moments))
            log(f"{done + jobs[-1].kills} of {number} kills")
    yield from _rows(whole, undisturbed, jobs)


def killed(job: Job, moments: Sequence[tuple[int, float]]) -> Killed:
    """A job that is killed when so many more calls have come and so many seconds have passed, each time that
    it was started, and is then left alone.
    """
    begin(job.root)
    at: list[float] = []
    for calls, seconds in moments:
        calls += len(booked(job.root))
        child = start(job)
        child.begun()
        while awaited(job.root, calls) < calls and not child.is_over():
            pass
        time.sleep(seconds)
        end = child.kill()
        if end is None:
            break
        at.append(end)
    last = finished(job)
    book = booked(job.root)
    paid = sum(call.read for call in book if not call.was_cut_off(at))
    lost = sum(call.read for call in book if call.was_cut_off(at))
    return Killed(len(at), len(at) < len(moments), paid, lost, last)


def _rows(whole: Finished, undisturbed: Sequence[Entry], jobs: Sequence[Killed]) -> Iterator[Row]:
    case, read = "kill -9", sum(call.read for call in undisturbed)
    facts = facts_in(whole.result.text)
    results = [each.last.result for each in jobs]
    yield told(case, "calls of an undisturbed run", len(undisturbed))
    yield told(case, "kills", sum(each.kills for each in jobs))
    yield told(case, "jobs that ended before their kill", sum(each.late for each in jobs))
    yield at_least(case, "jobs completed", sum(isinstance(r, Complete) for r in results), len(jobs))
    kept = min(len(facts_in(result.text)) for result in results)
    yield at_least(case, "least facts kept", kept, 0.98 * len(facts))
    slowest = max(each.last.seconds for each in jobs)
    yield at_most(case, "slowest last run, s", slowest, 3 * whole.seconds + 5)
    for number in sorted({each.kills for each in jobs} - {0}):
        name = "killed once" if number == 1 else f"killed {number} times"
        yield from _paid(name, [each for each in jobs if each.kills == number], read)


def _paid(case: str, jobs: Sequence[Killed], read: int) -> Iterator[Row]:
    """Input tokens against those of an undisturbed run, which read so many."""
    extra = [(each.paid - each.lost) / read for each in jobs]
    yield told(case, "jobs", len(jobs))
    yield at_most(case, "(input of calls that ended - in flight) / undisturbed, mean", fmean(extra), 1.1)
    yield at_most(case, "the worst of it", max(extra), 1.1)
    yield told(case, "part of the jobs within 1.1", fmean(each <= 1.1 for each in extra))
    yield told(case, "input of calls that ended / undisturbed, mean", fmean(e.paid for e in jobs) / read)
    yield told(case, "the worst of it", max(each.paid for each in jobs) / read)
    yield told(case, "in flight at the kills / undisturbed, mean", fmean(e.lost for e in jobs) / read)


def at_once(share: float = 1.0) -> Iterator[Row]:
    """Ten processes begin the same job at the same moment; then again, and three of them are killed."""
    case = "ten processes"
    with serving(ceiling=16_384, verbosity=0.9) as root, tempfile.TemporaryDirectory() as folder:
        job = job_of(root, f"{folder}/one", share)
        finished(replace(job, data_dir=f"{folder}/first"))
        begin(root)
        one = finished(job)
        alone = booked(root)
        yield told(case, "calls of one", len(alone))
        yield from _ten(case, replace(job, data_dir=f"{folder}/ten"), one, len(alone), [])
        moments = [one.seconds * part for part in (0.25, 0.2, 0.2)]
        case = "ten, three of them killed"
        yield from _ten(case, replace(job, data_dir=f"{folder}/killed"), one, len(alone), moments)


def _ten(case: str, job: Job, one: Finished, alone: int, moments: Sequence[float]) -> Iterator[Row]:
    begin(job.root)
    children = together(job, AT_ONCE)
    at: list[float] = []
    for moment in moments:
        time.sleep(moment)
        end = children.pop(0).kill()
        at += [] if end is None else [end]
    found = [child.finished() for child in children]
    results = [each.result for each in found if each is not None]
    calls = booked(job.root)
    lost = sum(call.was_cut_off(at) for call in calls)
    texts = {result.text for result in results}
    yield at_least(case, "complete", sum(isinstance(r, Complete) for r in results), len(children))
    yield at_most(case, "(calls - in flight at a kill) / those of one", (len(calls) - lost) / alone, 1.05)
    yield at_most(case, "different texts", len(texts), 1)
    yield told(case, "in flight at a kill", lost)
    slowest = max(each.seconds for each in found if each is not None)
    yield told(case, "one alone, s", one.seconds)
    yield told(case, "slowest, s", slowest)
    last = max(call.ended or 0.0 for call in calls)
    ends = sorted(each.at - last for each in found if each is not None)
    yield told(case, "first result, s behind the last answer", ends[0])
    yield told(case, "last result, s behind the last answer", ends[-1])
    yield told(case, "CPU of one alone, s", one.cpu)
    yield told(case, "CPU of each, s, mean", sum(each.cpu for each in found if each is not None) / len(found))


if __name__ == "__main__":
    raise SystemExit("python -m benchmarks.journal runs it")
