"""Chosen lines become a text: whole lines, in order, and who speaks where that can be said shortly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from summarizer_providers.extractive.candidates import Candidate
from summarizer_providers.extractive.speakers import Speaker
from summarizer_providers.segmentation import grapheme_floor, grapheme_length
from summarizer_providers.types import Passage

__all__ = ["beginning", "laid_out", "line"]

_MOST_LABELS = 0.15
_FEW_LABELS = 2
"""The largest share of lines, and number of lines, that may be labels: the rest is the records' own."""
_LONGEST_TOKEN = 128
"""Characters: the longest token of any encoding, a run of spaces."""


def line(passages: Sequence[Passage], candidate: Candidate) -> str:
    """The candidate's text in one line: where it ran over wrapped lines, they are joined."""
    return _joined(passages[candidate.passage].text[candidate.start : candidate.end])


def laid_out(passages: Sequence[Passage], who: Sequence[Speaker], chosen: Sequence[Candidate]) -> str:
    """The text of the chosen candidates (in order), one a line.

    What a person says stands apart, under a label: the name where there is one. Labels are few among
    the lines: of several people those that say the most have theirs; in a conversation all or none.
    """
    turns = [
        (label, list(turn))
        for label, turn in groupby(chosen, key=lambda c: _label(passages[c.passage], who[c.passage]))
    ]
    labelled = _labelled(turns, len(chosen), any(speaker is Speaker.PERSON for speaker in who))
    if not labelled:
        return "\n".join("\n".join(_lines(passages, turn)) for _, turn in turns)
    return "\n\n".join(
        "\n".join([f"{label}:"] * (number in labelled) + list(_lines(passages, turn)))
        for number, (label, turn) in enumerate(turns)
    )


def _label(passage: Passage, speaker: Speaker) -> str:
    """How the one who speaks is called; empty for all but people."""
    if speaker is Speaker.PERSON:
        name = passage.name or passage.role
    elif speaker is Speaker.TEXT:
        name = passage.name or ""
    else:
        return ""
    name = " ".join(name.replace("_", " ").split())
    return name.title() if name.islower() and name.isascii() else name


def _labelled(turns: Sequence[tuple[str, Sequence[Candidate]]], lines: int, partly: bool) -> set[int]:
    """The numbers of the turns that get their label."""
    named = [number for number, (label, _) in enumerate(turns) if label]
    people = len({turns[number][0] for number in named})
    if not partly and people < _FEW_LABELS:
        return set()  # the name of a file
    if len(named) <= max(_FEW_LABELS, _MOST_LABELS * (lines + len(named))):
        return set(named)
    if not partly or people < _FEW_LABELS:
        return set()
    most = int(lines * _MOST_LABELS / (1 - _MOST_LABELS))
    return set(sorted(named, key=lambda number: -len(turns[number][1]))[:most])


def beginning(text: str, target: int, count: Callable[[str], int]) -> str:
    """The longest beginning of a line that fits into ``target`` tokens by ``count``, and how much is cut.

    It ends at a grapheme; the mark is left out where the target has no room for it.
    """
    if count(text) <= target:
        return text
    total = grapheme_length(text)
    low, high = 0, min(len(text), target * _LONGEST_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(_marked(text, middle, total)) <= target else (low, middle - 1)
    return _marked(text, low, total) if low else _unmarked(text, target, count)


def _unmarked(text: str, target: int, count: Callable[[str], int]) -> str:
    at = grapheme_floor(text, min(len(text), target * _LONGEST_TOKEN))
    while at and count(text[:at]) > target:
        at = grapheme_floor(text, at - 1)
    return text[:at]


def _marked(text: str, at: int, total: int) -> str:
    kept = text[: grapheme_floor(text, at)]
    return f"{kept.rstrip()}… [{total - grapheme_length(kept)} more characters]"


def _lines(passages: Sequence[Passage], turn: Sequence[Candidate]) -> Iterator[str]:
    """One line a sentence; a line of which every sentence was chosen stays the line that it was."""
    for passage, group in groupby(turn, key=lambda c: c.passage):
        text = passages[passage].text
        for run in _runs(text, list(group)):
            if _is_line(text, run[0].start, run[-1].end):
                yield text[run[0].start : run[-1].end]
            else:
                yield from (_joined(text[candidate.start : candidate.end]) for candidate in run)


def _runs(text: str, group: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """The candidates of one passage, those together that nothing but spaces parts."""
    run = [group[0]]
    for candidate in group[1:]:
        gap = text[run[-1].end : candidate.start]
        if gap.strip() or "\n" in gap or "\r" in gap:
            yield run
            run = []
        run.append(candidate)
    yield run


def _is_line(text: str, start: int, end: int) -> bool:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    stop = text.find("\n", end)
    after = text[end : stop if stop >= 0 else len(text)]
    return not before.strip() and not after.strip() and "\n" not in text[start:end]


def _joined(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text
