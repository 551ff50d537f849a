"""The ladder: what a user writes for a model → endpoints that can be called, or one clear error."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields

from summarizer.endpoints import Endpoint
from summarizer.errors import InvalidSettings
from summarizer_providers import catalog
from summarizer_providers.bounds import Limits
from summarizer_providers.types import Model

__all__ = ["OFFLINE", "as_models", "endpoints"]

OFFLINE = Model("offline/extractive")
"""Runs when no model is configured: no key, no network."""

_OFFLINE_WINDOW = 2_000_000
_OFFLINE_CHUNK = 1_000_000
_FIELDS = {f.name for f in fields(Model)}


def as_models(items: Iterable[object]) -> tuple[Model, ...]:
    """Models from names, mappings and models; raises ``InvalidSettings`` naming the place in the ladder."""
    if isinstance(items, str | bytes | Mapping):
        raise InvalidSettings(f"models: expected a list of models, got one {type(items).__name__}")
    try:
        listed = list(items)
    except TypeError:
        raise InvalidSettings(f"models: expected a list of models, got {type(items).__name__}") from None
    return tuple(_model(item, f"models[{i}]") for i, item in enumerate(listed))


def _model(item: object, where: str) -> Model:
    if isinstance(item, str):
        item = Model(item)
    if isinstance(item, Mapping):
        unknown = sorted(map(str, item.keys() - _FIELDS))
        if unknown:
            known = ", ".join(f.name for f in fields(Model))
            raise InvalidSettings(f"{where}: {', '.join(unknown)}: unknown; a model has {known}")
        if "name" not in item:
            raise InvalidSettings(f"{where}: name: expected the model's name, found none")
        item = Model(**item)
    if not isinstance(item, Model):
        raise InvalidSettings(f"{where}: expected a name, an object or a Model, got {type(item).__name__}")
    _check(item, where)
    return item


def _check(model: Model, where: str) -> None:
    if not isinstance(model.name, str) or not model.name.strip():
        raise InvalidSettings(f"{where}: name: expected the model's name, got {model.name!r:.60}")
    for name in ("api_base", "api_key_env"):
        value = getattr(model, name)
        if value is not None and not isinstance(value, str):
            raise InvalidSettings(f"{where}: {name}: expected a string, got {value!r:.60}")
    for name in ("max_output_tokens", "context_window"):
        value = getattr(model, name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise InvalidSettings(
                f"{where}: {name}: expected a whole number of tokens above 0, got {value!r:.60}"
            )
    if not isinstance(model.extra, Mapping):
        raise InvalidSettings(f"{where}: extra: expected an object, got {type(model.extra).__name__}")
    if model.api_base is not None and not model.api_base.startswith(("http://", "https://")):
        shown = model.api_base.rpartition("@")[2]  # without a user and password
        raise InvalidSettings(f"{where}: api_base: expected an http or https address, got {shown!r:.80}")
    if model.route == "scripted":
        _check_script(model, where)
    if catalog.known_route(model) is None:
        raise InvalidSettings(
            f"{where}: {model.name!r:.80} has no known route; expected a name as litellm writes it "
            "(openai/gpt-4o-mini, ollama_chat/llama3, …) or offline/extractive"
        )


def _check_script(model: Model, where: str) -> None:
    from summarizer_providers.transports.script import script_of

    try:
        script_of(model)
    except ValueError as error:
        raise InvalidSettings(f"{where}: {error}") from None


def endpoints(models: Iterable[Model], concurrency: int, max_cost: float | None) -> list[Endpoint]:
    """An endpoint for each rung of the ladder, with its declared limits and prices.

    Raises ``InvalidSettings`` for the same endpoint twice, and for ``max_cost`` (US dollars) with a model
    that has no price.
    """
    result: list[Endpoint] = []
    seen: dict[catalog.Endpoint, int] = {}
    for i, model in enumerate(models):
        identity = catalog.endpoint(model, os.environ)
        if identity in seen:
            raise InvalidSettings(f"models[{i}]: {identity} is the same endpoint as models[{seen[identity]}]")
        seen[identity] = i
        result.append(_endpoint(model, str(identity), concurrency))
    for i, endpoint in enumerate(result):
        if max_cost is not None and (endpoint.input_cost is None or endpoint.output_cost is None):
            raise InvalidSettings(
                f"max_cost: models[{i}] ({endpoint.label}) has no known price, so a cost cannot be bounded"
            )
    return _with_short_labels(result)


def _endpoint(model: Model, label: str, concurrency: int) -> Endpoint:
    if model.route == "offline":
        limits = Limits(_OFFLINE_WINDOW, declared=_OFFLINE_WINDOW // 2, scale=1.0, useful=_OFFLINE_CHUNK)
        return Endpoint(model, label, limits, 0.0, 0.0, concurrency=2)
    declared = catalog.declared(model)
    limits = Limits(declared.context_window, declared=declared.max_output_tokens)
    return Endpoint(model, label, limits, declared.input_cost, declared.output_cost, concurrency)


def _with_short_labels(found: list[Endpoint]) -> list[Endpoint]:
    """The model's name is label enough where no other rung has the same."""
    names = [endpoint.model.name for endpoint in found]
    for endpoint in found:
        if names.count(endpoint.model.name) == 1:
            endpoint.label = endpoint.model.name
    return found
