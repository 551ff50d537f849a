"""The call in all the ways in which it can be called: threads, loops, forks, interruptions."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import summarizer
from summarizer import (
    CallEnded,
    CallStarted,
    Complete,
    Event,
    Partial,
    Planned,
    Reason,
    SectionDone,
    Settings,
    Summarizer,
    asummarize,
    summarize,
)
from summarizer_providers.client import Client
from summarizer_providers.transports.scripted import ScriptedTransport
from tests.shell import MODEL, WORDS, facts, outcome, session

SLOW = "scripted/latency=3600"


def with_transport(transport: ScriptedTransport, **settings: Any) -> Summarizer:
    """A summarizer whose scripted calls go to this transport."""
    return Summarizer(Settings(**settings), client=Client({"scripted": transport}))


def test_a_plain_call_gives_a_complete_result() -> None:
    """The one call of the README: text within budget, all records covered."""
    result = summarize(session(), 900, models=[MODEL])
    assert isinstance(result, Complete)
    assert result.tokens <= 900
    assert len(facts(result.text)) == 30
    assert result.coverage.covered == result.coverage.total == 30
    assert not result.notices


def test_without_a_model_it_runs_offline_and_says_so() -> None:
    """No key and no network: lines of the records themselves, at no cost, and not called degraded."""
    result = summarize(session(), 300)
    assert isinstance(result, Complete)
    assert [notice.code for notice in result.notices] == ["no_model"]
    assert (result.usage.cost, result.degraded) == (0.0, False)
    assert {section.method for section in result.sections} == {"extractive"}


def test_it_works_inside_a_running_loop() -> None:
    """A notebook has a loop that runs already."""

    async def inside() -> Complete | Partial:
        return summarize(session(), 900, models=[MODEL])

    assert isinstance(asyncio.run(inside()), Complete)


def test_six_threads_at_once_get_their_own_results() -> None:
    """One summarizer serves them all; no result holds another's records."""
    shared = with_transport(ScriptedTransport())

    def one(n: int) -> Complete | Partial:
        texts = [f"{WORDS * 3}\nFACT-{n}{10_000 + i}: thread {n}" for i in range(20)]
        return shared.summarize(texts, 600, models=[MODEL])

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(one, range(1, 7)))
    for n, result in enumerate(results, 1):
        assert isinstance(result, Complete)
        assert result.text.count(f": thread {n}") == len(facts(result.text)) == 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_call_it_too() -> None:
    """Servers fork workers after a first call; the child has no thread of its parent's."""
    shared = with_transport(ScriptedTransport())
    shared.summarize(session(), 900, models=[MODEL])
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = shared.summarize(session(), 900, models=[MODEL]).text
            os.write(writing, str(len(facts(text))).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "30"
    os.waitpid(child, 0)


def test_the_async_call_leaves_its_loop_to_others() -> None:
    """A heartbeat on the same loop goes on from before the first call to after the last one."""
    beats = 0
    seen: dict[str, int] = {}

    async def heart() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)

    def on_event(event: Event) -> None:
        seen[type(event).__name__] = beats

    async def both() -> Complete | Partial:
        beating = asyncio.create_task(heart())
        result = await asummarize(session(200), 2_000, models=["scripted/latency=0.02"], on_event=on_event)
        beating.cancel()
        return result

    assert isinstance(asyncio.run(both()), Complete)
    assert 10 < seen["Planned"] < seen["CallEnded"] < beats


def test_many_async_calls_share_one_loop() -> None:
    """Gathered calls run beside each other, not one behind the other."""
    transport = ScriptedTransport()
    shared = with_transport(transport)

    async def gathered() -> list[Complete | Partial]:
        runs = [
            shared.asummarize([f"number {i}", *session()], 900, models=["scripted/latency=0.2"])
            for i in range(5)
        ]
        return list(await asyncio.gather(*runs))

    results = asyncio.run(gathered())
    assert all(isinstance(result, Complete) for result in results)
    assert transport.most_in_flight > 1


