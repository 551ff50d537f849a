"""Whether a value that is called a secret is one, or a type, a placeholder, a number, a name in code."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

__all__ = [
    "Value",
    "is_credentials",
    "is_mixed",
    "is_place",
    "is_stand_in",
    "is_token",
    "is_word_in_code",
    "value_at",
]


@dataclass(frozen=True, slots=True)
class Value:
    """The characters ``start`` to ``end`` of a text; ``quoted`` if quotes stand around them."""

    text: str
    start: int
    end: int
    quoted: bool = False


_QUOTE = re.compile(r"[@bBrRuUfF]{0,2}(?P<escape>\\{0,3})(?P<quote>[\"'`“「『])")
_CLOSING = {"“": "”", "「": "」", "『": "』"}
_LONGEST = 4_096
"""Characters between two quotes that are still taken for one value."""
_STOPS = r"\s\"'`\\"
_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef“”…"
_LETTER_OF_LINE = r"\\(?![nrtu\"'`\\])"
_BARE = {
    "words": re.compile(rf"(?:[^{_STOPS}{_WIDE}<>,;|(){{}}\[\]]|{_LETTER_OF_LINE})+"),
    "parts": re.compile(rf"(?:[^{_STOPS};&]|{_LETTER_OF_LINE})+"),
    "line": re.compile(rf"(?:[^{_STOPS}]|{_LETTER_OF_LINE})+"),
}


def value_at(text: str, start: int, breaks: str) -> Value | None:
    """What begins there: what stands in quotes, or goes to the next break.

    ``breaks``: the end of a word as in prose or code (``words``), ``;`` and ``&`` as in a list of settings
    (``parts``), or blanks alone (``line``).
    """
    quote = _QUOTE.match(text, start)
    if quote:
        start = quote.end()
        end = _closing(text, quote["escape"] + _CLOSING.get(quote["quote"], quote["quote"]), start)
        if end >= 0 and "\n" not in text[start:end]:
            return Value(text[start:end], start, end, quoted=True)
    bare = _BARE[breaks].match(text, start)
    if not bare:
        return None
    found = bare[0].rstrip(".:?") if breaks == "words" else bare[0]
    return Value(found, start, start + len(found))


def _closing(text: str, mark: str, start: int) -> int:
    """Where a quote ends; in it, another one may stand behind a backslash."""
    end = text.find(mark, start, start + _LONGEST)
    while len(mark) == 1 and end > start and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(mark, end + 1, start + _LONGEST)
    return end


_TEMPLATE = re.compile(
    r"\$?\{\{?[^{}]{0,200}\}?\}|\$\([^()]{0,200}\)|\$[A-Za-z_]+|%[sd]|%\([^()]{0,40}\)s|<[\w \-]{0,60}>"
)
_PLACEHOLDER = re.compile(
    r"(?:(?:bearer|basic|token) )?(?:your|my|the|an?|some|insert|enter|add)[ _-].*|"
    r"example.*|redacted.*|placeholder.*|varchar.*|\[redacted.*|"
    r"none|null|nil|true|false|undefined|todo|str|string|int|integer|number|bool|boolean|bytes|text|any|optional|"
    r"required|object|array|list|dict|float|type|void|self|this|unknown|missing|invalid|empty|default|enabled|"
    r"disabled|hidden|field|value|secret|password|passwd|token|key|env|not|and|with|"
    r"for|from|that|which",
    re.IGNORECASE,
)


def is_stand_in(value: str) -> bool:
    """A template, a type or a placeholder: what is put there may be a secret, this is none."""
    from detect_secrets.filters.heuristic import is_templated_secret

    if is_templated_secret(value) or len(set(value)) == 1:
        return True
    bare = _TEMPLATE.sub("", value)
    return not is_mixed(bare) if bare != value else bool(_PLACEHOLDER.fullmatch(value))


_REFERENCE = re.compile(r"[A-Za-z_]\w{0,39}(?:\??\.[A-Za-z_]\w{0,39})+")
_SUM = re.compile(r"[A-Za-z_][\w.]{0,60}[ ]?[+*/?|&-].*")
_CALL = re.compile(r"[A-Za-z_][\w.]{0,99}[(\[]|\.\w")


def is_word_in_code(text: str, value: Value) -> bool:
    """Whether a value without quotes is a name, a call or a sum that gives it."""
    if text[value.end : value.end + 1] in ("(", "["):
        return True
    if _REFERENCE.fullmatch(value.text) or _CALL.match(value.text):
        return True
    return "." in value.text and bool(_SUM.fullmatch(value.text))


_LETTER, _DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")
_MARK = re.compile(r"[^\w\s.,;:/()\-]")
_CASES = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_NUMBER = re.compile(r"[\d.,_:/+\-]+%?[kKmMgGsSbB]{0,2}")
_PLACE = re.compile(r"(?:\.{0,2}|~)/|[a-z]+://|[A-Za-z]:\\")


def is_mixed(value: str) -> bool:
    """Letters with digits, or with marks that words do not have."""
    return bool(_LETTER.search(value) and (_DIGIT.search(value) or _MARK.search(value)))


def is_place(value: str) -> bool:
    """A path or an address."""
    return bool(_PLACE.match(value))


def is_token(value: str, least: int = 8) -> bool:
    """Letters and digits, or many changes between small and capital ones, of ``least`` characters or more.
    Neither a number nor a path is one.
    """
    if len(value) < least or is_place(value) or _NUMBER.fullmatch(value) or not _LETTER.search(value):
        return False
    return bool(_DIGIT.search(value)) or (len(value) >= 16 and len(_CASES.findall(value)) >= 3)


def is_credentials(value: str) -> bool:
    """Whether it is a name and a password as HTTP's basic authorization has them (RFC 7617)."""
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
