"""One request to an endpoint: its transport, its time limit, short retries, and what it cost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Protocol, runtime_checkable

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_result,
    stop_after_attempt,
    wait_random_exponential,
)

from summarizer_providers import catalog, timing
from summarizer_providers.classify import classify
from summarizer_providers.outcome import Answer, Transient
from summarizer_providers.streaming import UNREADABLE, Modes, other_way
from summarizer_providers.tokens import get_counter
from summarizer_providers.transports import Transport, transport_for
from summarizer_providers.types import Call, Failure, Model, Reply

__all__ = ["Client", "Following", "Preparing", "Progress", "answered"]

Progress = Callable[[Call, int], None]
"""Told of a call's answer as it grows: the call, and the characters that came so far."""

_GRACE = 5.0
"""Seconds that a transport has to notice its time limit by itself, and so to save what was written."""


_SHORT_FAULTS = ("APIConnectionError", "ConnectionRefused")
"""The kinds of ``Failure`` that may pass within a second: a connection that broke, a server that restarts."""

_LONGEST_WAIT = 2.0
"""Seconds between two tries at most; where more is asked for, the wait is the caller's."""


@runtime_checkable
class Preparing(Protocol):
    """A transport that has something to load before its first call, which is no part of that call's time."""

    async def prepare(self, call: Call) -> None:
        """Make ready for a call, off the loop. Only cancellation is raised."""
        ...


@runtime_checkable
class Following(Protocol):
    """A transport that can stream, and tells how an answer grows."""

    async def follow(self, call: Call, progress: Callable[[int], None] | None) -> Reply | Failure:
        """``Transport.send``, with ``progress`` told the characters that came so far."""
        ...


