"""What a model asks of the recall tools: read leniently, and refused in one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from summarizer.errors import InvalidSettings

__all__ = ["LEAST_TOKENS", "Expand", "Search", "arguments_of"]

LEAST_TOKENS = 100
"""Tokens of an answer: less has no room for a quotation and what is to be said of it."""

_LONGEST = 1_000
"""Characters of a query that are looked at."""
_NUMBER = re.compile(r"-?\d{1,3}(?:,\d{3})+|-?\d+(?:\.0*)?")
_FAR = 10**15
"""Beyond any record and any number of tokens; Python refuses to write down numbers that are much longer."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search for ``query`` with an answer of at most ``tokens`` tokens."""

    query: str
    tokens: int

    DEFAULT: ClassVar[int] = 1_000

    @classmethod
    def of(cls, given: Mapping[str, Any], most: int) -> Self:
        """The search that a model asks for. Raises ``InvalidSettings``."""
        query = given.get("query")
        if isinstance(query, int) and not isinstance(query, bool) and abs(query) < _FAR:
            query = str(query)
        if not isinstance(query, str) or not query.strip():
            raise InvalidSettings(f"query: expected a text with the words to look for, got {_kind(query)}")
        return cls(query.strip()[:_LONGEST], _tokens(given, cls.DEFAULT, most))


@dataclass(frozen=True, slots=True)
class Expand:
    """The records ``first`` to ``last`` (inclusive), in an answer of at most ``tokens`` tokens."""

    first: int
    last: int
    tokens: int

    DEFAULT: ClassVar[int] = 2_000

    @classmethod
    def of(cls, given: Mapping[str, Any], most: int) -> Self:
        """The records that a model asks for. Raises ``InvalidSettings``."""
        first = _whole("first", given.get("first"), 0)
        last = first if given.get("last") is None else _whole("last", given["last"], 0)
        if last < first:
            raise InvalidSettings(f"last: expected {first} (the first record) or more, got {last}")
        tokens = _tokens(given, cls.DEFAULT, most)
        # Each record has a heading, so that no answer can hold as many of them as it has tokens.
        return cls(first, min(last, first + tokens), tokens)


def arguments_of(given: object) -> dict[str, Any]:
    """The arguments of a call, which may be JSON, or nothing. Raises ``InvalidSettings``."""
    if isinstance(given, str | bytes):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            raise InvalidSettings("arguments: expected a JSON object, got text that is none") from None
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidSettings(f"arguments: expected a JSON object, got {_kind(given)}")
    return dict(given)


def _tokens(given: Mapping[str, Any], default: int, most: int) -> int:
    """As many as asked for, if an answer may have so many."""
    asked = given.get("max_tokens")
    return min(most, default if asked is None else _whole("max_tokens", asked, LEAST_TOKENS))


def _whole(name: str, given: object, least: int) -> int:
    number = _read(given)
    if number is None or not least <= number <= _FAR:
        raise InvalidSettings(f"{name}: expected a whole number of {least} or more, got {_kind(given)}")
    return number


def _read(given: object) -> int | None:
    """The whole number that is given, also as text or with a point; no larger one than is of any use."""
    if isinstance(given, str) and _NUMBER.fullmatch(text := given.strip()[:_LONGEST]):
        return int(text.replace(",", "").partition(".")[0])
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if isinstance(given, int) and not isinstance(given, bool):
        return max(-1, min(given, _FAR))
    return None


def _kind(given: object) -> str:
    """What was given, in few words, whatever it is."""
    if given is None:
        return "nothing"
    if isinstance(given, str):
        return ascii(given[:30])
    number = isinstance(given, int | float) and abs(given) < _FAR
    return str(given) if number else f"a value of type {type(given).__name__}"
