"""The state machine of a run: it decides everything and does nothing.

``ready(now)`` gives the calls that may start, ``receive(call, answer, now)`` takes what one gave, in
whatever order they end, ``wake_at(now)`` says when to ask again if nothing happens, and ``result(now)`` is
the result if everything stopped here. Time is an argument, in seconds of any clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from summarizer import assembly, planning, prompts
from summarizer.board import Board
from summarizer.budget import Budget
from summarizer.endpoints import Endpoint
from summarizer.ladder import Ladder
from summarizer.merging import plan_merges
from summarizer.prepare import Unit
from summarizer.reactions import React
from summarizer.result import Complete, Gap, Method, Notice, Partial, Reason, Section
from summarizer.usage import Meter
from summarizer.work import Leaf, MergeTask, State, Task, entries_of, merged_section, passages
from summarizer_providers import bounds
from summarizer_providers.outcome import Answer, Completed, CutAtOutput
from summarizer_providers.types import Call, Hints, Passage

__all__ = ["Flow", "Job"]

_MERGE_ROUNDS = 8
_TOLERANCE = 1.03
"""A text that is over its budget by no more than this is shortened by sentences rather than merged again."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a run is to do and within which limits.

    ``count`` counts tokens, ``fit`` shortens a text to so many tokens, ``deadline`` is a time of the
    flow's clock (seconds), ``max_cost`` is in US dollars, ``timeout`` in seconds a call, ``wall`` the
    time of day at the clock's zero (seconds since the epoch).
    """

    budget: Budget
    count: Callable[[str], int]
    fit: Callable[[str, int], str]
    encoding: str = "o200k_base"
    focus: str | None = None
    instructions: str | None = None
    chunk_tokens: int | None = None
    max_calls: int | None = None
    deadline: float | None = None
    max_cost: float | None = None
    timeout: float = 600.0
    wall: float = 0.0
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class _Flight:
    task: Task
    endpoint: Endpoint
    call: Call
    sent_at: float


class Flow:
    """One run over ``units``, beside sections that are ``known`` already. No I/O, no clock, no threads."""

    def __init__(
        self, units: Sequence[Unit], endpoints: Sequence[Endpoint], job: Job, known: Sequence[Section] = ()
    ) -> None:
        self.job = job
        self.ladder = Ladder(endpoints)
        self.board = Board(units, job.count)
        self.meter = Meter()
        self._react = React(self.board, self.ladder)
        self._known = list(known)
        self.overhead = job.count(prompts.overhead_text(job.focus, job.instructions))
        self._plan()
        self._entries: list[Section | Gap] | None = None
        self._merges: list[MergeTask] = []
        self._rounds = 0
        self._flights: dict[int, _Flight] = {}
        self._next_id = 0
        self._halted: tuple[Reason, str] | None = None
        self.finished = False
        self._advance()

    def _plan(self) -> None:
        budget, endpoint = self.job.budget.tokens, self.ladder.first()
        size = self.chunk_size(endpoint)
        known = sum(s.source_tokens for s in self._known)
        share = budget * self.board.tokens // max(1, self.board.tokens + known)
        self.board.plan(size, max(16, share), planning.output_size(endpoint.limits))
        limit = planning.call_limit(self.board.tokens, budget, size)
        self.max_calls = limit if self.job.max_calls is None else self.job.max_calls

    def chunk_size(self, endpoint: Endpoint) -> int:
        """The most input that a call to an endpoint is given, in tokens."""
        return planning.chunk_size(endpoint.limits, self.overhead, self.job.chunk_tokens)

    # ---- what may start ----

    def ready(self, now: float) -> list[Call]:
        """The calls that may start now; each counts as sent."""
        if self.job.deadline is not None and now >= self.job.deadline:
            self.stop(Reason.DEADLINE, "the deadline passed")
        calls: list[Call] = []
        while not self.finished and self._halted is None:
            task = self._next(now)
            if task is None or self._at_limit(task):
                break
            call = self._launch(task, now)
            if call is not None:
                calls.append(call)
        self._advance()
        return calls

    def _waiting(self) -> list[Task]:
        tasks: list[Task] = [*self.board.open(), *self._merges]
        return [task for task in tasks if task.state is State.WAITING]

    def _next(self, now: float) -> Task | None:
        """The next task that can start; the largest goes first where one has to go alone."""
        waiting = self._waiting()
        largest = max((task.target for task in waiting), default=0)
        for task in sorted(waiting, key=lambda t: t.target < largest):
            endpoint = self.ladder.current(task)
            if endpoint is None or self._can_start(task, endpoint, largest, now):
                return task
        return None

    def _can_start(self, task: Task, endpoint: Endpoint, largest: int, now: float) -> bool:
        if now < max(task.not_before, endpoint.health.rests_until):
            return False
        alone = not endpoint.may_fan_out(min(largest, planning.output_size(endpoint.limits)))
        return endpoint.in_flight < (1 if alone else endpoint.concurrency)

    def _launch(self, task: Task, now: float) -> Call | None:
        """The call for a task, or None where the task was split or given up instead."""
        endpoint = self.ladder.current(task)
        if endpoint is None:
            self._react.give_up(task, task.reason or Reason.UNAVAILABLE, task.detail)
            return None
        if isinstance(task, Leaf) and self._resized(task, endpoint):
            return None
        call = self._call(task, endpoint)
        task.state = State.FLYING
        endpoint.in_flight += 1
        self.meter.started(endpoint.label)
        self._flights[call.id] = _Flight(task, endpoint, call, now)
        return call

    def _resized(self, leaf: Leaf, endpoint: Endpoint) -> bool:
        """Split a leaf, without a call, that this endpoint cannot read or is known to be unable to answer."""
        size = self.chunk_size(endpoint)
        if leaf.chunk.tokens > size:
            return self.board.resize(leaf, size)
        if endpoint.limits.ceiling is None:
            return False
        output = planning.output_size(endpoint.limits) * 0.9
        expected = max(leaf.target, endpoint.density * leaf.chunk.tokens)
        if expected <= output:
            return False
        return self.board.resize(leaf, max(1, int(leaf.chunk.tokens * output / expected)))

    def _at_limit(self, task: Task) -> bool:
        """Whether another call would pass the run's limits; with no call in flight the run ends there."""
        endpoint = self.ladder.current(task)
        if endpoint is None:
            return False
        why = self._over_calls() or self._over_cost(task, endpoint)
        if why is not None and not self._flights:
            self._halted = why
        return why is not None

    def _spare_calls(self) -> int:
        return self.max_calls - self.meter.calls - sum(f.call.retries for f in self._flights.values())

    def _over_calls(self) -> tuple[Reason, str] | None:
        if self._spare_calls() > 0:
            return None
        return Reason.CALL_LIMIT, f"the limit of {self.max_calls} calls was reached"

    def _over_cost(self, task: Task, endpoint: Endpoint) -> tuple[Reason, str] | None:
        if self.job.max_cost is None:
            return None
        flying = sum(
            f.endpoint.worst_cost(f.call.prompt_tokens, f.call.max_tokens) for f in self._flights.values()
        )
        call = self._call(task, endpoint)
        worst = endpoint.worst_cost(int(call.prompt_tokens * endpoint.limits.scale), call.max_tokens)
        if self.meter.cost + flying + worst <= self.job.max_cost:
            return None
        return Reason.COST, f"the next call could cost more than is left of {self.job.max_cost} US dollars"

    def _call(self, task: Task, endpoint: Endpoint) -> Call:
        """The request that a task makes of an endpoint."""
        job, merge = self.job, isinstance(task, MergeTask)
        material, tokens = self._material(task)
        asked = min(task.target, planning.output_size(endpoint.limits))
        prompt = prompts.messages(
            material, asked, merge=merge, focus=job.focus, instructions=job.instructions
        )
        self._next_id += 1
        limit = bounds.max_tokens(endpoint.limits, tokens + self.overhead)
        if job.max_cost is not None:
            limit = min(limit, 2 * asked + 512)
        return Call(
            id=self._next_id,
            model=endpoint.model,
            messages=prompt,
            hints=Hints(material, asked, self._total(), job.focus, job.encoding),
            max_tokens=limit,
            prompt_tokens=tokens + self.overhead,
            timeout=job.timeout,
            retries=max(0, min(2, self._spare_calls() - 1)),
        )

    def _material(self, task: Task) -> tuple[tuple[Passage, ...], int]:
        """What a task gives to read, and its tokens."""
        if isinstance(task, Leaf):
            return passages(self.board.units, task.chunk), task.chunk.tokens
        assert isinstance(task, MergeTask)  # noqa: S101 - there are two kinds of tasks
        parts = [e for e in self._finished_entries()[task.first : task.last + 1] if isinstance(e, Section)]
        material = tuple(Passage(part.first, "summary", part.text) for part in parts if part.text)
        return material, sum(part.tokens + 8 for part in parts)

    def _total(self) -> int:
        last = [unit.position for unit in self.board.units[-1:]] + [s.last for s in self._known]
        return max(last, default=-1) + 1

    # ---- what came back ----

    def receive(self, call: Call, answer: Answer, now: float) -> None:
        """Take what a call gave; one that was given up in the meantime is ignored."""
        flight = self._flights.pop(call.id, None)
        if flight is None:
            return
        task, endpoint, outcome = flight.task, flight.endpoint, answer.outcome
        endpoint.in_flight -= 1
        endpoint.limits = bounds.learn(endpoint.limits, call, outcome)
        used = isinstance(outcome, Completed) and self._accept(task, endpoint, call, outcome.reply.text)
        self.meter.ended(endpoint.label, answer, used)
        if used:
            endpoint.health.succeeded()
        elif task.state is State.FLYING:
            if isinstance(outcome, CutAtOutput):
                written = self.job.count(outcome.reply.text)
                endpoint.wrote(self._material(task)[1], written, call.hints.target, whole=False)
            self._react.to(task, endpoint, outcome, flight.sent_at, now)
        self._advance()

    def _accept(self, task: Task, endpoint: Endpoint, call: Call, text: str) -> bool:
        """Take an answer for a summary, unless there is nothing in it."""
        text = _clean(text)
        if not text:
            return False
        tokens, read = self.job.count(text), self._material(task)[1]
        endpoint.wrote(read, tokens, call.hints.target, whole=True)
        if tokens >= read:
            text = self.job.fit(text, min(task.target, read))
        method: Method = "merged" if isinstance(task, MergeTask) else "model"
        task.finish(text, endpoint.model.name, "extractive" if endpoint.is_offline else method)
        return True

    # ---- from leaves to merges to the end ----

    def _advance(self) -> None:
        if self._halted is not None and not self._flights:
            self._end()
        while not self.finished and not self.board.open() and not self._unfinished_merges():
            self._apply_merges()
            self._merges = self._next_merges()
            if not self._merges:
                self.finished = True

    def _unfinished_merges(self) -> bool:
        return any(task.state in (State.WAITING, State.FLYING) for task in self._merges)

    def _apply_merges(self) -> None:
        entries = self._finished_entries()
        for task in reversed(self._merges):
            if task.state is State.DONE:
                parts = [e for e in entries[task.first : task.last + 1] if isinstance(e, Section)]
                entries[task.first : task.last + 1] = [
                    merged_section(task, parts, self.board.units, self.job.count)
                ]
        self._merges = []
        self._entries = entries

    def _finished_entries(self) -> list[Section | Gap]:
        if self._entries is None:
            self._entries = self._from_leaves((Reason.CANCELLED, "it was not reached"))
        return self._entries

    def _from_leaves(self, why: tuple[Reason, str]) -> list[Section | Gap]:
        made = entries_of(self.board.leaves, self.board.units, self.job.count, prompts.prompt_id(), why)
        return sorted([*self._known, *made], key=lambda entry: entry.first)

    def _next_merges(self) -> list[MergeTask]:
        """The merges of the next round, none where the text fits or no more rounds make sense."""
        entries, budget = self._finished_entries(), self.job.budget
        endpoint = self.ladder.first()
        write = planning.output_size(endpoint.limits)
        sections = sum(isinstance(e, Section) for e in entries)
        into_one = budget.shape == "one" and budget.tokens <= write and sections > 1
        tokens = self.job.count(assembly.joined(entries))
        if self._rounds >= _MERGE_ROUNDS or not (into_one or tokens > budget.tokens * _TOLERANCE):
            return []
        self._rounds += 1
        room = budget.tokens - 2 * max(0, sections - 1)
        read = self.chunk_size(endpoint)
        return [
            MergeTask(first=merge.first, last=merge.last, target=merge.target)
            for merge in plan_merges(entries, room, read, write, into_one)
        ]

    def stop(self, reason: Reason, detail: str) -> None:
        """Start nothing more; calls in flight are given up and the result is what is there."""
        if not self.finished:
            self._halted = (reason, detail)
            self._flights.clear()
            self._end()

    def _end(self) -> None:
        if self.board.open():
            self._entries = self._from_leaves(self._halted or (Reason.CANCELLED, "it was not reached"))
        else:
            self._apply_merges()
        self.finished = True

    def wake_at(self, now: float) -> float | None:
        """When ``ready`` may have more to give although nothing came back; None if only answers can help."""
        times = [] if self.job.deadline is None else [self.job.deadline]
        for task in self._waiting():
            endpoint = self.ladder.current(task)
            if endpoint is not None:
                times.append(max(task.not_before, endpoint.health.rests_until))
        later = [time for time in times if time > now]
        return min(later) if later else None

    def covered_share(self) -> float:
        """How much of the input, 0 to 1 by tokens, finished leaves stand for."""
        done = sum(leaf.chunk.tokens for leaf in self.board.leaves if leaf.state is State.DONE)
        return min(1.0, done / max(1, self.board.tokens))

    # ---- the result ----

    def result(self, now: float) -> Complete | Partial:
        """The result if everything stopped here: within budget, each record in one section or one gap."""
        if self._entries is not None:
            entries = list(self._entries)
        else:
            entries = self._from_leaves(self._halted or (Reason.CANCELLED, "it was not reached"))
        before = assembly.joined(entries)
        fitted, text, tokens = assembly.fitted(entries, self.job.budget.tokens, self.job.count, self.job.fit)
        notices = [*self.job.notices, *self.ladder.notices()]
        if text != before:
            notices.append(Notice("shortened", "the least weighty sentences were left out to fit the budget"))
        sections = tuple(e for e in fitted if isinstance(e, Section))
        gaps = tuple(e for e in assembly.merged_gaps(fitted) if isinstance(e, Gap))
        shared = (
            text,
            tokens,
            self.job.budget.tokens,
            sections,
            assembly.coverage(fitted),
            self.meter.usage(),
            self._degraded(sections),
            tuple(notices),
        )
        if not gaps:
            return Complete(*shared)
        retry_at = self.ladder.retry_at(now, self.job.wall + now)
        return Partial(*shared, gaps=gaps, reason=gaps[0].reason, retry_at=retry_at)

    def _degraded(self, sections: Sequence[Section]) -> bool:
        chosen = self.ladder.endpoints[0].is_offline
        return not chosen and any(section.method == "extractive" for section in sections)


def _worst_cost(endpoint: Endpoint, call: Call) -> float:
    return endpoint.worst_cost(int(call.prompt_tokens * endpoint.limits.scale), call.max_tokens)


def _clean(text: str) -> str:
    """A model's text as it may be stored and sent: valid, without white space around it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "").strip()
