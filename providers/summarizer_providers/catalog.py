"""What is declared of a model before anything is sent: its route, address, limits and prices.

All of it is read from the JSON files in litellm's wheel, without importing litellm. A file that is missing
or cannot be read only means that less is declared.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from summarizer_providers.types import Model

__all__ = ["Declared", "Endpoint", "address", "api_key", "declared", "endpoint", "known_route"]

_PRICES = "model_prices_and_context_window_backup.json"
_ROUTES = "provider_endpoints_support_backup.json"
_COMPATIBLE = "llms/openai_like/providers.json"
_TEXT_MODES = ("chat", "completion", "responses")

# Routes that litellm knows and that none of its files name.
_UNLISTED = ("nano-gpt", "sagemaker_nova", "vertex_ai_beta")
# Servers of the user's own: a token costs nothing there, whatever the machine may cost.
_LOCAL = {
    *("docker_model_runner", "hosted_vllm", "lemonade", "llamafile", "lm_studio", "ollama", "ollama_chat"),
    *("oobabooga", "triton", "vllm", "xinference"),
}
# Platforms on which every customer has an address: it says nothing about the price.
_DEPLOYED = {
    *("azure", "azure_ai", "azure_text", "bedrock", "bedrock_mantle", "databricks", "oci", "sagemaker"),
    *("sagemaker_chat", "snowflake", "vertex_ai", "watsonx", "watsonx_text"),
}
# Domains at which a route's own prices hold, beside those that litellm's file of compatible routes names.
_DOMAINS = {
    "anthropic": ("anthropic.com",),
    "cohere": ("cohere.com", "cohere.ai"),
    "cohere_chat": ("cohere.com", "cohere.ai"),
    "dashscope": ("aliyuncs.com",),
    "deepinfra": ("deepinfra.com",),
    "deepseek": ("deepseek.com",),
    "fireworks_ai": ("fireworks.ai",),
    "gemini": ("googleapis.com",),
    "groq": ("groq.com",),
    "mistral": ("mistral.ai",),
    "moonshot": ("moonshot.ai", "moonshot.cn"),
    "openai": ("openai.com",),
    "openrouter": ("openrouter.ai",),
    "perplexity": ("perplexity.ai",),
    "together_ai": ("together.ai", "together.xyz"),
    "xai": ("x.ai",),
}
# The variables in which litellm looks for an address, where they are not simply <ROUTE>_API_BASE.
_VARIABLES = {
    "ai21_chat": ("AI21_API_BASE",),
    "anthropic": ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    "cohere_chat": ("COHERE_API_BASE",),
    "custom_openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "fireworks_ai": ("FIREWORKS_API_BASE", "FIREWORKS_AI_API_BASE"),
    "friendliai": ("FRIENDLI_API_BASE",),
    "huggingface": ("HF_API_BASE", "HUGGINGFACE_API_BASE"),
    "lambda_ai": ("LAMBDA_API_BASE",),
    "meta_llama": ("LLAMA_API_BASE",),
    "ollama_chat": ("OLLAMA_API_BASE",),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "text-completion-openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "vertex_ai": ("VERTEXAI_API_BASE", "VERTEX_API_BASE"),
    "volcengine": ("VOLCENGINE_API_BASE", "ARK_API_BASE"),
    "watsonx": ("WATSONX_API_BASE", "WATSONX_URL", "WX_URL", "WML_URL"),
}
_SECRET = re.compile(r"(?i)(key|token|secret|password|credentials?|authorization|headers|cookies?)$")
_VERSION = re.compile(r"(?::[^:]*){3}$|-\d{4}-\d{2}-\d{2}$|-latest$|-\d{3}$")
_BEDROCK_PATH = re.compile(r"^(?:(?:converse|converse_like|invoke)/)?(?:[a-z]{2}(?:-[a-z]+)+-\d/)?")
_BEDROCK_REGION = re.compile(r"^(?:us|eu|apac|jp|au|ca|sa|us-gov|global)\.")


@dataclass(frozen=True, slots=True)
class Declared:
    """Limits in tokens and prices in US dollars a token, as declared; None where they are not known."""

    context_window: int | None = None
    max_output_tokens: int | None = None
    input_cost: float | None = None
    output_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What makes two models one endpoint: what is learned of one holds for the other.

    ``address`` has neither user nor query, ``extra`` is JSON with sorted keys and without secrets. ``str``
    gives the name that people read.
    """

    route: str
    name: str
    address: str | None = None
    extra: str = "{}"

    def __str__(self) -> str:
        return f"{self.name} at {self.address}" if self.address else self.name