class Client:
    """Carries calls to their endpoints. One client may serve many runs at once.

    ``transports`` gives the transport of a route where it is not the usual one; ``sleep`` waits between
    short retries (seconds).
    """

    def __init__(
        self,
        transports: dict[str, Transport] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._transports: dict[str, Transport] = dict(transports or {})
        self._sleep = sleep
        self._modes = Modes()
        self._prices: dict[tuple[Model, str | None], tuple[float, float] | None] = {}

    async def send(self, call: Call, on_progress: Progress | None = None) -> Answer:
        """What a call gave. A short fault of transport (a reset connection, a 502) is tried again,
        ``call.retries`` times at most, and so is a call whose way of streaming was refused, once, the other
        way; the rest is the caller's to decide. ``on_progress`` is told how a streamed answer grows. Only
        cancellation is raised.
        """
        call = self._modes.prepared(call)
        failed: list[Failure] = []
        result, requests = await self._tried(call, on_progress, failed)
        other = other_way(call, result) if requests <= call.retries else None
        if other is not None:
            rest = replace(other, retries=call.retries - requests)
            again, more = await self._tried(rest, on_progress, failed)
            requests += more
            if not _same(result, again):
                self._modes.remember(other)
                call, result = other, again
        answer = replace(_answer(call, result, requests, self._price), streamed=self._streams(call))
        earlier = failed[:-1] if isinstance(result, Failure) else failed
        lost = sum(_lost(call, failure, self._price) for failure in earlier)
        return answer if answer.cost is None else replace(answer, cost=answer.cost + lost)

    def _streams(self, call: Call) -> bool:
        return bool(call.stream) and isinstance(self._transport(call.model.route), Following)

    async def _tried(
        self, call: Call, on_progress: Progress | None, failed: list[Failure]
    ) -> tuple[Reply | Failure, int]:
        """The last result, and how many requests it took; ``failed`` is given all failures."""
        result = await self._noted(call, on_progress, failed)
        if not call.retries or not _is_short_fault(call, result):
            return result, 1
        attempts = AsyncRetrying(
            retry=retry_if_result(partial(_is_short_fault, call)),
            stop=stop_after_attempt(call.retries),
            wait=wait_random_exponential(multiplier=0.2, max=_LONGEST_WAIT),
            sleep=self._sleep,
            retry_error_callback=_last_result,
        )
        await self._sleep(attempts.wait(RetryCallState(attempts, None, (), {})))
        result = await attempts(self._noted, call, on_progress, failed)
        return result, 1 + int(attempts.statistics.get("attempt_number", 1))

    async def _noted(
        self, call: Call, on_progress: Progress | None, failed: list[Failure]
    ) -> Reply | Failure:
        result = await self._once(call, on_progress)
        if isinstance(result, Failure):
            failed.append(result)
        return result

    async def _once(self, call: Call, on_progress: Progress | None) -> Reply | Failure:
        transport, limit = self._transport(call.model.route), timing.limit(call)
        if isinstance(transport, Preparing):
            await transport.prepare(call)
        try:
            async with asyncio.timeout(limit + (_GRACE if call.stream else 0.0)):
                if isinstance(transport, Following):
                    told = None if on_progress is None else lambda characters: on_progress(call, characters)
                    return await transport.follow(call, told)
                return await transport.send(call)
        except TimeoutError:
            return Failure(f"no answer within {limit:.0f} seconds", status=408, kind="Timeout")

    def _transport(self, route: str) -> Transport:
        kind = route if route in ("offline", "scripted", "host") else "litellm"
        if kind not in self._transports:
            self._transports[kind] = transport_for(kind)
        return self._transports[kind]

    def _price(self, model: Model) -> tuple[float, float] | None:
        """The declared prices of a model where it is asked now, looked up once."""
        key = model, catalog.address(model, os.environ)
        if key not in self._prices:
            self._prices[key] = _declared_price(model)
        return self._prices[key]


def _is_short_fault(call: Call, result: Reply | Failure) -> bool:
    """Worth trying again at once: a fault of the way by its kind and, by all it says, one that passes soon;
    not where an answer broke off that was being paid for.
    """
    if not isinstance(result, Failure) or result.text:
        return False
    if result.status != 502 and not (result.status is None and result.kind in _SHORT_FAULTS):
        return False
    outcome = classify(call, result)
    return isinstance(outcome, Transient) and (outcome.retry_after or 0.0) <= _LONGEST_WAIT


def _same(one: Reply | Failure, other: Reply | Failure) -> bool:
    """Whether asking another way made no difference: then the way was not the fault."""
    return (
        isinstance(one, Failure)
        and isinstance(other, Failure)
        and (one.status, one.message) == (other.status, other.message)
    )


def _last_result(state: RetryCallState) -> Reply | Failure:
    assert state.outcome is not None  # noqa: S101 - tenacity calls this after an attempt
    result: Reply | Failure = state.outcome.result()
    return result


_MOST_TOKENS = 10**9


def _possible(reply: Reply) -> Reply:
    """The reply without numbers that no count can be; a provider that sends such did not count."""
    read, written, hidden = (
        count if count is not None and 0 <= count <= _MOST_TOKENS else None
        for count in (reply.input_tokens, reply.output_tokens, reply.reasoning_tokens)
    )
    if (read, written, hidden) == (reply.input_tokens, reply.output_tokens, reply.reasoning_tokens):
        return reply
    return replace(reply, input_tokens=read, output_tokens=written, reasoning_tokens=hidden or 0)


def answered(call: Call, result: Reply | Failure, requests: int = 1) -> Answer:
    """The outcome of a call with what it used; our own counts where the provider gave none."""
    return _answer(call, result, requests, _declared_price)


def _answer(
    call: Call,
    result: Reply | Failure,
    requests: int,
    price: Callable[[Model], tuple[float, float] | None],
) -> Answer:
    if isinstance(result, Reply):
        result = _possible(result)
    outcome = classify(call, result)
    if isinstance(result, Failure):
        if not result.text:
            return Answer(outcome, requests, cost=_lost(call, result, price))
        result = Reply(result.text)  # it broke off, and what was written is charged all the same
    written = result.output_tokens
    read = call.prompt_tokens if result.input_tokens is None else result.input_tokens
    if written is None:
        written = get_counter(call.hints.encoding).count(result.text + result.reasoning_text)
    if result.cost is not None:
        return Answer(outcome, requests, read, written, result.cost)
    prices = price(call.model)
    uncounted = isinstance(result, Reply) and result.output_tokens is None and not result.text
    most = call.max_tokens if uncounted else written  # an answer that cannot be read may have been a long one
    cost = None if prices is None else read * prices[0] + most * prices[1]
    return Answer(outcome, requests, read, written, cost)


_UNKNOWN_ENDS = (None, 200, 408)
_NEVER_THERE = ("ConnectionRefused", "ConnectError", "InvalidAddress")


def _lost(call: Call, failure: Failure, price: Callable[[Model], tuple[float, float] | None]) -> float:
    """The most, in US dollars, that a request can have cost whose answer was lost on the way: nothing where
    it was refused, or never arrived; else its prompt and all that it may write.
    """
    ended = failure.status in _UNKNOWN_ENDS or failure.kind in UNREADABLE
    if not ended or failure.kind in _NEVER_THERE or failure.code is not None:
        return 0.0
    prices = price(call.model)
    return 0.0 if prices is None else call.prompt_tokens * prices[0] + call.max_tokens * prices[1]


def _declared_price(model: Model) -> tuple[float, float] | None:
    declared = catalog.declared(model)
    if declared.input_cost is None or declared.output_cost is None:
        return None
    return declared.input_cost, declared.output_cost
