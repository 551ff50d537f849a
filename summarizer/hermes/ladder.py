"""The ladder of a compaction: the user's models, or else those that hermes itself would ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from summarizer.hermes.transport import HostTransport
from summarizer.models import OFFLINE
from summarizer_providers.types import Model

__all__ = ["Runtime", "host_models", "with_offline"]


@dataclass(frozen=True, slots=True)
class Runtime:
    """The model that the agent itself runs on, as hermes describes it; ``window`` in tokens."""

    model: str
    base_url: str
    api_key: Any
    provider: str
    api_mode: str
    window: int

    def as_host(self) -> dict[str, Any]:
        """The same in hermes' words."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "api_key": self.api_key,
            "provider": self.provider,
            "api_mode": self.api_mode,
        }


class _Key(str):
    """A key that does not show itself where values are printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def host_models(runtime: Runtime, config: Mapping[str, Any], transport: HostTransport) -> tuple[Model, ...]:
    """What hermes would ask for a summary: ``auxiliary.compression``, then the agent's own model, each with
    hermes' keys and addresses. Empty where it has no working client.
    """
    clients = import_module("agent.auxiliary_client")
    task = _task(config)
    found = (
        clients.get_text_auxiliary_client("compression", main_runtime=runtime.as_host()),
        clients.resolve_provider_client("auto", main_runtime=runtime.as_host()),
    )
    models: list[Model] = []
    for client, name in found:
        if client is None or not name:
            continue
        model = _model(client, str(name), runtime, task if not models else {}, transport)
        if (model.name, model.api_base) not in [(each.name, each.api_base) for each in models]:
            models.append(model)
    return tuple(models)


def with_offline(models: tuple[Model, ...], keep_gaps: bool) -> tuple[Model, ...]:
    """The ladder with the offline model as its last rung, unless gaps are to be kept."""
    return models if keep_gaps else (*(each for each in models if each.route != "offline"), OFFLINE)


def _task(config: Mapping[str, Any]) -> Mapping[str, Any]:
    auxiliary = config.get("auxiliary")
    task = auxiliary.get("compression") if isinstance(auxiliary, Mapping) else None
    return task if isinstance(task, Mapping) else {}


def _model(
    client: Any, name: str, runtime: Runtime, task: Mapping[str, Any], transport: HostTransport
) -> Model:
    """A plain OpenAI client's model goes the usual way, which learns most from its answers."""
    window = _window(client, name, runtime, task)
    if type(client).__name__ != "OpenAI" or getattr(client, "default_query", None):
        return transport.model(client, name, window)
    key = client.api_key() if callable(client.api_key) else client.api_key
    extra: dict[str, Any] = {"api_key": _Key(key or "none")}
    headers = {
        k: v for k, v in (getattr(client, "_custom_headers", None) or {}).items() if isinstance(v, str)
    }
    if headers:
        extra["extra_headers"] = headers
    if isinstance(task.get("extra_body"), Mapping) and task["extra_body"]:
        extra["extra_body"] = dict(task["extra_body"])
    address = str(client.base_url).rstrip("/")
    return Model(f"openai/{name}", api_base=address, context_window=window, extra=extra)


def _window(client: Any, name: str, runtime: Runtime, task: Mapping[str, Any]) -> int | None:
    given = task.get("context_length")
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    address = str(getattr(client, "base_url", "") or "").rstrip("/")
    if name == runtime.model and address == str(runtime.base_url or address).rstrip("/"):
        return runtime.window or None
    try:
        metadata = import_module("agent.model_metadata")
        key = client.api_key if isinstance(client.api_key, str) else ""
        found = metadata.get_model_context_length(name, base_url=address, api_key=key)
    except Exception:  # noqa: BLE001 - without it the window is learned
        return None
    return found if isinstance(found, int) and found > 0 else None
