"""Lists of phrases that can be searched for, any of which can be left out to measure what the others do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

__all__ = ["Lexicon", "left_out"]

_left_out: ContextVar[frozenset[tuple[str, str]]] = ContextVar("left_out", default=frozenset())


@contextmanager
def left_out(phrases: frozenset[tuple[str, str]]) -> Iterator[None]:
    """Within this, the phrases (each with the name of its list) are not known. For measurements only."""
    token = _left_out.set(phrases)
    try:
        yield
    finally:
        _left_out.reset(token)


class Lexicon:
    """Phrases, each a regular expression in lower case, under one ``name``.

    Texts are searched without regard to case; ``\\b`` and ``\\w`` know ASCII alone, so that words stand apart
    from Chinese and Japanese around them.
    """

    def __init__(self, name: str, *phrases: str) -> None:
        self.name = name
        self.phrases = tuple(each for phrase in phrases for each in _alternatives(phrase))

    def search(self, text: str) -> re.Match[str] | None:
        """The first place at which any of the phrases stands."""
        return self._pattern().search(text)

    def all(self, text: str) -> Iterator[re.Match[str]]:
        """Every place, from the left, without overlap."""
        return self._pattern().finditer(text)

    def among(self, values: tuple[str, ...]) -> bool:
        """Whether one of the values is, as a whole, one of the phrases."""
        return any(self._pattern().fullmatch(value) for value in values)

    def matched(self, text: str) -> set[tuple[str, str]]:
        """The phrases that stand in a text, each with the name of this list."""
        return {(self.name, each) for each in self.phrases if _compiled((each,)).search(text)}

    def _pattern(self) -> re.Pattern[str]:
        out = _left_out.get()
        phrases = self.phrases
        if out:
            phrases = tuple(each for each in phrases if (self.name, each) not in out)
        return _compiled(phrases)


def _alternatives(phrase: str) -> list[str]:
    """The alternatives of a phrase, each a phrase of its own, so that any can be left out."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(phrase):
        char = phrase[i]
        if char == "\\":
            i += 1
        elif char == "[" and phrase.find("]", i + 2) > 0:
            i = phrase.find("]", i + 2)
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            parts.append(phrase[start:i])
            start = i + 1
        i += 1
    return [*parts, phrase[start:]]


@lru_cache(maxsize=1024)
def _compiled(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in phrases) or r"(?!)", re.IGNORECASE | re.ASCII)
