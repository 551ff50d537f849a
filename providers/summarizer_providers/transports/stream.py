"""What the raw events of a streamed answer mean: text, hidden reasoning, the provider's own finish reason and
usage, and errors in mid-stream. Pure.

It reads the forms of OpenAI (chat, responses and text completions), Anthropic, Gemini, Ollama, Cohere and
Bedrock, and the same providers' whole answers where an endpoint gives one although a stream was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from summarizer_providers.transports.framing import framer
from summarizer_providers.types import Reply

__all__ = ["Reading"]

_INPUT = (
    *("prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens", "prompt_eval_count"),
    *("inputTokenCount", "inputTextTokenCount", "input_token_count"),
)
_CACHED = (
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
    *("cacheReadInputTokens", "cacheWriteInputTokens"),
)
"""Parts of the prompt that Anthropic and Bedrock do not count among the input tokens."""
_OUTPUT = (
    *("completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens", "eval_count"),
    *("outputTokenCount", "generation_token_count", "generated_token_count"),
)
_HIDDEN = ("reasoning_tokens", "thoughtsTokenCount")
_COUNTS = frozenset((*_INPUT, *_CACHED, *_OUTPUT, *_HIDDEN))
_REASONS = (
    *("native_finish_reason", "stop_reason", "stopReason", "finishReason", "done_reason"),
    *("finish_reason", "completionReason"),
)
_AROUND = frozenset(
    ("id", "object", "created", "model", "choices", "system_fingerprint", "service_tier", "usage")
)
_BESIDE = frozenset(("index", "delta", "finish_reason", "logprobs"))
_SAID = frozenset(("content", "role"))
_NO_REASON = ("", "null", "None", "FINISH_REASON_UNSPECIFIED")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


class Reading:
    """One streamed answer as it comes in: ``feed`` it bytes, ``close`` it, then ask it what came.

    ``error`` is an event that says what went wrong (JSON, ``{"error": …}``), or None. ``whole`` is whether
    the endpoint gave one plain answer instead of a stream.
    """

    def __init__(self, content_type: str = "text/event-stream") -> None:
        self._framer = framer(content_type)
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._refused: list[str] = []
        self._counts: dict[str, int] = {}
        self.whole = "json" in content_type and "ndjson" not in content_type and "jsonl" not in content_type
        self.finish_reason: str | None = None
        self.error: dict[str, Any] | None = None
        self.characters = 0
        """Characters that came so far, hidden reasoning included."""

    def feed(self, data: bytes) -> None:
        """Take bytes as they came; raises nothing."""
        for event in self._framer.feed(data):
            self._take(event)

    def close(self) -> None:
        """The stream ended, in whatever way."""
        for event in self._framer.close():
            self._take(event)

    @property
    def text(self) -> str:
        """The visible text so far."""
        return "".join(self._text)

    @property
    def understood(self) -> bool:
        """Whether anything came that belongs to an answer."""
        return bool(self.characters or self.finish_reason or self._refused)

    def reply(self) -> Reply:
        """The answer. Without a finish reason it is none that ended by itself: then the output tokens are not
        known either, since some providers send a first count at the start.
        """
        text, reason = self.text, self.finish_reason
        if self._refused and not text:
            reason = "refusal"
        written = self._written() if reason else None
        return Reply(
            text,
            reason,
            self._read(),
            written if written or not text else None,
            self._first(_HIDDEN) or 0 if reason else 0,
            reasoning_text="".join(self._thoughts),
            streamed=not self.whole,
        )

    def _read(self) -> int | None:
        own = self._first(_INPUT)
        return None if own is None else (own + sum(self._counts.get(name, 0) for name in _CACHED)) or None

    def _written(self) -> int | None:
        own = self._first(_OUTPUT)
        if "candidatesTokenCount" in self._counts or "thoughtsTokenCount" in self._counts:
            return (own or 0) + self._counts.get("thoughtsTokenCount", 0)
        return own

    def _first(self, names: tuple[str, ...]) -> int | None:
        return next((self._counts[name] for name in names if name in self._counts), None)

    def _take(self, event: Any) -> None:
        if not isinstance(event, dict) or self.error is not None:
            return
        plain = _plain(event)
        if plain is not None:
            self._text.append(plain)
            self.characters += len(plain)
            return
        failed = _error(event)
        if failed is not None and not self.finish_reason:
            self.error = failed
            return
        for kind, text in _pieces(event):
            if text:
                {"text": self._text, "thought": self._thoughts, "refusal": self._refused}[kind].append(text)
                self.characters += len(text)
        self.finish_reason = _finish(event) or self.finish_reason
        _count(event, self._counts)


# ---- what one event holds ----


def _plain(event: Mapping[str, Any]) -> str | None:
    """The text of an event that holds nothing else, as most of OpenAI's form do; None for any other event.
    It is the same that the rest would find, for a third of the CPU of a whole stream.
    """
    choices = event.get("choices")
    if not (event.keys() <= _AROUND and isinstance(choices, list) and len(choices) == 1):
        return None
    if event.get("usage") is not None or not isinstance(choices[0], dict):
        return None
    choice, delta = choices[0], choices[0].get("delta")
    if choice.get("finish_reason") is not None or not choice.keys() <= _BESIDE:
        return None
    content = delta.get("content") if isinstance(delta, dict) and delta.keys() <= _SAID else None
    return content if isinstance(content, str) else None


def _pieces(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The stretches of text in an event, each with its kind: ``text``, ``thought`` or ``refusal``."""
    choices = event.get("choices")
    if isinstance(choices, list):
        first = choices[0] if choices else None
        if isinstance(first, dict):
            yield from _message(first.get("delta") or first.get("message") or first)
        return
    kind = event.get("type")
    if isinstance(kind, str) and kind.startswith("response."):
        yield from _responses(event, kind)
    elif kind == "message_start" or event.get("event_type") == "stream-end":
        return  # Cohere repeats the whole answer there
    else:
        yield from _other(event)


