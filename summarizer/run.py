"""One run from a caller's arguments: everything is checked, counted and laid out before a call is sent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from summarizer import planning
from summarizer.assembly import coverage, joined
from summarizer.budget import Budget
from summarizer.calls import Job
from summarizer.cleaning import clean_text
from summarizer.endpoints import Endpoint
from summarizer.errors import InvalidRecords, InvalidResult, InvalidSettings
from summarizer.events import Event, Planned
from summarizer.fitting import fitter
from summarizer.flow import Flow
from summarizer.messages import as_records
from summarizer.models import OFFLINE, as_models, endpoints
from summarizer.prepare import Unit, prepare
from summarizer.prompts import overhead_text
from summarizer.records import Record
from summarizer.result import Complete, Notice, Partial, Section, Usage, load_result
from summarizer.resuming import begins_with
from summarizer.reusing import ended, pages_of, reused
from summarizer.sizing import Sizing
from summarizer.verbatim import verbatim_section
from summarizer_providers.bounds import DEFAULT_WINDOW
from summarizer_providers.tokens import get_counter
from summarizer_providers.types import Model

if TYPE_CHECKING:
    from summarizer.journal import Pages
    from summarizer.settings import Settings
    from summarizer_providers.store import Store

__all__ = ["Laid", "Request", "lay_out"]

_AGAIN = Notice(
    "given_again",
    "the records begin with all those that previous was made from, and count as new ones after them: "
    "pass previous.missing(records) and what is new",
)
_NO_MODEL = Notice(
    "no_model", "no model is configured: the text was made offline, of whole lines and sentences"
)
_LEAST_ROOM = 128
"""Tokens of records that a call must be able to read, beside its prompt and its answer."""
_LONGEST = 1e12
"""Seconds or US dollars: more than this is as good as no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A caller's arguments, those that can be checked without reading the records already checked.

    ``budget`` is in tokens, ``deadline`` in seconds from ``started`` (of the monotonic clock), ``max_cost``
    in US dollars.
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
        return cls(
            records=_listed(records),
            budget=Budget.of(budget),
            models=settings.models if models is None else _ladder(models),
            settings=settings,
            started=time.monotonic(),
            focus=_text("focus", focus),
            instructions=_text("instructions", instructions),
            previous=_checked(previous),
            deadline=_positive("deadline", deadline),
            max_cost=_positive("max_cost", max_cost),
            cancel=_cancel(cancel),
        )

    def stopped(self) -> bool:
        """Whether the run was cancelled or its deadline has passed."""
        late = self.deadline is not None and time.monotonic() >= self.started + self.deadline
        return late or (self.cancel is not None and self.cancel.is_set())


def _listed(records: object) -> object:
    """The records, taken out of the caller's iterable in the caller's own thread."""
    single = isinstance(records, str | bytes | bytearray | memoryview | Mapping)
    return records if single or not isinstance(records, Iterable) else list(records)


def _ladder(models: Iterable[object]) -> tuple[Model, ...]:
    ladder = as_models(models)
    if not ladder:
        raise InvalidSettings("models: expected at least one model, got an empty list")
    return ladder


def _checked(previous: object) -> Complete | Partial | None:
    """``previous`` as its JSON gives it back: what somebody made by hand is held to the same rules."""
    if previous is None:
        return None
    if not isinstance(previous, Complete | Partial):
        raise InvalidRecords(f"previous: expected a Complete or a Partial, got {type(previous).__name__}")
    try:
        return load_result(previous.to_json())
    except (InvalidResult, TypeError) as error:
        raise InvalidRecords(f"previous: {error}") from None


def _cancel(cancel: object) -> threading.Event | None:
    if cancel is not None and not isinstance(cancel, threading.Event):
        raise InvalidSettings(f"cancel: expected a threading.Event, got {type(cancel).__name__}")
    return cancel


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
        raise InvalidSettings(f"{name}: expected a number above 0, got {value!r:.40}")
    return float(min(value, _LONGEST))


