"""Streams of every wire format are read as they were sent, and none that broke off passes for complete."""

from __future__ import annotations

import asyncio
import json
import struct
import time
from base64 import b64encode
from dataclasses import replace
from typing import Any

import httpx
import pytest
import respx
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.client import Client
from summarizer_providers.transports.litellm import LitellmTransport
from summarizer_providers.transports.stream import Reading
from summarizer_providers.types import Call, Failure, Model, Reply
from tests.loopback import KEY, OPENAI, Server, a_call, load_litellm, model, saying

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
EVENTS = {"content-type": "text/event-stream"}


def sse(*events: Any, done: bool = True) -> bytes:
    lines = [
        event if isinstance(event, bytes) else b"data: " + json.dumps(event).encode() for event in events
    ]
    return b"\n\n".join([*lines, *([b"data: [DONE]"] if done else []), b""])


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def aws(kind: str, payload: object, header: str = ":event-type") -> bytes:
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\7" + struct.pack(">H", len(value)) + value.encode()
        for name, value in ((header, kind), (":content-type", "application/json"))
    )
    body = json.dumps(payload).encode()
    return struct.pack(">II4x", 16 + len(headers) + len(body), len(headers)) + headers + body + b"\0" * 4


USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
OPENAI_STREAM = sse(
    b": keep-alive",
    chunk(role="assistant", content=""),
    chunk(reasoning_content="Hm."),
    chunk(content="A "),
    chunk(content="summary."),
    chunk("length"),
    {**chunk(), "choices": [], "usage": USAGE},
)
ANTHROPIC_STREAM = sse(
    *(
        b"event: " + event["type"].encode() + b"\ndata: " + json.dumps(event).encode()
        for event in (
            {"type": "message_start", "message": {"usage": {"input_tokens": 10, "output_tokens": 1}}},
            {"type": "ping"},
            {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Hm."}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "A "}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "summary."}},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "max_tokens"},
                "usage": {"output_tokens": 3, "cache_read_input_tokens": 2},
            },
            {"type": "message_stop"},
        )
    ),
    done=False,
)
GEMINI_STREAM = sse(
    {"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": True}, {"text": "A "}]}}]},
    {
        "candidates": [{"content": {"parts": [{"text": "summary."}]}, "finishReason": "MAX_TOKENS"}],
        "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 3, "thoughtsTokenCount": 40},
    },
    done=False,
)
OLLAMA_STREAM = b"".join(
    json.dumps({"model": "m", "created_at": "2026-01-01T00:00:00Z", **event}).encode() + b"\n"
    for event in (
        {"message": {"role": "assistant", "content": "", "thinking": "Hm."}, "done": False},
        {"message": {"role": "assistant", "content": "A "}, "done": False},
        {"message": {"role": "assistant", "content": "summary."}, "done": False},
        {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "length",
            "prompt_eval_count": 12,
            "eval_count": 3,
        },
    )
)
BEDROCK_STREAM = b"".join(
    (
        aws("messageStart", {"role": "assistant"}),
        aws("contentBlockDelta", {"delta": {"reasoningContent": {"text": "Hm."}}, "contentBlockIndex": 0}),
        aws("contentBlockDelta", {"delta": {"text": "A "}, "contentBlockIndex": 1}),
        aws("contentBlockDelta", {"delta": {"text": "summary."}, "contentBlockIndex": 1}),
        aws("messageStop", {"stopReason": "max_tokens"}),
        aws("metadata", {"usage": {"inputTokens": 12, "outputTokens": 3, "totalTokens": 15}}),
    )
)
INNER = [json.loads(line[6:]) for line in ANTHROPIC_STREAM.splitlines() if line.startswith(b"data: ")]
INVOKE_STREAM = b"".join(aws("chunk", {"bytes": b64encode(json.dumps(e).encode()).decode()}) for e in INNER)
RESPONSES_STREAM = sse(
    {"type": "response.reasoning_summary_text.delta", "delta": "Hm."},
    {"type": "response.output_text.delta", "delta": "A "},
    {"type": "response.output_text.delta", "delta": "summary."},
    {
        "type": "response.incomplete",
        "response": {
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "usage": {"input_tokens": 12, "output_tokens": 3},
        },
    },
    done=False,
)
COHERE_STREAM = sse(
    {"type": "content-delta", "delta": {"message": {"content": {"thinking": "Hm."}}}},
    {"type": "content-delta", "delta": {"message": {"content": {"text": "A "}}}},
    {"type": "content-delta", "delta": {"message": {"content": {"text": "summary."}}}},
    {
        "type": "message-end",
        "delta": {
            "finish_reason": "MAX_TOKENS",
            "usage": {"tokens": {"input_tokens": 12, "output_tokens": 3}},
        },
    },
    done=False,
)
AWS_TYPE = "application/vnd.amazon.eventstream"
FORMATS = [
    ("text/event-stream", OPENAI_STREAM, "length", 3, 0),
    ("text/event-stream", OPENAI_STREAM.replace(b"\n", b"\r\n"), "length", 3, 0),
    ("text/event-stream", ANTHROPIC_STREAM, "max_tokens", 3, 0),
    ("text/event-stream", GEMINI_STREAM, "MAX_TOKENS", 43, 40),
    ("application/x-ndjson", OLLAMA_STREAM, "length", 3, 0),
    (AWS_TYPE, BEDROCK_STREAM, "max_tokens", 3, 0),
    (AWS_TYPE, INVOKE_STREAM, "max_tokens", 3, 0),
    ("text/event-stream", RESPONSES_STREAM, "max_output_tokens", 3, 0),
    ("text/event-stream", COHERE_STREAM, "MAX_TOKENS", 3, 0),
]


