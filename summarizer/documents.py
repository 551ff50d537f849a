"""Documents: plain text and Markdown are cut into records at the places where a reader would pause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

__all__ = ["BLOCK_CHARS", "looks_like_markdown", "markdown_blocks", "text_blocks"]

BLOCK_CHARS = 8_000
"""The most characters that a block of several lines has, fences aside: about 2,000 tokens of English, so
that a log without blank lines has positions finer than the whole of it."""

_Kind = Literal["blank", "heading", "fence", "line"]
_BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n)+")
_MARKDOWN = re.compile(r"^(?:```|~~~)|(?:\A|\n\n)#{1,6} \S", re.MULTILINE)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")


def text_blocks(text: str) -> Iterator[str]:
    """The paragraphs of plain text: what stands between blank lines, in order.

    A paragraph of several lines and more than ``BLOCK_CHARS`` characters is cut at line ends into pieces
    of at most that length; one line is never cut. Only white space between blocks is lost.
    """
    for block in _BLANK_LINES.split(text):
        if block.strip():
            yield from _pieces(block.strip("\r\n"))


def markdown_blocks(text: str) -> Iterator[str]:
    """The paragraphs, lists, tables and code of Markdown, each heading with the block below it.

    A fenced block is kept whole with its fences and may be long; everything else is cut as plain text
    is. A fence that is never closed fences nothing.
    """
    start = end = -1
    has_body = has_fence = False  # has it more than headings; has it code in fences
    for begin, stop, kind in _spans(text):
        if kind == "blank" and has_body and _is_underlined(text[start:end]):
            has_body = False
        elif has_body and kind in {"blank", "heading"}:
            yield from [text[start:end]] if has_fence else _pieces(text[start:end])
            start, has_body, has_fence = -1, False, False
        if kind != "blank":
            start, end = begin if start < 0 else start, stop
            has_body = has_body or kind != "heading"
            has_fence = has_fence or kind == "fence"
    if start >= 0:
        yield from [text[start:end]] if has_fence else _pieces(text[start:end])


def looks_like_markdown(text: str) -> bool:
    """Whether the text has a fenced block or a heading after a blank line."""
    return _MARKDOWN.search(text) is not None


def _spans(text: str) -> Iterator[tuple[int, int, _Kind]]:
    """Start, end and kind of each line, and of each fenced block as one."""
    position, fences = 0, True
    while position < len(text):
        end = text.find("\n", position)
        end = end if end >= 0 else len(text)
        kind = _kind(text[position:end])
        if kind == "fence":
            closed = _fence_end(text, text[position:end], end) if fences else -1
            # Searching again from every later fence would be quadratic.
            fences, kind, end = (True, kind, closed) if closed >= 0 else (False, "line", end)
        yield position, end, kind
        position = end + 1


def _kind(line: str) -> _Kind:
    if not line or line.isspace():
        return "blank"
    if _HEADING.match(line):
        return "heading"
    opening = _FENCE.match(line)
    return "fence" if opening and "`" not in opening[2] else "line"


def _fence_end(text: str, opening: str, start: int) -> int:
    """Where the block ends that this line opens, -1 if it is never closed."""
    mark = opening.lstrip()
    length = len(mark) - len(mark.lstrip(mark[0]))
    closing = re.compile(rf"^[ \t]*{mark[0]}{{{length},}}[ \t]*$", re.MULTILINE).search(text, start + 1)
    return closing.end() if closing else -1


def _is_underlined(block: str) -> bool:
    """Whether the block is a heading in Markdown's other form: a line over a line of dashes."""
    return block.count("\n") == 1 and _UNDERLINE.match(block, block.index("\n") + 1) is not None


def _pieces(block: str) -> Iterator[str]:
    """The block, or pieces of it that end at line ends."""
    start = 0
    while len(block) - start > BLOCK_CHARS:
        cut = block.rfind("\n", start, start + BLOCK_CHARS + 1)
        if cut <= start:
            cut = block.find("\n", start + BLOCK_CHARS)
        if cut == -1:
            break
        yield block[start:cut]
        start = cut + 1
    yield block[start:]
