"""Reads an error's JSON: the provider's words, codes, the argument it names, the numbers beside. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["all_codes", "all_words", "code_of", "fields_of", "is_verdict", "param_of", "words_of"]

_SAID = ("message", "detail", "msg", "Message", "error_description", "errorMessage", "reason", "title")
_CODES = ("code", "status", "type", "error_type", "reason", "quotaId", "errorCode", "error_code", "__type")
_ECHOES = {
    *("input", "flagged_input", "messages", "prompt", "content", "inputs", "request", "body", "request_body"),
    *("ctx", "loc", "url", "documentation_url", "request_id", "id", "param", "trace", "traceback", "stack"),
}
"""Fields that hold what we sent, or nothing that says what is wrong."""
_VERDICT = re.compile(
    r"invalid|bad_?request|validation|unsupported|too_large|exceed|out_of_range", re.IGNORECASE
)
_DEEPEST = 12


def words_of(error: Any, depth: int = _DEEPEST) -> str:
    """The provider's words, and those of the provider behind it where one passes on another's error."""
    if not isinstance(error, dict) or depth == 0:
        return error if isinstance(error, str) else ""
    said = next((error[name] for name in _SAID if error.get(name)), error.get("error") or "")
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    # A list names the wrong fields, and quotes what we sent in them: that is no news.
    words = (
        "; ".join(words_of(item, depth - 1) for item in said)
        if isinstance(said, list)
        else words_of(said, depth - 1)
    )
    return f"{words}: {raw}" if raw else words


def code_of(error: Any) -> str | None:
    """The provider's own code; an HTTP status written as a code is none."""
    for name in ("code", "status", "type", "error_type") if isinstance(error, dict) else ():
        value = error.get(name)
        if isinstance(value, str) and value and not re.fullmatch(r"\d{3}|None|error", value):
            return value
    return None


def param_of(error: Any) -> str | None:
    """The argument that an error names as the wrong one, if any."""
    param = error.get("param") if isinstance(error, dict) else None
    return param if isinstance(param, str) and param not in ("", "None", "null") else None


def is_verdict(error: Any) -> bool:
    """Whether an error without a status says that the request is at fault, by its codes."""
    return any(_VERDICT.search(code) for code in all_codes(error, None))


def all_codes(body: Any, known: str | None) -> tuple[str, ...]:
    """Every other code in an error, wherever it lies; at most 20."""
    found = {
        value: None
        for name, value in _leaves(body)
        if name in _CODES
        and isinstance(value, str)
        and len(value) <= 80
        and not re.fullmatch(r"\d{3}", value)
    }
    return tuple(code for code in found if code not in (known, "None", "error"))[:20]


def fields_of(body: Any) -> tuple[tuple[str, int], ...]:
    """The whole numbers beside the words, by the names of their fields; at most 50."""
    numbers = [
        (name, value)
        for name, value in _leaves(body)
        if isinstance(value, int) and not isinstance(value, bool) and name not in _CODES
    ]
    return tuple(numbers[:50])


def all_words(body: Any, said: str) -> str:
    """The words, and every other text in an error that does not quote our input, a line each."""
    more = [value for name, value in _leaves(body) if isinstance(value, str) and " " in value.strip()]
    return "\n".join(dict.fromkeys([said, *(each for each in more if each not in said)]))


def _leaves(value: Any, name: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """The plain values in an error, errors that are written as JSON inside of it included."""
    if depth == 0:
        return
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = _parsed(value)
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in _ECHOES or (key in ("body", "content") and not isinstance(inner, str)):
                yield from _leaves(inner, str(key), depth - 1)
    elif isinstance(value, list):
        for inner in value[:20]:
            yield from _leaves(inner, name, depth - 1)
    else:
        yield name, value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