def read(content: bytes, kind: str = "text/event-stream", step: int = 0) -> Reading:
    reading = Reading(kind)
    for start in range(0, len(content), step or max(1, len(content))):
        reading.feed(content[start : start + (step or len(content))])
    reading.close()
    return reading


@pytest.mark.parametrize("step", [0, 1, 7])
@pytest.mark.parametrize(("kind", "content", "reason", "written", "hidden"), FORMATS)
def test_each_format_gives_text_reasoning_native_reason_and_usage(
    kind: str, content: bytes, reason: str, written: int, hidden: int, step: int
) -> None:
    """However the bytes are cut into pieces on the way."""
    expected = Reply("A summary.", reason, 12, written, hidden, reasoning_text="Hm.", streamed=True)
    assert read(content, kind, step).reply() == expected


@pytest.mark.parametrize(("kind", "content", "reason", "written", "hidden"), FORMATS)
def test_no_stream_that_is_cut_anywhere_passes_for_complete(
    kind: str, content: bytes, reason: str, written: int, hidden: int
) -> None:
    for end in range(0, len(content), 5):
        reply = read(content[:end], kind).reply()
        assert reply.finish_reason in (None, reason)
        assert "A summary.".startswith(reply.text)
        assert reply.text == "A summary." or reply.finish_reason is None
        assert reply.finish_reason or reply.output_tokens is None


@pytest.mark.parametrize(
    ("content", "text", "reason", "written"),
    [
        (sse(chunk(content="A")), "A", None, None),
        (sse(chunk(content="A"), chunk("stop")), "A", "stop", None),
        (
            sse(chunk(content="A"), {"choices": [{"delta": {}, "finish_reason": "stop", "usage": USAGE}]}),
            "A",
            "stop",
            3,
        ),
        (sse(chunk(content="A", finish_reason=""), chunk("abort")), "A", "abort", None),
        (sse({"choices": [{"text": "A", "finish_reason": "length"}]}), "A", "length", None),
        (sse(chunk(refusal="No."), chunk("stop")), "", "refusal", None),
        (sse(chunk(content="é")).replace(b"\\u00e9", "é".encode()), "é", None, None),
        (json.dumps(OPENAI, indent=1).encode(), "A summary.", "stop", 3),
    ],
)
def test_odd_streams_are_read_as_they_were_sent(
    content: bytes, text: str, reason: str | None, written: int | None
) -> None:
    reply = read(content, step=3).reply()
    assert (reply.text, reply.finish_reason, reply.output_tokens) == (text, reason, written)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (sse(chunk(content="A"), {"error": {"message": "no"}}), "text/event-stream"),
        (b'event: error\ndata: {"message": "no"}\n\n', "text/event-stream"),
        (b"event: error\ndata: no\n\n", "text/event-stream"),
        (sse({"type": "error", "error": {"type": "overloaded_error", "message": "no"}}), "text/event-stream"),
        (sse({"type": "response.failed", "response": {"error": {"message": "no"}}}), "text/event-stream"),
        (b'{"error": "no"}\n', "application/x-ndjson"),
        (aws("throttlingException", {"message": "no"}, ":exception-type"), AWS_TYPE),
    ],
)
def test_errors_in_mid_stream_are_errors(content: bytes, kind: str) -> None:
    assert "no" in json.dumps(read(content, kind).error)


@given(st.binary(max_size=200), st.sampled_from(["text/event-stream", AWS_TYPE, "application/json", ""]))
def test_whatever_bytes_come_nothing_is_raised(content: bytes, kind: str) -> None:
    reading = read(content, kind)
    assert isinstance(reading.reply(), Reply)


# ---- through litellm ----


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    load_litellm()
    for name in ("OPENAI", "ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", KEY)
    monkeypatch.setenv("AWS_REGION_NAME", "us-east-1")


