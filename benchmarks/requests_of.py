"""From a case of a corpus to the call that it presumes: endpoint, arguments, and a prompt of its size."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.quirk_replay import Case
from summarizer_providers.catalog import known_route
from summarizer_providers.types import Call, Hints, Message, Model

__all__ = ["call_of", "presumed_size"]

_KEY = "replayed-key"
_SMALL = 1_000  # tokens of a prompt of which a case says nothing
_SILENT = 4  # a prompt that was not read whole is so many times what was read, where a case does not say
_BARE = ("azure", "vertex_ai", "anthropic", "gemini", "ollama", "ollama_chat")
_TAILS = {"cohere": "/v2/chat", "cohere_chat": "/v2/chat", "cloudflare": "/run/"}
_MORE: dict[str, dict[str, Any]] = {
    "azure": {"api_version": "2024-10-21"},
    "vertex_ai": {"vertex_project": "p", "vertex_location": "us-central1"},
}
_USAGE = re.compile(
    r'"(?:prompt_tokens|input_tokens|promptTokenCount|inputTokens|prompt_eval_count)": ?(\d+)'
)
_LIMITS = ("max_tokens", "max_completion_tokens")
_QUOTES = ("input", "flagged_input", "messages", "prompt")


def call_of(number: int, case: Case, root: str) -> Call:
    """The call for the case with this number, to the server at ``root``.

    ``max_tokens`` and ``max_completion_tokens`` are one argument here (the client has one name for it, and
    sends none where the case has none), ``timeout`` is the call's; every other argument goes as it is.
    """
    asked, arguments = case["call"], dict(case["call"].get("kwargs") or {})
    limit = next((arguments.pop(name) for name in _LIMITS if name in arguments), None)
    timeout, usage = arguments.pop("timeout", 30), arguments.pop("stream_options", None)
    arguments.pop("messages", None)
    size = presumed_size(case)
    extra = {"drop_params": False, **arguments, **({"max_tokens": 0} if limit == 0 else {})}
    return Call(
        id=number,
        model=_endpoint(_known(asked["litellm_model"]), f"{root}/{number}", extra),
        messages=(Message("system", "Summarize what follows."), Message("user", _text(case, size))),
        hints=Hints((), 500, 1),
        max_tokens=limit or 0,
        prompt_tokens=size,
        timeout=float(timeout),
        stream=bool(asked.get("stream")),
        stream_usage=usage is None or bool(usage.get("include_usage")),
    )


def _known(name: str) -> str:
    """The name; on a route that the installed litellm does not know, as that of a compatible endpoint, which
    is how anybody would have to ask it.
    """
    return name if known_route(Model(name)) else f"openai/{name.partition('/')[2] or name}"


def _endpoint(name: str, base: str, extra: Mapping[str, Any]) -> Model:
    """The address as each of litellm's routes wants it: with the path that it adds to left out."""
    route = name.partition("/")[0]
    if route == "bedrock":
        aws = {"aws_access_key_id": _KEY, "aws_secret_access_key": _KEY, "aws_region_name": "us-east-1"}
        return Model(name, extra={**extra, **aws, "aws_bedrock_runtime_endpoint": base})
    tail = "" if route in _BARE else _TAILS.get(route, "/v1")
    return Model(name, api_base=base + tail, extra={**extra, **_MORE.get(route, {}), "api_key": _KEY})


# ---- the prompt ----


def presumed_size(case: Case) -> int:
    """Tokens of the prompt that a case presumes, by our count, from its own data. In order: a count that it
    gives as ours; the size in a description of the messages; the count of the prompt that it takes from its
    reply, or the usage in that reply (four times as much for a case of the kind of input that is silently
    truncated); what remains of a stated total; as much as overflows the window that it expects.
    """
    learn, expect = case.get("learn") or {}, case.get("expect") or {}
    described = _described((case["call"].get("kwargs") or {}).get("messages"))
    own = _count(learn, "our_count") or described
    if own:
        return own
    used = _used(case.get("wire"))
    if "silent" in str(case.get("kind")) and used and (case.get("wire") or {}).get("status", 200) < 400:
        return used * _SILENT
    total = _count(learn, "total_requested")
    rest = total - _limit(case) if total else None
    stated = _count(learn, "prompt_tokens") or _count(learn, "prompt_tokens_estimate")
    return stated or used or rest or _overflowing(expect, case) or _SMALL


def _count(learn: Mapping[str, Any], name: str) -> int | None:
    value = learn.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _limit(case: Case) -> int:
    arguments = case["call"].get("kwargs") or {}
    return next((int(arguments[name] or 0) for name in _LIMITS if name in arguments), 0)


def _overflowing(expect: Mapping[str, Any], case: Case) -> int | None:
    window = expect.get("context_window")
    if not isinstance(window, int):
        return None
    if "lower_max_tokens" in expect.get("reactions", ()):
        return max(16, window - _limit(case) // 2)
    return window + window // 10


def _described(messages: Any) -> int | None:
    """``long user message (~8.5k tokens)`` → 8500."""
    found = (
        re.search(r"(\d+(?:\.\d+)?)\s*(k?)\s*tokens", messages, re.I) if isinstance(messages, str) else None
    )
    return round(float(found[1]) * (1_000 if found[2] else 1)) if found else None


def _used(wire: Any) -> int | None:
    """The usage in a reply, written as JSON within texts and events or not."""
    found = _USAGE.findall(json.dumps(wire).replace("\\", ""))
    return next((int(digits) for digits in found if int(digits)), None)


def _text(case: Case, size: int) -> str:
    """So many words of one token each, and whatever the reply quotes as ours."""
    quoted = [] if (case.get("wire") or {}).get("status", 200) < 400 else list(_quoted(case["wire"]))
    return " ".join([*quoted, "note " * size])


def _quoted(value: Any, *, inside: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if inside and len(value) > 20:
            yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _quoted(inner, inside=inside or key in _QUOTES)
    elif isinstance(value, list):
        for inner in value:
            yield from _quoted(inner, inside=inside)


if __name__ == "__main__":
    raise SystemExit("this is a part of benchmarks.quirks")
