"""The sections of a run once its leaves are finished, and the merges that bring them to the budget."""

from __future__ import annotations

from collections.abc import Sequence

from summarizer import assembly
from summarizer.calls import Job
from summarizer.endpoints import Endpoint
from summarizer.merging import plan_merges
from summarizer.result import Gap, Reason, Section
from summarizer.work import MergeTask, State, merged_section

__all__ = ["Digest"]

_ROUNDS = 8
"""Merging comes to its end after a few rounds; a model that does not shorten is not asked for ever."""
_TOLERANCE = 1.1
"""A text that is over its budget by no more than this is shortened by sentences rather than merged again."""
_SHORTER = 0.9
"""A merge that wrote more than this share of what it read shortened nothing."""
_OBEYS = 1.3


class Digest:
    """Sections and gaps in order, and the merges of the present round."""

    def __init__(self, entries: Sequence[Section | Gap], job: Job) -> None:
        self.entries = list(entries)
        self.merges: list[MergeTask] = []
        self._job = job
        self._rounds = 0
        self._proved = False
        self._futile = False

    def parts(self, task: MergeTask) -> list[Section]:
        """The sections that a merge reads."""
        return [e for e in self.entries[task.first : task.last + 1] if isinstance(e, Section)]

    def section_of(self, task: MergeTask) -> Section:
        """The section that a finished merge makes of what it read."""
        return merged_section(task, self.parts(task), self._job.count)

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
            shorter = self._job.count(task.text) <= _SHORTER * read
            self._proved = self._proved or shorter
        elif task.state is State.FAILED and task.reason is Reason.UNAVAILABLE:
            shorter = False
        else:
            return
        if shorter or self._wants_one:
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
        for task in reversed(self.merges):
            if task.state is State.DONE:
                self.entries[task.first : task.last + 1] = [self.section_of(task)]
        self.merges = []

    def next_round(self, read: int, write: int) -> bool:
        """Plan further merges, of calls that read and write at most so many tokens; False if none are needed
        or make sense.
        """
        budget = self._job.budget
        sections = sum(isinstance(entry, Section) for entry in self.entries)
        into_one = self._wants_one and budget.tokens <= write and sections > 1
        tokens = self._job.count(assembly.joined(self.entries))
        if self._futile or self._rounds >= _ROUNDS or not (into_one or tokens > budget.tokens * _TOLERANCE):
            return False
        self._rounds += 1
        room = budget.tokens - 2 * max(0, sections - 1)
        self.merges = [
            MergeTask(first=merge.first, last=merge.last, target=merge.target)
            for merge in plan_merges(self.entries, room, read, write, into_one)
        ]
        return bool(self.merges)
