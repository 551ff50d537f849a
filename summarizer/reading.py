"""Reading: files, standard input and bytes become records, or one clear error that names the line."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

from summarizer.cleaning import clean_text
from summarizer.decoding import decode_json, first_value, text_of, utf8_of
from summarizer.documents import looks_like_markdown, markdown_blocks, text_blocks
from summarizer.errors import InvalidRecords
from summarizer.messages import looks_like_message, message_record
from summarizer.records import Record

__all__ = ["Format", "parse_records", "read_records"]

Format = Literal["auto", "jsonl", "json", "text", "markdown"]
"""What the bytes hold; ``auto`` goes by the name, and guesses where the name says nothing."""

_SUFFIXES: dict[str, Format] = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_MARKDOWN_SUFFIXES = (".md", ".markdown")
_EXPECTED_LINE = "a JSON object (a chat message)"
_EXPECTED_ITEM = "a chat message (a JSON object) or a string"
_EXPECTED_DOCUMENT = 'a JSON array of chat messages or strings, or an object with "messages"'
_JSON_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}


def read_records(
    source: Path | str,
    *,
    format: Format = "auto",  # noqa: A002
    stdin: BinaryIO | None = None,
) -> list[Record]:
    """The records of a file, or of standard input where ``source`` is ``-``; gzip is opened by itself.

    Reads chat messages as JSONL, as a JSON array or as ``{"messages": […]}``, JSON arrays of strings,
    Markdown and plain text. ``.json`` and ``.jsonl`` are held to their name unless ``format`` says
    otherwise. Raises ``InvalidRecords``, in one line that names the file, the line and what was expected.
    """
    name = "stdin" if str(source) == "-" else str(source)
    try:
        data = (stdin or sys.stdin.buffer).read() if str(source) == "-" else Path(source).read_bytes()
    except IsADirectoryError:
        raise InvalidRecords(f"{name}: expected a file, got a folder") from None
    except FileNotFoundError:
        raise InvalidRecords(f"{name}: expected a file, found none of that name") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidRecords(f"{name}: expected a file that can be read, got: {reason}") from None
    return parse_records(data, name, format)


def parse_records(data: bytes, name: str, format: Format = "auto") -> list[Record]:  # noqa: A002
    """The records that the bytes of a file called ``name`` hold, or ``InvalidRecords``; see ``read_records``.

    UTF-8, and UTF-16 or UTF-32 with a byte order mark; a byte that is not UTF-8 becomes U+FFFD. Plain
    text and Markdown give one user record a paragraph (see ``documents``), an empty file none.
    """
    if format not in get_args(Format):
        raise InvalidRecords(f"{name}: expected a format of {', '.join(get_args(Format))}, got {format!r}")
    data = utf8_of(_unzipped(data, name), name)
    if not data.strip():
        return []
    match _format_of(name, format):
        case "jsonl":
            return list(_json_lines(data, name))
        case "json":
            return _document(decode_json(text_of(data), name, _EXPECTED_DOCUMENT), name)
        case "markdown":
            return _blocks(text_of(data), markdown=True)
        case "text":
            return _blocks(text_of(data), markdown=False)
        case "auto":
            return _guessed(data, name)


def _unzipped(data: bytes, name: str) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    import gzip
    import zlib

    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidRecords(f"{name}: expected a whole gzip file, got a damaged one ({error})") from None


def _format_of(name: str, given: Format) -> Format:
    if given != "auto":
        return given
    return _SUFFIXES.get(Path(_plain_name(name)).suffix, "auto")


def _plain_name(name: str) -> str:
    return name.lower().removesuffix(".gz")


def _json_lines(data: bytes, name: str) -> Iterator[Record]:
    for number, line in enumerate(io.BytesIO(data), start=1):  # shares the bytes instead of splitting them
        if line.isspace():
            continue
        place = f"{name}, line {number}"
        value = decode_json(text_of(line), place, _EXPECTED_LINE, one_line=True)
        if not isinstance(value, dict):
            raise InvalidRecords(f"{place}: expected {_EXPECTED_LINE}, got {_json_name(value)}")
        yield message_record(value)


def _document(value: Any, name: str) -> list[Record]:
    items = value.get("messages") if isinstance(value, dict) else value
    if isinstance(items, list):
        return [_item(item, f"{name}, item {index}") for index, item in enumerate(items)]
    if items is None and looks_like_message(value):
        return [message_record(value)]
    got = _json_name(value)
    if isinstance(value, dict):
        got = f'"messages" as {_json_name(items)}' if "messages" in value else "an object without it"
    raise InvalidRecords(f"{name}: expected {_EXPECTED_DOCUMENT}, got {got}")


def _item(item: Any, place: str) -> Record:
    if isinstance(item, str):
        return Record(text=clean_text(item), clean=True)
    if isinstance(item, dict):
        return message_record(item)
    raise InvalidRecords(f"{place}: expected {_EXPECTED_ITEM}, got {_json_name(item)}")


def _guessed(data: bytes, name: str) -> list[Record]:
    """Chat messages if the first value is one, or strings in a JSON array; else a document."""
    value, follows = first_value(text_of(data))
    if follows == "nothing" and _is_document(value):
        return _document(value, name)
    if follows == "line" and looks_like_message(value):
        return list(_json_lines(data, name))
    text = text_of(data)
    return _blocks(text, markdown=_plain_name(name).endswith(_MARKDOWN_SUFFIXES) or looks_like_markdown(text))


def _is_document(value: Any) -> bool:
    items = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(items, list):
        return looks_like_message(value)
    return all(isinstance(item, str) or looks_like_message(item) for item in items)


def _blocks(text: str, *, markdown: bool) -> list[Record]:
    text = clean_text(text)
    blocks = markdown_blocks if markdown else text_blocks
    return [Record(text=clean_text(block), clean=True) for block in blocks(text)]


def _json_name(value: Any) -> str:
    return _JSON_NAMES.get(type(value), "a number")
