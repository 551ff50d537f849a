"""The least that a summary can cost, and the marks that the project sets itself against it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["CHUNK", "WINDOW", "Floor", "Spent", "ideal_seconds", "marks"]

CHUNK, WINDOW = 120_000, 128_000
"""Tokens: the most that a call is given to read, and the window, for all measurements here."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Of ``tokens`` to read and ``budget`` to write at ``ceiling`` a call, with a prompt of ``overhead``
    tokens around each: the fewest ``calls`` are max(⌈N / U⌉, ⌈B / C⌉).
    """

    tokens: int
    budget: int
    ceiling: int
    overhead: int

    @property
    def calls(self) -> int:
        """max(⌈N / U⌉, ⌈B / C⌉)."""
        return max(-(-self.tokens // min(CHUNK, WINDOW - self.overhead)), -(-self.budget // self.ceiling))

    def input(self, calls: int) -> int:
        """What so many calls read if everything is read once."""
        return self.tokens + calls * self.overhead


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run used: requests, tokens, tokens in answers that were not used, answers that were cut, and the
    largest prompt.
    """

    calls: int
    input: int
    output: int
    wasted: int
    cuts: int
    largest: int


def marks(
    floor: Floor, spent: Spent, *, warm: bool, dense: bool = False
) -> Mapping[str, tuple[float, float]]:
    """What was spent and the most that it may be, by name; ``dense`` has marks of its own at a ceiling of
    1,000, warm.
    """
    low = floor.input(spent.calls)
    if not warm:
        return {
            "calls": (spent.calls, 1.4 * floor.calls + 3),
            "input": (spent.input, 1.35 * low + spent.largest),
            "wasted": (spent.wasted, 0.1 * spent.output + 3 * floor.ceiling),
        }
    if dense and floor.ceiling == 1_000:
        return {
            "calls": (spent.calls, 1.4 * floor.calls + 1),
            "input": (spent.input, 1.3 * low),
            "cuts": (spent.cuts, 3),
        }
    return {
        "calls": (spent.calls, 1.2 * floor.calls + 1),
        "input": (spent.input, 1.1 * low),
        "wasted": (spent.wasted, 0),
    }


def ideal_seconds(calls: int, written: int, at_once: int, latency: float, a_token: float) -> float:
    """How long so many calls take that write ``written`` tokens in equal parts, ``at_once`` at a time."""
    return -(-calls // at_once) * (latency + written / calls * a_token)


if __name__ == "__main__":
    raise SystemExit("python -m benchmarks.economy prints them")
