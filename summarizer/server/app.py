"""The application: its routes, each in a few lines."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

from fastapi import FastAPI
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from summarizer.errors import SummarizerError
from summarizer.result import Complete, Partial
from summarizer.server.answers import Answer, text_of
from summarizer.server.asked import Asked
from summarizer.server.guarding import Guard, json_of, refused
from summarizer.server.refusals import Refusal, as_sent, mistaken, of_mistake
from summarizer.server.running import Run, gone
from summarizer.server.service import LADDER, Service
from summarizer.server.streaming import EventStream, streamed
from summarizer.server.wire import ChatRequest, Completion, Models

__all__ = ["create_app"]

logger = logging.getLogger("summarizer.server")

_CHAT, _MODELS, _MODEL, _HEALTH = "/v1/chat/completions", "/v1/models", "/v1/models/{name:path}", "/healthz"
_GONE = 499
"""What a request is logged with whose client went away; nobody reads the answer."""
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": ChatRequest.model_json_schema()}},
    }
}


def create_app(service: Service) -> FastAPI:
    """The application around a service. It has no pages of documentation, which would load scripts from
    elsewhere, and nothing for pages of other sites.
    """
    app = FastAPI(title="summarizer", docs_url=None, redoc_url=None)
    app.add_middleware(Guard, paths=(_CHAT, _MODELS, _HEALTH))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(HTTPException, _unknown)

    @app.post(_CHAT, response_model=Completion, openapi_extra=_BODY)
    async def chat_completions(request: Request) -> Response:
        """A summary of the messages, or of the material in the one message."""
        return await _completed(service, request)

    @app.get(_MODELS)
    async def models() -> Models:
        """The models that can be named."""
        return service.listed()

    @app.get(_MODEL)
    async def model(name: str) -> Any:
        """One of the models that can be named."""
        return service.one(name)

    @app.get(_HEALTH)
    async def healthz() -> dict[str, str]:
        """That the server is there."""
        return {"status": "ok"}

    return app


async def _refused(_: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)  # noqa: S101 - it is registered for nothing else
    return refused(refusal)


async def _unknown(request: Request, error: Exception) -> Response:
    """A path or a method that there is not."""
    assert isinstance(error, HTTPException)  # noqa: S101
    routes = f"POST {_CHAT}, GET {_MODELS}"
    return refused(
        Refusal(error.status_code, f"{request.method}: there is no such route; there are {routes}")
    )


async def _completed(service: Service, request: Request) -> Response:
    payload = await json_of(request, service.limits.most_bytes)
    try:
        chat = ChatRequest.model_validate(payload)
    except ValidationError as error:
        raise mistaken(error) from None
    asked = await asyncio.to_thread(_read, service, chat, payload)
    usage = chat.stream_options is not None and chat.stream_options.include_usage is True
    answer = Answer(chat.model or LADDER, usage_wanted=usage)
    async with contextlib.AsyncExitStack() as stack:
        run = await stack.enter_async_context(
            service.runs.started(service.work(chat, asked, _patience(request, chat)))
        )
        leaving = asyncio.create_task(gone(request.receive))
        stack.callback(leaving.cancel)
        wanted = run.begun(service.limits.interval) if chat.stream else run.result()
        if not await _before(leaving, wanted):
            return Response(status_code=_GONE)
        if not chat.stream:
            return await _whole(service, answer, asked, await run.result())
        leaving.cancel()
        return _streaming(service, answer, asked, run, stack.pop_all())
    raise AssertionError  # the stack swallows nothing


def _patience(request: Request, chat: ChatRequest) -> float | None:
    """The seconds that the client waits for an answer that is not streamed: OpenAI's own packages say it."""
    stated = request.headers.get("x-stainless-read-timeout", "")
    try:
        seconds = float(stated)
    except ValueError:
        return None
    return seconds if seconds > 0 and not chat.stream else None


def _read(service: Service, chat: ChatRequest, payload: dict[str, Any]) -> Asked:
    try:
        return service.read(chat, payload["messages"])
    except SummarizerError as error:
        raise of_mistake(error) from None


async def _before(leaving: asyncio.Task[None], wanted: Any) -> bool:
    """Whether something came before the client went away. Raises what it raised."""
    task = asyncio.ensure_future(wanted)
    try:
        await asyncio.wait({leaving, task}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            return False
        await task
    except SummarizerError as error:
        raise of_mistake(error) from None
    finally:
        task.cancel()
    return True


async def _whole(service: Service, answer: Answer, asked: Asked, result: Complete | Partial) -> Response:
    text, tokens = await asyncio.to_thread(text_of, asked, result, service.count)
    _log(result)
    return Response(as_sent(answer.whole(asked, result, text, tokens)), media_type="application/json")


def _streaming(
    service: Service, answer: Answer, asked: Asked, run: Run, stack: contextlib.AsyncExitStack
) -> Response:
    events = streamed(run, answer, asked, count=service.count, interval=service.limits.interval, ended=_log)
    return EventStream(events, stack.aclose)


def _log(result: Complete | Partial) -> None:
    covered, usage = result.coverage, result.usage
    reason = f" ({result.reason})" if isinstance(result, Partial) else ""
    logger.info(
        "%s%s: %d of %d records in %d of %d tokens, %d calls",
        result.status,
        reason,
        covered.covered,
        covered.total,
        result.tokens,
        result.budget,
        usage.calls,
    )
