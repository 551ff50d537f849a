"""One long prompt → what it asks for, an earlier summary that it hands on, and what it gives to read. Pure.

Nobody says where in a prompt the instructions end. They are found by what prompts have in common: tags or
fences around the material, a line such as ``TURNS TO SUMMARIZE:`` before it, turns such as ``[USER]: …``,
and sentences that ask for a summary before and behind it. What is not clearly an instruction is material:
there it loses nothing. Instructions are bounded, so that no part of the material can become them in bulk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from summarizer.server.asking import asks, asks_for_form
from summarizer.server.turns import first_turn, last_turn

__all__ = ["MOST", "Parted", "parted"]

MOST = 16_000
"""Characters that instructions before or behind the material may have."""
_MOST_PROSE = 4_000
"""Characters among which instructions are looked for that nothing separates from the material."""
_STRAY = 2
"""Paragraphs in a row within instructions that do not look like any."""

_TAG = re.compile(r"<(?P<name>[A-Za-z][\w-]{1,40})(?:\s[^<>\n]{0,200})?>")
_FENCE = re.compile(r"^[ \t]*(?P<mark>\"{3,}|'{3,}|`{3,}|-{5,}|={5,}|#{5,})[ \t]*$", re.M)
_MATERIAL = re.compile(
    r"conversations?|messages|transcripts?|documents?|texts?|contexts?|contents?|chats?|(?:chat_?)?history|"
    r"sessions?|inputs?|data|articles?|turns|logs?|notes|source|material",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[^\n]{0,120}\b(?:summar(?:y|i[sz]e)|turns|conversation|transcript|messages|text|document|lines|content|"
    r"history|article|notes|log|input|session|chat|material|passage|following|below)\b[^\n:]{0,60}:[ \t]*$",
    re.M | re.IGNORECASE,
)
_PREVIOUS = re.compile(
    r"^[^\n:]{0,40}\b(?:previous|prior|existing|current|earlier|last)\b[^\n:]{0,20}\bsummary\b"
    r"[^\n:]{0,40}:[ \t]*$",
    re.M | re.IGNORECASE,
)
_EXAMPLE_END = re.compile(r"^[ \t<\[/]*END[ _]?(?:OF[ _])?EXAMPLES?\b.*$|</examples?>", re.M)
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")
_WEAK = re.compile(
    r"\bsummar|\bformat\b|\bstructure\b|\bheadings?\b|\btemplate\b|\btokens\b|\bwords\b|\boutput\b|\brespond\b|"
    r"\bdo not\b|\bpreamble\b|\bmust\b|^focus\b|"
    r"^\s*#{1,6} [^\n]*\n\s*[\[(<]|^\s*\[.*\]\s*$|^\s*#{1,6} [^\n]*$",
    re.IGNORECASE | re.DOTALL,
)
_COLON = re.compile(
    r"[^:\n]{0,250}\b(?:following|below|this|text|lines|sentences|words|paragraphs?|bullets?|points)\b"
    r"[^:\n]{0,40}:(?=[ \t]*\S)",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]{0,300}[:：]?[ \t]*\n")
_CLOSING = re.compile(
    r"\n[ \t]*[^\n]{0,60}\b(?:summary|tl;?dr|answer|output)\b[^\n]{0,20}:?[ \t]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Parted:
    """The instructions of a prompt, the earlier summary that it hands on, its material; each may be empty."""

    instructions: str
    previous: str
    material: str


def parted(prompt: str) -> Parted:
    """A prompt in its parts; all of it is material where no instructions are found."""
    prompt = prompt.strip()
    return _enclosed(prompt) or _marked(prompt) or _in_prose(prompt) or Parted("", "", prompt)


def _made(head: str, material: str, tail: str, previous: str = "") -> Parted | None:
    parts = [part.strip() for part in (head, tail)]
    if not material.strip() or any(len(part) > MOST for part in parts):
        return None
    return Parted("\n\n".join(part for part in parts if part), previous.strip(), material.strip())


# ---- between tags or fences ----


def _enclosed(prompt: str) -> Parted | None:
    for start, inner, end, stop, known in (*_tagged(prompt), *_fenced(prompt)):
        if 2 * (end - inner) < len(prompt) or stop < len(prompt) - MOST:
            continue
        head, tail = prompt[:start], prompt[stop:]
        if (head + tail).strip() and (known or asks(head) or asks(tail)):
            return _made(head, prompt[inner:end], tail)
    return None


_Span = tuple[int, int, int, int, bool]
"""Where a block begins, its content, the content's end, the block's; whether its name says what it is."""


def _tagged(prompt: str) -> list[_Span]:
    """Blocks in tags, those first whose names say that they hold the material."""
    found: list[_Span] = []
    for tag in _TAG.finditer(prompt, 0, MOST):
        closing = f"</{tag['name']}>"
        end = prompt.rfind(closing, tag.end())
        if end >= 0:
            known = _MATERIAL.fullmatch(tag["name"]) is not None
            found.append((tag.start(), tag.end(), end, end + len(closing), known))
    return sorted(found, key=lambda span: not span[-1])


def _fenced(prompt: str) -> Iterator[_Span]:
    for fence in _FENCE.finditer(prompt, 0, MOST):
        end = prompt.rfind(f"\n{fence['mark']}", fence.end())
        if end >= 0:
            yield fence.start(), fence.end(), end, end + 1 + len(fence["mark"]), False


# ---- behind a label, or in turns ----


def _marked(prompt: str) -> Parted | None:
    """Instructions, perhaps an earlier summary under its label, material from its label or first turn on."""
    begin = max((match.end() for match in _EXAMPLE_END.finditer(prompt, 0, MOST)), default=0)
    turn = first_turn(prompt, begin)
    earlier = _PREVIOUS.search(prompt, begin, MOST)
    labels = _labels(prompt, earlier.end() if earlier else begin, turn)
    label = (labels[-1] if turn is not None else labels[0]) if labels else None
    if label is None and (turn is None or earlier is not None):
        return None
    starts = turn if label is None else label.end()
    assert starts is not None  # noqa: S101 - one of the two is there
    opens = earlier.start() if earlier else starts
    end = _material_end(prompt, starts)
    head, tail = prompt[:opens], prompt[end:]
    if not asks(head) and not asks(tail):
        return None
    previous = prompt[earlier.end() : label.start()] if earlier and label else ""
    if len(previous) > MOST * 4:
        return None
    return _made(head, prompt[starts:end], tail, previous)


def _labels(prompt: str, begin: int, turn: int | None) -> list[re.Match[str]]:
    """Lines that announce the material, of those before its first turn."""
    limit = MOST if turn is None else turn
    return list(_LABEL.finditer(prompt, begin, min(limit, len(prompt))))


# ---- in plain prose ----


def _in_prose(prompt: str) -> Parted | None:
    """Sentences that ask for a summary at the beginning or the end of a text."""
    start = _head_end(prompt)
    end = _material_end(prompt, start)
    if start == 0 and end == len(prompt):
        return None
    return _made(prompt[:start], prompt[start:end], prompt[end:])


def _head_end(prompt: str) -> int:
    """Behind the last paragraph, of the first few, that asks for a summary; in it, behind a colon that
    announces the material.
    """
    end = start = stray = 0
    for gap in _PARAGRAPH.finditer(prompt, 0, _MOST_PROSE):
        paragraph = prompt[start : gap.start()]
        if asks(paragraph):
            colon = _COLON.match(paragraph)
            if colon and asks(colon[0]):
                return start + colon.end()
            end, stray = gap.end(), 0
        elif (stray := stray + 1) > _STRAY:
            break
        start = gap.end()
    if end:
        return end
    colon = _COLON.match(prompt) or _LINE.match(prompt)
    return colon.end() if colon and asks(colon[0]) else 0


# ---- what stands behind the material ----


def _material_end(prompt: str, start: int) -> int:
    """Where instructions behind the material begin: the earliest paragraph that asks for a summary or says
    its form, of those at the end that all look like instructions, save for a stray one.
    """
    last = last_turn(prompt, start)
    lowest = max(start, len(prompt) - MOST, 0 if last is None else last + 1)
    end, stray, stop = len(prompt), 0, len(prompt)
    for begin in _paragraphs_back(prompt, lowest):
        text = prompt[begin:stop].strip()
        if asks(text) or asks_for_form(text):
            end, stray = begin, 0
        elif text and not _WEAK.search(text):
            stray += 1
        if stray > _STRAY:
            break
        stop = begin
    if end == len(prompt) and (closing := _CLOSING.search(prompt, max(lowest, len(prompt) - 200))):
        return closing.start()
    return end


def _paragraphs_back(prompt: str, lowest: int) -> Iterator[int]:
    """Where the paragraphs of a text begin, the last one first."""
    found = [gap.end() for gap in _PARAGRAPH.finditer(prompt, lowest)]
    yield from reversed(found)
