"""One run from a caller's arguments: everything is checked, counted and laid out before a call is sent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summarizer.budget import Budget
from summarizer.calls import Job
from summarizer.cleaning import clean_text
from summarizer.errors import InvalidRecords, InvalidSettings
from summarizer.events import Event, Planned
from summarizer.fitting import fitter
from summarizer.flow import Flow
from summarizer.messages import as_records
from summarizer.models import OFFLINE, as_models, endpoints
from summarizer.prepare import Unit, prepare
from summarizer.result import Complete, Coverage, Notice, Partial, Section, Usage
from summarizer.verbatim import verbatim_section
from summarizer_providers.tokens import get_counter
from summarizer_providers.types import Model

if TYPE_CHECKING:
    from summarizer.settings import Settings

__all__ = ["Request", "lay_out"]

_EXPECTED_NUMBER = "expected a number above 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A caller's arguments, those that can be checked without reading the records already checked.

    ``deadline`` is in seconds from ``started`` (of the monotonic clock), ``max_cost`` in US dollars.
    """

    records: object
    budget: Budget
    models: tuple[Model, ...]
    settings: Settings
    started: float
    focus: str | None = None
    instructions: str | None = None
    previous: Complete | Partial | None = None
    deadline: float | None = None
    max_cost: float | None = None
    cancel: threading.Event | None = None

    @classmethod
    def of(
        cls,
        records: object,
        budget: object,
        settings: Settings,
        *,
        models: Sequence[str | Model] | None = None,
        focus: str | None = None,
        instructions: str | None = None,
        previous: Complete | Partial | None = None,
        deadline: float | None = None,
        max_cost: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Request:
        """Check the arguments; raises ``InvalidRecords``, ``InvalidBudget`` or ``InvalidSettings``."""
        if previous is not None and not isinstance(previous, Complete | Partial):
            raise InvalidRecords(f"previous: expected a Complete or a Partial, got {type(previous).__name__}")
        return cls(
            records=_listed(records),
            budget=Budget.of(budget),
            models=as_models(models) if models else settings.models,
            settings=settings,
            started=time.monotonic(),
            focus=_text("focus", focus),
            instructions=_text("instructions", instructions),
            previous=previous,
            deadline=_positive("deadline", deadline),
            max_cost=_positive("max_cost", max_cost),
            cancel=cancel,
        )


def _listed(records: object) -> object:
    """The records, taken out of the caller's iterable in the caller's own thread."""
    if isinstance(records, str | bytes | dict) or not isinstance(records, Iterable):
        return records
    return list(records)


def _text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidSettings(f"{name}: expected a string, got {type(value).__name__}")
    return clean_text(value).strip() or None


def _positive(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise InvalidSettings(f"{name}: {_EXPECTED_NUMBER}, got {value!r:.40}")
    return float(value)


def lay_out(request: Request, emit: Callable[[Event], None]) -> Flow | Complete | Partial:
    """The flow of a run, or its result where no call is needed. Takes CPU time in proportion to the input.

    Raises ``InvalidRecords`` and ``InvalidSettings``.
    """
    settings = request.settings
    ladder = endpoints(request.models or (OFFLINE,), settings.concurrency, request.max_cost)
    records = as_records(request.records)  # type: ignore[arg-type]
    count = get_counter(settings.encoding).count
    units = prepare(records, _positions(request.previous, len(records)), count)
    known = list(request.previous.sections) if request.previous is not None else []
    ready_made = _without_calls(request, units, known, count)
    if ready_made is not None:
        return ready_made
    total = max([unit.position for unit in units[-1:]] + [section.last for section in known]) + 1
    flow = Flow(units, ladder, _job(request, count, total), known)
    tokens = flow.board.tokens
    emit(Planned(len(units), tokens, len(flow.board.leaves), flow.max_calls))
    return flow


def _job(request: Request, count: Callable[[str], int], total: int) -> Job:
    settings = request.settings
    notices = (
        ()
        if request.models
        else (
            Notice(
                "no_model", "no model is configured: the text was made offline, of whole lines and sentences"
            ),
        )
    )
    return Job(
        budget=request.budget,
        count=count,
        fit=fitter(settings.encoding, request.focus),
        encoding=settings.encoding,
        focus=request.focus,
        instructions=request.instructions,
        chunk_tokens=settings.chunk_tokens,
        max_calls=settings.max_calls,
        deadline=None if request.deadline is None else request.started + request.deadline,
        max_cost=request.max_cost,
        timeout=settings.timeout,
        wall=time.time() - time.monotonic(),
        total=total,
        notices=notices,
    )


def _positions(previous: Complete | Partial | None, records: int) -> list[int]:
    """Where the records stand in the whole: in the gaps of ``previous`` first, then behind its end."""
    if previous is None:
        return list(range(records))
    gaps = previous.gaps if isinstance(previous, Partial) else ()
    missing = [i for gap in gaps for i in range(gap.first, gap.last + 1)]
    if records < len(missing):
        raise InvalidRecords(
            f"records: previous misses {len(missing)} records, expected at least these, got {records}"
        )
    total = previous.coverage.total
    return missing + list(range(total, total + records - len(missing)))


def _without_calls(
    request: Request, units: Sequence[Unit], known: list[Section], count: Callable[[str], int]
) -> Complete | Partial | None:
    """The result where nothing has to be summarized: nothing there, nothing new, or all of it fits."""
    previous, budget = request.previous, request.budget.tokens
    if not units and previous is not None:
        fits = not known or count(previous.text) <= budget
        return replace(previous, budget=budget, usage=Usage()) if fits else None
    if not units:
        return Complete("", 0, budget, (), Coverage(0, 0, 0), Usage()) if previous is None else None
    blank = not any(unit.text.strip() for unit in units)
    asked_for_more = request.focus or request.instructions or request.budget.shape == "one"
    if known or (asked_for_more and not blank):
        return None
    section = verbatim_section(units, budget, count)
    if section is None:
        return None
    coverage = Coverage(len(units), 0, len(units))
    return Complete(section.text, section.tokens, budget, (section,), coverage, Usage())
