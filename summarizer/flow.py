"""The state machine of a run: it decides everything and does nothing.

``ready(now)`` gives the calls that may start, ``receive(call, answer, now)`` takes what one gave, in
whatever order they end, ``wake_at(now)`` says when to ask again if nothing happens, and ``result(now)`` is
the result if everything stopped here. Time is an argument, in seconds of any clock.
"""

from __future__ import annotations

from collections.abc import Sequence

from summarizer import assembly, planning, prompts
from summarizer.board import Board
from summarizer.calls import Job, Material, material, request
from summarizer.digest import Digest, within_budget
from summarizer.endpoints import Endpoint
from summarizer.events import CeilingLearned, Event, Replanned
from summarizer.ladder import Ladder
from summarizer.leftovers import Leftovers
from summarizer.prepare import Unit
from summarizer.reactions import React
from summarizer.reception import Flight, Reception
from summarizer.result import Complete, Gap, Notice, Partial, Reason, Section
from summarizer.settling import Front
from summarizer.shares import share_of_new
from summarizer.sizing import Sizing
from summarizer.spending import Spending
from summarizer.usage import Meter
from summarizer.work import Finished, Leaf, MergeTask, State, Task, entries_of
from summarizer_providers import bounds
from summarizer_providers.outcome import Answer, Completed, CutAtOutput, Outcome
from summarizer_providers.types import Call

__all__ = ["Flow"]

_NOT_REACHED = (Reason.CANCELLED, "it was not reached")


