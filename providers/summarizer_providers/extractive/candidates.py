"""The lines and sentences among which a summary is chosen, with what can be told from their looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import regex

from summarizer_providers.segmentation import Span, paragraphs, sentences
from summarizer_providers.types import Passage

__all__ = ["CALL_LINE", "Candidate", "Look", "candidates", "looked"]

CALL_LINE = "[tool call"
"""How the line starts by which a record names a tool; what was handed to the tool follows, to the end."""


class Look(IntEnum):
    """What a line is by its looks."""

    PROSE = 0
    HEADING = 1
    LEAD = 2
    """It announces what follows: it ends in a colon."""
    CODE = 3
    CALL = 4
    """It was handed to a tool."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line or sentence of a passage.

    ``passage`` is the index among the passages, ``start`` and ``end`` are characters of its text,
    ``tokens`` is an estimate of its length, ``legible`` how much of it is letters (0 to 1), ``signal``
    whether it has a word for an error, a decision or a result.
    """

    passage: int
    start: int
    end: int
    tokens: float
    look: Look
    legible: float
    signal: bool = False


# o200k_base has 3.5 to 4.2 bytes of UTF-8 a token in English prose, code, Chinese and Japanese alike.
_BYTES_PER_TOKEN = 3.8
# Lines are judged by their beginning; minified code and encoded data need no closer look.
_GLANCE = 2_000
_SIGNAL = regex.compile(
    r"\b(?:error|fail|exception|fatal|denied|cannot|unable|root cause|decid|decision|agreed|conclu|recommend"
    r"|fehler|fehlgeschlagen|entschie|beschloss|erreur|échou|décid|decidi|acord|fallo"
    r"|ошибк|реш(?:ен|ил)|오류|실패|결정)"
    r"|错误|錯誤|失败|失敗|异常|原因|决定|決定|结论|結論|同意|エラー|例外|不具合|判定|完了",
    regex.IGNORECASE,
)
_FENCE = regex.compile(r"```|~~~")
_HEADING = regex.compile(r"#{1,6}\s|\*\*[^*]{1,80}\*\*:?$")
_TAG = regex.compile(r"</?[\w-]+>$")
_CODE_START = regex.compile(
    r"\d{1,6}(?:→|\t|:\s|:$|-\s)"  # a listing with line numbers
    r"|[-+]\s{2,}\S|\+\S|@@|diff --git |index [0-9a-f]{7}|(?:---|\+\+\+) \w/"  # a patch
    r"|</?\w[^>]*>|[{}()\[\]]|\{?\"\w+\"\s?[:,]|//|/\*|\*/|#!|#include|\$ |>>> |\w+\($"
    r"|(?:import|from|def|class|return|const|let|var|function|export|public|private|if|for|while|else|elif|try"
    r"|case|static|async|await|type|func|fn|struct|package|using|namespace)\b.*[;:{(,)=]$"
)
_COLOUR = regex.compile(r"\[\d{0,3}(?:;\d{1,3})*m")
_CODE_END = regex.compile(r"[;{}(=,\[\]]$|=>$|[\w\])]\(\)?\)$|\w\([^() ]*\):?$")


def candidates(passages: Sequence[Passage], longest: int) -> Iterator[Candidate]:
    """All lines and sentences that could stand in a summary, in order; none over ``longest`` characters."""
    for index, passage in enumerate(passages):
        for start, end, look in looked(passage.text):
            candidate = _candidate(index, passage.text, start, end, look) if end - start <= longest else None
            if candidate:
                yield candidate


def looked(text: str) -> Iterator[tuple[int, int, Look]]:
    """The lines and sentences of one text: start and end in characters, and looks. Fences are left out."""
    fenced = called = False
    for start, end in paragraphs(text):
        if _FENCE.match(text, start):
            fenced = not fenced
            continue
        called = called or text.startswith(CALL_LINE, start)
        if called:
            yield start, end, Look.CALL
        elif fenced or _is_code(text[start : min(end, start + _GLANCE)]):
            yield start, end, Look.CODE
        else:
            yield from _prose(text, (start, end))


def _prose(text: str, paragraph: Span) -> Iterator[tuple[int, int, Look]]:
    for start, end in sentences(text, *paragraph):
        if _HEADING.match(text, start, end):
            yield start, end, Look.HEADING
        else:
            yield start, end, Look.LEAD if text[end - 1] in ":：" else Look.PROSE


def _is_code(line: str) -> bool:
    if len(line) == _GLANCE and line.count(" ") < _GLANCE / 12 and line.isascii():
        return True  # a long line with hardly a space
    return bool(_CODE_START.match(line) or _CODE_END.search(line) or _COLOUR.search(line))


def _candidate(passage: int, text: str, start: int, end: int, look: Look) -> Candidate | None:
    line = text[start:end]
    letters = sum(map(str.isalpha, line))
    if letters + sum(map(str.isdigit, line)) < 2 or _TAG.match(line):
        return None  # a rule, a border, a bracket, a frame
    tokens = len(line.encode("utf-8", "replace")) / _BYTES_PER_TOKEN + 1
    legible = (letters + line.count(" ")) / len(line)
    return Candidate(passage, start, end, tokens, look, legible, _SIGNAL.search(line) is not None)
