"""Reads what an endpoint sent over HTTP: the raw answer goes before what a library makes of it. Pure."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from summarizer_providers.transports.errors import (
    all_codes,
    all_words,
    code_of,
    fields_of,
    is_verdict,
    param_of,
    words_of,
)
from summarizer_providers.types import Failure, Reply
from summarizer_providers.waits import stated_wait

__all__ = ["Received", "failure", "reply", "unexplained"]

_INPUT = {
    *("inputTextTokenCount", "inputTokens", "input_token_count", "input_tokens", "promptTokenCount"),
    *("prompt_eval_count", "prompt_token_count", "prompt_tokens"),
}
_OUTPUT = {
    *("candidatesTokenCount", "completion_tokens", "eval_count", "generated_token_count"),
    *("generation_token_count", "outputTokens", "output_tokens", "thoughtsTokenCount", "tokenCount"),
}
_REASONS = (
    *("native_finish_reason", "stop_reason", "stopReason", "finishReason", "done_reason"),
    *("finish_reason", "completionReason"),
)
_PREFIX = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Exception): )?(?:\w+(?:Error|Exception) - )?")
_NO_KEY = re.compile(
    r"\b(?:missing|no|unable to locate|must be set)\b.*\b(?:credentials|api[ _]?key)|api_key client", re.I
)
_TEXTS: tuple[tuple[str | int, ...], ...] = (
    *(("choices", 0, "message", "content"), ("choices", 0, "text"), ("result", "response"), ("response",)),
    *(
        ("result", "choices", 0, "message", "content"),
        ("output", "text"),
        ("output_text",),
        ("message", "content"),
    ),
    *((0, "generated_text"), ("generated_text",), ("outputs", 0, "text"), ("completion",), ("generation",)),
)
"""Where answers have their text; each step a name or a place in a list."""
_MOST = 8_000
_DEEPEST = 8
_SOCKET = re.compile(r"(?<=\d) ssl:\S+(?: object at \w+>)?")
"""What aiohttp says of its own objects in the middle of an error."""
_TAGS = re.compile(r"<(?:script|style).*?</(?:script|style)>|<[^>]*>", re.I | re.S)


@dataclass(frozen=True, slots=True)
class Received:
    """What came back for the request to ``url``: an HTTP answer, or the error that kept it away."""

    url: str = ""
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    error: Exception | None = None

    def body(self) -> Any:
        """The answer's JSON, or None where it is none."""
        try:
            return json.loads(self.content)
        except (ValueError, RecursionError):
            return None


def failure(received: Received) -> Failure | None:
    """What went wrong on the way or at the endpoint, errors in a good status included (their code is the
    status then, 502 where they have none); None for an answer, and where nothing was sent. Raises nothing.
    """
    if received.error is not None:
        return _broken(received.error, received.url)
    if received.status is None:
        return None
    body = received.body()
    if received.status >= 400:
        return _refused(received, body, received.status)
    error = _error_in(body)
    if error is not None:
        return _refused(received, body, _status_in(error) or (400 if is_verdict(error) else 502))
    return None if isinstance(body, dict) else _no_answer(received)


def reply(received: Received, response: Any) -> Reply | Failure:
    """The answer, its text from litellm's ``response``, or from the raw one where litellm has none.

    Tokens count only where the provider sent a number (litellm counts for itself where it did not, and says
    nothing of it); the finish reason is the provider's own.
    """
    body, choices = received.body(), getattr(response, "choices", None)
    if not choices:
        return _own_reading(body) or _no_answer(received)
    usage, sent = getattr(response, "usage", None), set(_numbers(body))
    details = getattr(usage, "completion_tokens_details", None)
    counted = bool(sent & _OUTPUT)
    return Reply(
        text=_text(getattr(choices[0].message, "content", None)),
        finish_reason=_reason(body) if body is not None else choices[0].finish_reason,
        input_tokens=(_whole(getattr(usage, "prompt_tokens", None)) or None) if sent & _INPUT else None,
        output_tokens=_whole(getattr(usage, "completion_tokens", None)) if counted else None,
        reasoning_tokens=(_whole(getattr(details, "reasoning_tokens", None)) or 0) if counted else 0,
        reasoning_text=_text(getattr(choices[0].message, "reasoning_content", None)),
    )


def unexplained(received: Received, error: BaseException) -> Reply | Failure:
    """litellm's own error: about what was not sent, or about a good answer that it cannot read, which is
    a bad gateway's (502) unless it can be read here.
    """
    if received.status is not None:
        return _own_reading(received.body()) or _no_answer(received)
    words = _PREFIX.sub("", _PREFIX.sub("", str(error))) or type(error).__name__
    if words.startswith("No module named"):  # an optional part of litellm: no later try finds it either
        return Failure(f"this route of litellm needs more to be installed: {words}", code="not_installed")
    kind, status = type(error).__name__, _whole(getattr(error, "status_code", None)) or None
    if _NO_KEY.search(words):  # litellm calls this an error of the server on some routes
        status = 401
    elif isinstance(error, TimeoutError):
        status = 408
    return Failure(words, status, None, kind)