# Events ----------------------------------------------------------------------------------------------------


def test_events_tell_the_run_in_the_callers_thread() -> None:
    """Planned first, an end for each start, and the share that is covered only grows."""
    events: list[Event] = []
    threads: set[int] = set()

    def on_event(event: Event) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    result = with_transport(ScriptedTransport(), chunk_tokens=512).summarize(
        session(), 900, models=[MODEL], on_event=on_event
    )
    assert threads == {threading.get_ident()}
    assert isinstance(events[0], Planned)
    assert (events[0].records, events[0].chunks > 1) == (30, True)
    started = [event.call for event in events if isinstance(event, CallStarted)]
    ended = [event.call for event in events if isinstance(event, CallEnded)]
    assert len(started) == result.usage.calls
    assert sorted(started) == sorted(ended)
    shares = [event.covered for event in events if isinstance(event, SectionDone)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_async_events_come_in_the_thread_of_the_loop() -> None:
    """All of them before the result does."""
    events: list[Event] = []
    threads: set[int] = set()

    def on_event(event: Event) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    asyncio.run(asummarize(session(), 900, models=[MODEL], on_event=on_event))
    assert threads == {threading.get_ident()}
    assert isinstance(events[-1], SectionDone)


class Stop(Exception):
    """Raised by a caller's own function."""


def raising(event: Event) -> None:
    """A listener with a fault, or one that wants to end the run."""
    if isinstance(event, CallStarted):
        raise Stop


class Waiting:
    """A latency that ends only by being given up, and tells that it was."""

    def __init__(self, at_start: Callable[[], object] = lambda: None) -> None:
        self.at_start = at_start
        self.given_up = threading.Event()

    async def __call__(self, _: float) -> None:
        self.at_start()
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up.set()


@pytest.mark.parametrize("form", ["summarize", "asummarize"])
def test_what_on_event_raises_ends_the_run_and_reaches_the_caller(form: str) -> None:
    """Calls in flight are given up and none is sent any more."""
    waiting = Waiting()
    transport = ScriptedTransport(sleep=waiting)
    method = getattr(with_transport(transport), form)
    with pytest.raises(Stop):
        outcome(lambda: method(session(), 900, models=[SLOW], on_event=raising))
    assert waiting.given_up.wait(10) or transport.count == 0
    assert transport.count <= 1


# Ends ------------------------------------------------------------------------------------------------------


def test_ctrl_c_ends_the_call() -> None:
    """KeyboardInterrupt reaches the caller, who waits in C code, and the call in flight is given up."""
    waiting = Waiting(lambda: os.kill(os.getpid(), signal.SIGINT))
    transport = ScriptedTransport(sleep=waiting)
    with pytest.raises(KeyboardInterrupt):
        with_transport(transport).summarize(session(), 900, models=[SLOW])
    assert waiting.given_up.wait(10)
    until = time.monotonic() + 10
    while transport.in_flight and time.monotonic() < until:
        time.sleep(0.01)
    assert (transport.count, transport.in_flight) == (1, 0)


def test_a_cancelled_task_raises_and_sends_no_more() -> None:
    """As every awaitable does; the run ends with its task."""

    async def cancelled() -> tuple[Waiting, ScriptedTransport]:
        started = asyncio.Event()
        loop = asyncio.get_running_loop()
        waiting = Waiting(lambda: loop.call_soon_threadsafe(started.set))
        transport = ScriptedTransport(sleep=waiting)
        run = asyncio.create_task(with_transport(transport).asummarize(session(), 900, models=[SLOW]))
        await started.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return waiting, transport

    waiting, transport = asyncio.run(cancelled())
    assert waiting.given_up.wait(10)
    assert (transport.count, transport.in_flight) == (1, 0)


@pytest.mark.parametrize("form", ["summarize", "asummarize"])
def test_a_cancel_event_set_before_the_run_sends_nothing(form: str) -> None:
    """Everything is a gap that says so."""
    cancel = threading.Event()
    cancel.set()
    transport = ScriptedTransport()
    method = getattr(with_transport(transport), form)
    result = outcome(lambda: method(session(), 900, models=[MODEL], cancel=cancel))
    assert isinstance(result, Partial)
    assert (result.reason, result.text, transport.count) == (Reason.CANCELLED, "", 0)
    assert [(gap.first, gap.last) for gap in result.gaps] == [(0, 29)]


@pytest.mark.parametrize("form", ["summarize", "asummarize"])
def test_a_cancel_event_brings_back_what_is_there(form: str) -> None:
    """Set in mid-run: finished sections stay, and the call in flight is not waited for."""
    cancel = threading.Event()

    async def sleep(_: float) -> None:
        if transport.count > 3:
            cancel.set()
            await asyncio.Event().wait()

    transport = ScriptedTransport(sleep=sleep)
    method = getattr(with_transport(transport, chunk_tokens=256), form)
    result = outcome(lambda: method(session(), 900, models=[SLOW], cancel=cancel))
    assert isinstance(result, Partial)
    assert result.reason is Reason.CANCELLED
    assert 0 < result.coverage.covered < 30
    assert len(facts(result.text)) == result.coverage.covered
    assert result.missing(session())[0] == session()[result.gaps[0].first]


def test_a_deadline_that_has_passed_sends_nothing() -> None:
    """A tiny deadline is no mistake: it is a partial result at once."""
    transport = ScriptedTransport()
    result = with_transport(transport).summarize(session(), 900, models=[MODEL], deadline=1e-9)
    assert isinstance(result, Partial)
    assert (result.reason, transport.count) == (Reason.DEADLINE, 0)


def test_a_deadline_ends_a_call_that_takes_too_long() -> None:
    """The provider's hour is not waited for."""
    transport = ScriptedTransport()
    result = with_transport(transport).summarize(session(), 900, models=[SLOW], deadline=0.3)
    assert isinstance(result, Partial)
    assert (result.reason, transport.count, transport.in_flight) == (Reason.DEADLINE, 1, 0)
    assert result.usage.calls == 1


@pytest.mark.parametrize("deadline", [float("inf"), 10**400, 86_400])
def test_a_far_deadline_is_none(deadline: float) -> None:
    """However far it is."""
    assert isinstance(summarize(session(), 900, models=[MODEL], deadline=deadline), Complete)


def numbered() -> Iterator[str]:
    """A caller's generator."""
    yield from session()


def failing() -> Iterator[str]:
    """A caller's generator with a fault of its own."""
    yield "one"
    raise Stop


@pytest.mark.parametrize("form", [summarize, asummarize])
def test_a_generator_is_read_and_what_it_raises_passes_through(form: Callable[..., Any]) -> None:
    """In the caller's thread, so that its files and connections are where they were opened."""
    assert outcome(lambda: form(numbered(), 900, models=[MODEL])).coverage.total == 30
    with pytest.raises(Stop):
        outcome(lambda: form(failing(), 900))


def test_the_list_may_change_behind_the_call() -> None:
    """An agent goes on appending messages while they are summarized: they are taken as they were."""
    texts = session()

    async def growing() -> Complete | Partial:
        run = asyncio.create_task(with_transport(ScriptedTransport()).asummarize(texts, 900, models=[MODEL]))
        await asyncio.sleep(0)
        texts.append("one more")
        return await run

    assert asyncio.run(growing()).coverage.total == 30


def test_settings_are_found_where_they_are_asked_for() -> None:
    """``summarizer.Settings`` is there without costing anything before."""
    assert summarizer.Settings is Settings
    with pytest.raises(AttributeError, match="nothing"):
        summarizer.nothing  # noqa: B018
