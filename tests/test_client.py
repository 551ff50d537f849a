"""The client: one call to its endpoint, short faults tried again and counted, and what it cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from summarizer_providers.client import Client, answered
from summarizer_providers.outcome import Answer, BlockCause, Blocked, Completed, CutAtOutput, Transient
from summarizer_providers.types import Call, Failure, Hints, Message, Model, Reply

BROKEN = Failure("the connection broke", kind="APIConnectionError")
REFUSED = Failure("no connection", kind="ConnectionRefused")
GATEWAY = Failure("Bad Gateway", 502)
LIMITED = Failure("slow down", 429, retry_after=3.0)
DOWN = Failure("unavailable", 503)
GOOD = Reply("A summary.", "stop", 100, 10)
PRICES = {"input_cost_per_token": 1e-6, "output_cost_per_token": 4e-6}


class Transport:
    """Gives the results one after the other, the last one for ever."""

    def __init__(self, results: Sequence[Reply | Failure], seconds: float = 0) -> None:
        self.results, self.seconds, self.sent = results, seconds, 0

    async def send(self, call: Call) -> Reply | Failure:
        self.sent += 1
        await asyncio.sleep(self.seconds)
        return self.results[min(self.sent, len(self.results)) - 1]


def a_call(model: Model | None = None, **fields: Any) -> Call:
    model = model or Model("openai/gpt-4o", extra=PRICES)
    return Call(1, model, (Message("user", "x"),), Hints((), 500, 1), 1_000, 90, **fields)


def sent(*results: Reply | Failure, **fields: Any) -> tuple[Answer, int, list[float]]:
    transport, slept = Transport(results), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    answer = asyncio.run(Client({"litellm": transport}, sleep).send(a_call(**fields)))
    return answer, transport.sent, slept


@pytest.mark.parametrize("fault", [BROKEN, REFUSED, GATEWAY])
@pytest.mark.parametrize("retries", [0, 1, 2, 5])
def test_a_short_fault_is_tried_again_as_often_as_the_call_allows(fault: Failure, retries: int) -> None:
    answer, requests, slept = sent(fault, retries=retries)
    assert requests == answer.requests == 1 + retries
    assert len(slept) == retries
    assert all(0 <= seconds <= 2 for seconds in slept)
    assert answer.outcome == Transient(fault.message)
    # What was lost on the way may have been paid for, and is counted at its most; a refusal costs nothing.
    lost = 0.00409 if fault is BROKEN else 0.0
    assert answer.cost == pytest.approx((1 + retries) * lost)


def test_an_answer_after_short_faults_counts_all_requests() -> None:
    answer, requests, _ = sent(BROKEN, GATEWAY, GOOD)
    assert (answer.outcome, answer.requests, requests) == (Completed(GOOD), 3, 3)


@pytest.mark.parametrize(
    "fault",
    [
        LIMITED,
        DOWN,
        Failure("no", 400),
        Failure("key", 401),
        Failure("no connection: Name or service not known", kind="ConnectError"),
        Failure(
            "cannot ask https://x: CERTIFICATE_VERIFY_FAILED", code="invalid_address", kind="InvalidAddress"
        ),
        Failure("the key is not valid", code="invalid_api_key", kind="APIConnectionError"),
        Failure("out of quota", code="insufficient_quota", kind="APIConnectionError"),
        Failure("maximum context length is 900 tokens", 502, kind="HTTP 200"),
        Failure("back in a minute", 502, retry_after=60.0),
        Failure("it broke", kind="APIConnectionError", text="It said "),
        Failure("did not answer in time", 408, kind="Timeout"),
    ],
    ids=lambda fault: fault.message[:30],
)
def test_everything_longer_is_left_to_the_caller_at_once(fault: Failure) -> None:
    answer, requests, slept = sent(fault)
    assert (requests, answer.requests, slept) == (1, 1, [])


def test_a_rate_limit_says_how_long_to_wait() -> None:
    answer, _, _ = sent(LIMITED)
    assert answer.outcome == Transient("slow down", 3.0, rate_limited=True)


def test_a_call_ends_at_its_time_limit() -> None:
    transport = Transport([GOOD], seconds=30)
    answer = asyncio.run(Client({"litellm": transport}).send(a_call(timeout=0.05)))
    assert isinstance(answer.outcome, Transient)
    assert "no answer within" in answer.outcome.detail
    assert (transport.sent, answer.requests) == (1, 1)


class Loading(Transport):
    """A transport that has to be loaded first."""

    prepared = 0

    async def prepare(self, call: Call) -> None:
        self.prepared += 1
        await asyncio.sleep(0.2)


def test_what_is_loaded_first_is_no_part_of_a_calls_time() -> None:
    """A first call with little time is not given up because a library takes longer to import."""
    transport = Loading([GOOD])
    answer = asyncio.run(Client({"litellm": transport}).send(a_call(timeout=0.1)))
    assert answer.outcome == Completed(GOOD)
    assert (transport.prepared, transport.sent) == (1, 1)


def test_a_cancelled_call_raises_that() -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(Client({"litellm": Transport([GOOD], seconds=30)}).send(a_call()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


@pytest.mark.parametrize(
    ("model", "reply", "cost"),
    [
        (Model("openai/m", extra=PRICES), GOOD, 100e-6 + 40e-6),
        (Model("openai/m", extra=PRICES), Reply("A summary.", "stop", 100, 10, cost=0.5), 0.5),
        (Model("openai/no-such-model"), GOOD, None),
        (Model("openai/gpt-4o", api_base="https://elsewhere.example/v1"), GOOD, None),
        (Model("ollama_chat/llama3"), GOOD, 0.0),
        (Model("scripted/x"), GOOD, 0.0),
    ],
)
def test_the_cost_is_what_was_used_at_the_declared_price_or_unknown(
    model: Model, reply: Reply, cost: float | None
) -> None:
    answer = answered(a_call(model), reply)
    assert answer.cost == (cost if cost is None else pytest.approx(cost))


def test_our_own_counts_stand_in_where_the_provider_gave_none() -> None:
    answer = answered(a_call(), Reply("one two three four", "length"))
    assert (answer.input_tokens, answer.output_tokens) == (90, 4)
    assert answer.outcome == CutAtOutput(Reply("one two three four", "length"), None)


def test_a_failure_costs_nothing_and_used_no_tokens() -> None:
    answer = answered(a_call(), Failure("Incorrect API key", 401))
    assert answer == Answer(Blocked("Incorrect API key", BlockCause.AUTHENTICATION), 1, 0, 0, 0.0)


def test_each_route_has_its_own_transport() -> None:
    calls = {"openai": Transport([GOOD]), "litellm": Transport([GOOD]), "scripted": Transport([GOOD])}
    client = Client(dict(calls))
    for name in ("openai/m", "anthropic/m", "scripted/x"):
        asyncio.run(client.send(a_call(Model(name))))
    assert {kind: transport.sent for kind, transport in calls.items()} == {
        "openai": 0,
        "litellm": 2,
        "scripted": 1,
    }


@pytest.mark.parametrize("count", [-5, 10**400], ids=["negative", "absurd"])
def test_counts_that_cannot_be_are_no_counts(count: int) -> None:
    """A provider that sends nonsense for usage did not count: ours stand, and nothing overflows."""
    given = answered(a_call(), Reply("a short text", "stop", count, count, 0))
    assert 0 <= given.input_tokens < 10**9
    assert 0 < given.output_tokens < 10**9
