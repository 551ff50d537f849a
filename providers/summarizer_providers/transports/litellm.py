"""Calls through litellm: whatever it raises becomes a ``Failure`` with all that the exception carries."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import lru_cache
from typing import Any

from summarizer_providers import catalog
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["LitellmTransport"]


class LitellmTransport:
    """One request through litellm, with its own retries switched off."""

    async def send(self, call: Call) -> Reply | Failure:
        """Send a call once; litellm is imported when the first one is made (about 4 CPU seconds)."""
        litellm = await asyncio.to_thread(_litellm)
        try:
            response = await litellm.acompletion(**_arguments(call))
        except Exception as error:  # noqa: BLE001 - litellm raises some hundred classes, OpenAI's and its own
            return _failure(error)
        return _reply(response)


@lru_cache(maxsize=1)
def _litellm() -> Any:
    """The module; where we are the first to import it, quiet, offline and without retries of its own."""
    first = "litellm" not in sys.modules
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    if first:
        litellm.suppress_debug_info = True
        litellm.telemetry = False
        litellm.disable_aiohttp_transport = True
    return litellm


def _arguments(call: Call) -> dict[str, Any]:
    model = call.model
    return {
        "model": model.name,
        "messages": [{"role": m.role, "content": m.content} for m in call.messages],
        "max_tokens": call.max_tokens,
        "timeout": call.timeout,
        "api_base": catalog.address(model, os.environ),
        "api_key": catalog.api_key(model, os.environ),
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,
        **model.extra,
    }


def _reply(response: Any) -> Reply | Failure:
    """The first choice; an answer without one is a failure in disguise."""
    choices = getattr(response, "choices", None)
    if not choices:
        return Failure("the answer holds no choices", status=502, kind="EmptyResponse")
    choice, usage = choices[0], getattr(response, "usage", None)
    details = getattr(usage, "completion_tokens_details", None)
    return Reply(
        text=getattr(choice.message, "content", None) or "",
        finish_reason=getattr(choice, "finish_reason", None),
        input_tokens=getattr(usage, "prompt_tokens", None) or None,
        output_tokens=getattr(usage, "completion_tokens", None) or None,
        reasoning_tokens=getattr(details, "reasoning_tokens", None) or 0,
    )


def _failure(error: Exception) -> Failure:
    status = getattr(error, "status_code", None)
    return Failure(
        message=str(error),
        status=int(status) if status else None,
        code=_code(error),
        kind=type(error).__name__,
        retry_after=_retry_after(error),
    )


def _code(error: Exception) -> str | None:
    """The provider's code, from the exception or from the body that it carries."""
    for source in (error, getattr(error, "__cause__", None), getattr(error, "__context__", None)):
        body = getattr(source, "body", None)
        inner = body.get("error", body) if isinstance(body, dict) else {}
        for value in (getattr(source, "code", None), inner.get("code") if isinstance(inner, dict) else None):
            if isinstance(value, str) and not value.isdigit():
                return value
    return None


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
