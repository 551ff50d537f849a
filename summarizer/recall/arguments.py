"""What callers give to recall, checked: a mistake is one line that names the argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from summarizer.errors import InvalidSettings
from summarizer.recall.entries import Span

__all__ = ["MOST_TOKENS", "Sectioned", "Sections", "positions", "query_of", "spans", "tokens_of"]

MOST_TOKENS = 10_000_000
"""Tokens of one answer, as of a budget: a larger number is a mistake."""


class Sectioned(Protocol):
    """What is used of a result: see ``summarizer.result.Complete``."""

    @property
    def sections(self) -> tuple[Span, ...]:
        """Its sections."""


Sections = Span | Iterable[Span] | Sectioned
"""A section, several of them, or a result with all that it has."""


def query_of(given: object) -> str:
    """A query. Raises ``InvalidSettings``."""
    if not isinstance(given, str):
        raise InvalidSettings(f"query: expected a string, got {type(given).__name__}")
    return given


def tokens_of(given: object) -> int:
    """The most tokens that an answer may have. Raises ``InvalidSettings``."""
    return _whole("tokens", given, 1, MOST_TOKENS)


def positions(first: object, last: object) -> tuple[int, int | None]:
    """The positions of a first and a last record; None: from the beginning, to the end.

    Raises ``InvalidSettings``.
    """
    low = 0 if first is None else _whole("first", first, 0)
    high = None if last is None else _whole("last", last, 0)
    if high is not None and high < low:
        raise InvalidSettings(f"last: expected {_shown(low)} (the first record) or more, got {_shown(high)}")
    return low, high


def spans(name: str, given: Sections) -> list[Span]:
    """The sections in a section, an iterable of them or a result, in order. Raises ``InvalidSettings``."""
    inside: object = getattr(given, "sections", given)
    several = [inside] if _is_span(inside) else inside
    if isinstance(several, str | bytes) or not isinstance(several, Iterable):
        raise InvalidSettings(f"{name}: expected a section, sections or a result, got {type(given).__name__}")
    found: list[Span] = []
    for each in several:
        if not _is_span(each):
            raise InvalidSettings(f"{name}: expected sections, got {type(each).__name__} among them")
        found.append(each)
    return sorted(found, key=lambda section: section.first)


def _is_span(given: object) -> bool:
    texts = (getattr(given, name, None) for name in ("fingerprint", "method", "text"))
    places = (getattr(given, name, None) for name in ("first", "last"))
    return all(isinstance(each, str) for each in texts) and all(isinstance(each, int) for each in places)


def _whole(name: str, given: object, least: int, most: int | None = None) -> int:
    expected = f"{name}: expected a whole number " + (
        f"from {least:,} to {most:,}" if most is not None else f"of {least} or more"
    )
    if not isinstance(given, int) or isinstance(given, bool):
        raise InvalidSettings(f"{expected}, got {type(given).__name__} {given!r:.40}")
    if given < least or (most is not None and given > most):
        raise InvalidSettings(f"{expected}, got {_shown(given)}")
    return given


def _shown(number: int) -> str:
    """Python refuses to write down numbers of some thousand digits."""
    return str(number) if abs(number) < 10**18 else "a far larger number"
