"""A session as a compaction looks at it: what of it may go, what stays, how much room that leaves. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Measure", "Session"]

Messages = list[dict[str, Any]]

_DENSE = 1.15
"""Tokens for each that four characters make: with more, the text has them, and no system prompt."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How long a session is: ``rough`` tokens of each message by the host's four characters, ``counted`` ones
    by the gateway's counter, and ``current`` of the whole prompt by the provider, where it is known.

    Chinese, hexadecimal or base64 text has several times the tokens that four characters a token make.
    """

    rough: Sequence[int]
    counted: Sequence[int]
    current: int = 0

    @property
    def beside(self) -> int:
        """Tokens of the system prompt and the tools: what a prompt has more than its messages."""
        return 0 if self._is_dense else max(0, self.current - sum(self._sizes))

    @property
    def density(self) -> float:
        """The model's tokens for each of the host's rough ones."""
        return max(1.0, self.of(0, len(self.rough)) / max(1, sum(self.rough)))

    def of(self, first: int, end: int) -> int:
        """Tokens of the messages from ``first`` up to ``end``, in the model's."""
        return int(sum(self._sizes[first:end]) * self._scale)

    @property
    def _sizes(self) -> list[int]:
        return [max(pair) for pair in zip(self.rough, self.counted, strict=True)]

    @property
    def _is_dense(self) -> bool:
        return sum(self._sizes) > _DENSE * sum(self.rough)

    @property
    def _scale(self) -> float:
        return max(1.0, self.current / max(1, sum(self._sizes))) if self._is_dense else 1.0


@dataclass(frozen=True, slots=True)
class Session:
    """``messages``, of which those from ``start`` to ``end`` may go. ``row`` is the place of the newest
    summary, whose text is ``body``; ``fixed`` are the tokens of the next prompt without what may go, the
    system prompt and the tools included.
    """

    messages: Messages
    row: int | None
    body: str
    start: int
    end: int
    fixed: int

    @property
    def first(self) -> int:
        """The first message that is no system prompt."""
        return 1 if self.messages and self.messages[0].get("role") == "system" else 0

    def with_prior(self, prior: dict[str, Any] | None) -> Session:
        """With the message that the summary was merged into as it was before, behind the row: its results
        follow it, if it calls tools.
        """
        if prior is None or self.row is None:
            return self
        after = self.row + 1
        messages = [*self.messages[:after], prior, *self.messages[after:]]
        start, end = (border + (border > self.row) for border in (self.start, self.end))
        return replace(self, messages=messages, start=start, end=end)

    def request(self, is_summary: Callable[[dict[str, Any]], bool]) -> int | None:
        """The place of the user's newest message, if it is among what may go: then it has to be kept."""
        for i in range(len(self.messages) - 1, -1, -1):
            message = self.messages[i]
            if message.get("role") == "user" and not is_summary(message):
                return i if self.start <= i < self.end else None
        return None
