"""A chat request → what is to be summarized, by which instructions, to which length. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from summarizer.budget import Budget
from summarizer.messages import as_records, message_record
from summarizer.records import Record
from summarizer.result import Complete, Coverage, Section, Usage
from summarizer.server.asking import (
    asks,
    asks_about_all,
    focus_of,
    headings_of,
    stated_tokens,
    without_length,
)
from summarizer.server.parting import MOST, parted
from summarizer.server.turns import records_of

__all__ = ["Asked", "Defaults", "bounded", "read"]

_MOST_ASKED = 4_000
"""Characters of a first message that merely says what is to be done with those that follow."""
_SHARE_IN_FRONT = 0.6
"""The part of instructions that are too long which is kept of their beginning; the rest of their end."""
_UNIT = 4
_SOURCE = 10

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Defaults:
    """The length of an answer where a request says none: ``tokens``, or a tenth of the input, from ``least``
    to ``most`` tokens.
    """

    tokens: int | None = None
    share: float = 0.1
    least: int = 1_000
    most: int = 50_000

    def budget(self, read: int) -> int:
        """For so many tokens of input."""
        return self.tokens or min(self.most, max(self.least, int(self.share * read)))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request comes to. ``previous`` is an earlier summary that it hands on, ``headings`` those that
    the text is to have, ``prompt_tokens`` all that it gives to read.
    """

    records: Sequence[Record]
    budget: Budget
    instructions: str | None
    focus: str | None
    previous: Complete | None
    headings: tuple[str, ...]
    prompt_tokens: int

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to summarize."""
        return self.previous is None and not any(record.text.strip() for record in self.records)


def read(
    messages: Sequence[Mapping[str, Any]],
    most_tokens: int | None,
    *,
    count: Count,
    defaults: Defaults,
    room: int,
) -> Asked:
    """Read a request: ``most_tokens`` is its ``max_tokens``, ``room`` the most tokens for instructions.

    The length that the instructions state holds where it is less than that; where neither says any, the
    defaults do.
    """
    instructions, previous, records = _sorted_out(messages)
    read_tokens = sum(count(record.text) + _UNIT for record in records)
    earlier = count(previous)
    prompt_tokens = read_tokens + earlier + count(instructions)
    stated = stated_tokens(instructions)
    given = [tokens for tokens in (most_tokens, stated) if tokens is not None]
    tokens = min(given) if given else defaults.budget(read_tokens + earlier)
    headings = headings_of(instructions)
    return Asked(
        records=records,
        budget=Budget(tokens, "one" if headings else "auto", steady=True),
        instructions=bounded(without_length(instructions), room, count) or None,
        focus=focus_of(instructions),
        previous=_summary(previous, earlier, tokens) if previous else None,
        headings=headings,
        prompt_tokens=prompt_tokens,
    )


def _sorted_out(messages: Sequence[Mapping[str, Any]]) -> tuple[str, str, list[Record]]:
    """Instructions, an earlier summary, and records."""
    first = next((i for i, m in enumerate(messages) if m.get("role") not in ("system", "developer")), None)
    if first is None:
        first = 0
    rest = list(messages[first:])
    wishes = [message_record(message).text for message in messages[:first]]
    if not _are_wishes(wishes, len(rest)):
        wishes, rest = [], list(messages)
    behind = _taken(rest, -1, asks_about_all, MOST)
    before = _taken(rest, 0, asks, _MOST_ASKED)
    if len(rest) > 1:
        return "\n\n".join([*wishes, *before, *behind]), "", as_records(rest)
    prompt = message_record(rest[0]).text
    if before or behind:
        return "\n\n".join([*wishes, *before, *behind]), "", records_of(prompt)
    found = parted(prompt)
    together = [*wishes, found.instructions]
    return "\n\n".join(filter(None, together)), found.previous, records_of(found.material)


def _are_wishes(texts: Sequence[str], others: int) -> bool:
    """Whether system messages say how to summarize, and are not part of a session that an agent had."""
    if not texts or any(len(text) > MOST for text in texts):
        return False
    return others == 1 or any(asks(text) for text in texts)


def _taken(rest: list[Mapping[str, Any]], at: int, is_wish: Callable[[str], bool], most: int) -> list[str]:
    """The user's message at an end, taken out, if it says what is to be done with the others."""
    if len(rest) < 2 or rest[at].get("role") != "user":
        return []
    text = message_record(rest[at]).text
    if len(text) > most or not is_wish(text):
        return []
    if at == 0 and not _points_on(text):
        return []
    del rest[at]
    return [text]


def _points_on(text: str) -> bool:
    """Whether a first message speaks of what follows it."""
    return any(
        word in text.lower() for word in ("following", "below", "next message", "以下", "下面", "folgend")
    )


def _summary(text: str, tokens: int, budget: int) -> Complete:
    """An earlier summary as a result to go on from: it stands for more than it says."""
    section = Section(
        text=text,
        tokens=tokens,
        first=0,
        last=0,
        model=None,
        method="model",
        level=0,
        fingerprint="",
        prompt_id="",
        source_tokens=_SOURCE * max(1, tokens),
    )
    return Complete(text, tokens, max(tokens, budget, 16), (section,), Coverage(1, 0, 1), Usage())


def bounded(text: str, tokens: int, count: Count) -> str:
    """Instructions in at most so many tokens: whole lines of their beginning and end."""
    if count(text) <= tokens:
        return text
    lines = text.splitlines()
    front = _lines(lines, int(tokens * _SHARE_IN_FRONT), count)
    back = _lines(lines[len(front) :][::-1], tokens - count("\n".join(front)) - _UNIT, count)[::-1]
    return "\n".join([*front, "…", *back])


def _lines(lines: Sequence[str], tokens: int, count: Count) -> list[str]:
    kept: list[str] = []
    for line in lines:
        tokens -= count(line) + 1
        if tokens < 0:
            break
        kept.append(line)
    return kept
