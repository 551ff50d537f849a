"""Runs in processes of their own that a benchmark of the journal starts, waits for and kills.

They are forked from a server that has loaded litellm once, which takes seconds.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier
from typing import Any, Literal

from benchmarks.planted import messages
from summarizer import Complete, Model, Partial, Settings, summarize
from summarizer.events import CallEnded, Event

__all__ = ["LONGEST", "Child", "Finished", "Job", "finished", "run", "session_of", "start", "together"]

Message = dict[str, Any]
Result = Complete | Partial

_BEGUN = "begun"
LONGEST = 600.0
"""Seconds: a run that takes longer hangs."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to summarize, at which server, and where what is finished is kept. ``dies_after``: the process
    kills itself when so many calls have ended well.
    """

    records: Sequence[Message]
    budget: int
    root: str
    data_dir: str
    chunk_tokens: int | None = None
    journal: Literal["on", "off"] = "on"
    concurrency: int = 16
    window: int = 128_000
    dies_after: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that came to its end: ``seconds`` of the clock, ``cpu`` seconds of its process, and the
    moment of its end (``at``, of the machine's monotonic clock).
    """

    result: Result
    seconds: float
    cpu: float
    at: float


def run(job: Job) -> Finished:
    """The run in this process."""
    model = Model(
        "openai/scripted", api_base=f"{job.root}/v1", context_window=job.window, extra={"api_key": "none"}
    )
    settings = Settings(
        data_dir=job.data_dir,
        models=[model],
        journal=job.journal,
        concurrency=job.concurrency,
        **({} if job.chunk_tokens is None else {"chunk_tokens": job.chunk_tokens}),
    )
    began, spent = time.monotonic(), time.process_time()
    result = summarize(job.records, job.budget, settings=settings, on_event=_Death(job.dies_after))
    at = time.monotonic()
    return Finished(result, at - began, time.process_time() - spent, at)


class _Death:
    """Kills its process behind so many calls that ended well."""

    def __init__(self, after: int | None) -> None:
        self._left = after

    def __call__(self, event: Event) -> None:
        if self._left is None or not isinstance(event, CallEnded):
            return
        self._left -= event.outcome == "Completed"
        if self._left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Child:
    """A run in a process of its own."""

    process: BaseProcess
    told: Connection

    def begun(self) -> bool:
        """Wait until the run begins; False if the process ended before."""
        return self._next(LONGEST) is not None

    def is_over(self) -> bool:
        """Whether it has come to its end; only behind ``begun``."""
        return self.told.poll()

    def kill(self) -> float | None:
        """Kill it now; the moment of the monotonic clock, or None if it had come to its end before."""
        if self.is_over():
            self.finished()
            return None
        at = time.monotonic()
        self.process.kill()
        self.process.join()
        late = self.told.poll() and self._next(0) is not None
        self.told.close()
        return None if late else at

    def finished(self, longest: float = LONGEST) -> Finished | None:
        """What it gave; None if it was killed. Raises TimeoutError if it does not end."""
        try:
            told = self._next(longest)
            told = self._next(longest) if told == _BEGUN else told
            return told if isinstance(told, Finished) else None
        finally:
            self.told.close()
            self.process.kill()
            self.process.join()

    def _next(self, longest: float) -> Finished | str | None:
        if not self.told.poll(longest):
            raise TimeoutError(f"a run did not end within {longest:.0f} seconds")
        try:
            heard: Finished | str = self.told.recv()
            return heard
        except (EOFError, OSError):  # it was killed, perhaps while it told
            return None


def start(job: Job, gate: Barrier | None = None) -> Child:
    """Begin a run; behind ``gate`` where one is given."""
    context = _context()
    near, far = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(job, far, gate))
    process.start()
    far.close()
    return Child(process, near)


def finished(job: Job) -> Finished:
    """A run from its beginning to its end. Raises RuntimeError where the process ended without a result."""
    found = start(job).finished()
    if found is None:
        raise RuntimeError("the process of a run ended without a result")
    return found


def together(job: Job, number: int) -> list[Child]:
    """So many runs of one job that begin at the same moment."""
    gate = _context().Barrier(number)
    children = [start(job, gate) for _ in range(number)]
    for child in children:
        child.begun()
    return children


@cache
def _context() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["benchmarks.journal_runs", "summarizer.bridge", "summarizer.journal", "sqlalchemy", "litellm"]
    )
    return context


def _work(job: Job, told: Connection, gate: Barrier | None) -> None:
    if gate is not None:
        gate.wait(LONGEST)
    told.send(_BEGUN)
    told.send(run(job))


def session_of(number: int, tokens: int, every: float, seed: int = 1) -> list[Message]:
    """So many messages of about ``tokens`` tokens each, with a planted fact every so many tokens; the
    shorter of two with one seed is the beginning of the longer.
    """
    return list(islice(messages(lambda n: tokens * n, every, seed), number))


if __name__ == "__main__":
    raise SystemExit("python -m benchmarks.journal runs it")
