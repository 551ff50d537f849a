"""Tool calls: which tool was called, with which arguments, in text that a model reads easily."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from summarizer.cleaning import clean_line
from summarizer.display import as_mapping, display

__all__ = ["answered_id", "call_id", "render_call", "render_hosted_call", "result_id", "tool_calls"]

_JSON = json.JSONDecoder(strict=False)
_PLAIN_FIELDS = frozenset({"id", "type", "function"})
_PLAIN_BODY = frozenset({"name", "arguments"})
_BODIES = ("function", "custom", "functionCall", "function_call", "toolUse", "tool_use")
_NAMES = ("name", "toolName", "tool_name", "tool")
_LABELS = frozenset({"type", "id", "call_id", "name", "status"})
"""Fields of a hosted call that say nothing of what it does."""
_ARGUMENTS = ("arguments", "input", "args", "parameters", "action")
_RESULT_IDS = ("tool_call_id", "tool_use_id", "call_id", "toolCallId", "toolUseId")
_RESULT_KEYS = frozenset(_RESULT_IDS)
_OWN_RESULT_IDS = {"local_shell_call_output": "id", "mcp_approval_response": "approval_request_id"}
"""Items whose types name the call that they answer in a field of their own."""
_CALL_IDS = ("call_id", "toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "id")


def tool_calls(message: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """Id (may be empty) and text of each call in ``tool_calls`` and in the older ``function_call``."""
    calls: Any = message.get("tool_calls")
    if calls is None or isinstance(calls, str | bytes | Mapping) or not isinstance(calls, Iterable):
        calls = [calls] if calls else []
    legacy = message.get("function_call")
    every = (*calls, legacy) if legacy else calls
    return [_plain_call(call) or (call_id(call), render_call(call)) for call in every]


def _plain_call(call: Any) -> tuple[str, str] | None:
    """Id and text of a call that has the usual fields and no others, as nearly every one; else None."""
    if type(call) is not dict or not call.keys() <= _PLAIN_FIELDS:
        return None
    body = call.get("function")
    if type(body) is not dict or body.keys() != _PLAIN_BODY:
        return None
    found, name = call.get("id"), body["name"]
    if not isinstance(found, str) or not isinstance(name, str):
        return None
    return clean_line(found), _rendered(clean_line(name), body["arguments"])


def render_call(call: Any) -> str:
    """A line that names the tool, then its arguments, one ``key: value`` a line.

    Strings keep their real line ends; arguments that are not JSON are shown as they are.
    """
    fields = as_mapping(call)
    if fields is None:
        return f"[tool call]\n{display(call, blobs=False)}"
    body = next((found for key in _BODIES if (found := as_mapping(fields.get(key))) is not None), fields)
    name = next((clean_line(body[key]) for key in _NAMES if isinstance(body.get(key), str)), "")
    return _rendered(name, next((body[key] for key in _ARGUMENTS if body.get(key) is not None), None))


def render_hosted_call(kind: str, call: Mapping[Any, Any]) -> str:
    """A call to a tool of the provider's own, such as ``web_search_call``: with all that it was given and, as
    such items hold it themselves, all that came of it. The tool is named by its type if it has no name.
    """
    name = call.get("name")
    line = (
        f"[tool call: {clean_line(name) if isinstance(name, str) and name else kind.removesuffix('_call')}]"
    )
    given = {key: _parsed(value) if key == "arguments" else value for key, value in call.items()}
    said = {key: value for key, value in given.items() if key not in _LABELS and not _is_empty(value)}
    return f"{line}\n{display(said, blobs=False)}" if said else line


def _rendered(name: str, given: Any) -> str:
    line = f"[tool call: {name}]" if name else "[tool call]"
    arguments = _arguments(given)
    return f"{line}\n{arguments}" if arguments else line


def call_id(call: Any) -> str:
    """The id by which a result refers to this call; empty if it has none."""
    fields = as_mapping(call)
    return _first_id(fields, _CALL_IDS) if fields is not None else ""


def result_id(message: Mapping[Any, Any]) -> str:
    """The id of the call that this message or part answers; empty if it names none."""
    return "" if _RESULT_KEYS.isdisjoint(message) else _first_id(message, _RESULT_IDS)


def answered_id(item: Mapping[Any, Any]) -> str:
    """The id of the call that an item of the Responses API answers; empty if it names none."""
    kind = item.get("type")
    own = _OWN_RESULT_IDS.get(kind) if isinstance(kind, str) else None
    return result_id(item) or (_first_id(item, (own,)) if own else "")


def _first_id(fields: Mapping[Any, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = fields.get(key)
        if value and isinstance(value, str):
            return clean_line(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return display(value)
    return ""


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        value = None if value == "null" else _parsed(value)
    return "" if _is_empty(value) else display(value)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _parsed(text: Any) -> Any:
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[", '"')):
        return text
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return text
