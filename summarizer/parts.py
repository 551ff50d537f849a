"""Parts: what stands in a message's ``content``, piece by piece, in the shapes of the APIs in use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from summarizer.display import as_mapping, display, scalar
from summarizer.media import describe_media, media_label
from summarizer.toolcalls import answered_id, call_id, render_call, render_hosted_call

__all__ = ["Piece", "is_part", "pieces"]

_CALLS = frozenset(
    {"custom_tool_call", "function_call", "mcp_tool_use", "server_tool_use", "tool_call", "tool_use"}
)
_HOSTED = frozenset({"mcp_approval_request", "mcp_list_tools"})
"""Calls to tools of the provider's own, beside those whose type ends with ``_call``."""
_RESULTS = frozenset({"function_response", "mcp_approval_response", "tool_result", "tool_search_output"})
_OUTPUTS = ("content", "output", "result", "response", "tools")
_CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
_NESTED = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """What one part says: its text, the ids of the call that it makes or answers, its number of images."""

    kind: Literal["text", "call", "result", "image"]
    text: str
    id: str = ""
    images: int = 0


def pieces(content: Any) -> list[Piece]:
    """The pieces of a message's content (None, text, a number, a part or a list of them).

    Reasoning is left out, images and files are named, unknown parts are shown compactly without blobs.
    Never raises, whatever is nested in what.
    """
    return _pieces(content, 0)


def is_part(message: Mapping[Any, Any]) -> bool:
    """Whether a message is itself a part: a call, a result or reasoning (items of the Responses API)."""
    kind = _kind(message.get("type"))
    return kind in _CALLS or _is_hosted(kind) or _is_reasoning(kind) or _is_result(kind)


def _pieces(content: Any, depth: int) -> list[Piece]:
    if content is None:
        return []
    if isinstance(content, bytes | bytearray):
        return [Piece("text", _decoded(bytes(content)))]
    if isinstance(content, str | int | float):
        return [Piece("text", scalar(content))]
    part = as_mapping(content)
    if part is not None:
        found = _piece(part, depth)
        return [found] if found else []
    if isinstance(content, Iterable):
        return [piece for item in content for piece in _item(item, depth)]
    return [Piece("text", display(content, blobs=False))]


def _item(item: Any, depth: int) -> list[Piece]:
    if isinstance(item, list | tuple | set | frozenset):  # no API nests lists: a cycle would have no end
        return [Piece("text", display(item, blobs=False))]
    return _pieces(item, depth)


def _piece(part: Mapping[Any, Any], depth: int) -> Piece | None:
    kind, part = _unwrapped(part)
    if _is_reasoning(kind) or part.get("thought") is True:
        return None
    if kind in _CALLS:
        return Piece("call", render_call(part), call_id(part))
    if _is_result(kind):
        return _result(part, depth)
    if label := media_label(kind, part):
        return Piece(
            "image" if label == "image" else "text", describe_media(label, part), images=label == "image"
        )
    if _is_hosted(kind):
        return Piece("call", render_hosted_call(kind, part), call_id(part))
    return Piece("text", _text(kind, part))


def _unwrapped(part: Mapping[Any, Any]) -> tuple[str, Mapping[Any, Any]]:
    """A part's type and body; some APIs write ``{"toolUse": {…}}`` instead of a type."""
    if (given := part.get("type")) is not None:
        return _kind(given), part
    for key, value in part.items():
        kind = _kind(key)
        if kind in _CALLS or _is_result(kind) or _is_reasoning(kind):
            return kind, value if isinstance(value, Mapping) else part
        if value and media_label(kind, part) and kind != "file":
            return kind, part
    return "", part


def _result(part: Mapping[Any, Any], depth: int) -> Piece:
    output = next((part[key] for key in _OUTPUTS if part.get(key) is not None), None)
    if output is None and "approve" in part:
        output = {key: part[key] for key in ("approve", "reason") if part.get(key) is not None}
    inner = (
        [Piece("text", display(output))]
        if depth >= _NESTED or _is_data(output)
        else _pieces(output, depth + 1)
    )
    text = "\n".join(piece.text for piece in inner if piece.text)
    if part.get("is_error") is True:
        text = f"[error] {text}"
    return Piece("result", text, answered_id(part), sum(piece.images for piece in inner))


def _is_data(output: Any) -> bool:
    """Whether a tool's output is plain data instead of a part."""
    return isinstance(output, Mapping) and "type" not in output and "text" not in output


def _text(kind: str, part: Mapping[Any, Any]) -> str:
    text = part.get("text", part.get("refusal") if kind == "refusal" else None)
    if isinstance(text, Mapping):
        text = text.get("value")
    if isinstance(text, str):
        return text
    if kind in {"text", "input_text", "output_text", "refusal"} or "text" in part:
        return "" if text is None else display(text)
    return display(part, blobs=False)


def _is_reasoning(kind: str) -> bool:
    return "reasoning" in kind or "thinking" in kind


def _is_hosted(kind: str) -> bool:
    return kind in _HOSTED or kind.endswith("_call")


def _is_result(kind: str) -> bool:
    return kind in _RESULTS or kind.endswith(("tool_result", "_call_output"))


def _kind(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return (
        value
        if value.islower() and "-" not in value
        else _CAMEL.sub("_", value[:80]).replace("-", "_").lower()
    )


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return scalar(data)
