"""Tool calls and results: readable, one argument a line, and linked by their ids."""

from __future__ import annotations

from typing import Any

import pytest

from summarizer.messages import message_record
from summarizer.records import Record


def call_of(arguments: Any) -> str:
    call = {"id": "c1", "type": "function", "function": {"name": "edit", "arguments": arguments}}
    return message_record({"role": "assistant", "tool_calls": [call]}).text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            '{"path": "a.txt", "line": 3, "all": true, "old": null}',
            "path: a.txt\nline: 3\nall: true\nold: null",
        ),
        ({"path": "a.txt"}, "path: a.txt"),
        (
            {"path": "x.py", "content": "def f():\n    return 1\n"},
            "path: x.py\ncontent:\ndef f():\n    return 1\n",
        ),
        ('{"note": "FACT-123456: 8.14.2\\nnext"}', "note:\nFACT-123456: 8.14.2\nnext"),
        ({"tags": ["a", "b"], "at": {"x": 1}}, 'tags: ["a", "b"]\nat: {"x": 1}'),
        ({"城市": "北京"}, "城市: 北京"),
        (
            {"edits": [{"old": "a b\nc", "new": "d"}, {"old": "e f", "new": ""}]},
            "edits:\n  - old:\na b\nc\n    new: d\n  - old: e f\n    new:",
        ),
        ('{"path": "x.py", "content": "print(1', '{"path": "x.py", "content": "print(1'),
        ("*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** End Patch"),
        ('["a", 1]', '["a", 1]'),
        ("[" * 100_000, "[" * 100_000),
        (f'{{"n": {"9" * 10_000}}}', f'{{"n": {"9" * 10_000}}}'),
    ],
)
def test_arguments_are_one_a_line_with_real_line_ends(arguments: Any, text: str) -> None:
    assert call_of(arguments) == f"[tool call: edit]\n{text}"


@pytest.mark.parametrize("arguments", [None, "", "{}", {}, "null"])
def test_a_call_without_arguments_is_one_line(arguments: Any) -> None:
    assert call_of(arguments) == "[tool call: edit]"


@pytest.mark.parametrize(
    ("message", "record"),
    [
        (
            {
                "role": "assistant",
                "content": "Now:",
                "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "patch", "input": "x"}}],
            },
            Record(role="assistant", text="Now:\n[tool call: patch]\nx", calls=("a",)),
        ),
        (
            {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}},
            Record(role="assistant", text="[tool call: old]"),
        ),
        (
            {
                "role": "assistant",
                "tool_calls": [{"id": None, "type": "function", "function": {"name": "", "arguments": ""}}],
            },
            Record(role="assistant", text="[tool call]"),
        ),
        (
            {"role": "assistant", "tool_calls": [{"name": "search", "args": {"q": "x"}, "id": "l1"}]},
            Record(role="assistant", text="[tool call: search]\nq: x", calls=("l1",)),
        ),
        (
            {"role": "tool", "tool_call_id": "a", "name": "patch", "content": "done"},
            Record(role="tool", text="done", name="patch", answers="a"),
        ),
        ({"role": "function", "name": "old", "content": "1"}, Record(role="function", text="1", name="old")),
        (
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}],
            },
            Record(role="assistant", text="[tool call: bash]\ncommand: ls", calls=("t1",)),
        ),
        (
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": [{"type": "text", "text": "a.txt"}],
                    }
                ],
            },
            Record(role="tool", text="a.txt", answers="t1"),
        ),
        (
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True},
                    "go on",
                ],
            },
            Record(role="user", text="[tool result]\n[error] no\ngo on", answers="t1"),
        ),
        (
            {
                "type": "function_call",
                "id": "fc",
                "call_id": "c9",
                "name": "get",
                "arguments": '{"city": "Oslo"}',
            },
            Record(id="fc", role="assistant", text="[tool call: get]\ncity: Oslo", calls=("c9",)),
        ),
        (
            {"type": "function_call_output", "call_id": "c9", "output": "-4"},
            Record(role="tool", text="-4", answers="c9"),
        ),
    ],
)
def test_calls_and_results_are_linked_by_id(message: Any, record: Record) -> None:
    assert message_record(message) == record


def test_an_image_in_a_tools_result_is_counted() -> None:
    result = {
        "type": "tool_result",
        "content": [{"type": "image", "source": {"media_type": "image/png", "data": "QUJD" * 300}}],
    }
    record = message_record({"role": "user", "content": [result]})
    assert (record.text, record.images) == ("[image: image/png, 900 bytes]", 1)
