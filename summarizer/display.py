"""Display: any value as readable text, whatever its depth, its cycles and its types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["as_mapping", "display", "scalar"]

_DEPTH = 16
_NODES = 300_000
_FLAT = frozenset({str, int, float, bool, type(None)})
_BLOB = re.compile(r"[\w+/=-]{256,}", re.ASCII)


def display(value: Any, *, blobs: bool = True) -> str:
    """A value as text: a string as it is, a mapping one ``key: value`` a line, the rest as compact JSON.

    A container that holds a string of more than one word is written over several lines, so that such a
    string keeps its own line ends; any other is one line of JSON. More than 16 levels, the inside of a
    cycle and whatever follows the first 300,000 values show as ``…``. With ``blobs=False`` long base64
    strings are named with their size in bytes. Never raises.
    """
    if blobs and type(value) is dict and _FLAT.issuperset(map(type, value.values())):
        return _flat(value)  # nearly every tool call's arguments
    shown = _Display(blobs)
    if isinstance(value, Mapping):
        return shown.lines_of_mapping(value, 0)
    return shown.render(value, 0)[1]


def scalar(value: Any) -> str:
    """A value that is no container, in the way JSON writes it; a string as it is."""
    if isinstance(value, str):
        return value
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[{memoryview(value).nbytes:,} bytes]"
    if isinstance(value, int):
        return _integer(value)
    return "NaN" if value != value else str(value)


def as_mapping(value: Any) -> Mapping[Any, Any] | None:
    """A mapping, or a pydantic model as one (SDKs give those); None for everything else."""
    if isinstance(value, (dict, Mapping)):  # a dict is known without asking the abstract class
        return value
    dump = getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else None


def _integer(value: int) -> str:
    try:
        return str(int(value))
    except ValueError:  # Python writes at most 4,300 digits
        return f"[a number of about {int(value.bit_length() * 0.30103) + 1:,} digits]"


class _Display:
    """One rendering: what is left of its values, and the containers that it is inside of."""

    __slots__ = ("blobs", "left", "path")

    def __init__(self, blobs: bool) -> None:
        self.blobs = blobs
        self.left = _NODES
        self.path: set[int] = set()

    def render(self, value: Any, depth: int) -> tuple[bool, str]:
        """Whether the value fits into a line of JSON, and its text (a string's without quotes)."""
        self.left -= 1
        if isinstance(value, str):
            text = self.string(value)
            return len(text.split(None, 1)) < 2, text
        if not isinstance(value, dict | list | tuple | set | frozenset | Mapping):
            return True, _safe(value)
        if depth >= _DEPTH or self.left <= 0 or id(value) in self.path:
            return True, "…"
        self.path.add(id(value))
        try:
            return self.container(value, depth)
        finally:
            self.path.discard(id(value))

    def container(self, value: Any, depth: int) -> tuple[bool, str]:
        named = isinstance(value, Mapping)
        keys = list(map(_key, value)) if named else None
        items = list(value.values()) if named else list(value)
        children = [self.render(item, depth + 1) for item in items]
        if all(inline for inline, _ in children):
            return True, _compact(keys, items, [text for _, text in children])
        return False, _expanded(keys, items, children, depth)

    def lines_of_mapping(self, value: Mapping[Any, Any], depth: int) -> str:
        self.path.add(id(value))
        children = [self.render(item, depth + 1) for item in value.values()]
        return _expanded(list(map(_key, value)), list(value.values()), children, depth)

    def string(self, text: str) -> str:
        if not self.blobs and len(text) >= 256 and _BLOB.fullmatch(text):
            return f"[{len(text) * 3 // 4:,} bytes of base64]"
        return text


def _safe(value: Any) -> str:
    try:
        return scalar(value)
    except Exception:  # noqa: BLE001 — a foreign object's own methods may raise anything
        return f"[{type(value).__name__}]"


def _key(key: Any) -> str:
    return key if isinstance(key, str) else _safe(key) if not isinstance(key, tuple) else "…"


def _compact(keys: list[str] | None, items: list[Any], texts: list[str]) -> str:
    written = [
        _quoted(text) if isinstance(item, str) else text for item, text in zip(items, texts, strict=True)
    ]
    if keys is None:
        return f"[{', '.join(written)}]"
    pairs = zip(keys, written, strict=True)
    return "{" + ", ".join(f"{_quoted(key)}: {text}" for key, text in pairs) + "}"


def _flat(value: dict[Any, Any]) -> str:
    """What ``_expanded`` gives for a mapping without containers."""
    lines = []
    for key, item in value.items():
        text = item if isinstance(item, str) else scalar(item)
        on_its_own = "\n" in text and len(text.split(None, 1)) > 1
        label = _key(key)
        lines.append(f"{label}:\n{text}" if on_its_own else f"{label}: {text}".rstrip(" "))
    return "\n".join(lines)


def _expanded(keys: list[str] | None, items: list[Any], children: list[tuple[bool, str]], depth: int) -> str:
    pad = "  " * depth
    labels: Iterable[str] = [f"{pad}- "] * len(items) if keys is None else [f"{pad}{key}: " for key in keys]
    lines = []
    for label, item, (inline, text) in zip(labels, items, children, strict=True):
        if inline or (isinstance(item, str) and "\n" not in text):
            lines.append((label + text).rstrip(" "))
        elif keys is None and not isinstance(item, str):
            lines.append(label + text[len(label) :])  # the first line stands beside its dash
        else:
            lines.append(f"{label.rstrip()}\n{text}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
