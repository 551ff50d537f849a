"""One run on the portal's loop, from its request to its result: laid out, reserved, driven and kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from summarizer.engine import drive
from summarizer.events import Event
from summarizer.knowledge import keys_of, with_notice
from summarizer.observing import Observing
from summarizer.recalling import with_records_kept
from summarizer.result import Complete, Notice, Partial
from summarizer.run import Laid, Request, lay_out
from summarizer.work import Finished
from summarizer_providers.client import Client
from summarizer_providers.store import Store

if TYPE_CHECKING:
    from summarizer.leases import Lease

__all__ = ["work"]

_LAST_WAIT = 0.5
"""Seconds that a result waits for a store that others are writing to."""
_POLL = 0.2
"""Seconds between two looks at whether another run of the same job has ended."""


async def work(
    request: Request, client: Client, store: Store, emit: Callable[[Event], None]
) -> Complete | Partial:
    """The result of a request. What takes CPU time in proportion to the input leaves the loop free."""
    laid = await asyncio.to_thread(lay_out, request, lambda: store, emit)
    if not isinstance(laid, Laid):
        return laid
    if laid.pages is None or laid.flow.ladder.is_offline or not laid.flow.calls_left():
        return await _driven(laid, request, client, store, emit)
    async with _reserved(request, laid, store, emit) as current:
        if not isinstance(current, Laid):
            return current
        return await _driven(current, request, client, store, emit)


async def _driven(
    laid: Laid, request: Request, client: Client, store: Store, emit: Callable[[Event], None]
) -> Complete | Partial:
    keys = keys_of(endpoint.model for endpoint in laid.flow.ladder.endpoints if not endpoint.is_offline)
    observing = Observing(client, store, keys) if keys else client
    pages = laid.pages

    async def keep(finished: Sequence[Finished]) -> None:
        if pages is not None and not pages.keep(finished, wait=0.0):
            await asyncio.to_thread(pages.keep, ())

    try:
        result = await drive(laid.flow, observing, emit=emit, cancel=request.cancel, keep=keep)
    except BaseException:
        if pages is not None:
            pages.journal.let_go()
        raise
    if pages is not None:
        if isinstance(result, Complete) and not result.degraded and laid.job is not None:
            await asyncio.to_thread(pages.end, laid.job, result.to_json())
        await asyncio.to_thread(pages.journal.tidy)
    if pages is not None and pages.journal.trouble is not None:
        result = replace(result, notices=(*result.notices, Notice("journal", pages.journal.trouble)))
    if keys:  # so that a store that cannot be used is known by now
        await asyncio.to_thread(store.flush, _LAST_WAIT)
    result = await asyncio.to_thread(
        with_records_kept, result, laid.units, laid.known, request.settings, store.database
    )
    return with_notice(result, store) if keys else result


@asynccontextmanager
async def _reserved(
    request: Request, laid: Laid, store: Store, emit: Callable[[Event], None]
) -> AsyncIterator[Laid | Complete | Partial]:
    """The run, laid out by what is finished by now, once no other run works on the same job; what the other
    one finished is found. A run that is to stop, or has nothing left to do, waits for nobody.
    """
    from summarizer.leases import Lease

    assert laid.pages is not None  # noqa: S101
    lease = Lease(laid.pages.journal, laid.job or "")
    current: Laid | Complete | Partial = laid
    taken = await asyncio.to_thread(lease.take)
    try:
        while not taken and not request.stopped():
            await asyncio.sleep(_POLL)
            taken = await asyncio.to_thread(lease.take)
        if await asyncio.to_thread(laid.pages.is_stale):
            current = await asyncio.to_thread(lay_out, request, lambda: store, emit)
            if taken and isinstance(current, Laid) and not current.flow.calls_left():
                await asyncio.to_thread(lease.give_back)  # others may go on meanwhile
                taken = False
        renewing = asyncio.create_task(_renewed(lease)) if taken else None
        try:
            yield current
        finally:
            if renewing is not None:
                renewing.cancel()
    finally:
        if taken:
            await asyncio.shield(asyncio.to_thread(lease.give_back))


async def _renewed(lease: Lease) -> None:
    from summarizer.leases import RENEW

    while True:
        await asyncio.sleep(RENEW)
        await asyncio.to_thread(lease.renew)
