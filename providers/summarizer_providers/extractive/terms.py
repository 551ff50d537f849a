"""What a stretch of text speaks of: the identifiers, numbers, names and words that are worth covering."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

import regex

__all__ = ["Kind", "Term", "terms"]


class Kind(IntEnum):
    """What sort of thing a term is; how much each is worth is told in ``weights``."""

    WORD = 0
    NAME = 1
    NUMBER = 2
    IDENTIFIER = 3
    PAIR = 4
    """Two neighbouring Han characters, or four of a script without spaces: a stand-in for a word."""
    OPENING = 5
    """A capital where a sentence starts: a word or a name, which other places must tell."""


Term = tuple[str, Kind]
"""A term in the form in which repeats are recognized, and its kind."""

# One run without spaces: words joined by what joins the parts of paths, names, versions and options.
_TOKEN = regex.compile(r"(?:--?|[$€£#@~]|\.{1,2}/|/)?\w+(?:(?:[./\\:@+&'’-]{1,3}|,(?=\d))\w+)*")
_SCRIPTS = regex.compile(
    r"(?P<han>\p{Han}+)|(?P<kana>[\u30a0-\u30ff]{2,})|(?P<run>[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)"
    r"|(?P<skip>\p{Hiragana}+)|(?P<other>[^\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)"
)
# What makes a token more than a word: a digit, or a mark that joins other things than parts of a word.
_MADE = regex.compile(r"[\d_./\\:@+&#$€£~]")
# Longer runs are hashes, encoded data or minified code: nobody looks for them in a summary.
_LONGEST = 100


def terms(text: str) -> list[Term]:
    """The terms of one line or sentence, in order, repeats included."""
    found: list[Term] = []
    shouted = text.isupper()
    for match in _TOKEN.finditer(text):
        token = match[0]
        if len(token) > _LONGEST:
            continue
        if shouted:
            token = token.lower()
        first = not _inside(text, match.start())
        if token.isascii():
            found += _plain(token, first)
        else:
            found += _mixed(token, first)
    return found


def _inside(text: str, start: int) -> bool:
    """Whether a word stands inside a sentence: after a space that follows a word or a comma."""
    return start > 1 and text[start - 1] == " " and (text[start - 2].isalnum() or text[start - 2] == ",")


def _plain(token: str, first: bool) -> list[Term]:
    if token.islower() and token.isalpha():
        return [(token, Kind.WORD)] if len(token) > 2 or not token.isascii() else []
    kind = _kind(token, first)
    if kind is Kind.IDENTIFIER:
        return _identifier(token)
    if kind is Kind.NUMBER:
        return [(token.strip("$€£#~-./"), kind)]
    key = token.lower().removesuffix("'s")
    return [(key, kind)] if len(key) > 2 or not key.isascii() else []


def _kind(token: str, first: bool) -> Kind:
    if _MADE.search(token):
        return Kind.IDENTIFIER if any(map(str.isalpha, token)) else Kind.NUMBER
    if token.startswith("--") or _camel(token.replace("-", "")):
        return Kind.IDENTIFIER
    if not token[0].isupper() or "'" in token[:2]:
        return Kind.WORD
    return Kind.OPENING if first else Kind.NAME


def _camel(letters: str) -> bool:
    """``AgentSession``, ``TODO``, ``iPhone``: capitals elsewhere than at the start alone."""
    return letters[1:] != letters[1:].lower()


def _identifier(token: str) -> list[Term]:
    """A path counts as itself and as its last part, by which it is spoken of."""
    whole = token.strip("./:@~#-").lower()
    last = whole.rpartition("/")[2]
    return [(key, Kind.IDENTIFIER) for key in dict.fromkeys((whole, last)) if len(key) > 1]


def _mixed(token: str, first: bool) -> Iterator[Term]:
    for match in _SCRIPTS.finditer(token):
        part = match[0]
        match match.lastgroup:
            case "han":
                yield from ((part[at : at + 2], Kind.PAIR) for at in range(len(part) - 1))
            case "run":
                yield from ((part[at : at + 4], Kind.PAIR) for at in range(0, max(1, len(part) - 3), 2))
            case "kana":
                yield part, Kind.WORD
            case "other":
                yield from _plain(part.strip("./:-"), first) if part.strip("./:-") else ()
            case _:
                pass