@dataclass(frozen=True, slots=True)
class Laid:
    """A run that is ready to start: its flow, the journal for it (None: it keeps none), the name of its job
    there, all the ``units`` that it was given, and the sections that were ``known`` before.
    """

    flow: Flow
    pages: Pages | None
    job: str | None
    units: Sequence[Unit]
    known: Sequence[Section]


def lay_out(
    request: Request, store: Callable[[], Store], emit: Callable[[Event], None]
) -> Laid | Complete | Partial:
    """A run that is ready to start, or its result where no call is needed. Takes CPU time in proportion to
    the input.

    Raises ``InvalidRecords`` and ``InvalidSettings``.
    """
    ladder = endpoints(request.models or (OFFLINE,), request.settings.concurrency, request.max_cost)
    records: Sequence[Record] = as_records(request.records)  # type: ignore[arg-type]
    masks: tuple[Notice, ...] = ()
    if request.settings.redact:
        request, records, masks = _masked(request, records)
    positions = _positions(request.previous, len(records))
    count = _counting(request.settings.encoding)
    _check_room(request, ladder, count)
    units = prepare(records, positions, _until_stopped(request, count))
    known = _known(request.previous, count)
    ready_made = _without_calls(request, units, known, count)
    notices = (*masks, *_notices(request, records))
    if ready_made is not None:
        return replace(ready_made, notices=(*ready_made.notices, *notices))
    pages = pages_of(units, ladder, request.settings, (request.focus, request.instructions), store)
    before = ((each.fingerprint, each.first, each.last, each.text) for each in known)
    job = None if pages is None else pages.job(request.budget, *before)
    done = ended(pages, job)
    if done is not None:
        return replace(done, notices=(*done.notices, *notices))
    found = reused(pages, units, request.budget.tokens, known)
    sizing = Sizing(count(_overhead(request)), request.settings.chunk_tokens, request.budget.tokens)
    ladder = _remembered(ladder, store, sizing, _share(request, units, known))
    total = max(entry + 1 for entry in (*positions[-1:], *(section.last for section in known[-1:])))
    flow = Flow(found.units, ladder, _job(request, count, total, notices), [*known, *found.sections])
    for section in found.sections:
        flow.meter.cached(section.model or "")
    emit(Planned(len(units), flow.board.tokens, len(flow.board.leaves), flow.max_calls))
    return Laid(flow, pages, job, units, known)


def _masked(
    request: Request, records: Sequence[Record]
) -> tuple[Request, Sequence[Record], tuple[Notice, ...]]:
    """A request and its records without secrets, and a notice of how many there were."""
    from summarizer.masking import masked_records, masked_result, masked_text

    found, notices = masked_records(records)
    focus, instructions = masked_text(request.focus), masked_text(request.instructions)
    previous = masked_result(request.previous)
    return replace(request, focus=focus, instructions=instructions, previous=previous), found, notices


def _share(request: Request, units: Sequence[Unit], known: Sequence[Section]) -> float:
    """The part of the input that the result may have room for, 0 to 1."""
    tokens = sum(unit.tokens for unit in units) + sum(section.source_tokens for section in known)
    return min(1.0, request.budget.tokens / max(1, tokens))


def _remembered(
    ladder: list[Endpoint], store: Callable[[], Store], sizing: Sizing, share: float
) -> list[Endpoint]:
    """The endpoints with what was learned of them; nothing is loaded where there is none to learn of."""
    if all(endpoint.is_offline for endpoint in ladder):
        return ladder
    from summarizer.knowledge import with_knowledge

    return [with_knowledge(endpoint, store(), sizing, share) for endpoint in ladder]


def _counting(encoding: str) -> Callable[[str], int]:
    count = get_counter(encoding).count
    try:
        count("")
    except OSError as error:
        raise InvalidSettings(f"encoding: the tables of {encoding} cannot be read: {error}") from None
    return count


def _until_stopped(request: Request, count: Callable[[str], int]) -> Callable[[str], int]:
    """Exact counts until the run is to stop: nothing is sent after that, and a guess comes back sooner."""

    def counted(text: str) -> int:
        return len(text) // 4 if request.stopped() else count(text)

    return counted


