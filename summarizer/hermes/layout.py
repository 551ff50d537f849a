"""Which messages a digest replaces, which stay as they are, and in which order they stand then. Pure.

A list of messages is ``left``, a ``block`` that the digest takes the place of, and ``right``. What a digest
does not stand for is never in the block, wherever in the session it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from summarizer.prepare import record_digest
from summarizer.records import Record
from summarizer.result import Complete, Partial

__all__ = ["Arranged", "Item", "Work", "arranged", "key_of", "work_for"]

Message = Mapping[str, Any]

_BLANK = Record(role="user", text="")
"""In the place of a record that is missing in a digest and is not in the session any more."""


@dataclass(frozen=True, slots=True)
class Item:
    """A message at a place in the session, as the record that is read of it."""

    at: int
    message: Message
    record: Record

    @property
    def key(self) -> str:
        """A hash of the record: messages are known again by it after a restart."""
        return key_of(self.record)


def key_of(record: Record) -> str:
    """A hash of what a record says and who says it."""
    return record_digest(record).hex()


@dataclass(frozen=True, slots=True)
class Work:
    """What one compaction has to do: ``items`` are what the digest so far lacks (None: it is gone), in the
    order of its gaps, and what is new; ``known`` it stands for already.
    """

    items: tuple[Item | None, ...]
    known: tuple[Item, ...]
    previous: Complete | Partial | None

    @property
    def records(self) -> list[Record]:
        """What is to be summarized."""
        return [_BLANK if item is None else item.record for item in self.items]

    def missed(self, result: Complete | Partial) -> list[Item | None]:
        """The items that ``result`` does not stand for, in the order of its gaps."""
        by_position = dict(zip(self._positions(), self.items, strict=True))
        gaps = result.gaps if isinstance(result, Partial) else ()
        return [by_position.get(i) for gap in gaps for i in range(gap.first, gap.last + 1)]

    def covered(self, result: Complete | Partial) -> list[Item]:
        """The items that ``result`` stands for, the ``known`` ones too, in the session's order."""
        missed = {item.at for item in self.missed(result) if item is not None}
        found = [*self.known, *(item for item in self.items if item is not None and item.at not in missed)]
        return sorted(found, key=lambda item: item.at)

    def progress(self, result: Complete | Partial) -> int:
        """How many records are covered that were not before."""
        before = self.previous.coverage.covered if self.previous else 0
        gone = sum(item is None for item in self.items)
        return max(0, result.coverage.covered - before - gone)

    def _positions(self) -> Iterable[int]:
        gaps = self.previous.gaps if isinstance(self.previous, Partial) else ()
        positions = [i for gap in gaps for i in range(gap.first, gap.last + 1)]
        total = self.previous.coverage.total if self.previous else 0
        return [*positions, *range(total, total + len(self.items) - len(positions))]


def work_for(
    items: Sequence[Item], previous: Complete | Partial | None, gaps: Sequence[str], kept: Collection[str]
) -> Work:
    """What is to be done about ``items``, where a digest exists that lacks the records ``gaps`` (keys, in
    order) and stands for others that were ``kept`` in the session beside it.
    """
    if previous is None:
        return Work(tuple(items), (), None)
    waiting: dict[str, list[int]] = {}
    for i, key in enumerate(gaps):
        waiting.setdefault(key, []).append(i)
    known = Counter(kept)
    found: dict[int, Item] = {}
    new, again = [], []
    for item in items:
        key = item.key
        if waiting.get(key):
            found[waiting[key].pop(0)] = item
        elif known[key]:
            known[key] -= 1
            again.append(item)
        else:
            new.append(item)
    lacking = (found.get(i) for i in range(len(gaps)))
    return Work((*lacking, *new), tuple(again), previous)


# ---- where everything stands ----


@dataclass(frozen=True, slots=True)
class Arranged:
    """A session in three parts; ``block`` is what a digest replaces."""

    left: tuple[Message, ...]
    block: tuple[Message, ...]
    right: tuple[Message, ...]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All of them, as shallow copies: the host changes what it is given."""
        return [dict(message) for message in (*self.left, *self.block, *self.right)]

    def seen_in(self, messages: Sequence[Message]) -> dict[int, Message]:
        """What the host made of each message that stays (by its identity): it may have taken an image out.
        Empty where it cannot be told, because the host left some out.
        """
        stay = len(self.left) + len(self.right)
        if len(messages) not in (stay, stay + 1):
            return {}
        behind = messages[len(messages) - len(self.right) :]
        pairs = [*zip(self.left, messages, strict=False), *zip(self.right, behind, strict=True)]
        return {id(old): new for old, new in pairs if not new.get("_compressed_summary")}

    @property
    def bounds(self) -> tuple[int, int]:
        """Where the block begins and ends in ``messages``."""
        return len(self.left), len(self.left) + len(self.block)


def arranged(
    messages: Sequence[Message], covered: Collection[int], row: int | None, request: int | None
) -> Arranged | None:
    """The session with as many of the messages at ``covered`` in the block as can go; None if none can.

    The block stands where the digest so far does (``row``, which it replaces), or else where the first of its
    messages stood. What stays is in order, but for the one at ``request`` (the user's newest, of which the
    answer is among the covered): it does not stand before the block. A call and its results go or stay
    together, and where two stretches that stay come to stand side by side, speakers take turns.
    """
    units = _units(messages)
    going = {i for i in covered if i != request}
    for unit in units:
        if not going.issuperset(unit):
            going.difference_update(unit)
    if not going:
        return None
    anchor = min(going) if row is None else row
    homes = {i: unit for unit in units for i in unit}
    for unit in units:
        _take_turns(messages, homes, going, unit[0], anchor)
        if not going:
            return None
        if row is None and anchor not in going:
            anchor = min(going)
    going |= {anchor}
    stay = [i for i in range(len(messages)) if i not in going]
    before = [i for i in stay if i < anchor and i != request]
    after = [i for i in stay if i > anchor or i == request]
    parts = (before, sorted(going), after)
    return Arranged(*(tuple(messages[i] for i in part) for part in parts))


def _units(messages: Sequence[Message]) -> list[list[int]]:
    """A message that calls tools with the results behind it, and every other message alone."""
    units: list[list[int]] = []
    open_calls = False
    for i, message in enumerate(messages):
        if message.get("role") == "tool" and open_calls:
            units[-1].append(i)
            continue
        open_calls = bool(message.get("tool_calls"))
        units.append([i])
    return units


def _take_turns(
    messages: Sequence[Message], homes: Mapping[int, Sequence[int]], going: set[int], at: int, anchor: int
) -> None:
    """Where the message at ``at`` stays and would follow one of the same role, keep what stood between them
    as far as it takes for turns to alternate.
    """
    while at not in going and at - 1 in going:
        before = at - 1
        while before in going and before != anchor:
            before -= 1
        if before < 0 or before == anchor or not _clash(messages[before], messages[at]):
            return
        unit = homes[at - 1]
        going.difference_update(unit)
        at = unit[0]


def _clash(first: Message, second: Message) -> bool:
    return first.get("role") == second.get("role") and second.get("role") in ("user", "assistant")
