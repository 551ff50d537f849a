"""The driver and its loop: whatever a transport does, the run goes on or ends with a result."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from summarizer import Complete, Partial, Reason, Settings, Summarizer, portal
from summarizer.engine import drive
from summarizer.flow import Flow
from summarizer_providers.client import Client
from summarizer_providers.transports import Transport
from summarizer_providers.transports.scripted import Script, ScriptedTransport, answer
from summarizer_providers.types import Call, Failure, Reply
from tests.runs import job, scripted, units_of

MODEL = "scripted/model"
TEXTS = [f"record {i}: " + "the salt barges waited for the tide " * 8 for i in range(40)]


class Panic(BaseException):
    """What a compiled library raises when it gives up."""


class Faulty:
    """A transport that does something else than it should, at the calls that are told."""

    def __init__(self, fault: Callable[[], Any], at: Callable[[int], bool] = lambda _: True) -> None:
        self.count = 0
        self._fault = fault
        self._at = at

    async def send(self, call: Call) -> Reply | Failure:
        """A scripted answer, or the fault."""
        self.count += 1
        if self._at(self.count):
            found = self._fault()
            return await found if asyncio.iscoroutine(found) else found  # type: ignore[no-any-return]
        return answer(Script(), call)


def raised(error: BaseException) -> Callable[[], Any]:
    """A fault that raises."""

    def fault() -> Any:
        raise error

    return fault


def summarize(transport: Transport, **more: Any) -> Complete | Partial:
    """The usual call on one scripted model behind a transport."""
    summarizer = Summarizer(Settings(chunk_tokens=512), client=Client({"scripted": transport}))
    return summarizer.summarize(TEXTS, 600, models=[MODEL], **more)


FAULTS = [
    raised(RuntimeError("a fault in the transport")),
    raised(Panic("a panic")),
    raised(asyncio.CancelledError()),
    raised(StopAsyncIteration()),
    lambda: None,
    lambda: Reply("", None),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_transport_ends_in_a_partial(fault: Callable[[], Any]) -> None:
    """No exception: everything is a gap, after a bounded number of calls."""
    transport = Faulty(fault)
    result = summarize(transport, deadline=30.0)
    assert isinstance(result, Partial)
    assert (result.reason, result.coverage.covered) == (Reason.UNAVAILABLE, 0)
    assert 0 < transport.count <= 30


@pytest.mark.parametrize("fault", [raised(TimeoutError()), lambda: Failure("")])
def test_passing_faults_are_waited_out_until_the_deadline(fault: Callable[[], Any]) -> None:
    """With rests between that grow, so that few calls are made."""
    transport = Faulty(fault)
    result = summarize(transport, deadline=0.7)
    assert isinstance(result, Partial)
    assert (result.reason, result.coverage.covered) == (Reason.DEADLINE, 0)
    assert 0 < transport.count <= 3


@pytest.mark.parametrize("fault", FAULTS[:3])
def test_a_single_fault_costs_one_call(fault: Callable[[], Any]) -> None:
    """The call is made again, and the rest of the run does not notice."""
    transport = Faulty(fault, at=lambda n: n == 2)
    result = summarize(transport)
    assert isinstance(result, Complete)
    assert result.usage.calls == transport.count


def test_a_call_that_will_not_end_is_not_waited_for() -> None:
    """A transport that ignores that it is cancelled holds up no result."""
    released = threading.Event()

    async def deaf() -> Reply:
        while not released.is_set():
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue
        return Reply("too late", "stop", 10, 2)

    cancel = threading.Event()
    result = summarize(Faulty(deaf), deadline=0.1, cancel=cancel)
    released.set()
    assert isinstance(result, Partial)
    assert (result.reason, result.text) == (Reason.DEADLINE, "")


def test_an_answer_that_came_in_time_is_kept() -> None:
    """A cancellation in the same moment as an answer does not lose it."""
    cancel = threading.Event()

    class Cancelling(ScriptedTransport):
        async def send(self, call: Call) -> Reply | Failure:
            reply = await super().send(call)
            cancel.set()
            return reply

    result = summarize(Cancelling(), cancel=cancel)
    assert isinstance(result, Partial)
    assert result.coverage.covered > 0
    assert result.usage.wasted_output_tokens == 0


def test_the_driver_runs_on_any_clock() -> None:
    """A deadline is a time of the clock that is passed in: it comes between two calls here."""
    hours = iter(range(2, 100))
    flow = Flow(units_of(TEXTS), [scripted(Script())], job(600, deadline=3.0, chunk_tokens=256))
    transport = ScriptedTransport()
    client = Client({"scripted": transport})
    result = asyncio.run(drive(flow, client, emit=lambda _: None, clock=lambda: float(next(hours))))
    assert isinstance(result, Partial)
    assert (result.reason, transport.count) == (Reason.DEADLINE, 1)
    assert result.sections


# The portal ------------------------------------------------------------------------------------------------


async def where() -> tuple[int, str]:
    """The thread that a coroutine runs in."""
    return threading.get_ident(), threading.current_thread().name


def test_all_work_is_done_by_one_thread_of_its_own() -> None:
    """Whoever asks for it."""
    found = {portal.submit(where()).result(10) for _ in range(3)}
    asked = [threading.Thread(target=lambda: found.add(portal.submit(where()).result(10))) for _ in range(3)]
    for thread in asked:
        thread.start()
    for thread in asked:
        thread.join()
    assert len(found) == 1
    assert found.pop()[0] != threading.get_ident()


def test_cancelling_the_future_cancels_the_work() -> None:
    """And what the work has to clean up, it does."""
    started, cleaned = threading.Event(), threading.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    future = portal.submit(work())
    assert started.wait(10)
    future.cancel()
    assert cleaned.wait(10)
