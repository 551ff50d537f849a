"""The user's ladder of models during one run: which endpoint a task goes to next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from summarizer.endpoints import Endpoint
from summarizer.result import Notice, Reason
from summarizer.work import Task

__all__ = ["Ladder"]

_LONGEST_REST = 366 * 86_400.0
"""Seconds: no provider means more than a year, whatever it writes."""


class Ladder:
    """Endpoints in the user's order, first choice first."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self.endpoints = list(endpoints)

    def __len__(self) -> int:
        return len(self.endpoints)

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

    def notices(self) -> list[Notice]:
        """A notice for each endpoint that was given up."""
        return [
            Notice("endpoint_failed", f"{e.label} was given up ({e.health.down}): {e.health.detail}")
            for e in self.endpoints
            if e.health.down is not None
        ]

    def retry_at(self, now: float, wall: float) -> datetime | None:
        """When the first of the endpoints that asked for a rest may be asked again; ``wall`` is the time
        of day (seconds since the epoch) at ``now``.
        """
        rests = [
            e.health.rests_until
            for e in self.endpoints
            if e.health.down in (Reason.RATE_LIMITED, Reason.UNAVAILABLE) and e.health.rests_until > now
        ]
        return datetime.fromtimestamp(wall + min(_LONGEST_REST, min(rests) - now), UTC) if rests else None