@pytest.fixture
def by_httpx(monkeypatch: pytest.MonkeyPatch) -> None:
    """respx sees only what goes through httpx's own transport."""
    import litellm
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    monkeypatch.setattr(litellm, "disable_aiohttp_transport", True)
    litellm.in_memory_llm_clients_cache.flush_cache()
    # Some routes stream through a client of the module's own, which an earlier test may have made.
    monkeypatch.setattr(litellm, "module_level_aclient", AsyncHTTPHandler(timeout=60))


@pytest.mark.usefixtures("by_httpx")
@pytest.mark.parametrize(
    ("name", "path", "row"),
    [
        ("openai/gpt-4o", "/v1/chat/completions", 0),
        ("anthropic/claude-sonnet-4-5", "/v1/messages", 2),
        ("gemini/gemini-2.5-flash", ":streamGenerateContent", 3),
        ("ollama_chat/llama3", "/api/chat", 4),
        ("bedrock/anthropic.claude-3-haiku-20240307-v1:0", "/converse-stream", 5),
    ],
)
def test_each_route_streams_through_litellm(
    name: str, path: str, row: int, respx_mock: respx.MockRouter
) -> None:
    kind, content, reason, written, hidden = FORMATS[row]
    respx_mock.post(url__regex=rf"^https://models\.example\S*{path}").mock(
        return_value=httpx.Response(200, content=content, headers={"content-type": kind})
    )
    call = replace(a_call(model(name, "https://models.example")), stream=True)
    if name.startswith("bedrock"):
        extra = {"aws_bedrock_runtime_endpoint": "https://models.example"}
        call = replace(call, model=Model(name, extra=extra))
    grown: list[int] = []
    result = asyncio.run(LitellmTransport().follow(call, grown.append))
    expected = Reply("A summary.", reason, 12, written, hidden, reasoning_text="Hm.", streamed=True)
    assert result == expected
    assert grown[-1] == len("Hm.A summary.")


def streamed(answers: Any, **fields: Any) -> tuple[Reply | Failure, int]:
    with Server(answers) as server:
        call = replace(a_call(model("openai/gpt-4o", server.root)), stream=True, **fields)
        result = asyncio.run(LitellmTransport().send(call))
        return result, len(server.paths)


def stalling(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.end_headers()
    handler.wfile.write(sse(chunk(content="A "), done=False))
    handler.wfile.flush()
    time.sleep(1.5)


def breaking(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(sse(chunk(content="A "), done=False))
    handler.wfile.flush()
    handler.close_connection = True


@pytest.mark.parametrize(
    ("answers", "kind", "fields"),
    [
        (stalling, "Timeout", {"silence": 0.3}),
        (stalling, "Timeout", {"timeout": 0.5}),
        (breaking, "APIConnectionError", {}),
    ],
)
def test_the_text_of_a_stream_that_breaks_off_is_kept(
    answers: Any, kind: str, fields: dict[str, Any]
) -> None:
    result, requests = streamed(answers, **fields)
    assert isinstance(result, Failure)
    assert (result.text, result.kind, requests) == ("A ", kind, 1)


def test_an_error_in_mid_stream_keeps_the_text_before_it() -> None:
    content = sse(chunk(content="A "), {"error": {"message": "Overloaded", "code": 529}})
    result, _ = streamed(saying(content, 200, EVENTS))
    assert isinstance(result, Failure)
    assert (result.text, result.status) == ("A ", 529)
    assert "Overloaded" in result.message


def test_a_plain_answer_to_a_streamed_call_is_taken() -> None:
    result, requests = streamed(saying(OPENAI))
    assert result == Reply("A summary.", "stop", 12, 3)
    assert requests == 1


def picky(refused: str) -> tuple[Any, list[bytes]]:
    """An endpoint that refuses whatever holds a word, and what it was sent."""
    seen: list[bytes] = []

    def answer(handler: Any) -> None:
        body = handler.body
        seen.append(body)
        if refused.encode() in body:
            saying({"error": {"message": f"Unknown parameter: {refused}", "param": refused}}, 400)(handler)
        elif b'"stream":true' in body.replace(b" ", b""):
            saying(OPENAI_STREAM, 200, EVENTS)(handler)
        else:
            saying(OPENAI)(handler)

    return answer, seen


@pytest.mark.parametrize(("refused", "streams"), [("stream_options", True), ('"stream"', False)])
def test_what_an_endpoint_refuses_is_not_asked_twice(refused: str, streams: bool) -> None:
    answer, seen = picky(refused)
    with Server(answer) as server:
        client = Client()
        call: Call = replace(a_call(model("openai/gpt-4o", server.root)), stream=True)
        answers = [asyncio.run(client.send(call)) for _ in range(2)]
    assert [each.requests for each in answers] == [2, 1]
    assert len(seen) == 3
    assert (b'"stream": true' in seen[-1] or b'"stream":true' in seen[-1]) is streams