def _known(previous: Complete | Partial | None, count: Callable[[str], int]) -> list[Section]:
    """The sections of ``previous``, counted anew: another counter may have counted them."""
    found = [] if previous is None else sorted(previous.sections, key=lambda section: section.first)
    return [replace(section, tokens=count(section.text)) for section in found]


def _check_room(request: Request, ladder: Sequence[Endpoint], count: Callable[[str], int]) -> None:
    """A prompt that leaves no room for records would make a plan of a call for every few words."""
    bare = count(overhead_text(None, None))
    asked = count(_overhead(request))
    for i, endpoint in enumerate(ladder):
        if planning.chunk_size(endpoint.limits, asked, None) >= _LEAST_ROOM:
            continue
        window = endpoint.limits.window or DEFAULT_WINDOW
        if planning.chunk_size(endpoint.limits, bare, None) < _LEAST_ROOM:
            raise InvalidSettings(
                f"models[{i}]: context_window: {endpoint.label} has {window:,} tokens, which leave no room "
                f"for records beside a prompt of {bare:,} tokens and an answer"
            )
        raise InvalidSettings(
            f"focus and instructions: expected fewer than {asked - bare:,} tokens, which leave no room for "
            f"records in the {window:,} tokens of models[{i}] ({endpoint.label})"
        )


def _overhead(request: Request) -> str:
    return overhead_text(request.focus, request.instructions)


def _job(request: Request, count: Callable[[str], int], total: int, notices: tuple[Notice, ...]) -> Job:
    settings, rolling = request.settings, _is_rolling(request.previous, total)
    return Job(
        budget=replace(request.budget, steady=request.budget.steady and not rolling),
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
        silence=settings.silence,
        wall=time.time() - time.monotonic(),
        total=total,
        rolling=rolling,
        notices=notices if request.models else (_NO_MODEL, *notices),
    )


def _is_rolling(previous: Complete | Partial | None, total: int) -> bool:
    """Whether a run adds new records to an earlier text, beside those that are missing in it."""
    return previous is not None and bool(previous.sections) and total > previous.coverage.total


def _notices(request: Request, records: Sequence[Record]) -> tuple[Notice, ...]:
    again = request.previous is not None and begins_with(records, request.previous)
    return (_AGAIN,) if again else ()


def _positions(previous: Complete | Partial | None, records: int) -> list[int]:
    """Where the records stand in the whole: in the gaps of ``previous`` first, then behind its end."""
    if previous is None:
        return list(range(records))
    missing, total = previous.coverage.missing, previous.coverage.total
    if records < missing:
        raise InvalidRecords(
            f"records: previous misses {missing} records, expected at least these, got {records}"
        )
    gaps = previous.gaps if isinstance(previous, Partial) else ()
    in_gaps = [i for gap in gaps for i in range(gap.first, gap.last + 1)]
    return in_gaps + list(range(total, total + records - missing))


def _without_calls(
    request: Request, units: Sequence[Unit], known: Sequence[Section], count: Callable[[str], int]
) -> Complete | Partial | None:
    """The result where nothing has to be summarized: nothing there, nothing new, or all of it fits."""
    previous, budget = request.previous, request.budget.tokens
    if not units and previous is not None:
        tokens = count(previous.text)
        return replace(previous, tokens=tokens, budget=budget, usage=Usage()) if tokens <= budget else None
    blank = not any(unit.text.strip() for unit in units)
    if not blank and (request.focus or request.instructions or request.budget.shape == "one"):
        return None
    sections = list(known)
    for run in _runs(units):
        section = verbatim_section(run, budget, count)
        if section is None:
            return None
        sections.append(section)
    sections.sort(key=lambda section: section.first)
    text = joined(sections)
    tokens = count(text)
    if tokens > budget:
        return None
    covered = coverage(sections)
    degraded = previous is not None and previous.degraded
    return Complete(text, tokens, budget, tuple(sections), covered, Usage(), degraded)


def _runs(units: Sequence[Unit]) -> list[Sequence[Unit]]:
    """Longest stretches of units that follow each other."""
    starts = [i for i, unit in enumerate(units) if not i or unit.position != units[i - 1].position + 1]
    return [units[start:stop] for start, stop in pairwise([*starts, len(units)])]
