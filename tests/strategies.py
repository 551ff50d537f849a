"""What hypothesis draws from: dirty text, chat messages of every shape, and records."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from summarizer.records import Record

__all__ = ["dirty_text", "json_values", "message_lists", "messages", "records"]

# A busy machine must not fail a test: none of ours asserts a time.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

PNG = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 40

SNIPPETS = [
    *("\x00", "\x07", "\x1b[31m", "\r\n", "\r", "\ud83d", "\ude00", "\u2028", "\ufeff", "\x0b", "\x1e"),
    *("e\u0301", " ", "\n", "```", "# ", "word", "部署。", "FACT-123456: 8.14.2"),
]

dirty_text = st.one_of(
    st.text(st.characters(codec=None), max_size=40),
    st.lists(
        st.sampled_from([*SNIPPETS, PNG]),
        max_size=12,
    ).map("".join),
)
"""Text with lone surrogates, control characters, line ends of every kind, and data URLs."""

scalars = st.none() | st.booleans() | st.integers() | st.floats() | dirty_text

json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(dirty_text, inner, max_size=4),
    max_leaves=12,
)
"""Any value that JSON can hold."""

arguments = st.one_of(
    st.none(),
    st.dictionaries(dirty_text, json_values, max_size=3),
    st.dictionaries(dirty_text, json_values, max_size=3).map(json.dumps),
    st.sampled_from(["", "{}", '{"path": "x.py", "content": "print(1', "not JSON", "[1, 2]", "null"]),
)

tool_calls = st.one_of(
    st.fixed_dictionaries(
        {
            "id": scalars,
            "type": st.just("function"),
            "function": st.fixed_dictionaries({"name": scalars, "arguments": arguments}),
        }
    ),
    st.fixed_dictionaries(
        {"type": st.just("custom"), "custom": st.fixed_dictionaries({"name": dirty_text, "input": arguments})}
    ),
    json_values,
)

kinds = st.sampled_from(
    [
        "text",
        "input_text",
        "refusal",
        "image_url",
        "image",
        "input_image",
        "input_audio",
        "file",
        "document",
        "thinking",
        "reasoning",
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "tool-call",
        "mcp_call",
        "shell_call_output",
        "unheard_of",
    ]
)

parts = st.one_of(
    st.fixed_dictionaries(
        {"type": kinds},
        optional={
            "text": scalars,
            "image_url": st.just(PNG)
            | st.just({"url": PNG})
            | st.just({"url": "https://example.com/a.jpg"})
            | json_values,
            "source": st.just({"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * 60})
            | json_values,
            "file": st.just({"filename": "spec.pdf", "file_data": PNG}) | json_values,
            "thinking": dirty_text,
            "id": scalars,
            "tool_use_id": scalars,
            "name": scalars,
            "input": json_values,
            "content": json_values,
        },
    ),
    json_values,
)

contents = scalars | st.lists(parts, max_size=4) | parts

messages: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(
            ["user", "assistant", "tool", "system", "developer", "User", "function", "", "tool_result"]
        )
        | scalars,
        "content": contents,
        "name": scalars,
        "id": scalars,
        "tool_calls": st.lists(tool_calls, max_size=3) | scalars,
        "function_call": st.none() | tool_calls,
        "tool_call_id": scalars,
        "reasoning_content": dirty_text,
        "refusal": scalars,
        "message": json_values,
        "type": scalars | json_values | st.sampled_from(["message", "reasoning", "function_call", "ai"]),
        "parts": contents,
        "text": scalars,
        "audio": json_values,
        "images": json_values,
        "from": json_values,
        "surprise": json_values,
    },
)
"""Chat messages: what the APIs give, what transcripts hold, and what breaks their schemas."""

message_lists = st.lists(messages, max_size=3)

records = st.builds(
    Record,
    id=dirty_text,
    role=st.sampled_from(["user", "assistant", "tool", "system"]) | dirty_text,
    text=dirty_text,
    name=st.none() | dirty_text,
    calls=st.lists(dirty_text, max_size=3).map(tuple),
    answers=st.none() | dirty_text,
)
"""Records as a caller may build them, not cleaned yet."""
