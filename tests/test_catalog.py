"""What is declared of a model: route, address, limits, prices, identity."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from summarizer_providers.catalog import Declared, address, api_key, declared, endpoint, known_route
from summarizer_providers.types import Model

MINI = "openai/gpt-4o-mini"


@pytest.mark.parametrize(
    ("name", "route"),
    [
        (MINI, "openai"),
        ("openai/any-name-at-all", "openai"),
        ("gpt-4o-mini", "openai"),
        ("claude-haiku-4-5", "anthropic"),
        ("ft:gpt-4o-mini-2024-07-18:org::id", "openai"),
        ("gemini-2.5-pro", "vertex_ai"),
        ("openrouter/some/model", "openrouter"),
        ("ollama_chat/qwen3:8b", "ollama_chat"),
        ("hosted_vllm/Qwen/Qwen3-8B", "hosted_vllm"),
        ("nano-gpt/x", "nano-gpt"),
        ("offline/extractive", "offline"),
        ("scripted/ceiling=10", "scripted"),
        ("scripted/x/y", "scripted"),
    ],
)
def test_a_known_name_has_a_route(name: str, route: str) -> None:
    assert known_route(Model(name)) == route


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "/",
            "openai",
            "openai/",
            "/gpt-4o",
            "no-such-model",
            "nosuch/gpt-4o-mini",
            "OpenAI/gpt-4o-mini",
        ),
        *("offline", "offline/", "offline/other", "scripted", "scripted/", "sample_spec"),
        "text-embedding-3-small",
    ],
)
def test_any_other_name_has_none(name: str) -> None:
    assert known_route(Model(name)) is None


@pytest.mark.parametrize(
    ("name", "window", "output"),
    [
        (MINI, 128_000, 16_384),
        ("gpt-4o-mini", 128_000, 16_384),
        ("azure/gpt-4o-mini", 128_000, 16_384),
        ("openrouter/openai/gpt-4o-mini", 128_000, 16_384),
        ("litellm_proxy/gpt-4o-mini", 128_000, 16_384),
        ("bedrock/converse/us.anthropic.claude-haiku-4-5-20251001-v1:0", 200_000, 64_000),
        ("bedrock/eu-west-1/anthropic.claude-haiku-4-5-20251001-v1:0", 200_000, 64_000),
        ("ollama/llama3", 8_192, None),
        ("openai/no-such-model", None, None),
        ("scripted/ceiling=10", None, None),
        ("offline/extractive", None, None),
    ],
)
def test_limits_are_those_of_the_table(name: str, window: int | None, output: int | None) -> None:
    found = declared(Model(name), {})
    assert (found.context_window, found.max_output_tokens) == (window, output)


def test_an_output_limit_as_large_as_the_window_is_no_limit() -> None:
    assert declared(Model("ollama/llama3"), {}).max_output_tokens is None
    assert declared(Model(MINI, context_window=16_384), {}).max_output_tokens is None
    assert declared(Model(MINI, context_window=16_385), {}).max_output_tokens == 16_384


def test_what_the_model_gives_goes_before_the_table() -> None:
    prices = {"input_cost_per_token": 1, "output_cost_per_token": 2.5}
    model = Model(MINI, max_output_tokens=7, context_window=9, extra=prices)
    assert declared(model, {}) == Declared(9, 7, 1.0, 2.5)


KNOWN, FREE, UNKNOWN = (1.5e-07, 6e-07), (0.0, 0.0), (None, None)


@pytest.mark.parametrize(
    ("name", "at", "environ", "prices"),
    [
        (MINI, None, {}, KNOWN),
        (MINI, "https://api.openai.com/v1/", {}, KNOWN),
        (MINI, "https://eu.api.openai.com/v1", {}, KNOWN),
        (MINI, "https://openai.com.example.org/v1", {}, UNKNOWN),
        (MINI, "http://127.0.0.1:8000/v1", {}, UNKNOWN),
        (MINI, None, {"OPENAI_BASE_URL": "http://gateway.example/v1"}, UNKNOWN),
        (MINI, "not an address", {}, UNKNOWN),
        (MINI, "http://[broken", {}, UNKNOWN),
        ("openrouter/openai/gpt-4o-mini", None, {}, UNKNOWN),
        ("openai/no-such-model", None, {}, UNKNOWN),
        ("ollama_chat/gpt-4o-mini", "http://127.0.0.1:11434", {}, FREE),
        ("ollama_chat/gpt-4o-mini", "https://ollama.com", {}, UNKNOWN),
        ("hosted_vllm/any", "http://10.0.0.1:8000/v1", {}, FREE),
        ("offline/extractive", None, {}, FREE),
        ("scripted/seed=1", None, {}, FREE),
    ],
)
def test_prices_are_known_where_the_address_is_the_routes_own(
    name: str, at: str | None, environ: dict[str, str], prices: tuple[float | None, float | None]
) -> None:
    found = declared(Model(name, api_base=at), environ)
    assert (found.input_cost, found.output_cost) == prices


def test_a_price_per_deployment_does_not_depend_on_its_address() -> None:
    model = Model("azure/gpt-4o-mini", api_base="https://mine.openai.azure.example")
    assert declared(model, {}).input_cost == declared(Model("azure/gpt-4o-mini"), {}).input_cost is not None


@pytest.mark.parametrize(
    ("model", "environ", "expected"),
    [
        (Model(MINI), {}, None),
        (Model(MINI, api_base="http://h/v1/"), {"OPENAI_BASE_URL": "http://other"}, "http://h/v1"),
        (Model(MINI), {"OPENAI_BASE_URL": "http://a/v1/", "OPENAI_API_BASE": "http://b"}, "http://a/v1"),
        (Model(MINI), {"OPENAI_BASE_URL": "", "OPENAI_API_BASE": "http://b"}, "http://b"),
        (Model("gpt-4o-mini"), {"OPENAI_API_BASE": "http://b"}, "http://b"),
        (Model("anthropic/x"), {"ANTHROPIC_BASE_URL": "http://c", "OPENAI_BASE_URL": "http://a"}, "http://c"),
        (Model("ollama_chat/x"), {"OLLAMA_API_BASE": "http://d"}, "http://d"),
        (Model("hosted_vllm/x"), {"HOSTED_VLLM_API_BASE": "http://e"}, "http://e"),
        (Model("scripted/x"), {"SCRIPTED_API_BASE": "http://f"}, None),
        (Model("offline/extractive"), {"OFFLINE_API_BASE": "http://f"}, None),
    ],
)
def test_the_address_is_the_models_or_that_of_litellms_variables(
    model: Model, environ: dict[str, str], expected: str | None
) -> None:
    assert address(model, environ) == expected


def test_a_key_comes_only_from_the_variable_that_the_model_names() -> None:
    environ = {"MY_KEY": "k-1", "OPENAI_API_KEY": "k-2"}
    assert api_key(Model(MINI, api_key_env="MY_KEY"), environ) == "k-1"
    assert api_key(Model(MINI, api_key_env="NO_KEY"), environ) is None
    assert api_key(Model(MINI), environ) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Model(MINI), Model(MINI), True),
        (Model(MINI, api_base="http://h/v1"), Model(MINI, api_base="http://h/v1/"), True),
        (Model(MINI, api_key_env="A"), Model(MINI, api_key_env="B"), True),
        (Model(MINI, max_output_tokens=1), Model(MINI), True),
        (Model(MINI, api_base="http://h/v1"), Model(MINI, api_base="http://g/v1"), False),
        (Model(MINI, api_base="http://h/v1"), Model(MINI), False),
        (Model(MINI, extra={"a": 1, "b": [2]}), Model(MINI, extra={"b": [2], "a": 1}), True),
        (Model(MINI, extra={"reasoning_effort": "high"}), Model(MINI), False),
        (Model(MINI), Model("openai/gpt-4o"), False),
    ],
)
def test_one_model_at_two_addresses_is_two_endpoints(one: Model, other: Model, same: bool) -> None:
    assert (endpoint(one, {}) == endpoint(other, {})) is same
    assert len({endpoint(one, {}), endpoint(other, {})}) == (1 if same else 2)


@pytest.mark.parametrize(
    "extra",
    [
        {"api_key": "hunter2"},
        {"extra_headers": {"Auth": "hunter2"}},
        {"aws_secret_access_key": "hunter2"},
    ],
)
def test_an_endpoint_never_shows_a_secret(extra: dict[str, Any]) -> None:
    found = endpoint(Model(MINI, api_base="https://me:hunter2@host:8/v1?key=hunter2", extra=extra), {})
    assert str(found) == "openai/gpt-4o-mini at https://host:8/v1"
    assert "hunter2" not in repr(found)


def test_not_even_an_address_that_cannot_be_read_shows_a_secret() -> None:
    found = endpoint(Model(MINI, api_base="http://me:hunter2@[broken?key=hunter2"), {})
    assert "hunter2" not in repr(found)


def test_an_endpoint_without_an_address_reads_as_its_name() -> None:
    assert str(endpoint(Model(MINI), {})) == MINI


def in_a_fresh_process(program: str, path: list[str]) -> str:
    environ = {"PYTHONPATH": os.pathsep.join(path), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout.strip()


LOOK_UP = """if True:
    import sys
    from summarizer_providers.catalog import declared, known_route
    from summarizer_providers.types import Model
    model = Model("openai/gpt-4o-mini")
    print(known_route(model), declared(model, {}).context_window, "litellm" in sys.modules)
"""


def test_a_look_up_does_not_import_litellm() -> None:
    assert in_a_fresh_process(LOOK_UP, sys.path) == "openai 128000 False"


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"providers": 3, "x": 4}', b"\xff\xfe"])
def test_files_that_cannot_be_read_only_declare_less(content: bytes | None, tmp_path: Path) -> None:
    package = tmp_path / "litellm"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    if content is not None:
        for name in ("model_prices_and_context_window_backup", "provider_endpoints_support_backup"):
            (package / f"{name}.json").write_bytes(content)
    assert in_a_fresh_process(LOOK_UP, [str(tmp_path), *sys.path]) == "openai None False"
