"""Passages: records in pieces that can be found and shown one by one, and an answer of bounded length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from summarizer.prompts import heading
from summarizer_providers.tokens import Counter

__all__ = ["Passage", "Recalled", "answer", "lines_of", "spans", "window"]

_SIZE = 600
"""Characters of a passage: some 150 tokens, so that an answer of a thousand holds several."""
_LINE = 160
"""Characters of a line beyond which it is shown in parts."""
_BREAK = re.compile(r"\n|(?<=[.!?;])\s|(?<=[。！？；])|\s")
_STRONG = re.compile(r"\n|(?<=[.!?;])\s|(?<=[。！？；])")
_MORE = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What a record says, or a part of it.

    ``record`` is the hash of its content, ``position`` its place in what was summarized (None where it was
    found by a search in everything), ``added_at`` when it was first kept, in seconds since the epoch.
    """

    role: str
    name: str | None
    text: str
    record: str
    position: int | None = None
    added_at: float = 0.0

    @property
    def title(self) -> str:
        """Who speaks, and where or when, in one short line."""
        when = datetime.fromtimestamp(self.added_at, UTC).strftime("%Y-%m-%d")
        where = f"kept {when}" if self.position is None else f"record {self.position}"
        return f"[{heading(self.role, self.name)}, {where}]"


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was looked up: ``text`` of ``tokens`` tokens, made of ``passages``; ``notice`` says in a sentence
    what could not be looked up, if anything; ``failed`` is whether the database could not be read at all.

    ``is_cut``: something more was found than there was room for. ``following`` is the position of the first
    record that is not shown whole then, where positions are known: an ``expand`` goes on from there.
    """

    text: str
    tokens: int
    passages: tuple[Passage, ...] = ()
    notice: str | None = None
    failed: bool = False
    is_cut: bool = False
    following: int | None = None

    def __str__(self) -> str:
        return self.text


def spans(text: str) -> list[tuple[int, int]]:
    """Where the passages of a record begin and end, at lines or sentences where that can be."""
    found, start = [], 0
    while len(text) - start > _SIZE:
        end = _cut(text, start + _SIZE // 2, start + _SIZE)
        found.append((start, end))
        start = end
    return [*found, (start, len(text))] if start < len(text) or not found else found


def _cut(text: str, low: int, high: int) -> int:
    end = text.rfind("\n", low, high) + 1
    if end:
        return end
    for pattern in (_STRONG, _BREAK):
        ends = [match.end() for match in pattern.finditer(text, low, high)]
        if ends:
            return ends[-1]
    return high


def window(text: str, score: Callable[[str], float], room: Callable[[str], bool]) -> str:
    """The lines of a passage around the one that scores highest, as many as there is room for."""
    if room(text):
        return text.strip()
    lines = list(lines_of(text))
    scores = [score(line) for line in lines]
    first = last = max(range(len(lines)), key=scores.__getitem__)
    while first > 0 or last < len(lines) - 1:
        before = scores[first - 1] if first else -1.0
        after = scores[last + 1] if last < len(lines) - 1 else -1.0
        grown = (first - 1, last) if before > after else (first, last + 1)
        if not room("".join(lines[grown[0] : grown[1] + 1])):
            break
        first, last = grown
    shown = "".join(lines[first : last + 1]).strip()
    return f"{_MORE if first else ''}{shown}{_MORE if last < len(lines) - 1 else ''}"


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text, long ones in parts; joined they are the text."""
    for line in text.splitlines(keepends=True):
        start = 0
        while len(line) - start > _LINE:
            end = _cut(line, start + _LINE // 2, start + _LINE)
            yield line[start:end]
            start = end
        yield line[start:]


def answer(
    passages: Iterable[Passage], tokens: int, counter: Counter, rest: Callable[[int], str] | None = None
) -> Recalled:
    """The passages as one text of at most ``tokens`` tokens, the last of them cut where it has to be.

    ``rest`` says what follows where only so many of the passages found room.
    """
    shown: list[Passage] = []
    blocks: list[str] = []
    cut: Passage | None = None
    left = tokens - (counter.count(_BETWEEN + rest(0)) if rest else 0)
    for passage in passages:
        block = f"{passage.title}\n{passage.text}".rstrip()
        size = counter.count(_BETWEEN + block)
        if size > left:
            cut = passage
            part = _part(passage, left, counter)
            shown += [part] if part else []
            blocks += [f"{part.title}\n{part.text}"] if part else []
            blocks += [rest(len(shown) - bool(part))] if rest else []
            break
        left -= size
        shown.append(passage)
        blocks.append(block)
    text = counter.head(_BETWEEN.join(blocks), tokens)
    following = cut.position if cut else None
    return Recalled(text, counter.count(text), tuple(shown), is_cut=cut is not None, following=following)


def _part(passage: Passage, room: int, counter: Counter) -> Passage | None:
    """What fits of a passage, if that is more than a few words."""
    left = room - counter.count(f"{_BETWEEN}{passage.title}\n{_MORE}") - 1
    text = counter.head(passage.text, left).rstrip() if left >= _LEAST else ""
    return replace(passage, text=text + _MORE) if text else None


_BETWEEN = "\n\n"
_LEAST = 12
"""Tokens of a passage that are worth showing."""
