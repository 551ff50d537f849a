"""``summarizer serve`` as its clients see it: the official package, and plain HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from summarizer import Summarizer
from summarizer.server.asked import Defaults
from summarizer.server.service import Limits
from tests.serving import TOKENS, Served
from tests.shell import facts, messages, session

ASKED = {"role": "user", "content": "Summarize the conversation above."}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("server")
    with Served(settings=[("data_dir", folder)]) as found:
        yield found


def error(served: Served, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    reply = served.client.post("/v1/chat/completions", content=data, headers=headers)
    found = reply.json()["error"]
    assert set(found) == {"message", "type", "param", "code"}
    return reply.status_code, found


# Answers ---------------------------------------------------------------------------------------------------


def test_the_official_client_gets_a_whole_answer(served: Served) -> None:
    """Text within ``max_tokens``, why it ended, usage, and what was measured beside it."""
    reply = served.openai.chat.completions.create(
        model="summarizer",
        messages=messages(),  # type: ignore[arg-type]
        max_tokens=TOKENS,
    )
    choice, usage = reply.choices[0], reply.usage
    assert (reply.object, reply.model, choice.finish_reason) == ("chat.completion", "summarizer", "stop")
    assert facts(choice.message.content or "") == list(range(30))
    assert usage is not None
    assert 0 < usage.completion_tokens <= TOKENS < usage.prompt_tokens
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    measured = (reply.model_extra or {})["summarizer"]
    assert measured["coverage"] == {"covered": 30, "missing": 0, "total": 30}
    assert measured["usage"]["calls"] > 0


def test_the_asynchronous_client_as_well(served: Served) -> None:
    """``AsyncOpenAI``, with the newer name of the limit."""

    async def asked() -> Any:
        async with openai.AsyncOpenAI(base_url=f"{served.root}/v1", api_key="x") as client:
            return await client.chat.completions.create(
                model="any",
                messages=messages(),  # type: ignore[arg-type]
                max_completion_tokens=TOKENS,
            )

    reply = asyncio.run(asked())
    assert facts(reply.choices[0].message.content) == list(range(30))


def test_one_long_prompt_is_material_with_instructions(served: Served) -> None:
    """The turns in it are the records."""
    turns = "\n\n".join(f"[USER]: {text}" for text in session())
    prompt = f"Summarize the conversation.\n\nTURNS:\n{turns}\n\nWrite only the summary, target ~800 tokens."
    reply = served.client.post(
        "/v1/chat/completions", json={"messages": [{"role": "user", "content": prompt}]}
    ).json()
    assert reply["summarizer"]["coverage"]["total"] == 30
    assert reply["summarizer"]["budget"] == 800
    assert facts(reply["choices"][0]["message"]["content"]) == list(range(30))


@pytest.mark.parametrize(
    "odd",
    [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "FACT-200000: it"}]},
        {"role": "user", "name": "ann", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]},
        {"role": "developer", "content": "", "refusal": None},
        {"role": "user", "content": "half an emoji: \ud83d"},
    ],
)
def test_messages_of_every_shape(served: Served, odd: dict[str, Any]) -> None:
    """Null, parts, tools, names, broken text: each is one record."""
    reply = served.chat([*messages(), odd])
    assert reply.status_code == 200
    assert reply.json()["summarizer"]["coverage"]["total"] == 31


def test_fields_that_say_how_to_sample_are_accepted(served: Served) -> None:
    """As clients send them by habit."""
    more = {"temperature": 0, "top_p": 1, "seed": 7, "tools": [], "tool_choice": "auto", "user": "u", "n": 1}
    more |= {"response_format": {"type": "text"}, "stream": False, "logit_bias": None, "extra": {"a": 1}}
    assert served.chat(messages(), **more).status_code == 200


def test_where_nobody_says_a_length(served: Served) -> None:
    """A tenth of what was read, and no less than a thousand tokens."""
    reply = served.client.post("/v1/chat/completions", json={"messages": messages(300)}).json()
    assert reply["summarizer"]["budget"] == max(1_000, reply["usage"]["prompt_tokens"] // 10)


@pytest.mark.parametrize(
    ("defaults", "read", "budget"),
    [
        (Defaults(), 100, 1_000),
        (Defaults(), 300_000, 30_000),
        (Defaults(), 2_000_000, 50_000),
        (Defaults(700), 2_000_000, 700),
    ],
)
def test_default_lengths(defaults: Defaults, read: int, budget: int) -> None:
    """By the size of the input, unless the server was told one."""
    assert defaults.budget(read) == budget


def test_many_requests_at_once(served: Served) -> None:
    """They share one summarizer, and each gets its own answer."""
    texts = [[{"role": "user", "content": text} for text in session(20, i * 20)] for i in range(12)]
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda each: served.chat(each).json(), texts))
    for i, reply in enumerate(replies):
        assert facts(reply["choices"][0]["message"]["content"]) == list(range(i * 20, i * 20 + 20))


# Models ----------------------------------------------------------------------------------------------------


def test_models_are_listed_with_what_the_gateway_takes(served: Served) -> None:
    """The ladder's name, and each model's; agents ask how much they may send."""
    found = served.client.get("/v1/models").json()
    assert [each["id"] for each in found["data"]] == ["summarizer", "scripted/seed=1"]
    assert {each["context_length"] for each in found["data"]} == {2_000_000}
    assert [each.id for each in served.openai.models.list()] == ["summarizer", "scripted/seed=1"]
    assert served.openai.models.retrieve("scripted/seed=1").owned_by == "scripted"
    with pytest.raises(openai.NotFoundError, match="there are summarizer, scripted/seed=1"):
        served.openai.models.retrieve("gpt-4o")


@pytest.mark.parametrize(
    ("name", "writers"),
    [
        ("summarizer", {"scripted/empty_rate=1", "offline/extractive"}),
        ("gpt-4o", {"scripted/empty_rate=1", "offline/extractive"}),
        ("offline/extractive", {"offline/extractive"}),
        ("summarizer/offline/extractive", {"offline/extractive"}),
    ],
)
def test_a_name_chooses_a_model(name: str, writers: set[str]) -> None:
    """One of the ladder's is that model alone; any other name is the whole ladder."""
    with Served("scripted/empty_rate=1", "offline/extractive") as served:
        reply = served.chat(messages(), model=name).json()
    assert reply["model"] == name
    assert set(reply["summarizer"]["usage"]["by_model"]) == writers


