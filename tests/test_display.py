"""Values of any depth, with cycles and foreign objects, are shown and do no harm."""

from __future__ import annotations

from typing import Any

import pytest

from summarizer.display import display
from summarizer.messages import message_record


def content_text(content: Any) -> str:
    return message_record({"role": "user", "content": content}).text


def nested_list(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def nested_dict(key: str, depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {key: value, "type": "tool_result"}
    return value


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": nested_list(100_000)},
        {"role": "user", "content": nested_dict("content", 100_000)},
        nested_dict("message", 100_000),
        {"role": "assistant", "tool_calls": nested_list(100_000)},
        {
            "role": "assistant",
            "tool_calls": [{"function": {"name": "f", "arguments": nested_dict("x", 100_000)}}],
        },
    ],
)
def test_a_hundred_thousand_levels_are_shown_to_a_bounded_depth(message: Any) -> None:
    record = message_record(message)
    assert len(record.text) < 10_000


def test_structures_that_hold_themselves_end() -> None:
    own: list[Any] = ["a b"]
    own += [own] * 50
    result: dict[str, Any] = {"type": "tool_result"}
    result["content"] = [result] * 10
    assert "…" in content_text(own)
    assert "…" in content_text([result])
    assert "…" in display({"x": own})


def test_values_that_are_no_json_do_no_harm() -> None:
    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError("no text of mine")

    assert display({"n": 10**10_000, "o": Hostile(), "b": b"12"}) == (
        "n: [a number of about 10,001 digits]\no: [Hostile]\nb: [2 bytes]"
    )
    assert content_text(Hostile()) == "[Hostile]"


def test_a_huge_structure_that_shares_its_parts_is_cut() -> None:
    shared: Any = ["a b"]
    for _ in range(7):
        shared = [shared] * 10
    assert display(shared).count("a b") < 300_000
