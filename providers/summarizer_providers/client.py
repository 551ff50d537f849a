"""One request to an endpoint: its transport, its time limit, short retries, and what it cost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_result,
    stop_after_attempt,
    wait_random_exponential,
)

from summarizer_providers import catalog
from summarizer_providers.classify import classify
from summarizer_providers.outcome import Answer
from summarizer_providers.tokens import get_counter
from summarizer_providers.transports import Transport, transport_for
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["Client", "answered"]


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

    async def send(self, call: Call) -> Answer:
        """What a call gave. A short fault of transport (a reset connection, a 502) is tried again,
        ``call.retries`` times at most; the rest is the caller's to decide. Only cancellation is raised.
        """
        attempts = AsyncRetrying(
            retry=retry_if_result(_is_short_fault),
            stop=stop_after_attempt(1 + call.retries),
            wait=wait_random_exponential(multiplier=0.2, max=2),
            sleep=self._sleep,
            retry_error_callback=_last_result,
        )
        result: Reply | Failure = await attempts(self._once, call)
        return answered(call, result, int(attempts.statistics.get("attempt_number", 1)))

    async def _once(self, call: Call) -> Reply | Failure:
        try:
            async with asyncio.timeout(call.timeout):
                return await self._transport(call.model.route).send(call)
        except TimeoutError:
            return Failure(f"no answer within {call.timeout:.0f} seconds", status=408, kind="Timeout")

    def _transport(self, route: str) -> Transport:
        kind = route if route in ("offline", "scripted") else "litellm"
        if kind not in self._transports:
            self._transports[kind] = transport_for(kind)
        return self._transports[kind]


def _is_short_fault(result: Reply | Failure) -> bool:
    return isinstance(result, Failure) and (result.status == 502 or result.kind == "APIConnectionError")


def _last_result(state: RetryCallState) -> Reply | Failure:
    assert state.outcome is not None  # noqa: S101 - tenacity calls this after an attempt
    result: Reply | Failure = state.outcome.result()
    return result


def answered(call: Call, result: Reply | Failure, requests: int = 1) -> Answer:
    """The outcome of a call with what it used; our own counts where the provider gave none."""
    outcome = classify(call, result)
    if isinstance(result, Failure):
        return Answer(outcome, requests, cost=0.0)
    written = result.output_tokens
    read = call.prompt_tokens if result.input_tokens is None else result.input_tokens
    if written is None:
        written = get_counter(call.hints.encoding).count(result.text)
    cost = _price(call, read, written) if result.cost is None else result.cost
    return Answer(outcome, requests, read, written, cost)


def _price(call: Call, read: int, written: int) -> float | None:
    declared = catalog.declared(call.model)
    if declared.input_cost is None or declared.output_cost is None:
        return None
    return read * declared.input_cost + written * declared.output_cost