# Partial ---------------------------------------------------------------------------------------------------


def test_a_partial_answer_says_so() -> None:
    """``length``, with what was covered, and why the rest is missing."""
    with Served("scripted/outage=3-") as served:
        reply = served.chat(messages(60), max_tokens=2_000, patience=4).json()
    choice, measured = reply["choices"][0], reply["summarizer"]
    assert choice["finish_reason"] == "length"
    assert 0 < measured["coverage"]["covered"] < 60
    assert facts(choice["message"]["content"])
    assert (measured["status"], measured["reason"]) == ("partial", "deadline")
    assert measured["gaps"]


@pytest.mark.parametrize(
    ("model", "status", "code"),
    [
        ("scripted/outage=1-", 503, "deadline"),
        ("scripted/rate_limit_rate=1,retry_after=3600", 429, "rate_limit_exceeded"),
        ("scripted/poison=river", 400, "content_filter"),
    ],
)
def test_no_text_at_all_is_an_error(model: str, status: int, code: str) -> None:
    """An empty answer would pass for a summary, and what it stands for would be lost."""
    limits = [("max_calls", 12)] if "limit" in model else []
    with Served(model, settings=limits) as served:
        reply = served.chat(messages(), patience=None if "poison" in model else 3)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert "nothing could be summarized" in reply.json()["error"]["message"]


# Mistakes --------------------------------------------------------------------------------------------------

HI = [{"role": "user", "content": "hello"}]


@pytest.mark.parametrize(
    ("body", "param", "message"),
    [
        (b"{", None, "expected JSON"),
        (b"[" * 100_000, None, "nested too deeply"),
        (b"[]", None, "expected a JSON object"),
        (b"\xff\xfe\x00", None, "expected JSON"),
        ({}, "messages", "messages: expected a list of at least one message, got nothing"),
        ({"messages": []}, "messages", "got an empty list"),
        ({"messages": "hello"}, "messages", "got a string"),
        ({"messages": ["hello"]}, "messages[0]", "messages[0]: expected an object, got a string"),
        ({"messages": [*HI, {"content": "x"}]}, "messages[1].role", "expected a string, got nothing"),
        (
            {"messages": [{"role": "user", "content": 5}]},
            "messages[0].content",
            "a list of parts or null, got 5",
        ),
        ({"messages": [{"role": "user", "content": " \n"}]}, "messages", "all of it is blank"),
        (
            {"messages": HI, "max_tokens": 5},
            "max_tokens",
            "expected a whole number from 16 to 10,000,000, got 5",
        ),
        ({"messages": HI, "max_tokens": True}, "max_tokens", "got true"),
        ({"messages": HI, "max_tokens": "90"}, "max_tokens", "got a string"),
        ({"messages": HI, "max_completion_tokens": 1.5}, "max_completion_tokens", "got 1.5"),
        ({"messages": HI, "n": 2}, "n", "n: expected 1"),
        ({"messages": HI, "stream": "yes"}, "stream", "expected true or false"),
        ({"messages": HI, "stream_options": 1}, "stream_options", "expected an object"),
        ({"messages": HI, "stream_options": {"include_usage": 1}}, "stream_options.include_usage", "true or"),
        ({"messages": HI, "response_format": {"type": "json_object"}}, "response_format.type", "as text"),
        ({"messages": HI, "tool_choice": "required"}, "tool_choice", "calls no tools"),
        ({"messages": HI, "model": 7}, "model", "model: expected the name of a model, got 7"),
    ],
)
def test_a_mistake_names_its_field(served: Served, body: object, param: str | None, message: str) -> None:
    """In OpenAI's form, with what was expected, and never with what a message says."""
    status, found = error(served, body)
    assert (status, found["type"], found["param"]) == (400, "invalid_request_error", param)
    assert message in found["message"]


