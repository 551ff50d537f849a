"""The user's ladder of models during one run: which endpoint a task goes to next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from summarizer.endpoints import Endpoint
from summarizer.result import Notice, Reason
from summarizer.work import Task

__all__ = ["Ladder"]

_SHORT_REST = 5.0
"""Seconds: so long a rest is waited for, and a longer one only where no other model is awake."""
_LATEST = 253_402_300_799.0
"""Seconds since the epoch: the last second that a date can name, whatever a provider asks for."""


class Ladder:
    """Endpoints in the user's order, first choice first."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self.endpoints = list(endpoints)

    def __len__(self) -> int:
        return len(self.endpoints)

    @property
    def ends_offline(self) -> bool:
        """Whether the offline model stands last, to complete what others leave."""
        return self.endpoints[-1].is_offline

    @property
    def is_offline(self) -> bool:
        """Whether no rung asks a model."""
        return all(endpoint.is_offline for endpoint in self.endpoints)

    def current(self, task: Task) -> Endpoint | None:
        """The first endpoint from the task's rung on that has not been given up; moves the task there."""
        while task.rung < len(self.endpoints):
            endpoint = self.endpoints[task.rung]
            if endpoint.health.down is None:
                return endpoint
            task.reason, task.detail = endpoint.health.down, f"{endpoint.label}: {endpoint.health.detail}"
            task.rung += 1
        return None

    def awake(self, task: Task, now: float) -> Endpoint | None:
        """The task's endpoint; where that rests for long and another model does not, the task moves on."""
        endpoint = self.current(task)
        if endpoint is None or endpoint.health.rests_until <= now + _SHORT_REST:
            return endpoint
        for i in range(task.rung + 1, len(self.endpoints)):
            other = self.endpoints[i]
            if other.health.down is None and not other.is_offline and other.health.rests_until <= now:
                task.rung = i
                return other
        return endpoint

    def first(self) -> Endpoint:
        """The first endpoint that is still up, for planning; the first of all where none is."""
        return next((e for e in self.endpoints if e.health.down is None), self.endpoints[0])

    def rung_of(self, endpoint: Endpoint) -> int:
        """Where an endpoint stands."""
        return next(i for i, other in enumerate(self.endpoints) if other is endpoint)

    def larger(self, rung: int) -> int | None:
        """The next rung whose endpoint is known, or else declared, to write more than this one's."""
        here = self.endpoints[rung].limits.output
        for i in range(rung + 1, len(self.endpoints)):
            other = self.endpoints[i]
            if other.health.down is None and not other.is_offline and other.limits.output > here:
                return i
        return None

    def notices(self, now: float, wall: float) -> list[Notice]:
        """A notice for each endpoint that was given up, and for each that rests; ``wall`` is the time of day
        (seconds since the epoch) at ``now``.
        """
        found = []
        for endpoint in self.endpoints:
            health = endpoint.health
            if health.down is not None:
                said = f"{endpoint.label} was given up ({health.down}): {health.detail}"
                found.append(Notice("endpoint_failed", said))
            elif health.rests_until > now:
                until = _time(wall + health.rests_until - now)
                said = f"{endpoint.label} rests until {until:%H:%M:%S} UTC: {health.detail}"
                found.append(Notice("endpoint_rests", said))
        return found

    def retry_at(self, now: float, wall: float) -> datetime | None:
        """When the first of the endpoints that asked for a rest may be asked again; ``wall`` is the time
        of day (seconds since the epoch) at ``now``.
        """
        rests = [
            e.health.rests_until
            for e in self.endpoints
            if e.health.down in (None, Reason.RATE_LIMITED, Reason.UNAVAILABLE) and e.health.rests_until > now
        ]
        return _time(wall + min(rests) - now) if rests else None


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(min(seconds, _LATEST), UTC)