def known_route(model: Model) -> str | None:
    """The route that a model's name takes (``openai`` for ``openai/x`` and for ``gpt-4o-mini``), or None.

    ``offline`` is the route of ``offline/extractive`` alone, ``scripted`` and ``host`` those of all that
    begin so. Where litellm's files cannot be read, every prefix counts as a route.
    """
    name = model.name
    prefix, slash, rest = name.partition("/")
    if prefix in ("offline", "scripted", "host"):
        known = rest == "extractive" if prefix == "offline" else bool(rest)
        return prefix if known else None
    routes = _routes()
    if slash and rest and prefix and (prefix in routes or not routes):
        return prefix
    entry = _table().get(name) or _table().get(_VERSION.sub("", name))
    return entry[0] if entry else None


def declared(model: Model, environ: Mapping[str, str] | None = None) -> Declared:
    """Limits (tokens) and prices (US dollars a token) of a model; ``environ`` is the process's where None.

    What the Model gives goes first (prices in ``extra`` as ``input_cost_per_token`` and
    ``output_cost_per_token``, litellm's names), then litellm's table, under the full name, then without the
    route, without a version, and, for limits only, under the name that the model has on another route. An
    output limit as large as the window is none. A price is known where the address is the route's own or one
    that each customer has (azure); local servers (ollama, vllm, …), offline and scripted models cost nothing.
    """
    route = known_route(model) or model.route
    listed = _listed(model.name, route)
    window = model.context_window or listed.context_window
    output = model.max_output_tokens
    if output is None and listed.max_output_tokens is not None:
        output = listed.max_output_tokens if listed.max_output_tokens < (window or 1 << 62) else None
    prices = _prices(model, route, listed, os.environ if environ is None else environ)
    return Declared(window, output, *prices)


def address(model: Model, environ: Mapping[str, str]) -> str | None:
    """The address that a model is asked at, without a slash at its end; None for the route's own.

    The Model's, or else that of the first of litellm's variables for the route that is set in ``environ``.
    """
    found = model.api_base or next(filter(None, map(environ.get, _variables(model))), None)
    return (found.strip().rstrip("/") or None) if found else None


def api_key(model: Model, environ: Mapping[str, str]) -> str | None:
    """The key in the variable that the Model names; None where it names none: litellm finds its own."""
    return environ.get(model.api_key_env) if model.api_key_env else None


def endpoint(model: Model, environ: Mapping[str, str]) -> Endpoint:
    """The identity of the endpoint that a model is asked at."""
    at = address(model, environ)
    return Endpoint(
        known_route(model) or model.route, model.name, at and _public(at), _canonical(model.extra)
    )


def _prices(
    model: Model, route: str, listed: Declared, environ: Mapping[str, str]
) -> tuple[float | None, float | None]:
    given = (
        _number(model.extra.get("input_cost_per_token")),
        _number(model.extra.get("output_cost_per_token")),
    )
    if None not in given:
        return given
    at = address(model, environ)
    host = _host(at or "")
    if route in ("offline", "scripted") or (route in _LOCAL and not host.endswith("ollama.com")):
        return 0.0, 0.0
    if at and route not in _DEPLOYED and not any(_within(host, domain) for domain in _domains(route)):
        return None, None
    return listed.input_cost, listed.output_cost