def _own_reading(body: Any) -> Reply | None:
    """A good answer that litellm stumbled over, where its text lies in a place that is known."""
    text, usage = _own_text(body), _own_usage(body)
    if not text:
        return None
    details = usage.get("completion_tokens_details")
    hidden = details.get("reasoning_tokens") if isinstance(details, dict) else None
    read = next((found for name in sorted(_INPUT) if (found := _whole(usage.get(name)))), None)
    written = next((_whole(usage.get(name)) for name in sorted(_OUTPUT) if name in usage), None)
    return Reply(text, _reason(body), read, written, _whole(hidden) or 0)


def _own_text(body: Any) -> str:
    for path in _TEXTS:
        place = body
        for step in path:
            try:
                place = place[step]
            except (KeyError, IndexError, TypeError):
                place = None
                break
        if text := _text(place):
            return text
    return ""


def _own_usage(body: Any) -> dict[str, Any]:
    """The usage of an answer: at the top, or beside its text."""
    inner = body.get("result") if isinstance(body, dict) else None
    for place in (body, inner):
        usage = place.get("usage") if isinstance(place, dict) else None
        if isinstance(usage, dict):
            return usage
    return {}


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(content: Any) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


def _numbers(value: Any, depth: int = 4) -> Iterator[str]:
    """Names of the numbers in an answer: usage lies at the top, under ``usage`` or under ``meta``."""
    for key, inner in value.items() if isinstance(value, dict) and depth else ():
        if isinstance(inner, dict):
            yield from _numbers(inner, depth - 1)
        elif isinstance(inner, int | float) and not isinstance(inner, bool):
            yield key


def _reason(body: Any) -> str | None:
    """The provider's own finish reason: in the first choice or candidate, or at the top of the answer."""
    if not isinstance(body, dict):
        return None
    choices = body.get("choices") or body.get("candidates")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if isinstance(message, dict) and message.get("refusal") and not message.get("content"):
        return "refusal"
    places = [place for place in (first, body, body.get("result")) if isinstance(place, dict)]
    for value in (place.get(name) for place in places for name in _REASONS):
        if isinstance(value, str):
            return value
    details = body.get("incomplete_details") or body.get("promptFeedback")
    found = (details.get("reason") or details.get("blockReason")) if isinstance(details, dict) else None
    return found if isinstance(found, str) else None


def _error_in(body: Any) -> Any:
    """An error that came with a good status, alone or in the place of the first choice's text."""
    if not isinstance(body, dict):
        return None
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else body
    return (first.get("error") if isinstance(first, dict) else None) or body.get("error") or None


def _status_in(error: Any) -> int | None:
    code = str(error.get("code")) if isinstance(error, dict) else ""
    return int(code) if re.fullmatch(r"[45]\d\d", code) else None


def _refused(received: Received, body: Any, status: int) -> Failure:
    error = _error_in(body) or body
    said = words_of(error) or _plain_text(received.content)
    words = said or f"HTTP {status} without a word"
    # One code for people; what is wrong with the request is told by any of them.
    code = code_of(error) or code_of(body) or received.headers.get("x-amzn-errortype")
    headers = {name.lower(): value for name, value in received.headers.items()}
    return Failure(
        words,
        status,
        code,
        f"HTTP {received.status}",
        stated_wait(headers, body, said, time.time()),
        param_of(error),
        fields_of(body),
        all_codes(body, code),
        all_words(body, said)[:_MOST],
    )


def _plain_text(content: bytes) -> str:
    return " ".join(_TAGS.sub(" ", content[:4000].decode(errors="replace")).split())


def _broken(error: Exception, url: str) -> Failure:
    """No whole answer: the kind says whether a connection stood (then trying again may help at once)."""
    import httpx

    parts, cause = urlsplit(url), _cause(error)
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    words = _SOCKET.sub("", str(error)) or type(error).__name__
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return Failure(f"{place} did not answer in time", 408, kind="Timeout")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL) or _mistrusted(cause, words):
        return Failure(f"cannot ask {place}: {words}", code="invalid_address", kind="InvalidAddress")
    if isinstance(cause, ConnectionRefusedError):
        return Failure(f"no connection to {place}: it is refused", kind="ConnectionRefused")
    if isinstance(cause, socket.gaierror):
        return Failure(f"no connection to {place}: {cause.strerror}", kind="ConnectError")
    if isinstance(error, httpx.ConnectError) and not isinstance(cause, ConnectionResetError):
        return Failure(f"no connection to {place}: {words}", kind="ConnectError")
    return Failure(f"the connection to {place} broke: {words}", kind="APIConnectionError")


def _cause(error: BaseException) -> BaseException | None:
    """The system's own error behind a library's: the innermost that has a number."""
    found: BaseException | None = None
    inner: BaseException | None = error
    for _ in range(_DEEPEST):
        if inner is None:
            break
        found = inner if isinstance(inner, OSError) and inner.errno is not None else found
        inner = inner.__cause__ or inner.__context__
    return found


def _mistrusted(cause: BaseException | None, words: str) -> bool:
    """Whether no secure connection can be had there: a wrong certificate, or a server that speaks no TLS."""
    reason = getattr(cause, "reason", None) or words
    return any(said in reason for said in ("CERTIFICATE", "WRONG_VERSION_NUMBER", "HTTP_REQUEST"))


def _no_answer(received: Received) -> Failure:
    start = _plain_text(received.content)[:200] or "it is empty"
    return Failure(f"the answer holds no text: {start}", status=502, kind="EmptyResponse")
