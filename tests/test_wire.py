"""What a provider sends is read as it was sent: text, native finish reason, its own tokens, its errors."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import respx
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer_providers.classify import classify
from summarizer_providers.transports import wire
from summarizer_providers.types import Failure, Model, Reply
from tests.loopback import (
    KEY,
    OPENAI,
    Server,
    a_call,
    failed,
    load_litellm,
    model,
    replied,
    saying,
    send,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    load_litellm()
    for name in ("OPENAI", "ANTHROPIC", "GEMINI", "ZAI", "NVIDIA_NIM", "HOSTED_VLLM"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)


@pytest.fixture
def by_httpx(monkeypatch: pytest.MonkeyPatch) -> None:
    """respx sees only what goes through httpx's own transport."""
    import litellm

    monkeypatch.setattr(litellm, "disable_aiohttp_transport", True)
    litellm.in_memory_llm_clients_cache.flush_cache()


# ---- what comes back ----

ANTHROPIC = {
    "id": "msg",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "A summary."}],
    "stop_reason": "max_tokens",
    "usage": {"input_tokens": 12, "output_tokens": 3, "cache_read_input_tokens": 100},
}
GEMINI = {
    "candidates": [
        {"finishReason": "MAX_TOKENS", "content": {"parts": [{"text": "A summary."}], "role": "model"}}
    ],
    "usageMetadata": {
        "promptTokenCount": 12,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 40,
        "totalTokenCount": 55,
    },
}
OLLAMA = {
    "model": "llama3",
    "created_at": "2026-01-01T00:00:00Z",
    "message": {"role": "assistant", "content": "A summary."},
    "done": True,
    "done_reason": "length",
    "prompt_eval_count": 12,
    "eval_count": 3,
}
THINKING = {
    **OPENAI,
    "usage": {
        "prompt_tokens": 12,
        "completion_tokens": 43,
        "total_tokens": 55,
        "completion_tokens_details": {"reasoning_tokens": 40},
    },
}


@pytest.mark.parametrize(
    ("name", "path", "body", "expected"),
    [
        ("openai/gpt-4o", "/v1/chat/completions", OPENAI, ("stop", 12, 3, 0)),
        ("openai/o3", "/v1/chat/completions", THINKING, ("stop", 12, 43, 40)),
        ("anthropic/claude-sonnet-4-5", "/v1/messages", ANTHROPIC, ("max_tokens", 112, 3, 0)),
        ("gemini/gemini-2.5-flash", ":generateContent", GEMINI, ("MAX_TOKENS", 12, 43, 40)),
        ("ollama_chat/llama3", "/api/chat", OLLAMA, ("length", 12, 3, 0)),
    ],
)
def test_each_wire_format_gives_text_native_reason_and_the_providers_tokens(
    name: str,
    path: str,
    body: object,
    expected: tuple[str, int, int, int],
    respx_mock: respx.MockRouter,
    by_httpx: None,
) -> None:
    sent = respx_mock.post(url__regex=rf"^https://models\.example\S*{path}").mock(
        return_value=httpx.Response(200, json=body)
    )
    result = send(model(name, "https://models.example"))
    assert isinstance(result, Reply), result
    assert result.text == "A summary."
    got = (result.finish_reason, result.input_tokens, result.output_tokens, result.reasoning_tokens)
    assert got == expected
    request = sent.calls.last.request
    assert b"A long text." in request.content
    assert b"500" in request.content
    assert b"max_retries" not in request.content


@pytest.mark.parametrize(
    ("name", "body", "missing"),
    [
        ("openai/gpt-4o", OPENAI, ["usage"]),
        ("anthropic/claude-sonnet-4-5", ANTHROPIC | {"usage": {}}, []),
        ("gemini/gemini-2.5-flash", GEMINI, ["usageMetadata"]),
        ("ollama_chat/llama3", OLLAMA, ["prompt_eval_count", "eval_count"]),
        ("hosted_vllm/m", OPENAI | {"usage": None}, []),
    ],
)
def test_usage_that_the_provider_did_not_send_is_unknown(
    name: str, body: dict[str, Any], missing: list[str]
) -> None:
    """litellm counts for itself there and says nothing of it; such numbers must teach nothing."""
    with Server(saying({key: value for key, value in body.items() if key not in missing})) as server:
        result = send(model(name, server.root))
    if isinstance(result, Reply):
        assert (result.input_tokens, result.output_tokens, result.reasoning_tokens) == (None, None, 0)
    else:
        assert result.status == 502  # a litellm that cannot do without


def test_half_of_the_usage_is_kept_as_half() -> None:
    reply = replied({k: v for k, v in OLLAMA.items() if k != "prompt_eval_count"}, "ollama_chat/llama3")
    assert (reply.input_tokens, reply.output_tokens) == (None, 3)


