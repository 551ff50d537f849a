"""What a run may still spend, requests and US dollars, checked before a call and not after. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from summarizer.endpoints import Endpoint
from summarizer.reception import Flight
from summarizer.result import Reason
from summarizer.usage import Meter
from summarizer_providers.types import Call

__all__ = ["Spending"]


@dataclass(frozen=True, slots=True)
class Spending:
    """The limits of one run: at most ``max_calls`` requests, and ``max_cost`` US dollars (None: any)."""

    meter: Meter
    max_calls: int
    max_cost: float | None

    def spare_calls(self, flying: Collection[Flight]) -> int:
        """The requests that are left, if all that are on their way are retried as often as they may be."""
        return self.max_calls - self.meter.calls - sum(flight.call.retries for flight in flying)

    def over_calls(self, flying: Collection[Flight]) -> tuple[Reason, str] | None:
        """Why no further call may be sent, if none is left."""
        if self.spare_calls(flying) > 0:
            return None
        return Reason.CALL_LIMIT, f"the limit of {self.max_calls} calls was reached"

    def over_cost(
        self, flying: Collection[Flight], endpoint: Endpoint, call: Call
    ) -> tuple[Reason, str] | None:
        """Why a call may not be sent, if it could cost more than is left."""
        if self.max_cost is None:
            return None
        committed = sum(_worst_cost(flight.endpoint, flight.call) for flight in flying)
        if self.meter.cost + committed + _worst_cost(endpoint, call) <= self.max_cost:
            return None
        return Reason.COST, f"the next call could cost more than is left of {self.max_cost} US dollars"


def _worst_cost(endpoint: Endpoint, call: Call) -> float:
    """With its retries: what a request wrote whose answer was lost is paid for all the same."""
    once = endpoint.worst_cost(int(call.prompt_tokens * endpoint.limits.scale), call.max_tokens)
    return (1 + call.retries) * once
