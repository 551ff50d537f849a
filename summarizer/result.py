"""What a run gives: frozen values that go to JSON and back without loss."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from summarizer.errors import InvalidRecords, InvalidResult
from summarizer.typed import read

if TYPE_CHECKING:
    from summarizer.recall.passages import Recalled

__all__ = [
    "VERSION",
    "Complete",
    "Coverage",
    "Gap",
    "Method",
    "ModelUsage",
    "Notice",
    "Partial",
    "Reason",
    "Section",
    "Usage",
    "load_result",
]

VERSION = 1
"""Of the JSON form. It grows when an older reader could no longer understand a newer result."""

Method = Literal["verbatim", "model", "merged", "extractive"]
"""How a section's text was made: its records as they are, by a model, by merging sections, of their lines."""

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Reason(StrEnum):
    """Why records are missing from a result."""

    DEADLINE = "deadline"
    COST = "cost"
    CANCELLED = "cancelled"
    BLOCKED = "blocked"
    UNAVAILABLE = "unavailable"
    RATE_LIMITED = "rate_limited"
    UNREADABLE = "unreadable"
    CALL_LIMIT = "call_limit"


@dataclass(frozen=True, slots=True)
class Section:
    """Text that stands for the records ``first`` to ``last`` (positions, inclusive).

    ``tokens`` is the text's length, ``source_tokens`` that of the records behind it; ``model`` wrote it
    (None: nobody, it is verbatim), ``level`` counts the merges that it went through, ``fingerprint`` is a
    hash of its records' content, ``prompt_id`` names the wording of the prompt.
    """

    text: str
    tokens: int
    first: int
    last: int
    model: str | None
    method: Method
    level: int
    fingerprint: str
    prompt_id: str
    source_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """The records ``first`` to ``last`` (positions, inclusive) that no section stands for, and why."""

    first: int
    last: int
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """Numbers of records: ``covered`` + ``missing`` = ``total``."""

    covered: int
    missing: int
    total: int


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What was used: ``calls`` are requests sent (retries included), tokens as the providers count them.

    ``wasted_output_tokens`` were written by calls whose text was not used, ``cached_calls`` are sections
    that were taken from earlier work, ``cost`` is in US dollars (None where a price is not known).
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    wasted_output_tokens: int = 0
    cached_calls: int = 0
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Usage(ModelUsage):
    """The sum over all models, and the same for each of them in ``by_model``."""

    by_model: Mapping[str, ModelUsage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notice:
    """What a careful user would want to know: a stable code and a sentence."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class _Result:
    """What ``Complete`` and ``Partial`` share; see the field's own types for units."""

    text: str
    tokens: int
    budget: int
    sections: tuple[Section, ...]
    coverage: Coverage
    usage: Usage
    degraded: bool = False
    notices: tuple[Notice, ...] = ()

    status: ClassVar[str]

    def to_json(self, *, indent: int | None = None) -> str:
        """The result as a JSON object with ``version`` and ``status`` beside its fields, in valid Unicode."""
        body = {"version": VERSION, "status": self.status, **asdict(self)}
        text = json.dumps(body, ensure_ascii=False, indent=indent, default=_plain)
        # Lone surrogates cannot be written to a file or a socket; escaped they can.
        return json.dumps(body, indent=indent, default=_plain) if _SURROGATE.search(text) else text

    def expand(
        self,
        section: Section | None = None,
        tokens: int = 4_000,
        first: int | None = None,
        last: int | None = None,
    ) -> Recalled:
        """The records behind a section, or behind all of them, in at most ``tokens`` tokens; only those at
        the positions ``first`` to ``last`` (inclusive) where these are given. It is what the database of the
        environment's settings keeps (``Summarizer.expand``: of others). Raises ``InvalidSettings``.
        """
        recall: Any = import_module("summarizer.recall")  # which stands above results
        behind = self.sections if section is None else section
        found: Recalled = recall.expand(behind, tokens, first=first, last=last)
        return found

    @classmethod
    def from_json(cls, data: str | bytes | Mapping[str, Any]) -> Self:
        """The result that ``to_json`` wrote. Raises ``InvalidResult`` for anything else."""
        result = load_result(data)
        if not isinstance(result, cls):
            raise InvalidResult(f"status: expected '{cls.status}', got '{result.status}'")
        return result


@dataclass(frozen=True, slots=True)
class Complete(_Result):
    """Every record is covered: ``text`` (at most ``budget`` tokens) stands for all of them."""

    status: ClassVar[str] = "complete"


@dataclass(frozen=True, slots=True)
class Partial(_Result):
    """Some records are missing: ``gaps`` says which and why, and ``previous=`` goes on from here.

    ``reason`` is the first gap's; ``retry_at`` when another try makes sense, if that is known.
    """

    gaps: tuple[Gap, ...] = ()
    reason: Reason = Reason.CANCELLED
    retry_at: datetime | None = None

    status: ClassVar[str] = "partial"

    def missing(self, records: Sequence[T]) -> list[T]:
        """The gaps' records, picked in order out of the full list that was summarized.

        Raises ``InvalidRecords`` if the list is shorter than what was summarized.
        """
        if len(records) < self.coverage.total:
            raise InvalidRecords(
                f"records: expected the full list of {self.coverage.total} records, got {len(records)}"
            )
        return [records[i] for gap in self.gaps for i in range(gap.first, gap.last + 1)]


def load_result(data: str | bytes | Mapping[str, Any]) -> Complete | Partial:
    """The ``Complete`` or ``Partial`` in a JSON text (or what it parses to), whichever its status says.

    Raises ``InvalidResult`` naming the field, where the text is no result or of a newer version. Fields
    that a later release added are passed over.
    """
    body = _object(data)
    version = body.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidResult("version: expected a whole number; this is not the JSON of a result")
    if version > VERSION:
        raise InvalidResult(f"version: this result is newer than {VERSION}, the newest that is known here")
    status = read(Literal["complete", "partial"], body.get("status"), "status")
    result: Complete | Partial = read(Complete if status == Complete.status else Partial, body)
    _check_positions(result)
    return result


def _object(data: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InvalidResult(f"expected the JSON of a result: {error}") from None
    if not isinstance(data, Mapping):
        raise InvalidResult(f"expected a JSON object, got a {type(data).__name__}")
    return data


def _check_positions(result: Complete | Partial) -> None:
    """What goes on from a result relies on it: each record is in exactly one section or gap."""
    gaps = result.gaps if isinstance(result, Partial) else ()
    entries: list[Section | Gap] = sorted([*result.sections, *gaps], key=lambda entry: entry.first)
    total = 0
    for entry in entries:
        if entry.first != total or entry.last < entry.first:
            raise InvalidResult(f"sections, gaps: expected record {total} in exactly one of them")
        total = entry.last + 1
    missing = sum(gap.last - gap.first + 1 for gap in gaps)
    expected = Coverage(total - missing, missing, total)
    if result.coverage != expected:
        raise InvalidResult(f"coverage: expected what sections and gaps add up to, {expected}")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")
