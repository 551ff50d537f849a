"""Chat messages of every shape: what a model reads of them, and what it never gets to see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from summarizer.messages import looks_like_message, message_record
from summarizer.records import Record
from tests.strategies import json_values, messages

BLOB = "iVBORw0KGgoAAAANSUhEUgAA" * 2_500  # 60,000 characters, 45,000 bytes
URL = f"data:image/png;base64,{BLOB}"


def text_of(content: Any, **fields: Any) -> str:
    return message_record({"role": "user", "content": content, **fields}).text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("  kept \n", "  kept \n"),
        ([], ""),
        (12345, "12345"),
        (True, "true"),
        (float("nan"), "NaN"),
        ({"text": "a dict"}, "a dict"),
        (["plain", "strings"], "plain\nstrings"),
        ([None, {"type": "text"}, {"text": "no type"}], "no type"),
        ([{"type": "input_text", "text": "in"}, {"type": "output_text", "text": "out"}], "in\nout"),
        ([{"type": "text", "text": {"value": "an assistant's", "annotations": []}}], "an assistant's"),
        ([{"type": "refusal", "refusal": "I cannot."}], "I cannot."),
        (
            [{"type": "unheard_of", "level": 3, "blob": BLOB}],
            "type: unheard_of\nlevel: 3\nblob: [45,000 bytes of base64]",
        ),
        ([["a", "list"]], '["a", "list"]'),
        (b"bytes", "bytes"),
        (b"\xff\xfe\x00", "[3 bytes]"),
        (set(), ""),
    ],
)
def test_content_of_every_type_is_text(content: Any, text: str) -> None:
    assert text_of(content) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (
            {"type": "image_url", "image_url": {"url": URL, "detail": "high"}},
            "[image: image/png, 45,000 bytes]",
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://example.com/board.jpg"}},
            "[image: https://example.com/board.jpg]",
        ),
        ({"type": "input_image", "image_url": URL}, "[image: image/png, 45,000 bytes]"),
        ({"type": "input_image", "file_id": "file-7"}, "[image: file-7]"),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": BLOB}},
            "[image: image/jpeg, 45,000 bytes]",
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
            "[image: https://example.com/a.png]",
        ),
        ({"type": "image", "data": BLOB, "mimeType": "image/webp"}, "[image: image/webp, 45,000 bytes]"),
        ({"inlineData": {"mimeType": "image/png", "data": BLOB}}, "[image: image/png, 45,000 bytes]"),
        ({"image": {"format": "png", "source": {"bytes": b"12345"}}}, "[image: png, 5 bytes]"),
        ({"type": "image_url", "image_url": None}, "[image]"),
    ],
)
def test_images_are_counted_and_named_and_never_sent(part: Any, text: str) -> None:
    record = message_record({"role": "user", "content": ["look:", part]})
    assert (record.text, record.images) == (f"look:\n{text}", 1)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (
            {"type": "input_audio", "input_audio": {"data": BLOB, "format": "wav"}},
            "[audio: wav, 45,000 bytes]",
        ),
        (
            {
                "type": "file",
                "file": {"filename": "spec.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjQK"},
            },
            "[file: spec.pdf, application/pdf, 9 bytes]",
        ),
        ({"type": "input_file", "filename": "a.csv", "file_id": "file-1"}, "[file: a.csv]"),
        (
            {"type": "video_url", "video_url": {"url": "https://example.com/v.mp4"}},
            "[video: https://example.com/v.mp4]",
        ),
        (
            {
                "type": "document",
                "title": "Notes",
                "source": {"type": "text", "media_type": "text/plain", "data": "é"},
            },
            "[file: Notes, text/plain, 2 bytes]\né",
        ),
    ],
)
def test_sound_and_files_are_named_with_their_size(part: Any, text: str) -> None:
    assert text_of([part]) == text


@pytest.mark.parametrize(
    "message",
    [
        {
            "role": "assistant",
            "content": "answer",
            "reasoning": "SECRET",
            "reasoning_content": "SECRET",
            "thinking": "SECRET",
        },
        {
            "role": "assistant",
            "content": "answer",
            "reasoning_details": [{"type": "reasoning.text", "text": "SECRET"}],
        },
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "SECRET"}, {"type": "text", "text": "answer"}],
        },
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "SECRET"}, "answer"]},
        {"role": "assistant", "content": [{"reasoningContent": {"text": "SECRET"}}, {"text": "answer"}]},
    ],
)
def test_reasoning_is_left_out(message: Any) -> None:
    assert message_record(message).text == "answer"


@pytest.mark.parametrize(
    "message",
    [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "SECRET"}]}, {"reasoning": "SECRET"}],
)
def test_an_item_of_nothing_but_reasoning_is_an_empty_record(message: Any) -> None:
    assert message_record(message).text == ""


@pytest.mark.parametrize(
    ("fields", "role"),
    [
        ({"role": "User"}, "user"),
        ({"role": " Assistant "}, "assistant"),
        ({"role": "Tool_Result"}, "tool_result"),
        ({"role": "narrator\nof\ttales"}, "narrator of tales"),
        ({"role": 7}, "user"),
        ({"role": None}, "user"),
        ({"role": ""}, "user"),
        ({}, "user"),
        ({"role": "model"}, "assistant"),
        ({"type": "ai"}, "assistant"),
    ],
)
def test_roles(fields: Any, role: str) -> None:
    assert message_record({"content": "x", **fields}).role == role


@pytest.mark.parametrize(
    ("given_id", "kept"), [("m1", "m1"), (7, "7"), (None, ""), (True, ""), ([1], ""), ("a\nb", "a b")]
)
def test_an_id_is_a_string_or_a_whole_number(given_id: Any, kept: str) -> None:
    assert message_record({"id": given_id, "content": "x"}).id == kept


@pytest.mark.parametrize(
    ("message", "record"),
    [
        (
            {"message": {"role": "assistant", "content": "x"}, "id": 4},
            Record(id="4", role="assistant", text="x"),
        ),
        (
            {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "x"}]}},
            Record(text="x"),
        ),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
            Record(role="assistant", text="x"),
        ),
        ({"payload": {"type": "message", "role": "user", "content": "x"}}, Record(text="x")),
        ({"from": "human", "value": "x"}, Record(text="x")),
        ({"role": "model", "parts": [{"text": "x"}]}, Record(role="assistant", text="x")),
        ({"role": "assistant", "content": None, "refusal": "No."}, Record(role="assistant", text="No.")),
        (
            {"role": "user", "content": "x", "images": [BLOB]},
            Record(text="x\n[image: 45,000 bytes]", images=1),
        ),
        ({"role": "user", "content": "x", "weather": {"deep": [1]}, "extra": "SECRET"}, Record(text="x")),
        ({"time": "12:00", "level": "ERROR disk full"}, Record(text="time: 12:00\nlevel: ERROR disk full")),
        ({"time": "12:00", "n": 3}, Record(text="time: 12:00\nn: 3")),
        ({}, Record()),
    ],
)
def test_transcripts_of_other_tools(message: Any, record: Record) -> None:
    assert message_record(message) == record


@given(messages)
def test_every_message_becomes_clean_text_without_blobs(message: dict[str, Any]) -> None:
    record = message_record(message)
    assert record.text.encode().decode() == record.text
    assert "iVBORw0KGgoAAAANSUhEUgAA" * 20 not in record.text
    assert record.role


@given(messages)
def test_what_was_written_to_json_and_read_again_gives_the_same_record(message: dict[str, Any]) -> None:
    again = json.loads(json.dumps(message))
    assert message_record(again) == message_record(json.loads(json.dumps(again)))


@given(json_values)
def test_any_value_can_be_asked_whether_it_is_a_message(value: Any) -> None:
    assert looks_like_message(value) in {True, False}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "parts": [{"thought": True, "text": "SECRET"}, {"text": "Answer"}]},
        {"thinking_blocks": [{"thinking": "SECRET"}], "note": "Answer"},
        {"reasoning_text": "SECRET", "chain_of_thought": "SECRET", "note": "Answer"},
    ],
)
def test_what_a_model_said_to_itself_is_left_out(message: dict[str, object]) -> None:
    """Some providers refuse to read reasoning, and it is nobody's business."""
    text = message_record(message).text
    assert "Answer" in text
    assert "SECRET" not in text