def test_the_official_client_raises_its_own_errors(served: Served) -> None:
    """So that programs handle them as they always do."""
    with pytest.raises(openai.BadRequestError) as caught:
        served.openai.chat.completions.create(model="m", messages=[], max_tokens=100)
    assert caught.value.param == "messages"


@pytest.mark.parametrize("stated", [True, False])
def test_a_body_that_is_too_large(stated: bool) -> None:
    """Is refused, whether its length was said or not."""

    def parts() -> Iterator[bytes]:
        yield from [b"x" * 1_000] * 20

    with Served(limits=Limits(most_bytes=10_000)) as served:
        content = b"x" * 20_000 if stated else parts()
        reply = served.client.post("/v1/chat/completions", content=content)
    assert reply.status_code == 413
    assert "at most 10,000 bytes" in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/chat/completions", 405),
        ("POST", "/v1/completions", 404),
        ("GET", "/docs", 404),
    ],
)
def test_other_routes(served: Served, method: str, path: str, status: int) -> None:
    """Say which there are."""
    reply = served.client.request(method, path)
    assert reply.status_code == status
    assert "POST /v1/chat/completions" in reply.json()["error"]["message"]


# Strangers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:1"}, 200),
        ({"host": "[::1]:80"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": ""}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_pages_of_other_sites_are_kept_out(served: Served, headers: dict[str, str], status: int) -> None:
    """Neither a name that was made to point here, nor a form on some page, reaches the models."""
    reply = served.client.get("/healthz", headers=headers)
    assert reply.status_code == status
    assert "access-control-allow-origin" not in reply.headers
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_the_log_has_no_contents_and_no_keys(caplog: pytest.LogCaptureFixture) -> None:
    """Only which route, how it went, how much, how long."""
    with caplog.at_level(logging.DEBUG), Served() as served:
        served.client.post(
            "/v1/chat/completions?key=sk-secret-1",
            json={"messages": messages()},
            headers={"authorization": "Bearer sk-secret-2"},
        )
        served.client.get("/v1/sk-secret-3")
    mine = [record.getMessage() for record in caplog.records if record.name.startswith("summarizer")]
    assert any("POST /v1/chat/completions: 200" in line for line in mine)
    assert any("complete: 30 of 30 records" in line for line in mine)
    assert not any("sk-secret" in line or "barge" in line for line in mine)


def test_a_fault_of_the_server_is_told_without_contents(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A 500 in OpenAI's form, and a line that says where."""

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the river ran over")

    monkeypatch.setattr(Summarizer, "asummarize", broken)
    with caplog.at_level(logging.INFO, "summarizer.server"), Served() as served:
        reply = served.chat(messages())
        streamed = served.chat(messages(), stream=True)
    assert reply.status_code == streamed.status_code == 500
    assert reply.json()["error"]["code"] == "internal_error"
    assert "RuntimeError in tests.test_server" in caplog.text
    assert "river" not in caplog.text + reply.text


def test_health(served: Served) -> None:
    """For whoever starts it."""
    assert served.client.get("/healthz").json() == {"status": "ok"}


def test_what_it_speaks_is_described(served: Served) -> None:
    """OpenAPI, with the request's fields."""
    schema = served.client.get("/openapi.json").json()
    body = schema["paths"]["/v1/chat/completions"]["post"]["requestBody"]
    assert "max_tokens" in body["content"]["application/json"]["schema"]["properties"]


# Time ------------------------------------------------------------------------------------------------------


def test_a_client_gets_what_is_there_before_it_gives_up() -> None:
    """The official package says how long it waits; a partial answer in time is better than none."""
    with Served("scripted/latency=0.05,outage=4-") as served:
        reply = served.openai.chat.completions.create(
            model="summarizer",
            messages=messages(60),  # type: ignore[arg-type]
            max_tokens=2_000,
            timeout=4,
        )
    assert reply.choices[0].finish_reason == "length"
    assert facts(reply.choices[0].message.content or "")


def test_a_rest_beyond_the_deadline_ends_the_run() -> None:
    """Instead of waiting, the answer says when the next try makes sense."""
    with Served("scripted/rate_limit_rate=1,retry_after=3600") as served:
        reply = served.chat(messages())
    assert reply.status_code == 429
    assert 3_000 < int(reply.headers["retry-after"]) <= 3_600
    assert reply.headers["x-should-retry"] == "false"
    assert "the next try makes sense at" in reply.json()["error"]["message"]
