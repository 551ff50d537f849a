"""The budget: how long the text may become, and in which shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from summarizer.errors import InvalidBudget

__all__ = ["MAX_BUDGET", "MIN_BUDGET", "MOST_RECENT", "Budget", "Shape"]

MIN_BUDGET = 16
"""Tokens: less has no room for a sentence and the mark of a cut one."""

MAX_BUDGET = 10_000_000
"""Tokens: a larger number is a mistake."""

MOST_RECENT = 100.0
"""Times: with more, nothing is left of the past."""

Shape = Literal["auto", "sections", "one"]
"""What a text may look like; see ``Budget``."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most ``tokens`` that the text may have (16 to 10,000,000, by the settings' counter), and its shape.

    ``sections``: a sequence of sections; ``one``: one text that reads as one, where a call can write that
    much; ``auto``: sections, or one text where a section's share would be too small to be worth reading.
    ``recent``: how many times as much room a token of the newest record gets as one of the oldest, 0.01 to
    100; with 1 no age has more than another. It counts where sections are shortened or added to those that
    there are. ``steady``: sections at the front that keep to their share are not merged or shortened any
    more, and are told of as they are finished (``SectionFinal``), so that a reader can begin before the end.
    Raises ``InvalidBudget``.
    """

    tokens: int
    shape: Shape = "auto"
    recent: float = 1.0
    steady: bool = False

    def __post_init__(self) -> None:
        self._check_recent()
        if not isinstance(self.tokens, int) or isinstance(self.tokens, bool):
            got = f"{type(self.tokens).__name__} {self.tokens!r}"
            raise InvalidBudget(f"budget: expected a whole number of tokens, got {got:.80}")
        if not MIN_BUDGET <= self.tokens <= MAX_BUDGET:
            shown = str(self.tokens) if abs(self.tokens) < 10**18 else "a far larger number"
            raise InvalidBudget(f"budget: expected {MIN_BUDGET:,} to {MAX_BUDGET:,} tokens, got {shown}")
        if self.shape not in get_args(Shape):
            raise InvalidBudget(
                f"budget: shape: expected {', '.join(get_args(Shape))}, got {self.shape!s:.40}"
            )

    def _check_recent(self) -> None:
        number = isinstance(self.recent, int | float) and not isinstance(self.recent, bool)
        if not number or not 1 / MOST_RECENT <= self.recent <= MOST_RECENT:
            least = 1 / MOST_RECENT
            expected = f"expected a number from {least:g} to {MOST_RECENT:g}"
            raise InvalidBudget(f"budget: recent: {expected}, got {self.recent!r:.40}")

    @classmethod
    def of(cls, value: object) -> Budget:
        """A budget from a budget or a number of tokens. Raises ``InvalidBudget``."""
        return value if isinstance(value, Budget) else cls(value)  # type: ignore[arg-type]
