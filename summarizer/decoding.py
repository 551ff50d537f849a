"""Decoding: bytes to UTF-8, and JSON as it really occurs, each failure with its place in the file."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Literal

from summarizer.errors import InvalidRecords

__all__ = ["decode_json", "first_value", "text_of", "utf8_of"]

_HEAD = 64 * 1024
# git looks for NUL in as many bytes to tell binary files from text.
_BINARY_HEAD = 8_000
_MARKS = [  # UTF-32's begin with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_WHITE = " \t\n\r"  # to JSON
_SPACE = re.compile(r"\s*")
_ENOUGH = 64
_SHARE = 10
_DECODER = json.JSONDecoder(strict=False)


def utf8_of(data: bytes, name: str) -> bytes:
    """The bytes of a text file as UTF-8 without a byte order mark, single bad bytes left in.

    Raises ``InvalidRecords`` for binary data (NUL among the first 8,000 bytes) and for text in another
    encoding (more than a tenth of it is not UTF-8).
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").encode()
    if (at := data.find(b"\0", 0, _BINARY_HEAD)) != -1:
        raise InvalidRecords(f"{name}: expected text in UTF-8, got binary data (NUL at byte {at})")
    bad = _bad_bytes(data[:_HEAD])
    if bad > _ENOUGH and bad * _SHARE > min(len(data), _HEAD):
        raise InvalidRecords(f"{name}: expected text in UTF-8, got binary data or another encoding")
    return data.removeprefix(codecs.BOM_UTF8)


def text_of(data: bytes) -> str:
    """UTF-8 as text; what is not UTF-8 becomes U+FFFD."""
    return data.decode("utf-8", "replace")


def decode_json(text: str, place: str, expected: str, *, one_line: bool = False) -> Any:
    """The value of a JSON text; NaN, control characters in strings and numbers of any length are fine.

    Raises ``InvalidRecords`` that begins with ``place``, followed by the line unless ``one_line``.
    """
    try:
        return _loads(text)
    except json.JSONDecodeError as error:
        where = place if one_line else f"{place}, line {error.lineno}"
        got = f"text that is not JSON ({error.msg}, column {error.colno})"
        if error.msg == "Extra data" and not one_line:
            got = 'more after it (one JSON value a line is the format "jsonl")'
    except RecursionError:
        where, got = place, "JSON nested too deeply"
    raise InvalidRecords(f"{where}: expected {expected}, got {got}")


def first_value(text: str) -> tuple[Any, Literal["nothing", "line", "text"]]:
    """The JSON array or object that a text begins with (else None), and what stands behind it.

    ``nothing``, a new ``line`` that is not blank, or ``text`` (also where it begins with no such value).
    """
    start = len(_space(text, 0))
    if not text.startswith(("[", "{"), start):
        return None, "text"
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, "text"
    space = _space(text, end)
    if end + len(space) == len(text):
        return value, "nothing"
    return value, "line" if "\n" in space else "text"


def _space(text: str, start: int) -> str:
    found = _SPACE.match(text, start)
    return found[0] if found else ""


def _loads(text: str) -> Any:
    try:
        if text.startswith("{"):  # decode looks for white space with two searches, for every line
            value, end = _DECODER.raw_decode(text)
            if not text[end:].strip(_WHITE):
                return value
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number with more digits than Python reads
        return json.JSONDecoder(strict=False, parse_int=_number).decode(text)


def _number(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:
        return digits


def _bad_bytes(head: bytes) -> int:
    return head.decode("utf-8", "replace").count("\ufffd") - head.count("\ufffd".encode())
