"""Keeps keys out of what people read: errors quote them, and so do addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

__all__ = ["MASK", "masked", "one_line", "without_keys"]

_LONG = 16
MASK = "***"
"""What stands in a text where a key stood."""

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.I)
_SHORTEST = 6
_NUMBER = re.compile(r"[\d_,. ]+")
_TAIL = 120
_SHAPES = (
    re.compile(r"\b(?:sk|pk|rk|xai|pplx|nvapi)-[\w*.\-]{8,}"),
    re.compile(r"\b(?:gsk|hf|ghp|gho|github_pat|r8|fw|csk)_[\w*\-]{8,}"),
    re.compile(r"\bAIza[\w*\-]{8,}|\bya29\.[\w\-]{8,}|\bA[KS]IA[0-9A-Z]{12,}"),
    re.compile(r"\beyJ[\w\-]{8,}\.[\w\-]+\.[\w\-]*"),
)
_LABELLED = (
    re.compile(r"(\bBearer\s+|\bBasic\s+(?-i:(?=[\w+/]*[A-Z\d=+/])))[^\s\"',}]{6,}", re.I),
    re.compile(r"(://)[^/\s@\"']+(?=@)"),
    re.compile(r"([?&](?:[\w\-]*(?:key|token|secret|password|credential)|sig(?:nature)?)=)[^&\s\"'#]+", re.I),
    re.compile(
        r"(\b(?:x-)?api[ _-]?key(?:\s+(?:provided|given|is|was))?[\"']?\s*[:=]\s*[\"']?)[^\s\"',}]{6,}", re.I
    ),
)


def masked(text: str, environ: Mapping[str, str]) -> str:
    """The text with ``***`` for every value of a variable in ``environ`` whose name says that it is secret
    (KEY, TOKEN, SECRET, PASSWORD, CREDENTIAL; six characters or more), and for whatever has the shape of a
    key, of a password in an address, or of one in a query. Raises nothing.

    Plain numbers stay: a variable like ``MAX_TOKENS`` is no secret, and errors state limits.
    """
    for value in _values(environ):
        text = text.replace(value, MASK)
    for shape in _SHAPES:
        text = shape.sub(MASK, text)
    for label in _LABELLED:
        text = label.sub(rf"\g<1>{MASK}", text)
    return text


def without_keys(text: str, environ: Mapping[str, str]) -> str:
    """The text with ``***`` for the secret values in ``environ`` of 16 characters or more, letter for letter.

    For what a model wrote: shapes of keys stay, for they may be what the text is about. Raises nothing.
    """
    for value in _values(environ):
        if len(value) >= _LONG and value in text:
            text = text.replace(value, MASK)
    return text


def one_line(text: str, environ: Mapping[str, str], limit: int = 500) -> str:
    """The masked text on one line of at most ``limit`` characters; a long one loses its middle, since errors
    say what happened first and quote the numbers last. Raises nothing.
    """
    line = " ".join(masked(text, environ).split())
    if len(line) <= limit:
        return line
    tail = min(_TAIL, limit // 3)
    return f"{line[: limit - tail - 3]} … {line[-tail:]}"


def _values(environ: Mapping[str, str]) -> list[str]:
    """The secret values, the longest first, so that one that holds another is masked whole."""
    found: set[str] = set()
    for name, value in environ.items():
        bare = value.strip()
        if len(bare) >= _SHORTEST and _NAMES.search(name) and not _NUMBER.fullmatch(bare):
            found |= {bare, quote(bare, safe="")}
    return sorted(found, key=lambda value: (-len(value), value))
