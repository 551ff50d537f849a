"""What an identifier is: an exact thing that a summary has to keep to the letter, and of what kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Identifier", "Kind"]


class Kind(StrEnum):
    """The kinds of identifiers."""

    __hash__ = str.__hash__  # an enum's own is written in Python, and these are hashed by the million

    FACT = "fact"
    """``FACT-<six digits>: <value to the end of the line>``."""
    PATH = "path"
    URL = "url"
    HASH = "hash"
    """A commit, a digest, a UUID, a number in hexadecimal."""
    VERSION = "version"
    ADDRESS = "address"
    """A host or an IP address, with or without a port."""
    VARIABLE = "variable"
    """An environment variable or a constant that is written like one."""
    SYMBOL = "symbol"
    """A name in code or of a thing: snake_case, camelCase, ``a.b``, ``A::b``, ``f()``, ``--flag``,
    ``HAT170``.
    """
    NUMBER = "number"
    """Of two digits or more, or with a unit, a currency or a fraction."""
    DATE = "date"
    """A date, a time of day, or both."""
    ERROR = "error"
    """A code (``ENOENT``, ``TS2304``), a class (``KeyError``) or a message (to the end of its line)."""
    TICKET = "ticket"
    """``ABC-123``, ``#123``."""
    HANDLE = "handle"
    """An e-mail address, ``@name``."""
    CODE = "code"
    """What stands between backticks and is of no other kind."""
    QUOTED = "quoted"
    """What stands between quotation marks: some words, without the marks."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """One mention: ``text`` is ``source[start:end]``, ``normal`` the same for all spellings of a thing."""

    kind: Kind
    text: str
    normal: str
    start: int
    end: int
