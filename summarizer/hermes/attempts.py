"""One attempt to compact a session: what came of it, for the user, the log and the host's telemetry."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from summarizer.events import CeilingLearned, Event, Planned, Replanned, SectionDone
from summarizer.result import Complete, Partial, Reason

__all__ = ["Attempt", "Progress", "Status", "recent", "remember"]

log = logging.getLogger("summarizer.hermes")

Status = Literal["complete", "partial", "failed", "nothing"]
"""What a compaction came to; ``nothing``: all of the session is protected."""

_SAID = 50
"""Attempts that a process remembers for ``/summarizer``."""

_REASONS = {
    Reason.DEADLINE: "out of time",
    Reason.COST: "the cost limit is reached",
    Reason.CANCELLED: "cancelled",
    Reason.BLOCKED: "refused by the model or a filter",
    Reason.UNAVAILABLE: "the model is not available",
    Reason.RATE_LIMITED: "rate limited",
    Reason.UNREADABLE: "a message cannot be read by any model",
    Reason.CALL_LIMIT: "the limit of calls is reached",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one compaction did: ``records`` of ``before`` tokens were to be covered, ``after`` tokens stand
    for the ``covered`` ones; ``cost`` is in US dollars (None: unknown), ``seconds`` it took, ``failures`` are
    those in a row with this one, ``retry_at`` is in seconds since the epoch. ``failure`` is a sentence
    without secrets, ``kind`` its class, ``stood_in`` why the offline model did.
    """

    session: str
    trigger: Literal["manual", "automatic"]
    status: Status = "nothing"
    records: int = 0
    covered: int = 0
    before: int = 0
    after: int = 0
    chunks: int = 0
    calls: int = 0
    cost: float | None = None
    seconds: float = 0.0
    failure: str = ""
    kind: str = ""
    stood_in: str = ""
    failures: int = 0
    retry_at: float | None = None
    ended_at: float = 0.0

    def with_result(self, result: Complete | Partial, covered: int) -> Attempt:
        """With what a run came to; ``covered`` records of this attempt's are covered now."""
        failed = isinstance(result, Partial)
        return replace(
            self,
            status="complete" if not failed else "partial" if covered else "failed",
            covered=covered,
            after=result.tokens,
            calls=result.usage.calls,
            cost=result.usage.cost,
            failure=_said(result) if isinstance(result, Partial) else "",
            kind=result.reason.value
            if isinstance(result, Partial)
            else "degraded"
            if result.degraded
            else "",
            retry_at=_moment(result) if isinstance(result, Partial) else None,
        )

    @property
    def line(self) -> str:
        """For the log: one line, with the session's id and no content."""
        parts = {
            "session": self.session or "none",
            "trigger": self.trigger,
            "status": self.status,
            "records": f"{self.covered}/{self.records}",
            "middle_tokens": self.before,
            "digest_tokens": self.after,
            "chunks": self.chunks,
            "calls": self.calls,
            "seconds": f"{self.seconds:.1f}",
            "failure_class": self.kind or "none",
            "failures_in_a_row": self.failures,
        }
        words = " ".join(f"{name}={value}" for name, value in parts.items())
        return f"compaction {words}" + (f" failure={self.failure!r}" if self.failure else "")

    @property
    def sentence(self) -> str:
        """For the user."""
        if self.status == "nothing":
            return "nothing to compact: everything is protected"
        if self.status == "failed":
            return f"not compacted: {self.trouble}"
        sizes = f"{self.before:,} → {self.after:,} tokens"
        cost = f", ${self.cost:.4f}" if self.cost else ""
        calls = f"{self.calls:,} call{'s' if self.calls != 1 else ''}"
        done = f"compacted {sizes} in {calls}, {_time(self.seconds)}{cost}"
        if self.stood_in:
            done += f"; the offline model stood in, which keeps less: {self.stood_in}"
        if self.status == "complete":
            return done
        left = self.records - self.covered
        stay = "1 message stays as it is" if left == 1 else f"{left:,} messages stay as they are"
        return f"{done}; {stay}: {self.trouble}"

    @property
    def trouble(self) -> str:
        """What went wrong, how often in a row, and when the next try is."""
        row = f"{self.failures:,} failures in a row" if self.failures > 1 else ""
        after = f"next try {_clock(self.retry_at)}" if self.retry_at else ""
        said = ": ".join(filter(None, (", ".join(filter(None, (row, after))), self.failure)))
        return said.rstrip(" .")

    def telemetry(self, budget: int) -> dict[str, Any]:
        """In the names that the host's own telemetry has; ``budget`` tokens were to be written at most."""
        return {
            "trigger_source": self.trigger,
            "middle_window_tokens": self.before,
            "aux_output_reservation": budget,
            "chunking": self.chunks > 1,
            "chunk_count": self.chunks,
            "summary_input_record_count": self.records,
            "commit_status": {"complete": "committed", "partial": "committed"}.get(self.status, "aborted"),
            "failure_class": self.kind or None,
            "total_duration_ms": round(self.seconds * 1_000),
        }


def remember(attempt: Attempt) -> None:
    """Write an attempt to the log, and keep it for ``recent``."""
    _recent.append(attempt)
    failed = attempt.status in ("failed", "partial")
    log.log(logging.WARNING if failed else logging.INFO, "%s", attempt.line)


def recent() -> Iterable[Attempt]:
    """The attempts of this process, the newest first."""
    return tuple(reversed(_recent))


_recent: deque[Attempt] = deque(maxlen=_SAID)


class Progress:
    """Tells of a run as it goes on: the user by ``say``, ``every`` so many seconds, the host by ``tick``."""

    def __init__(
        self,
        say: Callable[[str], None],
        tick: Callable[[], None],
        every: float = 20.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.chunks = 0
        self._say = say
        self._tick = tick
        self._every = every
        self._now = now
        self._last = now()

    def __call__(self, event: Event) -> None:
        """Take one event of the run."""
        self._tick()
        match event:
            case Planned(tokens=tokens, chunks=chunks):
                self.chunks = chunks
                if chunks:
                    calls = f"{chunks:,} call{'s' if chunks != 1 else ''}"
                    self._say(f"compacting {tokens:,} tokens, about {calls}")
            case Replanned(chunks=chunks):
                if chunks > self.chunks:
                    self._say(f"planned anew, about {chunks:,} calls")
                self.chunks = max(self.chunks, chunks)
            case CeilingLearned(model=model, output=output) if output is not None:
                self._say(f"{model} writes at most {output:,} tokens in one call: planning with that")
            case SectionDone(calls_left=left) if left and self._now() >= self._last + self._every:
                self._last = self._now()
                self._say(_progress(event))
            case _:
                pass


def _progress(event: SectionDone) -> str:
    left = f"{event.calls_left:,} call{'s' if event.calls_left != 1 else ''} left"
    rest = "" if event.seconds_left is None else f", about {_time(event.seconds_left)}"
    return f"compacting: {event.covered:.0%} done, {left}{rest}"


def _said(result: Partial) -> str:
    detail = result.gaps[0].detail if result.gaps else ""
    return ": ".join(filter(None, (_REASONS[result.reason], " ".join(detail.split())[:200])))


def _moment(result: Partial) -> float | None:
    return result.retry_at.timestamp() if result.retry_at else None


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _clock(moment: float) -> str:
    """The local time of day; with the date where it is another day's."""
    then, now = datetime.fromtimestamp(moment, UTC).astimezone(), datetime.now(UTC).astimezone()
    return then.strftime("%H:%M" if then.date() == now.date() else "%Y-%m-%d %H:%M")
