"""What is told of a run while its summary is not there yet: events → short lines of text. No I/O."""

from __future__ import annotations

from summarizer.events import (
    CallEnded,
    CallProgress,
    CallStarted,
    CeilingLearned,
    Event,
    Planned,
    Replanned,
    SectionDone,
)

__all__ = ["Progress"]

_PACE = 1.0
"""Seconds between two lines that say how much is covered."""


class Progress:
    """Follows one run that began at ``now``, in seconds of any clock."""

    def __init__(self, now: float) -> None:
        self._began = now
        self._told = float("-inf")
        self._covered = 0.0
        self._flights: dict[int, int] = {}
        self._models: dict[int, str] = {}
        self._laid_out = False

    def line(self, event: Event, now: float) -> str | None:
        """What to say of an event, if there is anything new in it."""
        match event:
            case Planned(records, tokens, chunks):
                self._laid_out = True
                return (
                    f"Reading {tokens:,} tokens in {_many(records, 'record')}, in {_many(chunks, 'part')}.\n"
                )
            case CallStarted(call, model):
                self._flights[call], self._models[call] = 0, model
            case CallProgress(call, _, characters):
                self._flights[call] = characters
            case CallEnded(call):
                self._flights.pop(call, None)
            case CeilingLearned(model, output) if output is not None:
                return f"{model} writes at most {output:,} tokens in one call; the plan follows that.\n"
            case Replanned(chunks):
                return f"What is left is read in {_many(chunks, 'part')}.\n"
            case SectionDone(covered, calls, seconds):
                return self._so_far(covered, calls, seconds, now)
        return None

    def _so_far(self, covered: float, calls: int, seconds: float | None, now: float) -> str | None:
        if covered <= self._covered or (covered < 1 and now - self._told < _PACE):
            return None
        self._covered, self._told = covered, now
        left = f"; about {_many(calls, 'call')} left" if calls else ""
        rest = f", {seconds:,.0f} s" if calls and seconds is not None else ""
        return f"{covered:.0%} of the input is covered{left}{rest}.\n"

    def standing(self, now: float) -> str:
        """Where the run stands, for when nothing has happened for a while."""
        elapsed = f"{now - self._began:,.0f} s"
        if not self._laid_out:
            return f"Still reading the input; {elapsed}.\n"
        if not self._flights:
            return f"Still working, no call on its way; {self._covered:.0%} covered, {elapsed}.\n"
        models = ", ".join(dict.fromkeys(self._models[call] for call in self._flights))
        written = sum(self._flights.values())
        said = f", which wrote {written:,} characters so far" if written else ""
        calls = _many(len(self._flights), "call")
        return f"Waiting for {calls} to {models}{said}; {self._covered:.0%} covered, {elapsed}.\n"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
