"""Calls through litellm: one request each, quietly, and everything that goes wrong is said in one line."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from summarizer_providers.classify import classify
from summarizer_providers.outcome import BlockCause, Blocked, Completed, Transient
from summarizer_providers.transports import transport_for
from summarizer_providers.transports.litellm import LitellmTransport
from summarizer_providers.types import Failure, Model, Reply
from tests.loopback import (
    KEY,
    OPENAI,
    ROUTES,
    Server,
    a_call,
    breaking_off,
    closing,
    failed,
    load_litellm,
    model,
    resetting,
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


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize(
    ("answers", "status", "kind"),
    [
        (saying({"error": {"message": "m"}}, 500), 500, "HTTP 500"),
        (saying({"error": {"message": "m"}}, 429, {"retry-after": "1"}), 429, "HTTP 429"),
        (
            saying({"error": {"message": "Conversation roles must alternate user/assistant"}}, 400),
            400,
            "HTTP 400",
        ),
        (resetting, None, "APIConnectionError"),
        (closing, None, "APIConnectionError"),
        (breaking_off, None, "APIConnectionError"),
    ],
)
def test_one_send_is_one_request_whatever_goes_wrong(
    name: str, answers: Callable[[Any], None], status: int | None, kind: str
) -> None:
    failure = failed(answers, name)  # counts the requests
    assert (failure.status, failure.kind) == (status, kind)


@pytest.mark.parametrize("name", ROUTES)
def test_an_endpoint_that_is_too_slow_is_a_timeout(name: str) -> None:
    failure = failed(saying(delay=1.0), name, timeout=0.2)
    assert (failure.status, failure.kind) == (408, "Timeout")
    assert "did not answer in time" in failure.message


@pytest.mark.parametrize("name", ROUTES)
def test_an_address_where_nobody_listens_is_said_so(name: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: refused
        root = f"http://127.0.0.1:{taken.getsockname()[1]}"
        call = a_call(model(name, root))
        result = asyncio.run(LitellmTransport().send(call))
    assert isinstance(result, Failure)
    assert (result.status, result.kind) == (None, "ConnectionRefused")
    assert result.message == f"no connection to {root}: it is refused"
    assert isinstance(classify(call, result), Transient)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "9", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_kept(header: dict[str, str], seconds: float | None) -> None:
    assert failed(saying({"error": {"message": "m"}}, 429, header)).retry_after == seconds


@pytest.mark.parametrize(
    ("name", "variable"),
    [("openai/gpt-4o", "OPENAI_API_KEY"), ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY")],
)
def test_a_missing_key_is_the_accounts_fault_and_names_the_key(
    name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable)
    call = a_call(Model(name))
    result = asyncio.run(LitellmTransport().send(call))
    outcome = classify(call, result)
    assert isinstance(outcome, Blocked), result
    assert outcome.cause is BlockCause.AUTHENTICATION
    assert "key" in outcome.detail.lower()


def test_no_other_key_is_sent_where_the_named_one_is_not_set() -> None:
    with Server(saying()) as server:
        call = a_call(model("openai/m", server.root, api_key_env="MY_VARIABLE"))
        outcome = classify(call, asyncio.run(LitellmTransport().send(call)))
    assert isinstance(outcome, Blocked)
    assert outcome.cause is BlockCause.AUTHENTICATION
    assert "MY_VARIABLE" in outcome.detail
    assert not server.paths


def test_an_unknown_model_and_a_wrong_address_are_said_so() -> None:
    body = {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}
    call = a_call(Model("openai/m"))
    unknown = classify(call, failed(saying(body, 404)))
    bad = classify(call, send(Model("openai/m", api_base="localhost:1/v1")))
    for outcome, words in ((unknown, "does not exist"), (bad, "cannot ask")):
        assert isinstance(outcome, Blocked)
        assert outcome.cause is BlockCause.AUTHENTICATION
        assert words in outcome.detail


# ---- keys, and what a program's output looks like ----


def quoting(handler: Any) -> None:
    seen = " ".join(map(str, handler.headers.values())) + handler.path
    saying({"error": {"message": f"Incorrect API key provided: {KEY}. You sent:\n{seen}"}}, 401)(handler)


@pytest.mark.parametrize("name", ROUTES)
def test_a_key_that_an_error_quotes_comes_out_nowhere(
    name: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    failure = failed(quoting, name)
    out, err = capfd.readouterr()
    assert failure.status == 401
    for text in (repr(failure), out, err, caplog.text):
        assert KEY not in text


def test_a_key_that_the_program_keeps_elsewhere_comes_out_in_no_answer() -> None:
    """Neither a model nor a server that echoes it puts it into a summary."""
    echo = json.loads(json.dumps(OPENAI).replace("A summary.", "I got Zq8vKpLw3XnTrB6yHd2m."))
    with Server(saying(echo)) as server:
        given = model("openai/m", server.root, extra={"extra_headers": {"x-api-key": "Zq8vKpLw3XnTrB6yHd2m"}})
        result = send(given)
    assert isinstance(result, Reply)
    assert result.text == "I got ***."


def test_keys_without_a_known_shape_come_out_nowhere(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_GATEWAY", "correct horse battery")
    body = {"error": {"message": "not: correct horse battery / tr0ub4dor&3"}}
    with Server(saying(body, 401)) as server:
        given = model("openai/m", server.root, api_key_env="MY_GATEWAY", extra={"my_password": "tr0ub4dor&3"})
        result = send(given)
    for secret in ("correct horse", "tr0ub4dor"):
        assert secret not in repr(result)
        assert secret not in caplog.text


PROGRAM = """
import asyncio, sys, threading
from summarizer_providers.transports.litellm import LitellmTransport
from summarizer_providers.types import *
roots, transport = sys.argv[1:], LitellmTransport()
names = ["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "ollama_chat/llama3", "nonsense"]
async def main():
    calls = [
        Call(i, Model(name, api_base=root), (Message("user", "x"),), Hints((), 9, 1), 50, 5)
        for i, name in enumerate(names) for root in roots for _ in range(3)
    ]
    results = await asyncio.gather(*map(transport.send, calls))
    assert {type(r).__name__ for r in results} == {"Reply", "Failure"}, results
for _ in range(3):
    asyncio.run(main())
worker = threading.Thread(target=lambda: asyncio.run(main()))
worker.start(); worker.join()
"""


def test_a_program_ends_without_a_word() -> None:
    """No advice on stdout, nothing unclosed at exit, no closed loop, in several loops and threads."""
    root = Path(__file__).resolve().parents[1]
    flags = ["-W", "error::ResourceWarning", "-W", "error::RuntimeWarning"]
    environ = os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{root / 'providers'}"}
    with Server(saying()) as good, Server(saying({"error": {"message": "m"}}, 500)) as bad:
        done = subprocess.run(
            [sys.executable, *flags, "-", good.root, bad.root],
            input=PROGRAM,
            capture_output=True,
            text=True,
            env=environ,
            timeout=120,
            check=False,
        )
    assert done.stderr == ""
    assert (done.returncode, done.stdout) == (0, "")


# ---- many at once, and what is not ours ----


def test_sixteen_calls_at_once_on_loops_one_after_the_other_are_all_answered() -> None:
    async def many(root: str) -> list[Reply | Failure]:
        transport = transport_for("litellm")
        calls = [a_call(model(ROUTES[i % 2 * 4], root)) for i in range(16)]
        return list(await asyncio.gather(*map(transport.send, calls)))

    with Server(saying(delay=0.02)) as server:
        for _ in range(4):
            assert {type(result) for result in asyncio.run(many(server.root))} == {Reply}
        with ThreadPoolExecutor(3) as threads:
            runs = [threads.submit(lambda: asyncio.run(many(server.root))) for _ in range(3)]
        assert {type(result) for run in runs for result in run.result()} == {Reply}
    assert len(server.paths) == 7 * 16


def test_a_cancelled_call_raises_only_that() -> None:
    async def cancelled(root: str) -> None:
        task = asyncio.create_task(LitellmTransport().send(a_call(model("openai/gpt-4o", root))))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Server(saying(delay=1.0)) as server:
        asyncio.run(cancelled(server.root))


def test_a_program_that_uses_litellm_keeps_its_settings() -> None:
    import litellm

    before = (litellm.suppress_debug_info, litellm.disable_aiohttp_transport)
    failed(saying({"error": {"message": "m"}}, 500))
    assert (litellm.suppress_debug_info, litellm.disable_aiohttp_transport) == before == (False, False)


def test_a_program_that_reads_litellms_log_reads_our_calls_too(monkeypatch: pytest.MonkeyPatch) -> None:
    import litellm

    read: list[str] = []
    done = asyncio.Event()

    async def reader(kwargs: dict[str, Any], *_: object) -> None:
        read.append(kwargs["model"])
        done.set()

    async def logged(root: str) -> None:
        await LitellmTransport().send(a_call(model("openai/gpt-4o", root)))
        await done.wait()

    monkeypatch.setattr(litellm, "success_callback", [reader])
    monkeypatch.setattr(litellm, "_async_success_callback", [])
    with Server(saying()) as server:
        asyncio.run(asyncio.wait_for(logged(server.root), 20))
    assert read == ["gpt-4o"]


def test_requests_of_others_are_sent_as_often_as_they_are_made() -> None:
    async def elsewhere(root: str) -> list[str | None]:
        await LitellmTransport().send(a_call(model("openai/gpt-4o", root)))
        async with httpx.AsyncClient() as client:
            return [(await client.post(f"{root}/v1/hook")).headers.get("x-should-retry") for _ in range(3)]

    with Server(saying()) as server:
        assert asyncio.run(elsewhere(server.root)) == [None, None, None]
    assert server.paths.count("/v1/hook") == 3


def test_a_good_answer_is_complete() -> None:
    with Server(saying()) as server:
        call = a_call(model("openai/gpt-4o", server.root))
        outcome = classify(call, asyncio.run(LitellmTransport().send(call)))
    assert isinstance(outcome, Completed)


@pytest.fixture(autouse=True)
def _loops() -> Iterator[None]:
    yield
    asyncio.set_event_loop(None)
