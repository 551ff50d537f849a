"""A session as a compaction looks at it: what of it may go, what stays, how much room that leaves. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Session"]

Messages = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Session:
    """``messages``, of which those from ``start`` to ``end`` may go. ``row`` is the place of the newest
    summary, whose text is ``body``; ``tokens`` estimates messages' length as the host does, ``current`` is
    the whole prompt's, where it is known.
    """

    messages: Messages
    row: int | None
    body: str
    start: int
    end: int
    tokens: Callable[[Messages], int] = field(compare=False)
    current: int | None = None

    @property
    def first(self) -> int:
        """The first message that is no system prompt."""
        return 1 if self.messages and self.messages[0].get("role") == "system" else 0

    @property
    def fixed(self) -> int:
        """Tokens of the next prompt without what may go: the tools and the system prompt included."""
        beside = (self.current or 0) - self.tokens(self.messages)
        stays = self.tokens(self.messages[: self.start]) + self.tokens(self.messages[self.end :])
        return max(0, beside) + stays

    def with_prior(self, prior: dict[str, Any] | None) -> Session:
        """With what the summary's row held before, as a message before the row."""
        if prior is None or self.row is None:
            return self
        messages = [*self.messages[: self.row], prior, *self.messages[self.row :]]
        end = self.end + (self.end > self.row)
        start = self.start + (self.start > self.row)
        return replace(self, messages=messages, row=self.row + 1, start=start, end=end)

    def request(self, is_summary: Callable[[dict[str, Any]], bool]) -> int | None:
        """The place of the user's newest message, if it is among what may go: then it has to be kept."""
        for i in range(len(self.messages) - 1, -1, -1):
            message = self.messages[i]
            if message.get("role") == "user" and not is_summary(message):
                return i if self.start <= i < self.end else None
        return None
