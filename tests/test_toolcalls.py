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
        (
            {
                "type": "web_search_call",
                "id": "ws",
                "status": "completed",
                "action": {"type": "search", "query": "Oslo"},
            },
            Record(
                id="ws",
                role="assistant",
                text='[tool call: web_search]\naction: {"type": "search", "query": "Oslo"}',
                calls=("ws",),
            ),
        ),
        (
            {"type": "mcp_call", "id": "m", "name": "roll", "arguments": '{"sides": 6}', "output": "4"},
            Record(
                id="m",
                role="assistant",
                text='[tool call: roll]\narguments: {"sides": 6}\noutput: 4',
                calls=("m",),
            ),
        ),
        (
            {"type": "shell_call", "call_id": "s1", "action": {"commands": ["ls"]}, "status": "completed"},
            Record(role="assistant", text='[tool call: shell]\naction: {"commands": ["ls"]}', calls=("s1",)),
        ),
        (
            {"type": "shell_call_output", "call_id": "s1", "output": [{"stdout": "a.txt"}]},
            Record(role="tool", text="stdout: a.txt", answers="s1"),
        ),
        (
            {"type": "local_shell_call_output", "id": "l1", "output": "a.txt"},
            Record(id="l1", role="tool", text="a.txt", answers="l1"),
        ),
        (
            {"type": "computer_call_output", "call_id": "c1", "output": {"type": "computer_screenshot"}},
            Record(role="tool", text="[image]", answers="c1", images=1),
        ),
        (
            {"type": "mcp_approval_request", "id": "r1", "name": "roll", "arguments": "{}"},
            Record(id="r1", role="assistant", text="[tool call: roll]", calls=("r1",)),
        ),
        (
            {"type": "mcp_approval_response", "approval_request_id": "r1", "approve": False, "reason": "no"},
            Record(role="tool", text="approve: false\nreason: no", answers="r1"),
        ),
        (
            {"type": "tool_search_output", "call_id": "t1", "tools": [{"name": "roll"}]},
            Record(role="tool", text="name: roll", answers="t1"),
        ),
        (
            {"type": "image_generation_call", "id": "i1", "result": "QUJD" * 300, "revised_prompt": "a cat"},
            Record(id="i1", role="assistant", text="[image: 900 bytes]\na cat", images=1),
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
