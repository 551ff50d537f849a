"""Keys: none that was sent is left in what an endpoint answers, in whatever form it is quoted."""

from __future__ import annotations

import asyncio
import html
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer_providers.classify import classify
from summarizer_providers.secrets import MASK
from summarizer_providers.transports import keys
from summarizer_providers.transports.litellm import LitellmTransport
from summarizer_providers.types import Failure
from tests.loopback import Server, a_call, load_litellm, model, saying

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

ODD = 'p"s\\w/rd+& 9=xQ'
"""A key with everything that is escaped somewhere."""


def forms(key: str) -> dict[str, str]:
    """Ways in which an error quotes a key."""
    return {
        "as it is": key,
        "JSON": json.dumps(key)[1:-1],
        "JSON in JSON": json.dumps(json.dumps(key))[3:-3],
        "URL": quote(key, safe=""),
        "form": quote_plus(key),
        "HTML": html.escape(key),
        "over lines": f"{key[:9]}\\\n{key[9:]}",
        "base64": b64encode(key.encode()).decode(),
        "basic": b64encode(f"me:{key}".encode()).decode(),
        "basic, as the user": b64encode(f"{key}:".encode()).decode(),
        "base64 for URLs": urlsafe_b64encode(key.encode()).decode().rstrip("="),
        "hexadecimal": key.encode().hex(),
    }


@pytest.mark.parametrize("key", ["Zq8vKpLw3XnTrB6yHd2m", ODD])
@pytest.mark.parametrize("form", list(forms(ODD)))
@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"message": "Incorrect: {key} is wrong", "code": "{key}"}),
        (403, {"message": "no", "metadata": {"raw": "at https://x.example/?k={key}&alt=sse"}}),
        (400, {"message": "Unknown parameter", "param": "{key}"}),
        (400, {"message": "{key} maximum context length is 8192 tokens, you asked for 9000"}),
        (500, {"message": "upstream: {'x-goog-api-key': '{key}'}", "type": "{key}"}),
    ],
)
def test_no_form_of_a_key_that_was_sent_is_in_an_answer(
    key: str, form: str, status: int, error: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it came from: the variable is found by its value in the request, not by its name."""
    load_litellm()
    monkeypatch.setenv("MY_GATEWAY", key)
    quoted = forms(key)[form]
    body = json.loads(json.dumps({"error": error}), object_hook=partial(put, quoted))
    with Server(saying(body, status)) as server:
        call = a_call(model("openai/m", server.root, api_key_env="MY_GATEWAY"))
        failure = asyncio.run(LitellmTransport().send(call))
    assert isinstance(failure, Failure)
    shown = repr(failure) + failure.body + repr(classify(call, failure))
    for secret in (quoted, key, *map(repr, (quoted, key))):
        assert secret.strip("'") not in shown


def put(key: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.replace("{key}", key) if isinstance(value, str) else value
        for name, value in fields.items()
    }


@pytest.mark.parametrize(
    ("headers", "url", "expected"),
    [
        ({"Authorization": "Bearer abcdefgh1"}, "https://h.example/v1", {"abcdefgh1"}),
        ({"x-api-key": "two words"}, "https://h.example/v1", {"two words"}),
        ({"authorization": "Basic bWU6YWJjZGVmZ2gx"}, "https://h.example/v1", {"abcdefgh1"}),
        ({}, "https://h.example/v1?key=abc%2Fdefgh&alt=sse", {"abc/defgh"}),
        ({}, "https://me:abcdefgh1@h.example/v1", {"abcdefgh1"}),
        (
            {"content-type": "application/json", "authorization": "none"},
            "https://h.example/v1?alt=sse",
            set(),
        ),
    ],
)
def test_what_a_request_holds_of_keys_is_known(headers: dict[str, str], url: str, expected: set[str]) -> None:
    found = keys.carried(headers, url)
    assert expected <= found
    assert bool(found) == bool(expected)


@settings(max_examples=40)
@given(st.text(max_size=100), st.frozensets(st.text(min_size=8, max_size=40), max_size=3))
def test_no_key_is_left_in_any_text(text: str, secrets: frozenset[str]) -> None:
    quoted = text.join(["", *sorted(secrets), ""])
    assert not any(secret in keys.hidden(quoted, secrets).replace(MASK, "") for secret in secrets)


@pytest.fixture(autouse=True)
def _loops() -> Iterator[None]:
    yield
    asyncio.set_event_loop(None)
