"""Who says it, and how: what a mention of an identifier is to the reader of a summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum

from summarizer.records import Record
from summarizer_providers.extractive.candidates import CALL_LINE
from summarizer_providers.extractive.speakers import Speaker, speakers
from summarizer_providers.types import Passage

__all__ = ["VOICES", "Voice", "stretches", "voice_of", "voices"]


class Voice(IntEnum):
    """Where a mention stands; ``FAILING`` and ``DECIDING`` are counted beside the others."""

    USER = 0
    PASTED = 1
    """A user's long message: material rather than a wish."""
    REPORT = 2
    """An assistant's last word before a person answers, or at the end."""
    WORKER = 3
    CHANGED = 4
    """What a call that writes names first: the file, the command."""
    WRITTEN = 5
    """What such a call writes."""
    CALLED = 6
    TOOL = 7
    LISTING = 8
    """A tool's long output: a listing, a lock file, a log, a file as a whole."""
    SYSTEM = 9
    TEXT = 10
    """Where roles tell nothing: documents, chats, meetings, summaries."""
    FAILING = 11
    """On a line that tells of an error."""
    DECIDING = 12
    """On a line in which people or the assistant decide, or take something back."""


VOICES = len(Voice)
"""How many kinds of speakers there are."""

_MATERIAL = 2_000
_FIRST_MATERIAL = 8_000
"""Characters up to which a user's message, and the first one, is what they want and not what they paste."""
_SHORT_OUTPUT = 1_500
"""Characters up to which a tool's output is an answer; beyond, it is a listing."""
_FEW_LINES, _MOST_LISTED = 8, 0.5
_HEAD = 400
"""Characters of a call that writes in which it says what is written to."""

_LISTED = re.compile(
    r"[ \t]*\d{1,6}(?:→|\t|:| {2,}|[-|]\s)|[-dlrwx]{9,10}[.@+]?\s|\S+$|\[?\d{4}-\d\d-\d\d[T ]"
    r"|\[?\d\d:\d\d:\d\d"
    r"|\s*\"(?:integrity|resolved|version|checksum|sha\d+)\"|\s*[\w./@-]+:\d+:|[+ -]?\s*(?:sha\d+[:-]|\w+==)",
)
_WRITER = re.compile(
    r"write|edit|patch|create|replace|insert|update|delete|remove|rename|move|save|commit", re.I
)
_WRITING = re.compile(
    r"\bsed -i|<<-? ?['\"]?\w|\btee \S|[^>=-]> ?[\w./~$]|\bapply_patch\b|\*\*\* (?:Update|Add|Delete) File"
    r"|\bgit (?:commit|mv|rm|checkout -b|tag|push|merge|revert|reset)"
    r"|\b(?:mkdir|touch|rm|mv|cp|chmod|ln) |\bstr_replace\b"
    r"|\b(?:pip|npm|pnpm|yarn|apt|apt-get|cargo|go|brew) (?:install|add|remove|uninstall|get) "
)
_FENCE = re.compile(r"^[ \t]*```(\w*)[^\n]*\n", re.MULTILINE)
_SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh", "powershell"})
_CALL = re.compile(rf"^{re.escape(CALL_LINE)}:? ?([^\]\n]{{0,80}})", re.MULTILINE)


def voices(records: Sequence[Record]) -> list[Voice]:
    """Each record's voice. It takes all records: a tool that speaks as the user is told by its repeats."""
    passages = [Passage(at, record.role, record.text, record.name) for at, record in enumerate(records)]
    first = True
    found = []
    for record, speaker in zip(records, speakers(passages), strict=True):
        found.append(voice_of(speaker, record.text, first=first))
        first = first and speaker is not Speaker.PERSON
    return found


def voice_of(speaker: Speaker, text: str, *, first: bool = False) -> Voice:
    """The voice of one record; ``first``: no person has spoken before."""
    if speaker is Speaker.PERSON:
        return Voice.USER if len(text) <= (_FIRST_MATERIAL if first else _MATERIAL) else Voice.PASTED
    if speaker is Speaker.TOOL:
        return Voice.LISTING if len(text) > _SHORT_OUTPUT or _is_listing(text) else Voice.TOOL
    return _PLAIN[speaker]


_PLAIN = {
    Speaker.REPORT: Voice.REPORT,
    Speaker.WORKER: Voice.WORKER,
    Speaker.SYSTEM: Voice.SYSTEM,
    Speaker.TEXT: Voice.TEXT,
}


def _is_listing(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > _FEW_LINES and sum(1 for line in lines if _LISTED.match(line)) > _MOST_LISTED * len(
        lines
    )


def stretches(text: str, voice: Voice) -> list[tuple[int, Voice]]:
    """Where in a record's text which voice begins, in order: what is said, calls, blocks of code."""
    if voice not in (Voice.WORKER, Voice.REPORT, Voice.USER, Voice.PASTED):
        return [(0, voice)]
    found = [(0, voice), *_fences(text, voice)]
    if voice in (Voice.WORKER, Voice.REPORT) and CALL_LINE in text:
        calls = list(_calls(text))
        found = [each for each in found if not calls or each[0] < calls[0][0]] + calls
    return found


def _fences(text: str, voice: Voice) -> Iterator[tuple[int, Voice]]:
    if "```" not in text:
        return
    is_open = False
    for match in _FENCE.finditer(text):
        if is_open:
            yield match.end(), voice
        elif voice in (Voice.USER, Voice.PASTED):
            yield match.end(), Voice.PASTED
        elif match[1] in _SHELLS:
            yield from _call(text, match.end(), len(text), "")
        else:
            yield match.end(), Voice.CALLED
        is_open = not is_open


def _calls(text: str) -> Iterator[tuple[int, Voice]]:
    starts = list(_CALL.finditer(text))
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=True):
        yield from _call(text, match.start(), end, match[1])


def _call(text: str, start: int, end: int, name: str) -> Iterator[tuple[int, Voice]]:
    head = min(end, start + _HEAD)
    line = text.find("\n", start, end) + 1 or end
    if _WRITER.search(name) or _WRITING.search(text, start, head):
        yield start, Voice.CALLED
        yield line if name else start, Voice.CHANGED
        if head < end:
            yield text.rfind("\n", line, head) + 1 or head, Voice.WRITTEN
    else:
        yield start, Voice.CALLED
