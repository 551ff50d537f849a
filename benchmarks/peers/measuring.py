"""What one product made of one session: a row, from what it left and what the server saw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.peers.job import Done
from benchmarks.peers.server import Limits, Served, remarks_in
from benchmarks.planted import FACT, Session
from summarizer_providers.tokens import get_counter

__all__ = ["Ended", "Row", "Task", "kept", "row_of", "tells_of_a_cut"]

_CUT = re.compile(
    r"truncated|\bcut (?:off|at|short)\b|CutAt|finish_reason\W+length|output (?:limit|ceiling)|incomplete",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Task:
    """A session, by the ``name`` of its size, to become ``budget`` tokens behind an endpoint's limits."""

    name: str
    session: Session
    budget: int
    limits: Limits


@dataclass(frozen=True, slots=True)
class Ended:
    """How a product's process ended: ``status`` in words, what it handed back, what else it ``printed``, a
    line each, its ``seconds`` from start to end, and its ``peak`` memory in MB.
    """

    status: str
    done: Done
    printed: Sequence[str] = ()
    seconds: float = 0.0
    peak: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """What one product made of one session behind one ceiling.

    ``status`` is "returned", or in words what happened instead; ``told`` whether anything that it gave back,
    logged or raised speaks of the ``cuts`` (None: there were none). ``in_budget`` are the facts in the first
    ``budget`` tokens of what it left, ``kept`` those in all of it, which has ``size`` tokens. Calls and
    tokens are the server's count; ``wasted`` are tokens of answers of which no trace is in a later prompt
    or in the end. ``seconds`` and ``peak`` (MB) are the whole process's, imports too.
    """

    product: str
    session: str
    ceiling: int
    window: int
    status: str
    told: bool | None
    facts: int
    kept: int
    in_budget: int
    calls: int
    cuts: int
    input_tokens: int
    output_tokens: int
    wasted: int
    budget: int
    size: int
    seconds: float
    peak: float


def kept(text: str, facts: Mapping[str, str]) -> int:
    """How many of the facts stand in the text whole: number and value, wherever the value ends."""
    found = ((match[1], match[2]) for match in FACT.finditer(text))
    return len({number for number, value in found if _is(value, facts.get(number))})


def _is(found: str, value: str | None) -> bool:
    return value is not None and found.startswith(value) and not found[len(value) :][:1].isalnum()


def tells_of_a_cut(lines: Sequence[str]) -> bool:
    """Whether one of the lines speaks of an answer that was cut."""
    return any(_CUT.search(line) for line in lines)


def row_of(product: str, task: Task, ended: Ended, calls: Sequence[Served]) -> Row:
    """The measures of a run that has ended."""
    counter, text, facts = get_counter(), ended.done.text, task.session.facts
    cuts = sum(call.finish == "length" for call in calls)
    lines = [*ended.done.said, ended.done.failure, *ended.printed]
    return Row(
        product=product,
        session=task.name,
        ceiling=task.limits.ceiling,
        window=task.limits.window,
        status=ended.status,
        told=tells_of_a_cut(lines) if cuts else None,
        facts=len(facts),
        kept=kept(text, facts),
        in_budget=kept(counter.head(text, task.budget), facts),
        calls=len(calls),
        cuts=cuts,
        input_tokens=sum(call.prompt_tokens for call in calls),
        output_tokens=sum(call.completion_tokens for call in calls),
        wasted=_wasted(calls, text),
        budget=task.budget,
        size=counter.count(text),
        seconds=round(ended.seconds, 2),
        peak=round(ended.peak, 1),
    )


def _wasted(calls: Sequence[Served], text: str) -> int:
    used = remarks_in(text).union(*(call.repeats for call in calls))
    return sum(call.completion_tokens for call in calls if call.number not in used)
