"""An answer as server-sent events, which end where the client goes away."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from summarizer.assembly import SEPARATOR
from summarizer.events import SectionFinal
from summarizer.result import Complete, Partial
from summarizer.server.answers import Answer, in_pieces, text_of
from summarizer.server.asked import Asked
from summarizer.server.progress import Progress
from summarizer.server.refusals import Refusal, as_sent
from summarizer.server.running import Run, gone

__all__ = ["EventStream", "streamed"]

_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
_DONE = b"data: [DONE]\n\n"


async def streamed(
    run: Run,
    answer: Answer,
    asked: Asked,
    *,
    count: Callable[[str], int],
    interval: float,
    ended: Callable[[Complete | Partial], None],
) -> AsyncGenerator[bytes, None]:
    """The events of an answer: sections as they are final, in between how far it is, at least every
    ``interval`` seconds; then the rest of the text, why it ends, and the tokens. ``ended`` is told of the
    result.
    """
    yield _event(answer.opening())
    sent = ""
    async for piece in _until_ended(run, interval):
        if isinstance(piece, SectionFinal):
            text = (SEPARATOR if sent else "") + piece.text
            sent += text
            yield _event(answer.text(text))
        else:
            yield _event(answer.progress(piece))
    try:
        result = await run.result()
        text, tokens = await asyncio.to_thread(text_of, asked, result, count)
        ended(result)
    except Refusal as refusal:
        yield _event(refusal.body)
    except Exception:  # noqa: BLE001 - its status is sent already; what it says may hold what was sent
        yield _event(Refusal(500, "the server failed", code="internal_error").body)
    else:
        for piece in in_pieces(text.removeprefix(sent)):
            yield _event(answer.text(piece))
        for body in answer.closing(asked, result, tokens):
            yield _event(body)
    yield _DONE


async def _until_ended(run: Run, interval: float) -> AsyncIterator[SectionFinal | str]:
    """Sections with text, and lines about the rest."""
    now = asyncio.get_running_loop().time
    progress, told = Progress(now()), now()
    while True:
        try:
            event = await run.event(told + interval - now())
        except TimeoutError:
            line: str | None = progress.standing(now())
        else:
            if event is None:
                return
            if isinstance(event, SectionFinal):
                if event.text:
                    told = now()
                    yield event
                continue
            line = progress.line(event, now())
        if line:
            told = now()
            yield line


def _event(body: dict[str, Any]) -> bytes:
    return b"data: " + as_sent(body) + b"\n\n"


class EventStream(Response):
    """Sends events until there are no more, or nobody who reads them; ``over`` is awaited in the end."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes, None], over: Callable[[], Awaitable[object]]) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._events = events
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """As ASGI has it."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            results = await asyncio.gather(sending, leaving, return_exceptions=True)
            await self._over()
        if isinstance(results[0], Exception):
            raise results[0]

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with contextlib.aclosing(self._events) as events:
            async for event in events:
                await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
