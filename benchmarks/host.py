"""An agent's host that compacts its prompt through the gateway, and a compaction in a process that is killed.

The host keeps a system message, the digest of what is older, and the newest messages as they are. When it
compacts, all but about the newest tokens go to ``summarize``, with ``previous`` as what was digested
before; what a partial result lacks stays in the prompt and is given again the next time.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from benchmarks.measure import environment
from benchmarks.planted import A_CYCLE, facts_in, said, size
from summarizer import Complete, Model, Partial, Settings, Summarizer
from summarizer.events import CallEnded, Event, Planned

__all__ = ["Host", "Task", "Terms", "in_killed_process", "run", "settle"]

SYSTEM = {"role": "system", "content": "You are an engineer's agent. Use the tools, and go on to the end."}

Message = dict[str, Any]
Result = Complete | Partial
OnEvent = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Terms:
    """When a prompt is compacted and to what, in tokens: above ``trigger``, all but about the newest ``tail``
    become a digest of ``budget``.

    The digest is a tenth of the trigger, so that with the tail a compacted prompt is 15 % of it, and hundreds
    of messages come before the next compaction is due; the tail is what an agent goes on from.
    """

    trigger: int = 400_000
    budget: int = 40_000
    tail: int = 20_000


@dataclass(frozen=True, slots=True)
class Task:
    """One compaction: ``records`` are what ``previous`` lacks; what is learned lies in ``data_dir``."""

    records: Sequence[Message]
    budget: int
    model: Model
    data_dir: str
    previous: Result | None = None


def run(task: Task, on_event: OnEvent) -> Result:
    """The compaction in this process."""
    settings = Settings(data_dir=task.data_dir, models=[task.model])
    with Summarizer(settings) as summarizer:
        return summarizer.summarize(task.records, task.budget, previous=task.previous, on_event=on_event)


@dataclass(slots=True)
class Host:
    """``fresh`` messages came since the last compaction, ``missing`` are those that it could not digest;
    ``given`` is the number of records that were ever given away.
    """

    terms: Terms = Terms()
    digest: Result | None = None
    missing: list[Message] = field(default_factory=list)
    fresh: list[Message] = field(default_factory=list)
    given: int = 0
    _raw: int = field(default_factory=lambda: size(SYSTEM))

    @property
    def tokens(self) -> int:
        """The prompt's."""
        return self._raw + (self.digest.tokens if self.digest else 0)

    def take(self, message: Message) -> None:
        """One more message of the session."""
        self.fresh.append(message)
        self._raw += size(message)

    def text(self) -> str:
        """The prompt's, as far as it can hold facts."""
        return "\n".join([self.digest.text if self.digest else "", *map(said, self.missing + self.fresh)])

    def older(self) -> int:
        """How many of the fresh messages are old enough to be digested; no tool result leaves its call."""
        kept, at = 0, len(self.fresh)
        while at >= A_CYCLE and kept < self.terms.tail:
            at -= A_CYCLE
            kept += sum(map(size, self.fresh[at : at + A_CYCLE]))
        return at

    def compact(self, model: Model, data_dir: str, carry: Callable[[Task], Result]) -> dict[str, str]:
        """Compact once; gives the facts that the compaction was given. Raises RuntimeError if a record is
        unaccounted for.
        """
        older = self.older()
        records = self.missing + self.fresh[:older]
        before = self.digest.text if self.digest else ""
        result = carry(Task(records, self.terms.budget, model, data_dir, self.digest))
        self.given += older
        if result.coverage.total != self.given:
            raise RuntimeError(f"{self.given} records were given, {result.coverage.total} are accounted for")
        self.missing = _missing(result, self.digest, records)
        self.digest, self.fresh = result, self.fresh[older:]
        self._raw = sum(map(size, [SYSTEM, *self.missing, *self.fresh]))
        return facts_in("\n".join([before, *map(said, records)]))


def _missing(result: Result, before: Result | None, records: Sequence[Message]) -> list[Message]:
    """The records in the gaps: ``records`` are those of the earlier gaps, then those behind its end."""
    places = _places(before) if before else []
    first = before.coverage.total if before else 0
    places += range(first, first + len(records) - len(places))
    at = dict(zip(places, records, strict=True))
    return [at[place] for place in _places(result)]


def _places(result: Result) -> list[int]:
    gaps = result.gaps if isinstance(result, Partial) else ()
    return [i for gap in gaps for i in range(gap.first, gap.last + 1)]


# ---- in a process of its own ----


def in_killed_process(task: Task, on_event: OnEvent) -> Result:
    """The compaction in a child that is killed when half of its calls have ended, then in another."""
    _child(task, on_event, kill=True)
    result = _child(task, on_event, kill=False)
    if result is None:
        raise RuntimeError("the compaction that was started again gave no result")
    return result


def _child(task: Task, on_event: OnEvent, *, kill: bool) -> Result | None:
    """The children are forked from a server that has loaded litellm once, which takes seconds."""
    context = multiprocessing.get_context("forkserver")
    heavy = [] if task.model.route == "scripted" else ["litellm"]
    context.set_forkserver_preload(["benchmarks.host", "summarizer.bridge", *heavy])
    near, far = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(task, far))
    child.start()
    far.close()
    try:
        return _followed(near, child, on_event, kill=kill)
    finally:
        near.close()
        child.join()


def _followed(told: Connection, child: BaseProcess, on_event: OnEvent, *, kill: bool) -> Result | None:
    planned, ended = 1, 0
    while True:
        try:
            event: Event | Result = told.recv()
        except EOFError:
            return None
        if isinstance(event, Complete | Partial):
            return event
        on_event(event)
        planned = event.chunks if isinstance(event, Planned) else planned
        ended += isinstance(event, CallEnded)
        if kill and ended >= max(1, planned // 2):
            child.kill()
            return None


def _work(task: Task, told: Connection) -> None:
    told.send(run(task, told.send))


def settle() -> None:
    """Leave no setting of the user's in the environment, and give it what runs need without a network."""
    for name in [name for name in os.environ if name.startswith("SUMMARIZER_")]:
        del os.environ[name]
    os.environ.update(environment())


if __name__ == "__main__":
    raise SystemExit("python -m benchmarks.replay runs it")