def with_message(reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return OPENAI | {"choices": [choice]}


PARTS = [{"type": "text", "text": "A "}, {"type": "text", "text": "summary."}]


@pytest.mark.parametrize(
    ("body", "text", "reason"),
    [
        (with_message(content=None), "", "stop"),
        (with_message(content=PARTS), "A summary.", "stop"),
        (with_message(content="cut", reason="MAX_TOKENS"), "cut", "MAX_TOKENS"),
        (
            with_message(content="x", reason="model_context_window_exceeded"),
            "x",
            "model_context_window_exceeded",
        ),
        (with_message(content="x", reason=None), "x", None),
        (with_message(content=None, refusal="I cannot help with that."), "", "refusal"),
        (with_message(content=None, reasoning_content="Let me think."), "", "stop"),
    ],
)
def test_odd_answers_are_read_as_they_were_sent(body: object, text: str, reason: str | None) -> None:
    reply = replied(body)
    assert (reply.text, reply.finish_reason) == (text, reason)


# ---- what goes wrong ----

OVERFLOW = {
    "message": "This model's maximum context length is 8192 tokens.",
    "code": "context_length_exceeded",
}


@pytest.mark.parametrize(
    ("answers", "status", "code", "words"),
    [
        (saying({"error": {"message": "Slow down", "code": 429}}), 429, None, "Slow down"),
        (saying({"error": OVERFLOW | {"code": 400}}), 400, None, "8192"),
        (saying({"error": "no luck"}), 502, None, "no luck"),
        (
            saying(OPENAI | {"choices": [{"error": {"code": 502, "message": "upstream"}}]}),
            502,
            None,
            "upstream",
        ),
        (saying({"error": OVERFLOW}, 400), 400, "context_length_exceeded", "8192"),
        (saying({"error": {"message": "m", "type": "overloaded_error"}}, 529), 529, "overloaded_error", "m"),
        (
            saying({"error": {"code": 503, "status": "UNAVAILABLE", "message": "m"}}, 503),
            503,
            "UNAVAILABLE",
            "m",
        ),
        (
            saying({"detail": [{"loc": ["body"], "msg": "Field required", "input": "ours"}]}, 422),
            422,
            None,
            "Field",
        ),
        (saying(b"<html><title>502 Bad Gateway</title></html>", 502), 502, None, "502 Bad Gateway"),
        (saying(b"", 500), 500, None, "HTTP 500"),
        (saying(b""), 502, None, "empty"),
        (saying(b"<html>Maintenance</html>"), 502, None, "Maintenance"),
        (saying(b"[1, 2]"), 502, None, "[1, 2]"),
        (saying(b"\xff\xfe\x00garbage"), 502, None, "garbage"),
        (saying({}), 502, None, "{}"),
        (saying(OPENAI | {"choices": []}), 502, None, "no text"),
        (saying(OPENAI | {"choices": None}), 502, None, "no text"),
        (saying(b"[" * 100_000), 502, None, "["),
        (saying(b'data: {"choices": []}\n\n', 200, {"content-type": "text/event-stream"}), 502, None, "data"),
    ],
)
@pytest.mark.parametrize("name", ["openai/gpt-4o", "hosted_vllm/m"])
def test_every_error_keeps_its_status_its_code_and_the_providers_words(
    name: str, answers: Callable[[Any], None], status: int, code: str | None, words: str
) -> None:
    failure = failed(answers, name)
    assert (failure.status, failure.code) == (status, code)
    assert words in failure.message
    assert "ours" not in failure.message
    assert "\n" not in failure.message
    assert len(failure.message) <= 500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "choices", "message", "content", "usage", "code", "metadata", "raw"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from([200, 204, 400, 429, 500]), st.binary(max_size=20) | st.none())
def test_no_body_whatever_it_holds_raises(body: Any, status: int, raw: bytes | None) -> None:
    content = json.dumps(body).encode() if raw is None else raw
    received = wire.Received("http://x", status, {}, content)
    found = (
        wire.failure(received),
        wire.unexplained(received, ValueError("x")),
        wire.reply(received, SimpleNamespace(choices=None)),
    )
    call = a_call(Model("openai/m"))
    for result in found:
        if result is not None:
            classify(call, result)
    if status >= 400:
        assert isinstance(found[0], Failure)
        assert found[0].status == status


def because(error: Exception, cause: Exception) -> Exception:
    """A library's error with the system's own behind it, one library further down."""
    between = OSError("all connection attempts failed")
    between.__cause__ = cause
    error.__cause__ = between
    return error


def tls(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, f"[SSL: {reason}] no (_ssl.c:1006)")
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (
            because(httpx.ConnectError("x"), ConnectionRefusedError(111, "no")),
            "ConnectionRefused",
            "it is refused",
        ),
        (because(httpx.ConnectError("x"), socket.gaierror(-2, "not known")), "ConnectError", "not known"),
        (because(httpx.ConnectError("x"), OSError(101, "unreachable")), "ConnectError", "no connection"),
        (because(httpx.ConnectError("x"), ConnectionResetError(104, "x")), "APIConnectionError", "broke"),
        (because(httpx.ConnectError("x"), tls("WRONG_VERSION_NUMBER")), "InvalidAddress", "cannot ask"),
        (because(httpx.ProtocolError("x"), tls("WRONG_VERSION_NUMBER")), "InvalidAddress", "cannot ask"),
        (because(httpx.ConnectError("x"), tls("CERTIFICATE_VERIFY_FAILED")), "InvalidAddress", "cannot ask"),
        (because(httpx.ReadError("x"), tls("UNEXPECTED_EOF_WHILE_READING")), "APIConnectionError", "broke"),
        (httpx.ReadError("Server disconnected"), "APIConnectionError", "Server disconnected"),
        (httpx.ConnectTimeout("x"), "Timeout", "did not answer in time"),
        (httpx.UnsupportedProtocol("no scheme"), "InvalidAddress", "no scheme"),
        (
            httpx.ConnectError("Cannot connect to host h:1 ssl:<ssl.SSLContext object at 0x7f> [why]"),
            "ConnectError",
            "Cannot connect to host h:1 [why]",
        ),
    ],
)
def test_what_kept_an_answer_away_is_named_by_its_cause(error: Exception, kind: str, words: str) -> None:
    """And the address without the name and password that it may hold."""
    failure = wire.failure(wire.Received("https://me:secret@h.example/v1", error=error))
    assert failure is not None
    assert failure.kind == kind
    assert words in failure.message
    assert "h.example" in failure.message or "host h:1" in failure.message
    assert "secret" not in failure.message
