"""Normal forms: one for all spellings of a thing that differ in nothing but how they are written."""

from __future__ import annotations

import re

from summarizer.identifiers.kinds import Kind
from summarizer.identifiers.vocabulary import UNITS

__all__ = ["normal", "plain"]

_DIFF = re.compile(r"^[ab]/(?=[^/]*[./_-])")
"""What git puts before the two sides of a path."""
_OWN = re.compile(r"^(?:this|self)\.(?=\w)")
_SPACE = re.compile(r"\s+")
_WIDE = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code - 0xFEE0).isalnum()}
_WIDE |= {ord(wide): ord(narrow) for wide, narrow in zip("＿／．％＃＠－＄", "_/.%#@-$", strict=True)}
_HAS_WIDE = re.compile(f"[{''.join(map(chr, _WIDE))}]")
_NUMBER = re.compile(r"([$€£¥]?)([+-]?[\d,]*\.?\d+)\s*(.*)", re.DOTALL)
_QUOTES = "\"'`“”‘’「」『』«»《》〈〉"
_SURROUNDING = _QUOTES + " \t\n.,;:!?。，、；：！？…"


def plain(text: str) -> str:
    """The text with letters, digits and joining marks of full width made narrow, each in its place."""
    return text.translate(_WIDE) if not text.isascii() and _HAS_WIDE.search(text) else text


def normal(kind: Kind, text: str) -> str:
    """The normal form of an identifier's text; that of a normal form is itself."""
    text = plain(text)
    while True:
        found = _FORMS.get(kind, str.strip)(text)
        if found == text:
            return found
        text = found


def _path(text: str) -> str:
    text = re.sub("/{2,}", "/", text.strip(_QUOTES).replace("\\", "/"))
    while text.startswith("./"):
        text = text[2:]
    text = _DIFF.sub("", text.removeprefix("@") if text[1:2] != "" and "/" not in text else text)
    return text.rstrip("/") or text[:1]


def _url(text: str) -> str:
    scheme, mark, rest = text.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}{mark}{host.lower()}{slash}{path}".rstrip("/.,;:!?")


def _number(text: str) -> str:
    if text[-1:].isdigit() and text[0].isdigit() and "," not in text:
        return text
    found = _NUMBER.fullmatch(text)
    if not found:
        return text.strip()
    currency, value, unit = found.groups()
    return f"{currency}{value.replace(',', '').removeprefix('+')}{UNITS.get(unit, unit)}"


def _version(text: str) -> str:
    return text[1:] if text[:1] in "vV" and text[1:2].isdigit() else text


def _symbol(text: str) -> str:
    return _OWN.sub("", text.removesuffix("()").strip(_QUOTES))


def _variable(text: str) -> str:
    return text.strip("${}")


def _words(text: str) -> str:
    return _SPACE.sub(" ", text).strip(_SURROUNDING)


def _message(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


_FORMS = {
    Kind.PATH: _path,
    Kind.URL: _url,
    Kind.NUMBER: _number,
    Kind.VERSION: _version,
    Kind.SYMBOL: _symbol,
    Kind.VARIABLE: _variable,
    Kind.HASH: str.lower,
    Kind.ADDRESS: str.lower,
    Kind.QUOTED: _words,
    Kind.CODE: _words,
    Kind.ERROR: _message,
    Kind.FACT: _message,
    Kind.DATE: _message,
}
