"""A session's messages as the records that are read of them: redacted, without media and hidden reasoning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from summarizer.hermes.layout import Item
from summarizer.messages import message_record
from summarizer.records import Record

__all__ = ["Reader", "prior_of", "request_of", "text_of"]

_MEDIA = re.compile(r"MEDIA:\S+")
"""An order to deliver a file: in a summary it would be carried out again."""
_ROOM = 2_000
"""Characters of a request that are kept to be quoted."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads messages; ``redact`` masks secrets in a text, ``without_thoughts`` takes hidden reasoning out."""

    redact: Callable[[str], str]
    without_thoughts: Callable[[str], str]

    def items(self, messages: Sequence[Mapping[str, Any]], places: Sequence[int]) -> list[Item]:
        """The messages at these places."""
        return [Item(at, messages[at], self.record(messages[at])) for at in places]

    def record(self, message: Mapping[str, Any]) -> Record:
        """What is read of a message."""
        content = message.get("content")
        if message.get("role") == "assistant" and isinstance(content, str) and "<" in content:
            message = {**message, "content": self.without_thoughts(content)}
        record = message_record(message)
        return replace(record, text=_MEDIA.sub("[media attachment]", self.redact(record.text)))


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message's content, in whichever shape it is."""
    content = message.get("content")
    if isinstance(content, list):
        parts = (part if isinstance(part, str) else (part or {}).get("text", "") for part in content)
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return content if isinstance(content, str) else ""


def prior_of(row: Mapping[str, Any], header: str, delimiter: str) -> dict[str, Any] | None:
    """What a message held before a digest was merged into it, as a message of its own; None if nothing was.

    The host writes ``header``, the old content, ``delimiter`` and then the digest.
    """
    before, found, _ = text_of(row).partition(delimiter)
    text = before.strip().removeprefix(header).strip()
    return {"role": row.get("role", "user"), "content": text} if found and text else None


def request_of(message: Mapping[str, Any]) -> dict[str, str]:
    """A user's message as short as it is quoted in a digest."""
    return {"role": "user", "content": text_of(message)[:_ROOM]}
