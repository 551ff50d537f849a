"""The rungs of the ladder during one run: what is known of each endpoint, and how it is doing."""

from __future__ import annotations

from dataclasses import dataclass, field

from summarizer.result import Reason
from summarizer_providers.bounds import Limits
from summarizer_providers.outcome import Transient
from summarizer_providers.types import Model

__all__ = ["Endpoint", "Health"]

_FIRST_REST = 0.5
_LONGEST_REST = 30.0
_FAILURES = 6
"""An endpoint that fails so often in a row, with rests of 0.5 to 16 seconds between, is given up."""

_CUT = 1.5
"""An answer that was cut would have been longer, by a factor that nobody knows."""
_MOST_OVERSHOOT = 3.0
"""A model that writes more than three times what it is asked for does not listen: less is asked in vain."""

PATIENCE = 60.0
"""Seconds: an endpoint that asks for a longer rest than this is given up for the run."""


@dataclass(slots=True)
class Health:
    """How an endpoint has been doing: failures in a row, until when it rests, and why it was given up."""

    failures: int = 0
    rests_until: float = 0.0
    rested_since: float = float("-inf")
    down: Reason | None = None
    detail: str = ""

    def succeeded(self) -> None:
        """It answered."""
        self.failures = 0

    def failed(self, fault: Transient, sent_at: float, now: float) -> None:
        """A passing fault. Calls that were sent before the last rest began tell nothing new."""
        self.detail = fault.detail
        rest = fault.retry_after
        if sent_at >= self.rested_since:
            self.failures += 1
            self.rested_since = now
        if rest is None:
            rest = min(_LONGEST_REST, _FIRST_REST * 2 ** max(0, self.failures - 1))
        self.rests_until = max(self.rests_until, now + rest)
        if self.failures >= _FAILURES or rest > PATIENCE:
            self.give_up(Reason.RATE_LIMITED if fault.rate_limited else Reason.UNAVAILABLE, fault.detail)

    def give_up(self, reason: Reason, detail: str) -> None:
        """No more calls to it in this run."""
        self.down, self.detail = reason, detail


@dataclass(slots=True)
class Endpoint:
    """One rung: a model at an address, its limits in tokens, its prices in US dollars a token.

    ``useless`` counts unusable answers in a row, ``proved`` is the longest target (tokens) whose answer
    ended by itself, ``density`` how many tokens it writes per token read,
    ``overshoot`` how many per token asked for, at least 1 (both smoothed),
    ``key`` the name under which it is remembered.
    """

    model: Model
    label: str
    limits: Limits
    input_cost: float | None = None
    output_cost: float | None = None
    concurrency: int = 8
    in_flight: int = 0
    answered: bool = False
    useless: int = 0
    proved: int = 0
    density: float = 0.0
    overshoot: float = 1.0
    key: str = ""
    health: Health = field(default_factory=Health)

    @property
    def is_offline(self) -> bool:
        """Whether its texts are extracts that no model wrote."""
        return self.model.route == "offline"

    def wrote(self, read: int, written: int, asked: int, *, whole: bool) -> None:
        """An answer of ``written`` tokens to a chunk of ``read`` tokens, asked for ``asked``."""
        if whole:
            self.answered, self.useless = True, 0
            self.proved = max(self.proved, int(asked * self.overshoot))
        more = 1.0 if whole else _CUT
        density, overshoot = more * written / max(1, read), more * written / max(1, asked)
        self.density = (self.density + density) / 2 if self.density else density
        self.overshoot = (self.overshoot + min(_MOST_OVERSHOOT, max(1.0, overshoot))) / 2

    def may_fan_out(self, largest: int) -> bool:
        """Whether many calls may go at once: not before one as large as the largest ended by itself, or a
        ceiling is known. Until then each guess is made once, not once a chunk.
        """
        return self.is_offline or self.limits.ceiling is not None or self.proved >= 0.95 * largest

    def worst_cost(self, input_tokens: int, output_tokens: int) -> float:
        """The most that a call can cost, in US dollars; 0 where the price is not known."""
        return input_tokens * (self.input_cost or 0.0) + output_tokens * (self.output_cost or 0.0)
