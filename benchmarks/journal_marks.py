"""What a benchmark of the journal prints: a measure, its value, the most or least that it may be. Pure."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Row", "at_least", "at_most", "told"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of a case; ``good`` is None where it has no mark."""

    case: str
    measure: str
    value: float
    mark: str = ""
    good: bool | None = None


def at_most(case: str, measure: str, value: float, most: float) -> Row:
    """A measure that must not be more than ``most``."""
    return Row(case, measure, round(value, 3), f"≤ {most:,.6g}", value <= most)


def at_least(case: str, measure: str, value: float, least: float) -> Row:
    """A measure that must not be less than ``least``."""
    return Row(case, measure, round(value, 3), f"≥ {least:,.6g}", value >= least)


def told(case: str, measure: str, value: float) -> Row:
    """A measure without a mark."""
    return Row(case, measure, round(value, 3))


if __name__ == "__main__":
    raise SystemExit("python -m benchmarks.journal prints them")
