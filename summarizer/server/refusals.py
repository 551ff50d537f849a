"""Errors in OpenAI's dialect: what a client got wrong, and a summary of which nothing could be made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from summarizer.errors import InvalidBudget, SummarizerError
from summarizer.result import Partial, Reason

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

__all__ = ["Refusal", "as_sent", "mistaken", "nothing_made", "of_mistake"]

_SOON = 60.0
"""Seconds: clients wait no longer by themselves, and to try again sooner is in vain."""
_STATUS = {Reason.RATE_LIMITED: 429, Reason.BLOCKED: 400, Reason.UNREADABLE: 400}
_CODES = {Reason.BLOCKED: "content_filter", Reason.RATE_LIMITED: "rate_limit_exceeded"}
_EXPECTED = {
    "messages": "a list of at least one message",
    "model": "the name of a model",
    "max_tokens": "a whole number from 16 to 10,000,000",
    "max_completion_tokens": "a whole number from 16 to 10,000,000",
    "n": "1: there is one summary",
    "stream": "true or false",
    "stream_options": "an object",
    "include_usage": "true or false",
    "response_format": "an object with a type of 'text'",
    "type": "'text': a summary is written as text",
    "tool_choice": "'none' or 'auto': a summary calls no tools",
    "role": "a string",
    "content": "a string, a list of parts or null",
}


class Refusal(Exception):
    """An answer that is an error: its HTTP status, a sentence, the field that is wrong, and headers."""

    def __init__(
        self,
        status: int,
        message: str,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code
        self.headers = dict(headers or {})

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that is sent."""
        kind = "invalid_request_error" if self.status < 429 else "server_error"
        kind = "rate_limit_error" if self.status == 429 else kind
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


def as_sent(value: object) -> bytes:
    """JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def mistaken(error: ValidationError) -> Refusal:
    """The first field that is not as it must be."""
    problem = error.errors(include_url=False)[0]
    place = _place(problem)
    name = place.rpartition(".")[2]  # of "messages[3]" it is none of these
    expected = _EXPECTED.get(name, "an object")
    got = "nothing" if problem["type"] == "missing" else _shown(problem["input"])
    return Refusal(400, f"{place or 'the body'}: expected {expected}, got {got}", place or None)


def _place(problem: ErrorDetails) -> str:
    """Where it is: ``messages[3].role``. What pydantic adds of its own is left out."""
    place = ""
    for step in problem["loc"]:
        if isinstance(step, int):
            place += f"[{step}]"
        elif step in _EXPECTED:
            place += f".{step}" if place else step
        else:
            break
        if step == "content":
            break
    return place


def _shown(value: object) -> str:
    """What was found, if it is short and says something; never what a message holds."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int | float):
        return str(value)[:40]
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "an object"


def of_mistake(error: SummarizerError) -> Refusal:
    """What the library says of a caller's mistake."""
    return Refusal(400, str(error), "max_tokens" if isinstance(error, InvalidBudget) else None)


def nothing_made(result: Partial) -> Refusal:
    """The error for a result without any text: an empty answer would be taken for a summary."""
    gap = result.gaps[0]
    message = f"nothing could be summarized: {gap.reason}" + (f": {gap.detail}" if gap.detail else "")
    headers: dict[str, str] = {}
    if result.retry_at is not None:
        seconds = max(1.0, (result.retry_at - datetime.now(UTC)).total_seconds())
        headers["retry-after"] = str(int(seconds + 0.999))
        if seconds > _SOON:
            headers["x-should-retry"] = "false"
        message += f"; the next try makes sense at {result.retry_at.astimezone():%H:%M:%S %Z}"
    return Refusal(
        _STATUS.get(gap.reason, 503), message, code=_CODES.get(gap.reason, gap.reason.value), headers=headers
    )
