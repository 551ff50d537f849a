"""How many calls an endpoint is given at once: more while it answers, half after it says too many. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["FIRST", "Allowance"]

FIRST = 16
"""Calls at once to an endpoint of which nothing is known. The smallest paid tiers take some 60 requests a
minute: a first burst of 16 is within that, where a summary takes some 15 seconds, and if not, it costs a few
refusals, once."""

_GROWTH = 1.0
_CUT = 0.5


@dataclass(frozen=True, slots=True)
class Allowance:
    """The calls that may be in flight at once: ``granted``, never more than ``most``.

    Additive increase and multiplicative decrease, as TCP's congestion control has it (RFC 5681, 3.1): one
    more for every round of answers, half after a rate limit. Before the first rate limit the growth is one
    for every answer. ``halved_at`` is when it was last halved, in seconds of any clock.
    """

    most: int
    limit: float = FIRST
    met: bool = False
    halved_at: float = float("-inf")

    @classmethod
    def of(cls, most: int, first: int = FIRST) -> Allowance:
        """An allowance that begins at ``first`` calls and grows to ``most`` (both at least 1)."""
        return cls(max(1, most), float(max(1, min(first, most))))

    @property
    def granted(self) -> int:
        """Calls that may be in flight now, at least 1."""
        return max(1, min(self.most, int(self.limit)))

    def answered(self, in_flight: int) -> Allowance:
        """After an answer that came while ``in_flight`` calls were out, itself included. An allowance that
        is not used up shows nothing, so it does not grow.
        """
        if in_flight < self.granted or self.granted >= self.most:
            return self
        step = _GROWTH / self.granted if self.met else _GROWTH
        return replace(self, limit=min(float(self.most), self.limit + step))

    def limited(self, sent_at: float, now: float) -> Allowance:
        """After a rate limit (429) for a call sent at ``sent_at`` seconds. Calls that were out already when
        it was last halved tell nothing new: a burst halves once.
        """
        if sent_at < self.halved_at:
            return self
        return replace(self, limit=max(1.0, self.granted * _CUT), met=True, halved_at=now)
