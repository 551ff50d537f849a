"""Files of every kind become records, or one clear line that names the place and what was expected."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.errors import InvalidRecords
from summarizer.messages import as_records
from summarizer.reading import Format, parse_records, read_records
from summarizer.records import Record
from tests.strategies import message_lists

SESSIONS = Path(__file__).resolve().parents[2] / "shared" / "sessions"
MANIFEST = SESSIONS / "manifest.json"
MESSAGES = [{"role": "user", "content": "héllo"}, {"role": "assistant", "content": "a\u2028b"}]
RECORDS = [Record(text="héllo"), Record(role="assistant", text="a\u2028b")]
JSONL = "\n".join(json.dumps(message, ensure_ascii=False) for message in MESSAGES)


def texts(data: bytes | str, name: str = "x", format: Format = "auto") -> list[str]:  # noqa: A002
    data = data.encode() if isinstance(data, str) else data
    return [record.text for record in parse_records(data, name, format)]


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.jsonl", JSONL),
        ("s.jsonl.gz", JSONL),
        ("S.JSONL", JSONL + "\n"),
        ("s.ndjson", "\n\n" + JSONL.replace("\n", "\r\n\r\n")),
        ("stdin", JSONL),
        ("s.txt", JSONL),
        ("s.json", json.dumps(MESSAGES, indent=2)),
        ("s.json.gz", json.dumps({"model": "m", "messages": MESSAGES})),
        ("stdin", json.dumps(MESSAGES)),
        ("stdin", json.dumps({"messages": MESSAGES}, indent=1)),
        ("s.json", json.dumps(["héllo", MESSAGES[1]])),
    ],
)
def test_the_same_messages_in_every_form(pack: Any, name: str, text: str) -> None:
    assert parse_records(pack(text.encode()), name) == RECORDS


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("name", "text"), [("s.jsonl", JSONL), ("s.json", json.dumps(MESSAGES)), ("-", JSONL)]
)
def test_byte_order_marks_are_understood(encoding: str, name: str, text: str) -> None:
    assert parse_records(text.encode(encoding), name) == RECORDS


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            rb'{"role": "user", "content": "one bad byte \xff here"}'.replace(rb"\xff", b"\xff"),
            "one bad byte \ufffd here",
        ),
        (rb'{"content": "\ud83d and \ude00"}', "\ufffd and \ufffd"),
        (rb'{"content": "\ud83d\ude00"}', "😀"),
        (b'{"content": "raw\ttab"}', "raw\ttab"),
        (b'{"content": NaN}', "NaN"),
        (b'{"content": ' + b"9" * 10_000 + b"}", "9" * 10_000),
        (b'{"content": "first", "content": "last"}', "last"),
        (b'{"content": "NUL \x00 inside"}' + b" " * 9_000, "NUL  inside"),
    ],
)
def test_dirty_lines_are_read(line: bytes, text: str) -> None:
    assert texts(b" " * 9_000 + line, "s.jsonl") == [text]


@pytest.mark.parametrize("name", ["a", "a.json", "a.jsonl", "a.md", "a.gz"])
@pytest.mark.parametrize("data", [b"", b" \n\r\n\t", b"\xef\xbb\xbf", gzip.compress(b"")])
def test_an_empty_file_has_no_records(name: str, data: bytes) -> None:
    assert parse_records(data, name) == []


MESSAGE = "a JSON object (a chat message)"
DOCUMENT = 'a JSON array of chat messages or strings, or an object with "messages"'


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("s.jsonl", b'{"content": "x"}\n\n[1]', f"s.jsonl, line 3: expected {MESSAGE}, got a list"),
        ("s.jsonl", b'"x"', f"s.jsonl, line 1: expected {MESSAGE}, got a string"),
        ("s.jsonl", b"null", f"s.jsonl, line 1: expected {MESSAGE}, got null"),
        ("s.jsonl", b"true", f"s.jsonl, line 1: expected {MESSAGE}, got a boolean"),
        ("s.jsonl", b"7", f"s.jsonl, line 1: expected {MESSAGE}, got a number"),
        ("s.jsonl", b'{"a": 1,}', f"s.jsonl, line 1: expected {MESSAGE}, got text that is not JSON ("),
        ("s.jsonl.gz", b"hello", f"s.jsonl.gz, line 1: expected {MESSAGE}, got text that is not JSON ("),
        (
            "s.jsonl",
            b"{}\n" + b"[" * 100_000,
            f"s.jsonl, line 2: expected {MESSAGE}, got JSON nested too deeply",
        ),
        (
            "s.jsonl",
            b'{"content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "s.jsonl, line 1: expected a JSON",
        ),
        ("s.json", b"[" * 100_000, f"s.json: expected {DOCUMENT}, got JSON nested too deeply"),
        ("s.json", b'[\n"a",\n]', f"s.json, line 3: expected {DOCUMENT}, got text that is not JSON ("),
        (
            "s.json",
            JSONL.encode(),
            f"s.json, line 2: expected {DOCUMENT}, got more after it (one JSON value a line",
        ),
        ("s.json", b"7", f"s.json: expected {DOCUMENT}, got a number"),
        ("s.json", b'{"version": 1}', f"s.json: expected {DOCUMENT}, got an object without it"),
        ("s.json", b'{"messages": "x"}', f's.json: expected {DOCUMENT}, got "messages" as a string'),
        (
            "s.json",
            b'["a", 3]',
            "s.json, item 1: expected a chat message (a JSON object) or a string, got a number",
        ),
        ("stdin", JSONL.encode() + b"\n{", f"stdin, line 3: expected {MESSAGE}, got text that is not JSON ("),
        ("a.gz", gzip.compress(b"x" * 99)[:-9], "a.gz: expected a whole gzip file, got a damaged one ("),
        ("a.gz", b"\x1f\x8bxxxxxxxxxxxx", "a.gz: expected a whole gzip file, got a damaged one ("),
        (
            "a.gz",
            gzip.compress(b"hello hello hello", mtime=0)[:12] + b"\xff" * 20,
            "a.gz: expected a whole gzip file",
        ),
        (
            "tool",
            b"\x7fELF\x02\x01\x01\x00\x00",
            "tool: expected text in UTF-8, got binary data (NUL at byte 7)",
        ),
        (
            "a.jsonl",
            b"\x89PNG\r\n\x1a\n\x00\x00",
            "a.jsonl: expected text in UTF-8, got binary data (NUL at byte 8)",
        ),
        (
            "a.txt",
            "Съешь же ещё этих мягких булок. ".encode("cp1251") * 9,
            "a.txt: expected text in UTF-8, got binary",
        ),
    ],
)
def test_unreadable_input_is_one_line_with_its_place(name: str, data: bytes, told: str) -> None:
    with pytest.raises(InvalidRecords, match=re.escape(told)) as caught:
        parse_records(data, name)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "expected a file, got a folder"),
        ("no", "expected a file, found none"),
        ("x\0", "expected a file"),
    ],
)
def test_a_path_that_cannot_be_read_is_named(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(InvalidRecords, match=re.escape(f"{tmp_path / name}: {told}")):
        read_records(tmp_path / name)


def test_a_file_in_a_file_is_told_as_the_system_tells_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    with pytest.raises(InvalidRecords, match="expected a file that can be read, got: Not a directory"):
        read_records(tmp_path / "a" / "b")


def test_files_and_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(gzip.compress(JSONL.encode()))
    assert read_records(path) == read_records(str(path)) == RECORDS
    assert read_records("-", stdin=io.BytesIO(JSONL.encode())) == RECORDS
    with pytest.raises(InvalidRecords, match="stdin, line 2"):
        read_records("-", format="jsonl", stdin=io.BytesIO(b"{}\n3"))


def test_the_format_that_is_told_wins() -> None:
    assert texts(JSONL, "s.jsonl", "text") == [JSONL]
    assert texts("# a\n\nb", "x.txt", "markdown") == ["# a\n\nb"]
    assert texts("# a\n\nb", "x.md", "text") == ["# a", "b"]
    assert texts('["a"]', "x.md", "json") == ["a"]
    with pytest.raises(
        InvalidRecords, match="expected a format of auto, jsonl, json, text, markdown, got 'xml'"
    ):
        parse_records(b"", "x", "xml")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "package", "version": "1"}',
        "[link](x) in a text",
        '{"time": 1}\n{"time": 2}',
        "[1, 2, 3]",
        "{not json",
        "[" * 5_000,
    ],
)
def test_what_only_looks_like_json_is_text(text: str) -> None:
    assert texts(text) == [text]


def test_text_gives_a_record_a_paragraph() -> None:
    text = "  indented\nsecond line\r\n\r\n\n \t\nnext\u2028same\n\n\n"
    assert texts(text, "a.txt") == ["  indented\nsecond line", "next\u2028same"]
    assert texts("caf\xe9".encode("latin-1"), "a.txt") == ["caf\ufffd"]


@given(message_lists)
def test_messages_written_as_json_are_read_as_they_are_passed(messages: list[dict[str, Any]]) -> None:
    lines = [json.dumps(message) for message in messages]
    expected = as_records(map(json.loads, lines))
    assert parse_records("\n".join(lines).encode(), "s.jsonl") == expected
    assert parse_records(f"[{','.join(lines)}]".encode(), "s.json") == expected


@given(st.binary(max_size=300), st.sampled_from(["a", "a.json", "a.jsonl", "a.md", "a.txt.gz"]))
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    with contextlib.suppress(InvalidRecords):
        assert all(record.text.encode().decode() == record.text for record in parse_records(data, name))


@pytest.mark.skipif(not MANIFEST.exists(), reason="the folder shared/sessions is not beside the repository")
def test_every_real_session_is_read_whole_and_clean() -> None:
    for session in json.loads(MANIFEST.read_bytes()):
        found = read_records(SESSIONS / session["file"])
        assert len(found) == session["messages"], session["file"]
        for record in found:
            assert record.text.encode().decode() == record.text
            assert not re.search(r"data:image/[\w+]+;base64,[\w+/]{200}", record.text)
