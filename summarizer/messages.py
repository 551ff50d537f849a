"""Messages: chat messages, in every shape that occurs, become records; so does whatever a caller passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from summarizer.cleaning import clean_line, clean_text
from summarizer.display import as_mapping, display
from summarizer.errors import InvalidRecords
from summarizer.media import describe_image
from summarizer.parts import Piece, is_part, pieces
from summarizer.records import Record
from summarizer.toolcalls import result_id, tool_calls

__all__ = ["as_records", "looks_like_message", "message_record"]

_CONTENTS = ("content", "parts", "text", "value", "output")
_EXTRAS = frozenset({"tool_calls", "function_call", "refusal", "audio", "images"})
_REASONING = ("reasoning", "thinking", "chain_of_thought", "thought")
"""Fields whose names hold one of these are what a model said to itself."""
_KNOWN = frozenset({"role", *_CONTENTS, *_EXTRAS})
_BESIDE_CALLS = _KNOWN - {"role", "content", "tool_calls"}
_ENVELOPES = ("message", "payload")
_SPEAKERS = frozenset({"user", "human", "assistant", "ai", "system", "tool"})
_ALIASES = {"human": "user", "ai": "assistant", "model": "assistant"}
_ROLE_CHARS = 64
_EXPECTED = "a Record, a chat message (a mapping) or a str"


def as_records(items: Iterable[Record | Mapping[str, Any] | str]) -> list[Record]:
    """Every item as a clean record: a str is the user's, a mapping is a chat message.

    Raises ``InvalidRecords`` that names the index of an item that is neither, or the whole if it is no
    iterable of items (a single str, bytes, mapping or record). What the caller's own iterator raises
    passes through. Ids may repeat.
    """
    if hint := _mistaken(items):
        raise InvalidRecords(f"records: expected an iterable of records, got {_named(items)}; {hint}")
    return [_as_record(item, index) for index, item in enumerate(items)]


def message_record(message: Mapping[Any, Any]) -> Record:
    """The record of one chat message.

    Content, refusals, tool calls with their arguments and tool results are its text; images, sound and
    files are named; reasoning and fields that nobody expects are left out. A role that is missing or no
    string is ``user``; roles are in lower case, and a user's message that holds nothing but tool results
    is the ``tool``'s. A message may be wrapped (``{"message": {…}}``); an object without any field of a
    message is shown field by field, so that nothing is lost in silence.
    """
    message, given_id = _unwrapped(message)
    text = message.get("content")
    if isinstance(text, str) and _EXTRAS.isdisjoint(message):  # nearly every message
        return _record(message, given_id, text)
    if (text is None or isinstance(text, str)) and "role" in message and _BESIDE_CALLS.isdisjoint(message):
        return _calling(message, given_id, text or "")  # nearly every other
    found = _message_pieces(message)
    calls = tuple(piece.id for piece in found if piece.kind == "call" and piece.id)
    text = "\n".join(text for piece in _with_titles(found) if (text := piece.text))
    record = _record(message, given_id, text)
    return replace(
        record,
        role=_role_of(record.role, message, found),
        calls=calls,
        answers=record.answers
        or next((piece.id for piece in found if piece.kind == "result" and piece.id), None),
        images=sum(piece.images for piece in found),
    )


def looks_like_message(value: Any) -> bool:
    """Whether a value has the fields of a chat message (``role``, ``content``, …), wrapped or not."""
    if not isinstance(value, Mapping):
        return False
    message, _ = _unwrapped(value)
    return not _KNOWN.isdisjoint(message) or is_part(message)


def _as_record(item: Any, index: int) -> Record:
    if isinstance(item, str):
        return Record(text=clean_text(item), clean=True)
    if isinstance(item, Record):
        return item if item.clean is True else _cleaned(item, index)
    if isinstance(item, Mapping):
        return message_record(item)
    hint = "; pass its model_dump()" if hasattr(item, "model_dump") else ""
    raise InvalidRecords(f"record {index}: expected {_EXPECTED}, got {_named(item)}{hint}")


def _cleaned(record: Record, index: int) -> Record:
    _check_fields(record, index)
    return Record(
        id=clean_line(record.id),
        role=_role(record.role),
        text=clean_text(record.text),
        name=_line(record.name),
        calls=tuple(map(clean_line, record.calls)),
        answers=_line(record.answers),
        images=record.images,
        clean=True,
    )


def _check_fields(record: Record, index: int) -> None:
    for field in ("id", "role", "text", "name", "answers"):
        value = getattr(record, field)
        if not isinstance(value, str) and not (value is None and field in {"name", "answers"}):
            raise InvalidRecords(f"record {index}: expected {field} to be a str, got {_named(value)}")
    calls: Any = record.calls
    if not isinstance(calls, tuple | list) or not all(isinstance(call, str) for call in calls):
        raise InvalidRecords(f"record {index}: expected calls to be a tuple of str, got {_named(calls)}")


def _mistaken(items: Any) -> str:
    """What to do instead, if this is no iterable of records; else empty."""
    if isinstance(items, str):
        return "for one text pass [text]"
    if isinstance(items, Record):
        return "for one record pass [record]"
    if isinstance(items, Mapping):
        return 'pass its "messages"' if "messages" in items else "for one message pass [message]"
    if isinstance(items, bytes | bytearray | memoryview):
        return "decode them and pass [text]"
    if not isinstance(items, Iterable) and not hasattr(type(items), "__getitem__"):
        return f"each of them {_EXPECTED}"
    return ""


def _unwrapped(message: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], str]:
    """The message itself and its id, out of the envelopes that transcripts put around it."""
    found = _id(message["id"]) if "id" in message else ""
    for _ in range(4):
        if "role" in message or "content" in message:
            break
        inner = next(
            (inner for key in _ENVELOPES if (inner := as_mapping(message.get(key))) is not None), None
        )
        if inner is None:
            break
        message, found = inner, _id(inner.get("id")) or found
    return message, found


def _calling(message: Mapping[Any, Any], given_id: str, text: str) -> Record:
    """The record of a message that says nothing but a text and tool calls."""
    found = tool_calls(message)
    texts = [text, *(call for _, call in found)] if text else [call for _, call in found]
    return _record(message, given_id, "\n".join(texts), tuple(call_id for call_id, _ in found if call_id))


def _record(message: Mapping[Any, Any], given_id: str, text: str, calls: tuple[str, ...] = ()) -> Record:
    name = message.get("name")
    is_item = "type" in message and is_part(message)  # then these are a tool's, and not the speaker's
    return Record(
        id=given_id,
        role=_speaker(message),
        text=clean_text(text),
        name=(clean_line(name) or None) if isinstance(name, str) and not is_item else None,
        calls=calls,
        answers=None if is_item else result_id(message) or None,
        clean=True,
    )


def _message_pieces(message: Mapping[Any, Any]) -> list[Piece]:
    if "role" not in message and is_part(message):
        return pieces([message])
    if _KNOWN.isdisjoint(message):
        return pieces(_without_reasoning(message))
    content = next((message[key] for key in _CONTENTS if message.get(key) is not None), None)
    return [*pieces(content), *_extras(message)]


def _extras(message: Mapping[Any, Any]) -> list[Piece]:
    """What stands beside the content: a refusal, spoken words, images, tool calls."""
    found = []
    if isinstance(refusal := message.get("refusal"), str):
        found.append(Piece("text", refusal))
    if (audio := as_mapping(message.get("audio"))) is not None:
        found += pieces([{"type": "audio", **audio}])
    if isinstance(images := message.get("images"), list | tuple):
        found += [Piece("image", describe_image(image), images=1) for image in images]
    return found + [Piece("call", text, found_id) for found_id, text in tool_calls(message)]


def _without_reasoning(message: Mapping[Any, Any]) -> str:
    said = {key: value for key, value in message.items() if not _is_reasoning(key)}
    return display(said, blobs=False)


def _is_reasoning(key: Any) -> bool:
    return isinstance(key, str) and any(word in key.lower() for word in _REASONING)


def _with_titles(found: list[Piece]) -> list[Piece]:
    """Where results stand beside other pieces, each is announced."""
    if all(piece.kind == "result" for piece in found):
        return found
    return [
        replace(piece, text=f"[tool result]\n{piece.text}") if piece.kind == "result" else piece
        for piece in found
    ]


def _speaker(message: Mapping[Any, Any]) -> str:
    given = message["role"] if "role" in message else message.get("from")
    kind = message.get("type") if given is None else None
    return _role(kind if isinstance(kind, str) and kind in _SPEAKERS else given)


def _role(given: Any) -> str:
    if not isinstance(given, str):
        return "user"
    if given in _SPEAKERS:
        return _ALIASES.get(given, given)
    role = clean_line(given[:_ROLE_CHARS]).lower() or "user"
    return _ALIASES.get(role, role)


def _role_of(role: str, message: Mapping[Any, Any], found: list[Piece]) -> str:
    """A user's message of tool results alone is the tool's; calls and reasoning are the assistant's."""
    if role == "user" and found and all(piece.kind == "result" for piece in found):
        return "tool"
    return "assistant" if "role" not in message and is_part(message) else role


def _id(value: Any) -> str:
    if isinstance(value, str):
        return clean_line(value)
    return display(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _line(text: str | None) -> str | None:
    return clean_line(text) if text is not None else None


def _named(value: Any) -> str:
    names = {"NoneType": "None", "dict": "a dict", "int": "an int"}
    kind = type(value).__name__
    return names.get(kind, f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}")
