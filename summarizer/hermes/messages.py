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
        return "\n".join(text for part in content if (text := _text_in(part)))
    return content if isinstance(content, str) else ""


def prior_of(row: Mapping[str, Any], header: str, delimiter: str) -> dict[str, Any] | None:
    """The message that a digest was merged into, as it was before; None where the row is the digest's alone.

    The host writes ``header``, the old content, ``delimiter`` and then the digest, as texts or as parts; what
    else the message has (calls of tools, their results' ids) is the old one's.
    """
    if delimiter not in text_of(row):
        return None
    content = row.get("content")
    old = _text_before(content, header, delimiter) if isinstance(content, str) else None
    parts = _parts_before(content, header, delimiter) if isinstance(content, list) else None
    return {
        **{k: v for k, v in row.items() if not k.startswith("_")},
        "content": old if parts is None else parts,
    }


def _text_before(text: str, header: str, delimiter: str) -> str:
    return text.partition(delimiter)[0].strip().removeprefix(header).strip()


def _parts_before(parts: Sequence[Any], header: str, delimiter: str) -> list[Any]:
    kept = []
    for part in parts:
        text = _text_in(part)
        if text is None:
            kept.append(part)
            continue
        old = _text_before(text, header, delimiter)
        if old:
            kept.append(old if isinstance(part, str) else {**part, "text": old})
        if delimiter in text:
            break
    return kept


def _text_in(part: Any) -> str | None:
    text = part.get("text") if isinstance(part, Mapping) else part
    return text if isinstance(text, str) else None


def request_of(message: Mapping[str, Any], redact: Callable[[str], str]) -> dict[str, str]:
    """A user's message as short as it is quoted in a digest, without secrets: it is kept."""
    return {"role": "user", "content": redact(text_of(message))[:_ROOM]}
