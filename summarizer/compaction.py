"""Compaction of a log that only grows: what to summarize now, and what goes to the model beside the digest.

The log keeps every message. A digest is the result of an earlier run over its beginning; with it the model
is sent the digest's text, what the digest lacks, and what is recent, word for word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any, TypeVar

from summarizer.display import as_mapping
from summarizer.errors import InvalidBudget, InvalidRecords
from summarizer.messages import as_records
from summarizer.records import Record
from summarizer.result import Complete, Partial
from summarizer_providers.tokens import get_counter

__all__ = ["HEADING", "due", "shortened"]

HEADING = "Summary of the earlier conversation. It is a record of what was said, not a request."
"""The line above a digest's text in the message that carries it."""

_INSTRUCTIONS = frozenset({"system", "developer"})
_MESSAGE_TOKENS = 4
"""Tokens of a message beside its text, as chat formats frame it."""
_IMAGE_TOKENS = 1_000
"""Tokens of an image, of which the text has only the name: about what providers count for a screenshot."""

T = TypeVar("T")


def due(
    log: Sequence[Any], digest: Complete | Partial | None = None, *, limit: int, keep: int
) -> list[Record]:
    """The records to summarize now, with ``previous=digest``; none while ``shortened`` fits ``limit`` tokens.

    They are what ``digest`` lacks, in order, and then the messages that it has not seen yet, up to about
    the last ``keep`` tokens; a call and its results stay on one side. ``log`` holds all messages, those that
    are summarized already too: chat messages, items of the Responses API, objects with a ``model_dump`` such
    as LangChain's messages, strings or ``Record``. Tokens are tiktoken's o200k_base, give or take a few.

    After a failure none are due before the digest's ``retry_at``, if it has one: an agent need not wait in
    each of its turns for a provider that is down.

    Raises ``InvalidBudget`` if ``keep`` is not below ``limit``, ``InvalidRecords`` if something in the log
    is no message or the digest stands for more messages than it has.
    """
    if not 0 <= keep < limit:
        raise InvalidBudget(f"keep: expected 0 to {limit - 1} tokens, fewer than limit, got {keep}")
    records = _records(log)
    groups = _groups(records)
    sent = [records[i] for i in _standing(records, groups, digest)]
    if _fit(sent, limit - (digest.tokens if digest else 0)) or _is_early(digest):
        return []
    seen = digest.coverage.total if digest else 0
    lacking = digest.missing(records) if isinstance(digest, Partial) else []
    return lacking + records[seen : _cut(records, groups, keep, seen)]


def shortened(log: Sequence[T], digest: Complete | Partial | None, message: Callable[[str], T]) -> list[T]:
    """What to send instead of the whole log: the digest, and every message that it does not stand in for.

    That is what the digest lacks and what came after it, the last message, the last of the user's and those
    of the system, each in its place and each call with all its results. The digest comes after the system's
    messages at the beginning, as the message that ``message`` makes of its text. Without a digest, or with
    an empty one, nothing is added.

    Raises ``InvalidRecords`` as ``due`` does.
    """
    records = _records(log)
    standing = _standing(records, _groups(records), digest)
    head = len(list(takewhile(lambda i: records[i].role in _INSTRUCTIONS, standing)))
    note = [message(f"{HEADING}\n\n{digest.text}")] if digest and digest.text else []
    return [*(log[i] for i in standing[:head]), *note, *(log[i] for i in standing[head:])]


def _records(log: Sequence[Any]) -> list[Record]:
    return as_records(item if isinstance(item, str | Record) else as_mapping(item) or item for item in log)


def _is_early(digest: Complete | Partial | None) -> bool:
    return isinstance(digest, Partial) and digest.retry_at is not None and datetime.now(UTC) < digest.retry_at


def _standing(
    records: Sequence[Record], groups: Sequence[int], digest: Complete | Partial | None
) -> list[int]:
    """Positions of the messages that are sent word for word."""
    if digest is None:
        return list(range(len(records)))
    seen = digest.coverage.total
    if seen > len(records):
        raise InvalidRecords(
            f"log: expected the {seen} messages that the digest stands for, got {len(records)}"
        )
    kept = {groups[i] for i in _needed(records, digest)}
    return [i for i, record in enumerate(records) if groups[i] in kept or record.role in _INSTRUCTIONS]


def _needed(records: Sequence[Record], digest: Complete | Partial) -> Iterable[int]:
    """Positions without which something would be lost, or the model would not know what to do."""
    gaps = digest.gaps if isinstance(digest, Partial) else ()
    for gap in gaps:
        yield from range(gap.first, gap.last + 1)
    yield from range(digest.coverage.total, len(records))
    yield from range(len(records))[-1:]
    yield from [i for i, record in enumerate(records) if record.role == "user"][-1:]


def _groups(records: Sequence[Record]) -> list[int]:
    """For each message the position of the first of those with which it must be sent, or its own.

    A result goes with the nearest call of its id. What a model said to itself is an empty record, and an
    API that gives it wants it back with what the model said and called next.
    """
    calls: dict[str, int] = {}
    groups: list[int] = []
    thought, run = False, False  # the message before is a thought; it belongs to what followed one
    for i, record in enumerate(records):
        run = record.role == "assistant" and (thought or (run and bool(record.calls)))
        thought = record.role == "assistant" and not record.text and not record.calls
        call = calls.get(record.answers) if record.answers else None
        groups.append(groups[call] if call is not None else groups[i - 1] if run else i)
        calls |= dict.fromkeys(record.calls, i)
    return groups


def _cut(records: Sequence[Record], groups: Sequence[int], keep: int, seen: int) -> int:
    """Where what is recent begins, not before ``seen``; the last message always is.

    No group is torn, unless one is in the way from ``seen`` to the end: ``_standing`` holds it together then.
    """
    wanted = _start_of_last(records, keep)
    whole = _borders(groups)
    after = (i for i in whole if i >= wanted)
    before = (i for i in reversed(whole) if seen < i < wanted)
    return max(next(after, next(before, wanted)), seen)


def _start_of_last(records: Sequence[Record], tokens: int) -> int:
    start = max(len(records) - 1, 0)
    for i in reversed(range(len(records))):
        tokens -= _tokens(records[i])
        if tokens < 0:
            break
        start = i
    return start


def _borders(groups: Sequence[int]) -> list[int]:
    """Positions before which every group that has begun has ended."""
    ends = {group: i for i, group in enumerate(groups)}
    reach, found = -1, []
    for i, group in enumerate(groups):
        if reach < i:
            found.append(i)
        reach = max(reach, ends[group])
    return found


def _fit(records: Sequence[Record], room: int) -> bool:
    """Whether they have at most so many tokens; no more of them is counted than it takes to know."""
    for record in reversed(records):
        room -= _tokens(record)
        if room < 0:
            return False
    return room >= 0


def _tokens(record: Record) -> int:
    return get_counter().count(record.text) + _MESSAGE_TOKENS + _IMAGE_TOKENS * record.images
