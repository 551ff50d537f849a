"""Cleaning: any string becomes text that can be encoded, counted and read."""

from __future__ import annotations

import re

__all__ = ["clean_line", "clean_text", "payload_bytes"]

# Everything that clean_text changes, a carriage return included (it may end a line).
_DIRTY = re.compile("[\x00-\x06\x0b-\x1a\x1c-\x1f\x7f\ud800-\udfff]")
# Bell, backspace, a lone carriage return and escape stay: terminals' output is understood by them.
_CONTROLS = re.compile("[\x00-\x06\x0e-\x1a\x7f]+|[\x0b\x0c]|[\x1c-\x1f]")
_LINE_END = re.compile("(?<!\r)\r+\n")
_INSTEAD = {"\x0b": "\n", "\x0c": "\n", **dict.fromkeys("\x1c\x1d\x1e\x1f", " ")}
# Shorter payloads are cheaper than their description; one may end where the next URL begins.
_DATA_URL = re.compile(
    r"data:([\w.+-]{1,80}/[\w.+-]{1,80})?(?:;[\w.-]{1,40}=[\w.%-]{1,80}){0,4};base64,"
    r"(?=[\w+/%-]{64})((?:[A-Za-ce-z0-9_+/%-]++|d(?!ata:))++=*)",
    re.ASCII,
)


def clean_text(text: str) -> str:
    """``text`` in valid Unicode, with plain line ends, without NUL and without the bytes of data URLs.

    The two halves of a split surrogate pair are joined and a lone half becomes U+FFFD; CRLF becomes LF,
    and vertical tab and form feed do; other control characters that say nothing go. A ``data:`` URL
    in base64 is replaced by its type and size in bytes. The same object comes back if nothing changes.
    """
    if _DIRTY.search(text):
        text = _without_controls(_without_surrogates(text))
    if ";base64," in text:
        text = _DATA_URL.sub(_describe, text)
    return text


def clean_line(text: str) -> str:
    """``text`` as ``clean_text`` gives it, on one line, with single spaces."""
    if text.isprintable() and "  " not in text:  # no surrogate, control or line end is printable
        return text.strip()
    return " ".join(clean_text(text).split())


def payload_bytes(payload: str) -> int:
    """How many bytes a base64 string stands for; padding, line ends and escapes do not count."""
    letters = len(payload) - payload.count("\n") - payload.count("\r")
    letters -= payload.count("=") + 3 * payload.upper().count("%3D") + 2 * payload.upper().count("%2")
    return max(letters, 0) * 3 // 4


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _without_controls(text: str) -> str:
    text = _CONTROLS.sub(lambda match: _INSTEAD.get(match[0], ""), text)
    return _LINE_END.sub("\n", text) if "\r\n" in text else text


def _describe(match: re.Match[str]) -> str:
    return f"[data: {match[1] or 'text/plain'}, {payload_bytes(match[2]):,} bytes]"
