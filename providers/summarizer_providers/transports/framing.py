"""From the bytes of a streamed answer, in whatever pieces they come, to its events. Pure."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, Protocol

__all__ = ["AwsFramer", "Framer", "LineFramer", "framer"]

_MOST = 1 << 24
"""Bytes: an AWS message that claims to be larger is none."""
_FIXED = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""The lengths in bytes of AWS header values by their type; types 6 and 7 say their own."""


class Framer(Protocol):
    """Takes bytes, gives JSON values; what cannot be read is left out."""

    def feed(self, data: bytes) -> Iterator[Any]:
        """The events that are complete with these bytes."""
        ...

    def close(self) -> Iterator[Any]:
        """What is left at the end of the stream, where it is whole."""
        ...


def framer(content_type: str) -> Framer:
    """The framer for an answer's content type: AWS event streams, or lines for everything else."""
    return AwsFramer() if "amazon.eventstream" in content_type else LineFramer()


class LineFramer:
    """Server-sent events (HTML Living Standard, 9.2.6), JSON lines, and one JSON value over many lines.

    Comments, blank lines and fields other than ``data`` and ``event`` are passed over. The data of an event
    that is named ``error`` comes as ``{"error": data}`` where it does not say so itself.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._data: list[bytes] = []
        self._loose: list[bytes] = []
        self._name = b""

    def feed(self, data: bytes) -> Iterator[Any]:
        """The events of all lines that end in these bytes."""
        lines = (self._buffer + data).split(b"\n")
        self._buffer = lines.pop()
        for line in lines:
            yield from self._line(line.strip())

    def close(self) -> Iterator[Any]:
        """The events of the last line, and of lines that only make sense together."""
        yield from self._line(self._buffer.strip())
        yield from self._line(b"")
        found, value = _parsed(b"\n".join(self._loose))
        if found:
            yield from value if isinstance(value, list) else (value,)

    def _line(self, line: bytes) -> Iterator[Any]:
        if line.startswith(b"data:"):
            yield from self._datum(line[5:].strip())
        elif not line:
            yield from self._dispatch()
        elif line.startswith(b"event:"):
            self._name = line[6:].strip()
        elif not line.startswith((b":", b"id:", b"retry:")):
            found, value = (False, None) if self._loose else _parsed(line)
            if found and isinstance(value, dict):
                yield value
            else:
                self._loose.append(line)

    def _datum(self, datum: bytes) -> Iterator[Any]:
        """Data is mostly whole in one line; then nobody need wait for the blank line behind it."""
        found, value = (False, None) if self._data else _parsed(datum)
        if found and isinstance(value, dict):
            yield self._named(value)
        elif datum and datum != b"[DONE]":
            self._data.append(datum)

    def _dispatch(self) -> Iterator[Any]:
        if self._data:
            whole = b"\n".join(self._data)
            found, value = _parsed(whole)
            if found or self._name == b"error":
                yield self._named(value if found else whole.decode(errors="replace"))
        self._data, self._name = [], b""

    def _named(self, value: Any) -> Any:
        failed = self._name == b"error" and not (isinstance(value, dict) and value.get("error"))
        return {"error": value} if failed else value


class AwsFramer:
    """AWS's binary event stream: each message as ``{event type: payload}``, as its own clients give it, an
    exception as ``{"error": …}``, a payload that wraps another's bytes as that.
    """

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[Any]:
        """The events of all messages that end in these bytes."""
        self._buffer += data
        while len(self._buffer) >= 16:
            length = int.from_bytes(self._buffer[:4], "big")
            if not 16 <= length <= _MOST:
                self._buffer = b""
            if len(self._buffer) < max(16, length):
                return
            message, self._buffer = self._buffer[:length], self._buffer[length:]
            yield from _message(message)

    def close(self) -> Iterator[Any]:
        """Nothing: a message that did not end cannot be read; JSON in the place of messages can."""
        found, value = _parsed(self._buffer)
        if found and isinstance(value, dict):
            yield value


def _message(message: bytes) -> Iterator[Any]:
    """Prelude (lengths, checksum: 12 bytes), headers, payload, checksum (4 bytes)."""
    start = 12 + int.from_bytes(message[4:8], "big")
    found, payload = _parsed(message[start:-4])
    headers = _headers(message[12:start])
    failed = headers.get(":exception-type") or headers.get(":error-code")
    if failed:
        words = payload.get("message", "") if isinstance(payload, dict) else ""
        yield {"error": {"message": words or headers.get(":error-message", failed), "code": failed}}
    elif found and isinstance(payload, dict):
        inner = payload.get("bytes")
        if isinstance(inner, str):
            found, payload = _unwrapped(inner)
            if found:
                yield payload
        else:
            yield {headers.get(":event-type", ""): payload}


def _unwrapped(text: str) -> tuple[bool, Any]:
    try:
        return _parsed(b64decode(text))
    except ValueError:
        return False, None


def _headers(data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    while at < len(data):
        end = at + 1 + data[at]
        name, kind = data[at + 1 : end].decode(errors="replace"), data[end] if end < len(data) else 0
        if kind in (6, 7):
            size = int.from_bytes(data[end + 1 : end + 3], "big")
            found[name] = data[end + 3 : end + 3 + size].decode(errors="replace")
            at = end + 3 + size
        else:
            at = end + 1 + _FIXED.get(kind, len(data))
    return found


def _parsed(data: bytes) -> tuple[bool, Any]:
    if not data:
        return False, None
    try:
        return True, json.loads(data)
    except (ValueError, RecursionError):
        return False, None