def _domains(route: str) -> tuple[str, ...]:
    own = _host(str(_compatible(route).get("base_url", "")))
    return (*_DOMAINS.get(route, ()), *([own] if own else ()))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _within(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)


def _variables(model: Model) -> tuple[str, ...]:
    route = known_route(model) or model.route
    if not route or route in ("offline", "scripted"):
        return ()
    own = _compatible(route).get("api_base_env")
    generic = re.sub(r"\W", "_", route).upper() + "_API_BASE"
    return _VARIABLES.get(route, (str(own) if own else generic,))


def _public(url: str) -> str:
    """The address without what may be secret in it: user, password, query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2].partition("?")[0]
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl().rstrip("/")


def _canonical(extra: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in extra.items() if not _SECRET.search(key)}
    return json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def _listed(name: str, route: str) -> Declared:
    """What the table has of a name; the prices only where it lists it for this very route."""
    table = _table()
    for candidate in _candidates(name, route):
        entry = table.get(candidate)
        if entry is not None and (candidate.startswith(route + "/") or entry[0] == route):
            return entry[1]
    rest = name
    while rest:  # openrouter/openai/x, openai/x and x are often one model
        if rest in table:
            other = table[rest][1]
            return Declared(other.context_window, other.max_output_tokens)
        rest = rest.partition("/")[2]
    return Declared()


def _candidates(name: str, route: str) -> Iterator[str]:
    rest = name.removeprefix(route + "/")
    if route == "bedrock":
        path = _BEDROCK_PATH.sub("", rest)
        yield from (name, path, _BEDROCK_REGION.sub("", path))
        return
    yield from (name, f"{route}/{rest}", rest)
    if route == "ollama_chat":
        yield f"ollama/{rest}"
    bare = _VERSION.sub("", rest)
    if bare != rest:
        yield from (f"{route}/{bare}", bare)


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[str, Declared]]:
    """Name → (route, what is declared), for models that write text."""
    return {
        name: (_base_route(str(entry.get("litellm_provider"))), _entry(entry))
        for name, entry in _read(_PRICES).items()
        if isinstance(entry, dict) and entry.get("mode") in _TEXT_MODES
    }


@lru_cache(maxsize=1)
def _routes() -> frozenset[str]:
    listed = _read(_ROUTES).get("providers")
    names = {*(listed if isinstance(listed, dict) else ()), *_read(_COMPATIBLE)}
    names |= {route for route, _ in _table().values()}
    return frozenset(names | {*_UNLISTED}) if names else frozenset()


def _base_route(provider: str) -> str:
    """The route of a provider's family: ``vertex_ai`` of ``vertex_ai-language-models``, and so on."""
    if provider.startswith(("vertex_ai-", "fireworks_ai-")):
        return provider.partition("-")[0]
    return "bedrock" if provider == "bedrock_converse" else provider


def _entry(entry: Mapping[str, Any]) -> Declared:
    return Declared(
        _tokens(entry.get("max_input_tokens")),
        _tokens(entry.get("max_output_tokens")),
        _number(entry.get("input_cost_per_token")),
        _number(entry.get("output_cost_per_token")),
    )


def _tokens(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and 0 < value < float("inf") else None


_MOST_DOLLARS = 1_000
"""A token costs millionths of a US dollar."""


def _number(value: object) -> float | None:
    """A price; None for what cannot be one."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _MOST_DOLLARS:
        return None
    return float(value)


def _compatible(route: str) -> Mapping[str, Any]:
    entry = _read(_COMPATIBLE).get(route)
    return entry if isinstance(entry, dict) else {}


@lru_cache(maxsize=4)
def _read(file: str) -> Mapping[str, Any]:
    """A JSON object from litellm's folder; empty where there is none that can be read."""
    try:
        spec = find_spec("litellm")
        places = (spec.submodule_search_locations if spec else None) or []
        data = json.loads(Path(places[0], file).read_bytes()) if places else {}
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