class Flow:
    """One run over ``units``, beside sections that are ``known`` already. No I/O, no clock, no threads."""

    def __init__(
        self, units: Sequence[Unit], endpoints: Sequence[Endpoint], job: Job, known: Sequence[Section] = ()
    ) -> None:
        self.job = job
        self.ladder = Ladder(endpoints)
        self.board = Board(units, job.count)
        self.meter = Meter()
        self.overhead = job.count(prompts.overhead_text(job.focus, job.instructions))
        self.finished = False
        self._sizing = Sizing(self.overhead, job.chunk_tokens, job.budget.tokens)
        fell_back = any(section.method == "extractive" for section in known)
        self._reception = Reception(self.board, job, fell_back=fell_back)
        self._react = React(self.board, self.ladder, self._sizing)
        self._leftovers = Leftovers(self.board, self.ladder, self._sizing)
        self._known = list(known)
        self._source = sum(section.source_tokens for section in known) + self.board.tokens
        self._front = Front(known, self._source, job.budget)
        self._digest: Digest | None = None
        self._flights: dict[int, Flight] = {}
        self._next_id = 0
        self._halted: tuple[Reason, str] | None = None
        self._planned: dict[str, int] = {}
        self._news: list[Event] = []
        self._made: list[Finished] = []
        self._plan()
        self._advance()

    def _plan(self) -> None:
        budget, endpoint = self.job.budget.tokens, self.ladder.first()
        most = self._sizing.most(endpoint)
        recent, rolling = self.job.budget.recent, self.job.rolling
        share = share_of_new(self._known, self.board.tokens, budget, recent, rolling=rolling)
        size = self._sizing.answerable(endpoint, share / max(1, self.board.tokens))
        self.board.plan(size, self._sizing.limit(endpoint), share, self._sizing.output(endpoint))
        self._planned = {endpoint.label: size}
        limit = planning.call_limit(self.board.tokens, budget, most)
        self.max_calls = limit if self.job.max_calls is None else self.job.max_calls
        self._spending = Spending(self.meter, self.max_calls, self.job.max_cost)

    def _replan(self, endpoint: Endpoint) -> None:
        """Lay out anew what has not been sent to an endpoint, where it turned out to be another one than was
        planned for: one surprise a ceiling, not one a chunk.
        """
        if self._digest is not None:
            return
        size = self._sizing.answerable(endpoint, self.board.share)
        before = self._planned.get(endpoint.label)
        if before is not None and before * 0.9 <= size <= before * 1.25:
            return
        self._planned[endpoint.label] = size
        output, most = self._sizing.output(endpoint), self._sizing.limit(endpoint)
        self.board.replan(self.ladder.rung_of(endpoint), size, most, output)

    # ---- what may start ----

    def ready(self, now: float) -> list[Call]:
        """The calls that may start now; each counts as sent."""
        if self.job.deadline is not None and now >= self.job.deadline:
            self.stop(Reason.DEADLINE, "the deadline passed")
        calls: list[Call] = []
        while not self.finished and self._halted is None:
            task = self._next(now)
            if task is None:
                break
            if self._runs_short(task):
                self._fall_back()
                continue
            if self._at_limit(task):
                break
            call = self._launch(task, now)
            if call is not None:
                calls.append(call)
            else:  # a task that was given up may have been the last one of its round
                self._advance()
        self._advance()
        self._rest_too_long()
        return calls

    def _rest_too_long(self) -> None:
        """A run that could do nothing but wait for its deadline ends now, and says who rests until when."""
        deadline = self.job.deadline
        if self.finished or self._flights or deadline is None:
            return
        endpoints = [endpoint for task in self._waiting() if (endpoint := self.ladder.current(task))]
        rests = [endpoint for endpoint in endpoints if endpoint.health.rests_until >= deadline]
        if rests and len(rests) == len(endpoints):
            detail = f"{rests[0].label} rests for longer than the deadline: {rests[0].health.detail}"
            self.stop(Reason.DEADLINE, detail)

    def _open(self) -> Sequence[Task]:
        return self.board.open() if self._digest is None else self._digest.open()

    def _waiting(self) -> list[Task]:
        return [task for task in self._open() if task.state is State.WAITING]

    def _next(self, now: float) -> Task | None:
        """The next task that can start: the largest where one has to go alone."""
        waiting = self._for_models(self._waiting())
        largest = max((task.target for task in waiting), default=0)
        # A search for what is refused goes to its end first: then a limit of calls leaves something done.
        first, steady = self.ladder.first(), self.job.budget.steady
        alone = not (steady and first.may_fan_out(min(largest, planning.output_size(first.limits))))
        for task in sorted(waiting, key=lambda t: (-t.depth, alone and t.target < largest)):
            endpoint = self.ladder.awake(task, now)
            if endpoint is None or self._can_start(task, endpoint, largest, now):
                return task
        return None

    def _for_models(self, waiting: list[Task]) -> list[Task]:
        """What models leave is not started before they have done what they can."""
        leaves = waiting if self._digest is None else []
        left_over = [task for task in leaves if self._leftovers.are(task)]
        if not left_over:
            return waiting
        if len(left_over) < len(waiting) or self._flights:
            return [task for task in waiting if task not in left_over]
        self._leftovers.hand_over()
        return self._waiting()

    def _can_start(self, task: Task, endpoint: Endpoint, largest: int, now: float) -> bool:
        if now < max(task.not_before, endpoint.health.rests_until):
            return False
        size = task.chunk.tokens if isinstance(task, Leaf) else 0
        if isinstance(task, MergeTask) and not self._digested().may_fan_out(endpoint):
            return not endpoint.in_flight
        alone = not endpoint.may_fan_out(min(largest, planning.output_size(endpoint.limits)), size)
        return endpoint.in_flight < (1 if alone else endpoint.allowance.granted)

    def _launch(self, task: Task, now: float) -> Call | None:
        """The call for a task, or None where the task was split or given up instead."""
        endpoint = self.ladder.current(task)
        if endpoint is None:
            self._react.give_up(task, task.reason or Reason.UNAVAILABLE, task.detail)
            return None
        if isinstance(task, Leaf) and self._resized(task, endpoint):
            return None
        call, read = self._request(task, endpoint)
        task.state = State.FLYING
        endpoint.in_flight += 1
        self.meter.started(endpoint.label)
        self._flights[call.id] = Flight(task, endpoint, call, read, now)
        return call

    def _resized(self, leaf: Leaf, endpoint: Endpoint) -> bool:
        """Split a leaf, without a call, that this endpoint cannot read or is known to be unable to answer."""
        most = self._sizing.most(endpoint)
        if leaf.chunk.tokens > most:
            return self.board.resize(leaf, most)
        if endpoint.limits.ceiling is None or leaf.room:
            return False
        size = self._sizing.answerable(endpoint, leaf.target / max(1, leaf.chunk.tokens))
        most = self._sizing.limit(endpoint)
        return leaf.chunk.tokens > planning.loosely(size, most) and self.board.resize(leaf, size)

    def _request(self, task: Task, endpoint: Endpoint) -> tuple[Call, int]:
        """The request that a task makes of an endpoint, and how many tokens of material it reads."""
        self._next_id += 1
        read = self._material(task)
        call = request(self._next_id, task, endpoint, read, self.job, self.overhead, self._spare_calls())
        return call, read.tokens

    def _material(self, task: Task) -> Material:
        parts = self._digested().parts(task) if isinstance(task, MergeTask) else ()
        return material(task, self.board.units, parts)

    # ---- the run's own limits, checked before a call ----

    def _at_limit(self, task: Task) -> bool:
        """Whether another call would pass the run's limits; with no call in flight the run ends there."""
        endpoint = self.ladder.current(task)
        if endpoint is None:
            return False
        why = self._spending.over_calls(self._flights.values()) or self._over_cost(task, endpoint)
        if why is not None and not self._flights:
            self._halted = why
        return why is not None

    def _runs_short(self, task: Task) -> bool:
        """Whether what is left of calls or money is needed to complete the run offline."""
        endpoint = self.ladder.current(task)
        if endpoint is None or endpoint.is_offline or not self.ladder.ends_offline:
            return False
        short = self._leftovers.run_short(self._spare_calls())
        return short or self._over_cost(task, endpoint) is not None

    def _fall_back(self) -> None:
        """All that waits goes to the offline model; merges are left out."""
        for task in self._waiting():
            if isinstance(task, MergeTask):
                task.fail(Reason.CALL_LIMIT, "no call is left to merge")
        self._leftovers.hand_over()

    def _spare_calls(self) -> int:
        return self._spending.spare_calls(self._flights.values())

    def _over_cost(self, task: Task, endpoint: Endpoint) -> tuple[Reason, str] | None:
        if self.job.max_cost is None:
            return None
        call = self._request(task, endpoint)[0]
        return self._spending.over_cost(self._flights.values(), endpoint, call)

    # ---- what came back ----

    def receive(self, call: Call, answer: Answer, now: float) -> None:
        """Take what a call gave; one that was given up in the meantime is ignored."""
        flight = self._flights.pop(call.id, None)
        if flight is None:
            return
        endpoint, outcome = flight.endpoint, self._reception.judged(flight, answer.outcome)
        before = len(self.board.leaves)
        endpoint.bore(outcome, endpoint.in_flight, flight.sent_at, now)
        endpoint.in_flight -= 1
        self._learn(endpoint, call, outcome)
        used = self._used(flight, outcome)
        if flight.task.state is State.DONE:
            self._note(flight.task, endpoint)
        self.meter.ended(endpoint.label, answer, used)
        if used:
            endpoint.health.succeeded()
        elif flight.task.state is State.FLYING:
            self._react.to(flight.task, endpoint, outcome, call, flight.sent_at, now)
        if isinstance(flight.task, MergeTask):
            self._digested().judge(flight.task)
        self._replan(endpoint)
        if len(self.board.leaves) != before:
            self._news.append(Replanned(len(self.board.open())))
        self._advance()

    def _learn(self, endpoint: Endpoint, call: Call, outcome: Outcome) -> None:
        before = endpoint.limits
        after = endpoint.limits = bounds.learn(before, call, outcome)
        if (before.ceiling, before.window) != (after.ceiling, after.window):
            self._news.append(CeilingLearned(endpoint.model.name, after.ceiling, after.window))

    def _used(self, flight: Flight, outcome: Outcome) -> float:
        """The part of an answer, 0 to 1, that serves."""
        if isinstance(outcome, Completed):
            return float(self._reception.accept(flight, outcome.reply.text))
        if not isinstance(outcome, CutAtOutput):
            return 0.0
        parts, used = self._reception.salvage(flight, outcome)
        if parts is not None:
            done, rest = parts
            self._react.rest(rest, flight.endpoint)
            self._note(done, flight.endpoint)
        return used

    def _note(self, task: Task, endpoint: Endpoint) -> None:
        """Remember a finished section for who keeps them; the pieces of a record make one together."""
        if isinstance(task, MergeTask):
            merged = self._digested().section_of(task)
            if merged is not None:
                self._made.append(Finished(merged, task.target, endpoint.label))
            return
        leaves = self.board.pieces_of(task) if isinstance(task, Leaf) else []
        for section in entries_of(
            leaves, self.board.units, self.job.count, prompts.prompt_id(), _NOT_REACHED
        ):
            if isinstance(section, Section):
                asked = sum(leaf.target for leaf in leaves)
                self._made.append(Finished(section, asked, endpoint.label))

    # ---- from leaves to merges to the end ----

    def _advance(self) -> None:
        if self._halted is not None and not self._flights:
            self._end()
        while not self.finished and not self._open():
            digest = self._digested()
            digest.apply()
            endpoint = self.ladder.first()
            write = planning.output_size(endpoint.limits)
            able = endpoint.health.down is None
            self.finished = not (able and digest.next_round(self._sizing.most(endpoint), write))

    def _digested(self) -> Digest:
        if self._digest is None:
            self._digest = Digest(self._from_leaves(), self.job, self._source)
        return self._digest

    def _from_leaves(self) -> list[Section | Gap]:
        why = self._halted or _NOT_REACHED
        made = entries_of(self.board.leaves, self.board.units, self.job.count, prompts.prompt_id(), why)
        return sorted([*self._known, *made], key=lambda entry: entry.first)

    def stop(self, reason: Reason, detail: str) -> None:
        """Start nothing more; calls in flight are given up and the result is what is there."""
        if not self.finished:
            self._halted = (reason, detail)
            for flight in self._flights.values():
                self.meter.abandoned(flight.endpoint.label, priced=flight.endpoint.may_cost)
            self._flights.clear()
            self._end()

    def _end(self) -> None:
        self._digested().apply()
        self.finished = True

    def wake_at(self, now: float) -> float | None:
        """When ``ready`` may have more to give although nothing came back; None if only answers can help."""
        times = [] if self.job.deadline is None else [self.job.deadline]
        for task in self._waiting():
            endpoint = self.ladder.current(task)
            if endpoint is not None:
                times.append(max(task.not_before, endpoint.health.rests_until))
        return min((time for time in times if time > now), default=None)

    # ---- the result ----

    def news(self) -> list[Event]:
        """What was learned and planned again since it was last asked."""
        news, self._news = self._news, []
        return news

    def new_sections(self) -> list[Finished]:
        """The sections that were finished since it was last asked."""
        made, self._made = self._made, []
        return made

    def calls_left(self) -> int:
        """The calls that the present plan still takes, those in flight included."""
        return 0 if self.finished else len(self._open())

    def covered_share(self) -> float:
        """How much of the input, 0 to 1 by tokens, sections stand for."""
        left = sum(leaf.chunk.tokens for leaf in self.board.leaves if leaf.state is not State.DONE)
        return max(0, self._source - left) / self._source if self._source else 1.0

    def settled(self) -> list[Section]:
        """The sections at the front that became final since it was last asked."""
        return self._front.grown(self.board.leaves, self.board.units, self.job.count)

    def result(self, now: float) -> Complete | Partial:
        """The result if everything stopped here: within budget, each record in one section or one gap."""
        entries = self._from_leaves() if self._digest is None else self._digest.entries
        fitted, text, tokens = within_budget(entries, self.job, self._source)
        sections = tuple(entry for entry in fitted if isinstance(entry, Section))
        gaps = tuple(entry for entry in assembly.merged_gaps(fitted) if isinstance(entry, Gap))
        shared = (
            text,
            tokens,
            self.job.budget.tokens,
            sections,
            assembly.coverage(fitted),
            self.meter.usage(),
            self._reception.fell_back and not self.ladder.endpoints[0].is_offline,
            self._notices(now, shortened=text != assembly.joined(entries)),
        )
        if not gaps:
            return Complete(*shared)
        retry_at = self.ladder.retry_at(now, self.job.wall + now)
        return Partial(*shared, gaps=gaps, reason=gaps[0].reason, retry_at=retry_at)

    def _notices(self, now: float, *, shortened: bool) -> tuple[Notice, ...]:
        told = self.ladder.notices(now, self.job.wall + now)
        notices = [*self.job.notices, *told, *self._reception.notices()]
        if shortened:
            notices.append(Notice("shortened", "the least weighty sentences were left out to fit the budget"))
        return tuple(notices)
