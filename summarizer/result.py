"""What a run gives: frozen values that go to JSON and back without loss."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self, TypeVar

from summarizer.errors import InvalidRecords, InvalidResult

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
T = TypeVar("T")


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
        """The result as a JSON object with ``version`` and ``status`` beside its fields."""
        body = {"version": VERSION, "status": self.status, **asdict(self)}
        return json.dumps(body, ensure_ascii=False, indent=indent, default=_plain)

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

    Raises ``InvalidResult`` naming the field, where the text is no result or of a newer version.
    """
    body = _object(data)
    version = body.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidResult("version: expected a whole number; this is not the JSON of a result")
    if version > VERSION:
        raise InvalidResult(f"version: {version} is newer than {VERSION}, the newest that is known here")
    try:
        return _build(body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidResult(f"the JSON is not a whole result: {type(error).__name__}: {error}") from None


def _object(data: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InvalidResult(f"expected the JSON of a result: {error}") from None
    if not isinstance(data, Mapping):
        raise InvalidResult(f"expected a JSON object, got a {type(data).__name__}")
    return data


def _build(body: Mapping[str, Any]) -> Complete | Partial:
    shared: dict[str, Any] = {
        "text": _text(body["text"]),
        "tokens": int(body["tokens"]),
        "budget": int(body["budget"]),
        "sections": tuple(_known(Section, s) for s in body["sections"]),
        "coverage": _known(Coverage, body["coverage"]),
        "usage": _usage(body["usage"]),
        "degraded": bool(body["degraded"]),
        "notices": tuple(_known(Notice, n) for n in body["notices"]),
    }
    if body["status"] == Complete.status:
        return Complete(**shared)
    if body["status"] != Partial.status:
        raise ValueError(f"status: expected 'complete' or 'partial', got {body['status']!r}")
    retry_at = body.get("retry_at")
    return Partial(
        **shared,
        gaps=tuple(_known(Gap, {**g, "reason": Reason(g["reason"])}) for g in body["gaps"]),
        reason=Reason(body["reason"]),
        retry_at=datetime.fromisoformat(retry_at) if retry_at else None,
    )


def _usage(body: Mapping[str, Any]) -> Usage:
    models = {name: _known(ModelUsage, part) for name, part in body["by_model"].items()}
    return _known(Usage, {**body, "by_model": models})


def _known(kind: type[T], body: Mapping[str, Any]) -> T:
    """A value of a dataclass from the fields that it has; a later minor version may have written more."""
    names = {f.name for f in fields(kind)}  # type: ignore[arg-type]
    return kind(**{k: v for k, v in body.items() if k in names})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text: expected a string, got {type(value).__name__}")
    return value


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")
