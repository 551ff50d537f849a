"""Records: what is summarized, in the one form that everything behind this module reads."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TOOL_ROLES", "Record", "heading"]

TOOL_ROLES = frozenset({"tool", "function", "tool_result"})
"""The roles, in lower case, whose records are the results of tools."""

_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class Record:
    """One unit of the input: a message, a paragraph, a log, a document.

    ``id`` is the caller's name for it (its index where empty; duplicates are kept apart by position),
    ``role`` who speaks, ``text`` what a model reads, ``name`` the speaker's or tool's name, ``calls`` the
    ids of the tool calls that it makes, ``answers`` the id of the call whose result it is, and ``images``
    the number of images that ``text`` only names.
    """

    id: str = ""
    role: str = "user"
    text: str = ""
    name: str | None = None
    calls: tuple[str, ...] = ()
    answers: str | None = None
    images: int = 0


def heading(record: Record) -> str:
    """Who speaks, on one line of bounded length: ``user``, ``assistant (Priya)``, ``tool: bash``."""
    name = " ".join((record.name or "").split())
    if not name:
        return record.role
    if len(name) > _NAME_CHARS:
        name = name[: _NAME_CHARS - 1] + "…"
    return f"{record.role}: {name}" if record.role in TOOL_ROLES else f"{record.role} ({name})"