def _other(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    candidates = event.get("candidates")
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict):
        yield from _content(_at(candidates[0], "content", "parts"))
        return
    for place in (_at(event, "contentBlockDelta", "delta"), event.get("delta"), event.get("content_block")):
        if isinstance(place, dict):
            yield from _message(_at(place, "message") or place)
    output = event.get("output")
    for item in output if isinstance(output, list) else ():
        yield from _message(item)
    message = event.get("message") or _at(output, "message")
    yield from _message(message if isinstance(message, dict) else event)


def _responses(event: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str]]:
    """OpenAI's responses: the last event repeats the whole answer, so that only the pieces count."""
    delta = event.get("delta")
    if isinstance(delta, str):
        if "reasoning" in kind:
            yield "thought", delta
        elif kind in ("response.output_text.delta", "response.refusal.delta"):
            yield "text" if "text" in kind else "refusal", delta


def _message(message: Any) -> Iterator[tuple[str, str]]:
    """A message, or a piece of one, in any provider's form."""
    if not isinstance(message, dict):
        return
    hidden = _thought(message)
    if hidden:
        yield "thought", hidden
    if isinstance(message.get("refusal"), str):
        yield "refusal", message["refusal"]
    content = message.get("content")
    if content is not None:
        yield from _content(content)
    elif not hidden:
        yield from _content([message])


def _thought(message: Mapping[str, Any]) -> str:
    """Hidden reasoning beside a text; some gateways send it under two names at once."""
    places = [message.get(name) for name in _THOUGHTS]
    bedrock = message.get("reasoningContent")
    places += [_at(bedrock, "text"), _at(bedrock, "reasoningText", "text")]
    return next((place for place in places if isinstance(place, str)), "")


def _content(content: Any) -> Iterator[tuple[str, str]]:
    """A content: a string, one part, or a list of parts."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield "text", part
        elif isinstance(part, dict):
            text = part.get("text", part.get("response") if "type" not in part else None)
            hidden = part.get("thought") is True or "thinking" in str(part.get("type"))
            if isinstance(text, str):
                yield "thought" if hidden else "text", text
            else:
                yield "thought", _thought(part)


def _finish(event: Mapping[str, Any]) -> str | None:
    """The provider's own finish reason."""
    for place in _reason_places(event):
        for name in _REASONS:
            value = place.get(name)
            if isinstance(value, str) and value not in _NO_REASON:
                return value
    blocked = _at(event, "promptFeedback", "blockReason")
    if isinstance(blocked, str):
        return blocked
    if event.get("object") == "response" or event.get("type") in (
        "response.completed",
        "response.incomplete",
    ):
        return _ended(event.get("response", event))
    return "stop" if event.get("done") is True else None


def _ended(response: Any) -> str | None:
    """OpenAI's responses have a status, and a reason only where they are incomplete."""
    why, status = _at(response, "incomplete_details", "reason"), _at(response, "status")
    return why if isinstance(why, str) else {"completed": "stop", "incomplete": "length"}.get(str(status))


def _reason_places(event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in ("choices", "candidates"):
        listed = event.get(name)
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            yield listed[0]
    for place in (event, event.get("delta"), event.get("messageStop")):
        if isinstance(place, dict):
            yield place


def _error(event: dict[str, Any]) -> dict[str, Any] | None:
    """What went wrong, as ``{"error": …}``, where an event says so."""
    if event.get("error"):
        return event
    choices = event.get("choices")
    if choices and isinstance(choices, list) and isinstance(choices[0], dict) and choices[0].get("error"):
        return {"error": choices[0]["error"]}
    failed = _at(event, "response", "error")
    if event.get("type") == "error" or (event.get("object") == "error" and "choices" not in event):
        return {"error": event}
    return {"error": failed} if event.get("type") == "response.failed" and failed else None


def _count(value: Any, counts: dict[str, int], depth: int = 5) -> None:
    """The provider's own token counts, wherever an event holds them; a later one replaces an earlier."""
    if depth == 0:
        return
    for name, inner in value.items():
        if isinstance(inner, dict):
            _count(inner, counts, depth - 1)
        elif name == "choices" and inner and isinstance(inner, list) and isinstance(inner[0], dict):
            _count(inner[0], counts, depth - 1)
        elif name in _COUNTS and isinstance(inner, int) and not isinstance(inner, bool):
            counts[name] = inner


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
