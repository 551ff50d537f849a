"""How long an endpoint says to wait, in each of the forms in which that is said. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

__all__ = ["stated_wait"]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_UNIT = (
    r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])"
    r"|(毫秒|秒|分钟|分|小时|天)"
)
_PIECE = re.compile(rf"(\d+(?:\.\d+)?)\s*(?:{_UNIT}|(ms|[smhd])(?=\d))", re.I)
_SPAN = r"((?:\d+(?:\.\d+)?\s*(?:[a-z]+|毫秒|秒|分钟|分|小时|天)(?:,? and |,? )?)+)"
_ASKED = re.compile(
    r"(?:try(?:ing)?(?: it)? again|retry(?:ing)?|retry[- _]?after|available(?: again)?|resets?|wait"
    rf"|back ?off|请|重试)[^\d.;\n]{{0,40}}?{_SPAN}",
    re.I,
)
_BARE = re.compile(r"retry[-_ ]after[\"']?\s*[:=]\s*[\"']?(\d+(?:\.\d+)?)[\"']?(?![\w.:])", re.I)
_CHINESE = {"毫秒": "ms", "秒": "s", "分钟": "m", "分": "m", "小时": "h", "天": "d"}
_RESETS = re.compile(r"^(?:x-|anthropic-)?rate-?limit-(?:(.*)-)?reset(?:-(.*))?$")
_EPOCH = 1e9
"""A number of seconds above this is a date, and above a thousand times this one in milliseconds."""
_LONGEST = 366 * 86_400.0


def stated_wait(headers: Mapping[str, str], body: Any, message: str, now: float) -> float | None:
    """Seconds to wait, 0 or more, or None where nothing is said. Raises nothing.

    ``headers`` have lower-case names, ``body`` is the answer's JSON, ``message`` its words, ``now`` is in
    seconds since the epoch. In order: ``retry-after-ms``; ``retry-after`` (seconds or a date); fields of the
    body (Google's ``RetryInfo``, ``retry_after``, Hugging Face's ``estimated_time``); the words ("try again
    in 4.77s"); the headers that say when a limit that is used up is reset.
    """
    inner = _inner_headers(body)
    for found in (
        _number(headers.get("retry-after-ms"), 0.001),
        _moment(headers.get("retry-after"), now),
        _moment(inner.get("retry-after"), now),
        _in_body(body, now),
        _in_words(message),
        _reset(headers, now),
        _reset(inner, now),
    ):
        if found is not None and found <= _LONGEST:
            return max(0.0, found)
    return None


def _number(value: Any, unit: float = 1.0) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value) * unit
    except (ValueError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) else None


def _moment(value: Any, now: float) -> float | None:
    """Seconds from a number of seconds, a date as a number, a length of time (1m30s), or a written date."""
    number = _number(value)
    if number is not None:
        if number > _EPOCH:
            return number / (1_000 if number > _EPOCH * 1_000 else 1) - now
        return number
    if not isinstance(value, str) or not value.strip():
        return None
    length = _length(value)
    return _date(value, now) if length is None else length


def _date(text: str, now: float) -> float | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(text.strip()).timestamp() - now
        except (TypeError, ValueError, OverflowError):
            continue
    return None


def _length(text: str) -> float | None:
    """Seconds of a length of time that is the whole of a text: 20ms, 6m0s, 1h2m, 22 seconds."""
    pieces = list(_PIECE.finditer(text))
    rest = _PIECE.sub("", text)
    return sum(map(_seconds, pieces)) if pieces and not re.sub(r"and|[\s,.]", "", rest) else None


def _seconds(piece: re.Match[str]) -> float:
    number, english, chinese, letter = piece.groups()
    unit = (english or letter or _CHINESE[chinese]).lower()
    key = "ms" if unit.startswith(("ms", "milli")) else unit[0]
    return float(number) * _UNITS[key]


def _in_words(message: str) -> float | None:
    for match in _ASKED.finditer(message):
        pieces = list(_PIECE.finditer(match[1]))
        if pieces and not match[1][: pieces[0].start()].strip():
            return sum(map(_seconds, _adjacent(pieces)))
    bare = _BARE.search(message)
    return float(bare[1]) if bare else None


def _adjacent(pieces: list[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The pieces of one length of time: each unit smaller than the last."""
    last = math.inf
    for piece in pieces:
        unit = _seconds(piece) / (float(piece[1]) or 1.0) or last / 2
        if unit >= last:
            return
        last = unit
        yield piece


def _in_body(body: Any, now: float) -> float | None:
    for name, value in _fields(body):
        if name in ("retrydelay", "retryafter", "retryafterseconds", "estimatedtime"):
            found = _moment(value, now)
        elif name in ("retryafterms", "retryaftermilliseconds"):
            found = _number(value, 0.001)
        else:
            continue
        if found is not None:
            return found
    return None


def _fields(value: Any, depth: int = 6) -> Iterator[tuple[str, Any]]:
    """The plain fields of a JSON value, names in lower case without separators."""
    if depth == 0:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _fields(inner, depth - 1)
            else:
                yield re.sub(r"[-_ ]", "", str(name)).lower(), inner
    elif isinstance(value, list):
        for inner in value[:20]:
            yield from _fields(inner, depth - 1)


def _inner_headers(body: Any) -> Mapping[str, str]:
    """The headers of a provider behind a gateway that passes them on inside its error."""
    error = body.get("error") if isinstance(body, dict) else None
    metadata = error.get("metadata") if isinstance(error, dict) else None
    found = metadata.get("headers") if isinstance(metadata, dict) else None
    if not isinstance(found, dict):
        return {}
    return {str(name).lower(): str(value) for name, value in found.items()}


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """The longest wait of the limits that are used up; where none says what remains, the shortest of all."""
    resets: dict[str, float] = {}
    for name, value in headers.items():
        match = _RESETS.match(name.lower())
        wait = _moment(value, now) if match else None
        if match and wait is not None:
            resets[match[1] or match[2] or ""] = wait
    left = {kind: _remaining(headers, kind) for kind in resets}
    spent = [wait for kind, wait in resets.items() if left[kind] == 0]
    unsaid = [wait for kind, wait in resets.items() if left[kind] is None]
    return max(spent) if spent else min(unsaid, default=None)


def _remaining(headers: Mapping[str, str], kind: str) -> float | None:
    tail = f"-{kind}" if kind else ""
    names = (
        f"x-ratelimit-remaining{tail}",
        f"ratelimit-remaining{tail}",
        f"anthropic-ratelimit{tail}-remaining",
    )
    return next((found for found in map(_number, map(headers.get, names)) if found is not None), None)
