"""Calls through a client of hermes': for providers whose keys, tokens and addresses only it can handle."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from summarizer_providers import timing
from summarizer_providers.secrets import masked, one_line
from summarizer_providers.types import Call, Failure, Model, Reply

__all__ = ["HostTransport"]


class HostTransport:
    """Sends calls to models named ``host/…`` through clients with OpenAI's ``chat.completions.create``."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str | None], tuple[Any, str]] = {}

    def model(self, client: Any, name: str, window: int | None) -> Model:
        """A model that is reached through ``client``; ``window`` is its context in tokens, where known."""
        address = str(getattr(client, "base_url", "") or "").rstrip("/")
        found = Model(f"host/{name}", address if address.startswith("http") else None, context_window=window)
        self._clients[found.name, found.api_base] = (client, name)
        return found

    async def send(self, call: Call) -> Reply | Failure:
        """Send a call once, in a thread. Only cancellation is raised; no key is in a failure's message."""
        known = self._clients.get((call.model.name, call.model.api_base))
        if known is None:
            return Failure(f"hermes has no client for {call.model.name}", kind="NotFoundError")
        client, name = known
        try:
            return await asyncio.to_thread(_asked, client, name, call)
        except Exception as error:  # noqa: BLE001 - the errors of some ten clients
            return _failure(error, str(getattr(client, "api_key", "") or ""))


def _asked(client: Any, name: str, call: Call) -> Reply:
    response = client.chat.completions.create(
        model=name,
        messages=[{"role": message.role, "content": message.content} for message in call.messages],
        timeout=timing.limit(call),
        **({"max_tokens": call.max_tokens} if call.max_tokens else {}),
    )
    choice = response.choices[0]
    usage = getattr(response, "usage", None)
    details = getattr(usage, "completion_tokens_details", None)
    return Reply(
        text=choice.message.content or "",
        finish_reason=choice.finish_reason or "stop",
        input_tokens=_count(getattr(usage, "prompt_tokens", None)),
        output_tokens=_count(getattr(usage, "completion_tokens", None)),
        reasoning_tokens=_count(getattr(details, "reasoning_tokens", None)) or 0,
        reasoning_text=str(getattr(choice.message, "reasoning", None) or ""),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _failure(error: Exception, key: str) -> Failure:
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    secrets = {**os.environ, "THE_KEY_SENT": key}
    kind = "Timeout" if "timeout" in type(error).__name__.lower() else type(error).__name__
    code = getattr(error, "code", None)
    return Failure(
        one_line(str(error), secrets) or kind,
        status=status if isinstance(status, int) else None,
        code=code if isinstance(code, str) else None,
        kind=kind,
        retry_after=_retry_after(response),
        body=masked(str(getattr(response, "text", "") or "")[:20_000], secrets),
    )


def _retry_after(response: Any) -> float | None:
    value = (getattr(response, "headers", None) or {}).get("retry-after", "")
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < 1e9 else None
