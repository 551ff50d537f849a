"""Text that was written out of messages, as records again: a turn each, or whatever else it consists of."""

from __future__ import annotations

import re

from summarizer.cleaning import clean_text
from summarizer.errors import InvalidRecords
from summarizer.reading import parse_records
from summarizer.records import Record

__all__ = ["first_turn", "last_turn", "records_of"]

_BRACKETED = re.compile(
    r"^\[(?P<who>[A-Z][A-Z_-]{1,30}(?: [A-Z]{2,20})?)(?: (?P<id>[^\]\n]{0,120}))?\]:[ \t]?", re.M
)
_PLAIN = re.compile(
    r"^(?:\*\*)?(?P<who>User|Human|Assistant|AI|System|Tool|Function|Developer|"
    r"USER|HUMAN|ASSISTANT|SYSTEM|TOOL|FUNCTION|DEVELOPER)(?:\*\*:|:\*\*|:)[ \t]?",
    re.M,
)
_ROLES = {
    "USER": "user",
    "HUMAN": "user",
    "ASSISTANT": "assistant",
    "AI": "assistant",
    "MODEL": "assistant",
    "SYSTEM": "system",
    "DEVELOPER": "system",
    "TOOL": "tool",
    "FUNCTION": "tool",
}


def records_of(text: str) -> list[Record]:
    """A record for each turn of a conversation; of any other text, one for each message or paragraph."""
    marks = list(_markers(text).finditer(text))
    if not marks:
        return _parsed(text)
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    before = _parsed(text[: marks[0].start()])
    return before + [
        Record(role=_role(mark["who"]), text=clean_text(text[mark.end() : end]).strip(), clean=True)
        for mark, end in zip(marks, ends, strict=True)
    ]


def first_turn(text: str, start: int = 0) -> int | None:
    """Where the first turn begins, ``[USER]: …`` or ``Human: …``, from ``start`` on, if at all."""
    mark = _markers(text, start).search(text, start)
    return mark.start() if mark else None


def last_turn(text: str, start: int = 0) -> int | None:
    """Where the last turn begins; None if there is none."""
    last = None
    for mark in _markers(text, start).finditer(text, start):
        last = mark.start()
    return last


def _markers(text: str, start: int = 0) -> re.Pattern[str]:
    """One way of marking turns a text: what looks like the other is what somebody said."""
    return _BRACKETED if _BRACKETED.search(text, start) else _PLAIN


def _role(who: str) -> str:
    return _ROLES.get(who.upper().split()[0], who.lower())


def _parsed(text: str) -> list[Record]:
    """Messages in JSON, else paragraphs."""
    data = text.strip().encode("utf-8", "replace")
    try:
        return parse_records(data, "the prompt")
    except InvalidRecords:
        return parse_records(data, "the prompt", "text")
