"""Records: what is summarized, in the one form that everything behind this module reads."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["TOOL_ROLES", "Record"]

TOOL_ROLES = frozenset({"tool", "function", "tool_result"})
"""The roles, in lower case, whose records are the results of tools."""


@dataclass(frozen=True, slots=True)
class Record:
    """One unit of the input: a message, a paragraph, a log, a document.

    ``id`` is the caller's name for it (its index where empty; duplicates are kept apart by position),
    ``role`` who speaks, ``text`` what a model reads, ``name`` the speaker's or tool's name, ``calls`` the
    ids of the tool calls that it makes, ``answers`` the id of the call whose result it is, and ``images``
    the number of images that ``text`` only names. ``clean`` records were made by a reader, whose texts are
    valid already and are not looked through again.
    """

    id: str = ""
    role: str = "user"
    text: str = ""
    name: str | None = None
    calls: tuple[str, ...] = ()
    answers: str | None = None
    images: int = 0
    clean: bool = field(default=False, repr=False, compare=False)
