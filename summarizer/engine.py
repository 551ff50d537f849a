"""The driver: carries the flow's calls to the client and their outcomes back; it decides nothing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Sequence

from summarizer.events import CallEnded, CallProgress, CallStarted, Event, SectionDone, SectionFinal
from summarizer.flow import Flow
from summarizer.result import Complete, Partial, Reason
from summarizer.work import Finished
from summarizer_providers.client import Client, Progress
from summarizer_providers.outcome import Answer, BadCall
from summarizer_providers.types import Call

__all__ = ["drive"]

_CANCEL_POLL = 0.05
"""Seconds between two looks at the caller's cancel event, which belongs to another thread."""

_PROGRESS = 0.4
"""Seconds between two events that tell how one answer grows."""

_LINGER = 1.0
"""Seconds that a call which was given up has to clean up behind itself; the result does not wait longer."""

_DROPPED = Answer(BadCall("the transport gave the call up"), cost=0.0)


async def drive(
    flow: Flow,
    client: Client,
    *,
    emit: Callable[[Event], None],
    cancel: threading.Event | None = None,
    keep: Callable[[Sequence[Finished]], Awaitable[None]] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Complete | Partial:
    """Run a flow to its end. Calls in flight at a deadline or a cancellation are given up. ``keep`` is given
    the sections as they are finished, and waited for before the run goes on.
    """
    flights: dict[asyncio.Task[Answer], tuple[Call, float]] = {}
    progress = _telling(emit, clock)
    started: float | None = None
    try:
        while not flow.finished:
            now = clock()
            started = now if started is None else started
            if cancel is not None and cancel.is_set():
                flow.stop(Reason.CANCELLED, "it was cancelled")
            for call in flow.ready(now):
                flights[asyncio.create_task(_send(client, call, progress))] = (call, now)
                emit(CallStarted(call.id, call.model.name, call.prompt_tokens, call.hints.target))
            for section in flow.settled():
                emit(SectionFinal(section.text, section.first, section.last))
            if not flow.finished:
                await _wait(flights, flow.wake_at(now), now, cancel)
            events = _landed(flow, flights, started, clock())
            finished = flow.new_sections()
            if keep is not None and finished:
                await keep(finished)
            for event in events:  # what is told of is kept by then
                emit(event)
        _given_up(flights, emit, clock())
    finally:
        await _abandon(flights)
    return flow.result(clock())


async def _send(client: Client, call: Call, progress: Progress) -> Answer:
    """A fault in a transport is one more way for a call to fail, never an exception of the run."""
    try:
        return await client.send(call, progress)
    except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic in a compiled library is no Exception
        return Answer(BadCall(f"{type(error).__name__}: {error}"), cost=0.0)


def _telling(emit: Callable[[Event], None], clock: Callable[[], float]) -> Progress:
    """Tells how answers grow, each at most once in ``_PROGRESS`` seconds."""
    told: dict[int, float] = {}

    def progress(call: Call, characters: int) -> None:
        now = clock()
        if characters and now - told.get(call.id, float("-inf")) >= _PROGRESS:
            told[call.id] = now
            emit(CallProgress(call.id, call.model.name, characters))

    return progress


async def _wait(
    flights: dict[asyncio.Task[Answer], tuple[Call, float]],
    wake_at: float | None,
    now: float,
    cancel: threading.Event | None,
) -> None:
    """Until a call ends, the flow wants to be asked, or it is time to look at the cancel event."""
    timeout = None if wake_at is None else max(0.0, wake_at - now)
    if cancel is not None:
        timeout = _CANCEL_POLL if timeout is None else min(timeout, _CANCEL_POLL)
    if flights:
        await asyncio.wait(flights, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    else:
        await asyncio.sleep(_CANCEL_POLL if timeout is None else timeout)


def _landed(
    flow: Flow, flights: dict[asyncio.Task[Answer], tuple[Call, float]], started: float, now: float
) -> list[Event]:
    """Hands what came back to the flow, and gives what there is to tell of it."""
    events: list[Event] = []
    for task in [task for task in flights if task.done()]:
        call, sent_at = flights.pop(task)
        answer = _DROPPED if task.cancelled() else task.result()
        flow.receive(call, answer, now)
        outcome = type(answer.outcome).__name__
        tokens = answer.input_tokens, answer.output_tokens
        events.append(CallEnded(call.id, call.model.name, outcome, now - sent_at, *tokens))
        events += [*flow.news(), _standing(flow, now - started)]
    return events


def _standing(flow: Flow, elapsed: float) -> SectionDone:
    """How far it is; what remains is taken to go as fast as what was done."""
    covered = flow.covered_share()
    left = None if covered == 0 else elapsed * (1 - covered) / covered
    return SectionDone(covered, flow.calls_left(), left)


def _given_up(
    flights: dict[asyncio.Task[Answer], tuple[Call, float]], emit: Callable[[Event], None], now: float
) -> None:
    """Tell of the calls that the run's end leaves behind: what they wrote, nobody knows."""
    for call, sent_at in flights.values():
        emit(CallEnded(call.id, call.model.name, "Abandoned", now - sent_at, 0, 0))


async def _abandon(flights: dict[asyncio.Task[Answer], tuple[Call, float]]) -> None:
    for task in flights:
        task.cancel()
    if flights:
        await asyncio.wait(flights, timeout=_LINGER)
