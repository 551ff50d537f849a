"""Takes out of an error what it quotes of our own input: no number in there is the provider's."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

__all__ = ["without_echo"]

_PIECES = re.compile(r"(?<=[.!?;:\n\"{}\[\]])|(?=[\"{}\[\]])")
_LONG = 24
"""Characters: shorter stretches are common words that may well be the provider's own."""
_OWN = 10
"""Letters of its own that an error must keep beside an echo; else it is an error that our input quotes."""
_MOST, _TRIED, _LEAST_TRIED = 8_000, 40, 6
_SEARCHED = 20_000_000
"""Characters of input that are searched through for one error: some 20 ms."""


def without_echo(text: str, sent: Sequence[str]) -> str:
    """The first 8,000 characters of an error without the stretches of 24 characters and more that stand in
    what was ``sent``. An error that consists of nothing else is kept: a session that is summarized may well
    have met the same error.
    """
    text = text[:_MOST]
    if not any(sent):
        return text
    pieces = _PIECES.split(text)
    tried = max(_LEAST_TRIED, min(_TRIED, _SEARCHED // sum(map(len, sent))))
    longest = sorted({piece for piece in pieces if len(piece) >= _LONG}, key=len, reverse=True)[:tried]
    quoted = {piece for piece in longest if _is_quoted(piece, sent)}
    kept = [piece for piece in pieces if piece not in quoted]
    if len(kept) == len(pieces):
        return text
    rest = " ".join(kept)
    return rest if sum(char.isalpha() for char in rest) >= _OWN else text


def _is_quoted(piece: str, sent: Sequence[str]) -> bool:
    words = piece.strip(" '`")
    if len(words) < _LONG:
        return False
    return any(form in content for form in {words, _unescaped(words)} for content in sent)


def _unescaped(words: str) -> str:
    try:
        return str(json.loads(f'"{words}"'))
    except ValueError:
        return words
