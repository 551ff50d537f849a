"""Media: images, sound and files are named with their type and size, and never sent as base64."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from summarizer.cleaning import clean_line, payload_bytes

__all__ = ["describe_image", "describe_media", "media_label"]

_LABELS = {
    **dict.fromkeys(
        [
            *("image", "image_url", "input_image", "output_image", "image_file"),
            *("computer_screenshot", "image_generation_call"),
        ],
        "image",
    ),
    **dict.fromkeys(["audio", "audio_url", "input_audio", "output_audio"], "audio"),
    **dict.fromkeys(["video", "video_url", "input_video"], "video"),
    **dict.fromkeys(["file", "input_file", "file_url", "document", "file_data"], "file"),
    **dict.fromkeys(["inline_data", "media", "blob"], "file"),
}
_NAMES = ("filename", "file_name", "fileName", "title", "name")
_TYPES = ("media_type", "mime_type", "mimeType", "mediaType", "format")
_PAYLOADS = (
    "data",
    "file_data",
    "fileData",
    "b64_json",
    "base64",
    "bytes",
    "result",
    "image",
    "audio",
    "file",
)
_ADDRESSES = ("url", "image_url", "audio_url", "video_url", "file_url", "file_uri", "fileUri", "uri")
_IDS = ("file_id", "fileId", "image_id")
_ADDRESS_CHARS = 300


def media_label(kind: str, part: Mapping[Any, Any]) -> str | None:
    """``image``, ``audio``, ``video`` or ``file`` for a content part of this type, else None."""
    label = _LABELS.get(kind)
    if label != "file":
        return label
    family = _first_text(_fields(part), _TYPES).partition("/")[0]
    return family if family in {"image", "audio", "video"} else "file"


def describe_media(label: str, part: Mapping[Any, Any]) -> str:
    """``[file: spec.pdf, application/pdf, 1,200 bytes]``, ``[image: https://example.com/board.jpg]``.

    Reads the shapes of OpenAI's two APIs, Anthropic, Gemini, Bedrock and MCP; sizes are of the decoded
    data. A transcript, an image's prompt or a text document in the part follows on lines of its own.
    """
    fields = _fields(part)
    facts = [_first_text(fields, _NAMES), *_contents(fields)]
    if not any(facts):
        facts = [_first_text(fields, _IDS)]
    named = f"[{': '.join([label, ', '.join(filter(None, facts))])}]" if any(facts) else f"[{label}]"
    said = fields.get("transcript") or fields.get("revised_prompt")
    text = said or (fields.get("data") if _is_plain(fields) else None)
    return f"{named}\n{text}" if isinstance(text, str) and text else named


def describe_image(data: Any) -> str:
    """The name of an image that is given as a bare string (an address, a data URL or base64) or a part."""
    return describe_media("image", data if isinstance(data, Mapping) else {"data": data})


def _fields(part: Mapping[Any, Any]) -> dict[Any, Any]:
    """The part's fields and those of the mappings in it (``source``, ``image_url``, ``file``), two deep."""
    fields = dict(part)
    for level in (part, *(value for value in part.values() if isinstance(value, Mapping))):
        for value in level.values():
            if isinstance(value, Mapping):
                fields.update(value)
    return fields


def _contents(fields: Mapping[Any, Any]) -> list[str]:
    """Its type, its size, and its address if it has one."""
    kind = _first_text(fields, _TYPES)
    for key in (*_PAYLOADS, *_ADDRESSES):
        value = fields.get(key)
        if isinstance(value, bytes | bytearray | memoryview):
            return [kind, f"{memoryview(value).nbytes:,} bytes"]
        if isinstance(value, str) and value:
            return _contents_of(value, kind)
    return [kind]


def _contents_of(value: str, kind: str) -> list[str]:
    if value[:5].lower() == "data:":
        head, _, payload = value[5:].partition(",")
        found = head.partition(";")[0] or kind
        size = payload_bytes(payload) if head.lower().endswith("base64") else len(payload)
        return [clean_line(found[:_ADDRESS_CHARS]), f"{size:,} bytes"]
    if "://" in value[:40]:
        return [kind, _short(value)]
    size = len(value.encode(errors="replace")) if kind == "text/plain" else payload_bytes(value)
    return [kind, f"{size:,} bytes"]


def _is_plain(fields: Mapping[Any, Any]) -> bool:
    return fields.get("media_type") == "text/plain" and fields.get("type") == "text"


def _first_text(fields: Mapping[Any, Any], keys: tuple[str, ...]) -> str:
    return next((_short(value) for key in keys if isinstance(value := fields.get(key), str) and value), "")


def _short(text: str) -> str:
    line = clean_line(text[: _ADDRESS_CHARS + 1])
    return line if len(line) <= _ADDRESS_CHARS else line[:_ADDRESS_CHARS] + "…"
