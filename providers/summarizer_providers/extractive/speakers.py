"""Who really speaks: the results of tools that stand in a user's messages are not the user's wishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum

import regex

from summarizer_providers.extractive.candidates import CALL_LINE, Look, looked
from summarizer_providers.types import Passage

__all__ = ["Speaker", "is_dialogue", "speakers"]


class Speaker(IntEnum):
    """What a passage is to the one who reads the summary."""

    PERSON = 0
    """A user beside an assistant: wishes and decisions."""
    REPORT = 1
    """An assistant's last word before a person answers, or at the end."""
    WORKER = 2
    """An assistant between two steps of its work."""
    TOOL = 3
    SYSTEM = 4
    TEXT = 5
    """Anything where roles tell nothing: documents, chats, meetings, logs, earlier summaries."""


_ROLES = {
    "user": Speaker.PERSON,
    "human": Speaker.PERSON,
    "assistant": Speaker.WORKER,
    "ai": Speaker.WORKER,
    "model": Speaker.WORKER,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
    "tool_result": Speaker.TOOL,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
}
# What a program puts before its output: a tag, a bracket, or a few words with a colon.
_OPENING = regex.compile(r"\s*(<[\w-]+|\[[\w -]+|\{\"?\w+|[\w-]+(?: [\w-]+){0,3}:)")
# A person opens a message like that now and then; a program does so every time.
_LEAST_REPEATS = 3
_LEAST_SHARE = 0.2
# A message whose first characters are mostly lines of code or data is no wish; the first one always is.
_MATERIAL = 3_000
_FEW_LINES = 8


def speakers(passages: Sequence[Passage]) -> list[Speaker]:
    """What each passage is.

    Agents without tool messages put a program's output into the user's. Its mark is that many messages
    of the user open with the same tag or label.
    """
    named = [_ROLES.get(passage.role.lower(), Speaker.TEXT) for passage in passages]
    if Speaker.WORKER not in named:
        return [Speaker.TEXT if speaker is Speaker.PERSON else speaker for speaker in named]
    return _with_reports(passages, _without_output(passages, named))


def is_dialogue(passages: Sequence[Passage], who: Sequence[Speaker]) -> bool:
    """Whether several named people speak and no assistant answers: a meeting, a chat."""
    names = {p.name for p, speaker in zip(passages, who, strict=True) if speaker is Speaker.TEXT and p.name}
    return len(names) > 1


def _without_output(passages: Sequence[Passage], named: list[Speaker]) -> list[Speaker]:
    openings = [
        _opening(passage.text) if speaker is Speaker.PERSON else ""
        for passage, speaker in zip(passages, named, strict=True)
    ]
    counts = Counter(filter(None, openings))
    first = named.index(Speaker.PERSON) if Speaker.PERSON in named else -1
    least = max(_LEAST_REPEATS, _LEAST_SHARE * named.count(Speaker.PERSON))
    return [
        Speaker.TOOL
        if counts[opening] >= least
        or (speaker is Speaker.PERSON and at != first and _is_material(passage.text))
        else speaker
        for at, (passage, opening, speaker) in enumerate(zip(passages, openings, named, strict=True))
    ]


def _is_material(text: str) -> bool:
    looks = [look for _, _, look in looked(text[:_MATERIAL])]
    return len(looks) > _FEW_LINES and looks.count(Look.CODE) > len(looks) / 2


def _opening(text: str) -> str:
    match = _OPENING.match(text[:80])
    return match[1] if match else ""


def _with_reports(passages: Sequence[Passage], named: list[Speaker]) -> list[Speaker]:
    """An assistant that calls no tool and is followed by a person has said what it had to say."""
    following = [*named[1:], Speaker.PERSON]
    return [
        Speaker.REPORT
        if speaker is Speaker.WORKER and then is Speaker.PERSON and CALL_LINE not in passage.text
        else speaker
        for passage, speaker, then in zip(passages, named, following, strict=True)
    ]
