"""Whether something stands in a text for itself, and not as a part of a longer number or name."""

from __future__ import annotations

import re

from summarizer.identifiers.normal import plain

__all__ = ["folded", "stands"]

_FIRST_EAST_ASIAN = 0x2E80
_SPACE = re.compile(r"\s+")
_MARKS = str.maketrans("“”„‘’«»‐‑–−", '"""\'\'""----')


def folded(text: str, *, case: bool = True) -> str:
    """A text without differences of width, white space, quotation marks and hyphens; of case if ``case``."""
    text = _SPACE.sub(" ", plain(text).translate(_MARKS) if not text.isascii() else text)
    return text.casefold() if case else text


def stands(text: str, part: str, *, open_end: bool = False) -> bool:
    """Whether ``part`` stands in ``text``: no letter, digit or fraction goes on before or behind it.

    Chinese and Japanese put no spaces around it. ``open_end``: it may go on (a hash that was cut short).
    """
    if not part:
        return False
    at = text.find(part)
    while at >= 0:
        if _begins(text, at, part) and (open_end or _ends(text, at + len(part), part)):
            return True
        at = text.find(part, at + 1)
    return False


def _begins(text: str, at: int, part: str) -> bool:
    if not at or not _in_word(part[0]):
        return True
    before = text[at - 1]
    if not part[0].isdigit():
        return not _in_word(before) or _escaped(text, at)
    if before in ".," and at > 1 and text[at - 2].isdigit() and part[-1].isdigit():
        return False
    if before in "vV":
        return at < 2 or not _in_word(text[at - 2])
    return not _in_word(before) or _escaped(text, at)


def _escaped(text: str, at: int) -> bool:
    """Behind the letter of an escaped line end or tab."""
    return at > 1 and text[at - 1] in "nrt" and text[at - 2] == "\\"


def _ends(text: str, end: int, part: str) -> bool:
    if end >= len(text) or not _in_word(part[-1]):
        return True
    behind = text[end]
    if part[-1].isdigit() and behind in ".," and text[end + 1 : end + 2].isdigit():
        return behind == "," and not text[end + 1 : end + 4].isdigit()
    return not _in_word(behind)


def _in_word(character: str) -> bool:
    return character == "_" or (character.isalnum() and ord(character) < _FIRST_EAST_ASIAN)
