"""The sections of a run once its leaves are finished, and the merges that bring them to the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from summarizer import assembly
from summarizer.calls import Job
from summarizer.chunking import Chunk, pieces
from summarizer.endpoints import Endpoint
from summarizer.merging import Merge, plan_merges, plan_rewrite
from summarizer.prepare import Unit
from summarizer.records import Record
from summarizer.result import Gap, Reason, Section
from summarizer.settling import fitted_behind, settled, taken_by
from summarizer.work import MergeTask, State, merged_section

__all__ = ["Digest", "within_budget"]

_ROUNDS = 8
"""Merging comes to its end after a few rounds; a model that does not shorten is not asked for ever."""
_TOLERANCE = 1.1
"""A text that is over its budget by no more than this is shortened by sentences rather than merged again."""
_SHORTER = 0.9
"""A merge that wrote more than this share of what it read shortened nothing."""
_OBEYS = 1.3


class Digest:
    """Sections and gaps in order, which stand for ``source`` tokens, and the merges of the present round."""

    def __init__(self, entries: Sequence[Section | Gap], job: Job, source: int) -> None:
        self.entries = list(entries)
        self.merges: list[MergeTask] = []
        self._job = job
        self._source = source
        self._rounds = 0
        self._proved = False
        self._futile = False

    def parts(self, task: MergeTask) -> list[Section]:
        """The sections that a merge reads, or a piece of their text."""
        return [task.piece] if task.piece else self._parts(task)

    def _parts(self, task: MergeTask) -> list[Section]:
        return [e for e in self.entries[task.first : task.last + 1] if isinstance(e, Section)]

    def section_of(self, task: MergeTask) -> Section | None:
        """The section that a finished merge makes of what it read; None for one of several pieces."""
        return None if task.piece else merged_section(task, self.parts(task), self._job.count)

    def open(self) -> list[MergeTask]:
        """Merges that are neither done nor given up."""
        return [task for task in self.merges if task.state in (State.WAITING, State.FLYING)]

    def may_fan_out(self, endpoint: Endpoint) -> bool:
        """Whether several merges may go at once: to a model that keeps to lengths, or has shortened one."""
        return self._proved or endpoint.is_offline or endpoint.habits.keeps_to(_OBEYS)

    def judge(self, task: MergeTask) -> None:
        """Learn from a merge that was sent: where one shortened nothing, or was cut, there is no further
        round, and whole sentences are left out instead; where none has ever shortened anything, the present
        round ends as well.
        """
        if task.state is State.DONE:
            read = sum(part.tokens for part in self.parts(task))
            most = max(_SHORTER * read, _OBEYS * task.target) if self._job.rolling else _SHORTER * read
            shorter = self._job.count(task.text) <= most
            self._proved = self._proved or shorter
        elif task.state is State.FAILED and task.reason is Reason.UNAVAILABLE:
            shorter = False
        else:
            return
        if shorter or (self._wants_one and task.state is State.DONE):
            return
        self._futile = True
        if not self._proved:
            for other in self.merges:
                if other.state is State.WAITING:
                    other.fail(Reason.UNAVAILABLE, "merging does not shorten")

    @property
    def _wants_one(self) -> bool:
        return self._job.budget.shape == "one"

    def apply(self) -> None:
        """Put what the finished merges wrote in the place of what they read."""
        for (first, last), group in groupby(reversed(self.merges), lambda task: (task.first, task.last)):
            tasks = list(group)[::-1]
            if all(task.state is State.DONE for task in tasks):
                section = merged_section(_whole(tasks), self._parts(tasks[0]), self._job.count)
                self.entries[first : last + 1] = [section]
        self.merges = []

    def next_round(self, read: int, write: int) -> bool:
        """Plan further merges, of calls that read and write at most so many tokens; False if none are needed
        or make sense.
        """
        budget = self._job.budget
        sections = sum(isinstance(entry, Section) for entry in self.entries)
        into_one = self._wants_one and budget.tokens <= write and sections > 1
        if self._futile or self._rounds >= _ROUNDS or not (into_one or self._is_too_long()):
            return False
        self._rounds += 1
        room = budget.tokens - 2 * max(0, sections - 1)
        if self._job.rolling and not into_one:
            found = plan_rewrite(self.entries, room, read, write, budget.recent)
        else:
            found = self._planned_merges(room, read, write, into_one)
        self.merges = [task for merge in found for task in self._tasks(merge)]
        return bool(self.merges)

    def _planned_merges(self, room: int, read: int, write: int, into_one: bool) -> list[Merge]:
        """Merges of what has not settled."""
        kept = settled(self.entries, self._source, self._job.budget)
        front, rest = self.entries[:kept], self.entries[kept:]
        found = plan_merges(rest, room - taken_by(front), read, write, into_one)
        return [replace(merge, first=merge.first + kept, last=merge.last + kept) for merge in found]

    def _is_too_long(self) -> bool:
        budget, count = self._job.budget, self._job.count
        if not self._job.rolling:
            return count(assembly.joined(self.entries)) > _TOLERANCE * budget.tokens
        evened = assembly.evened(self.entries, budget.tokens, count, self._job.fit, budget.recent)
        return count(assembly.joined(evened)) > budget.tokens

    def _tasks(self, merge: Merge) -> list[MergeTask]:
        """The calls of one merge."""
        texts = self._pieces(merge) if merge.pieces > 1 else [None]
        target = max(16, merge.target // len(texts))
        return [MergeTask(first=merge.first, last=merge.last, target=target, piece=text) for text in texts]

    def _pieces(self, merge: Merge) -> Sequence[Section | None]:
        section = self.entries[merge.first]
        assert isinstance(section, Section)  # noqa: S101 - merges are planned of sections
        unit = Unit(0, Record(role="user", text=section.text), section.tokens)
        found = pieces(unit, Chunk(0, 0, unit.tokens), merge.pieces, self._job.count)
        texts = [section.text[piece.start : piece.end] for piece in found]
        return [replace(section, text=text, tokens=self._job.count(text)) for text in texts]


def _whole(tasks: Sequence[MergeTask]) -> MergeTask:
    """The merge that was done in pieces; if any of them was only extracted, this shows."""
    if len(tasks) == 1:
        return tasks[0]
    writer = next((task for task in tasks if task.method == "extractive"), tasks[-1])
    whole = MergeTask(first=writer.first, last=writer.last, target=sum(task.target for task in tasks))
    whole.finish("\n".join(task.text for task in tasks), writer.model, writer.method)
    return whole


def within_budget(
    entries: Sequence[Section | Gap], job: Job, source: int
) -> tuple[list[Section | Gap], str, int]:
    """The entries, shortened by whole sentences where that is needed, their text and its tokens. What has
    settled, of a text for ``source`` tokens of records, is not shortened.
    """
    recent = job.budget.recent
    kept = settled(entries, source, job.budget)
    found = fitted_behind(kept, entries, job.budget, job.count, job.fit) if kept else None
    if found is not None:
        return found
    return assembly.fitted(entries, job.budget.tokens, job.count, job.fit, recent=recent, rolling=job.rolling)
