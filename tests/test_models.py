"""The ladder: what a user writes for a model becomes an endpoint, or one line that names the place."""

from __future__ import annotations

from typing import Any

import pytest

from summarizer import InvalidSettings, Model, summarize
from summarizer.models import as_models, endpoints

TEXTS = ["the salt barges waited for the tide " * 20] * 20


@pytest.mark.parametrize(
    ("item", "model"),
    [
        ("openai/gpt-4o-mini", Model("openai/gpt-4o-mini")),
        ("gpt-4o-mini", Model("gpt-4o-mini")),
        ("ollama_chat/llama3", Model("ollama_chat/llama3")),
        ({"name": "scripted/x"}, Model("scripted/x")),
        (
            {"name": "openai/x", "api_base": "http://localhost:8000/v1", "max_output_tokens": 900},
            Model("openai/x", api_base="http://localhost:8000/v1", max_output_tokens=900),
        ),
        (Model("offline/extractive"), Model("offline/extractive")),
    ],
)
def test_a_model_is_a_name_an_object_or_a_model(item: Any, model: Model) -> None:
    """All three mean the same."""
    assert as_models([item]) == (model,)


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ("nonsense", "'nonsense' has no known route"),
        ("nonsense/x", "'nonsense/x' has no known route"),
        ("openai/", "'openai/' has no known route"),
        ("offline/other", "'offline/other' has no known route"),
        ("scripted/", "'scripted/' has no known route"),
        ("", "name: expected the model's name, got ''"),
        ("  ", "name: expected the model's name, got '  '"),
        (None, "expected a name, an object or a Model, got NoneType"),
        (7, "expected a name, an object or a Model, got int"),
        (["openai/x"], "expected a name, an object or a Model, got list"),
        ({}, "name: expected the model's name, found none"),
        ({"nam": "openai/x"}, "nam: unknown; a model has name, api_base, api_key_env, "),
        ({"name": "openai/x", 5: 1}, "5: unknown"),
        ({"name": None}, "name: expected the model's name, got None"),
        (Model(5), "name: expected the model's name, got 5"),  # type: ignore[arg-type]
        (Model("openai/x", api_base=5), "api_base: expected a string, got 5"),  # type: ignore[arg-type]
        (Model("openai/x", api_base="localhost:1"), "api_base: expected an http or https address, got "),
        (Model("openai/x", api_key_env=5), "api_key_env: expected a string, got 5"),  # type: ignore[arg-type]
        (
            Model("openai/x", max_output_tokens=0),
            "max_output_tokens: expected a whole number of tokens above 0, got 0",
        ),
        (
            Model("openai/x", context_window=True),
            "context_window: expected a whole number of tokens above 0, got True",
        ),
        (
            {"name": "openai/x", "context_window": "8k"},
            "context_window: expected a whole number of tokens above 0, got '8k'",
        ),
        (Model("openai/x", extra=[1]), "extra: expected an object, got list"),  # type: ignore[arg-type]
        ("scripted/ceilin=5", "scripted/ceilin=5: no parameter 'ceilin'; there are seed, ceiling, "),
        ("scripted/ceiling=much", "scripted/ceiling=much: ceiling must be of type int, not 'much'"),
        ("scripted/x,y", "scripted/x,y: expected parameter=value, not 'y'"),
        (Model("scripted/x", extra={"fail_rate": 2}), "scripted/x: fail_rate must be from 0 to 1, not 2"),
    ],
)
def test_a_model_that_cannot_be_used_is_named_by_its_place(item: Any, told: str) -> None:
    """Before anything is sent, with what was expected."""
    with pytest.raises(InvalidSettings) as caught:
        summarize(TEXTS, 100, models=["scripted/first", item])
    assert str(caught.value).startswith("models[1]: ")
    assert told in str(caught.value)


@pytest.mark.parametrize("models", ["openai/x", b"x", {"name": "openai/x"}, 5])
def test_a_ladder_is_a_list(models: Any) -> None:
    """A single name is not taken for a list of letters."""
    with pytest.raises(InvalidSettings, match="models: expected a list of models, got"):
        summarize(TEXTS, 100, models=models)


@pytest.mark.parametrize(
    ("first", "second", "environment"),
    [
        ("openai/x", "openai/x", {}),
        ("openai/x", {"name": "openai/x"}, {}),
        (Model("openai/x", "http://a/v1"), Model("openai/x", "http://a/v1/"), {}),
        (Model("openai/x", "http://a/v1"), "openai/x", {"OPENAI_BASE_URL": "http://a/v1"}),
        (Model("openai/x", "http://a/v1"), "openai/x", {"OPENAI_API_BASE": "http://a/v1/"}),
        (Model("openai/x", max_output_tokens=5), Model("openai/x", context_window=9_000), {}),
        ("scripted/ceiling=5", "scripted/ceiling=5", {}),
        ("offline/extractive", "offline/extractive", {}),
    ],
)
def test_the_same_endpoint_twice_is_a_mistake(
    monkeypatch: pytest.MonkeyPatch, first: Any, second: Any, environment: dict[str, str]
) -> None:
    """However it is written."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InvalidSettings, match=r"models\[2\]: .* is the same endpoint as models\[0\]"):
        summarize(TEXTS, 100, models=[first, "scripted/between", second])


def test_the_same_name_at_two_addresses_is_two_endpoints() -> None:
    """And each has a label that tells them apart."""
    models = as_models([Model("openai/x", "http://a/v1"), Model("openai/x", "http://b/v1"), "scripted/y"])
    labels = [endpoint.label for endpoint in endpoints(models, 8, None)]
    assert labels == ["openai/x at http://a/v1", "openai/x at http://b/v1", "scripted/y"]


def test_no_password_is_shown() -> None:
    """An address may hold one; neither an error nor a label does."""
    models = as_models([Model("openai/x", f"http://u:SECRET@{host}/v1") for host in ("a", "b")])
    assert "SECRET" not in " ".join(endpoint.label for endpoint in endpoints(models, 8, None))
    with pytest.raises(InvalidSettings) as caught:
        as_models([Model("openai/x", "ftp://u:SECRET@a/v1")])
    assert "SECRET" not in str(caught.value)


def test_limits_and_prices_are_those_that_are_declared() -> None:
    """The model's own first, then litellm's; offline costs nothing."""
    models = as_models(
        ["openai/gpt-4o-mini", Model("openai/gpt-4o", max_output_tokens=123), "offline/extractive"]
    )
    known, told, offline = endpoints(models, 8, max_cost=1.0)
    assert (known.limits.window, known.limits.declared) == (128_000, 16_384)
    assert (known.input_cost or 0.0) > 0
    assert told.limits.output == 123
    assert (offline.input_cost, offline.output_cost) == (0.0, 0.0)
