"""From passages to a text of a given length that consists of their own lines and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from summarizer_providers.extractive.candidates import Candidate, Look, candidates
from summarizer_providers.extractive.index import build
from summarizer_providers.extractive.layout import beginning, laid_out, line
from summarizer_providers.extractive.listing import oddities
from summarizer_providers.extractive.selection import Selection
from summarizer_providers.extractive.speakers import Speaker, speakers
from summarizer_providers.extractive.weights import WEIGHTS, Weights
from summarizer_providers.types import Passage

__all__ = ["extract"]

# A line as long as a quarter of the summary crowds out too much; only what else is left over is its.
_LARGE_SHARE = 4
_NEVER_LARGE = 64
_MOST_ALIKE = 4
"""Lines that differ in nothing but digits, before all else that is worth anything has been chosen."""
_REGION = 60.0
"""Tokens of the summary: a stretch of the text may expect about one line of it for so many."""
_MOST_CHARACTERS = 4_000
"""Longer lines are data (minified code, encoded files), kept only where the summary itself is as long."""


def extract(
    passages: Sequence[Passage],
    target: int,
    total: int,
    *,
    count: Callable[[str], int],
    focus: str | None = None,
    weights: Weights = WEIGHTS,
    stopped: Callable[[], bool] = lambda: False,
) -> str:
    """A summary of the passages of at most ``target`` tokens by ``count``, in their own words and order.

    ``total`` is the number of records of the whole input, ``focus`` what is wanted above all else. The
    text is empty only if there is nothing to read, or no room for a character. CPU time and memory are
    linear in the text: about 4 seconds and 60 MB for a million tokens. Raises InterruptedError soon after
    ``stopped`` becomes true.
    """
    who = speakers(passages)
    longest = min(64 * target, max(_MOST_CHARACTERS, target))
    found = list(_until(stopped, candidates(passages, longest)))
    odd = oddities(passages, found)
    regions = max(1, round(target / _REGION))
    index = build(passages, who, _until(stopped, found), total, focus, weights, odd, regions)
    lengths: dict[int, int] = {}

    def text_of(number: int) -> str:
        return line(passages, found[number])

    def tokens(number: int) -> int:
        if number not in lengths:
            lengths[number] = count(text_of(number)) + 1
        return lengths[number]

    selection = Selection(index, [candidate.tokens for candidate in found], text_of, weights)
    usual = max(target / _LARGE_SHARE, min(target, _NEVER_LARGE))
    room = selection.take(target, usual, tokens, alike=_MOST_ALIKE)
    freed = selection.drop(_orphans(found, selection.chosen))
    room = selection.take(room + sum(map(tokens, freed)), target, tokens)
    if selection.chosen:
        return _fitted(passages, who, found, selection.chosen, tokens, target, count)
    best = selection.best()
    return beginning(_first_line(passages) if best is None else text_of(best), target, count)


def _until(stopped: Callable[[], bool], found: Iterable[Candidate]) -> Iterator[Candidate]:
    for candidate in found:
        if stopped():
            raise InterruptedError("stopped")
        yield candidate


def _orphans(found: Sequence[Candidate], chosen: Sequence[int]) -> list[int]:
    """Headings and announcements under which nothing was chosen."""
    order = sorted(chosen)
    return [
        number
        for number, then in zip_longest(order, order[1:])
        if found[number].look in (Look.HEADING, Look.LEAD)
        and (then is None or found[then].passage != found[number].passage or found[then].look is Look.HEADING)
    ]


def _fitted(
    passages: Sequence[Passage],
    who: Sequence[Speaker],
    found: Sequence[Candidate],
    chosen: list[int],
    tokens: Callable[[int], int],
    target: int,
    count: Callable[[str], int],
) -> str:
    """The text of what was chosen, without the least of it where labels made it too long."""
    chosen = list(chosen)
    while len(chosen) > 1:
        text = laid_out(passages, who, [found[number] for number in sorted(chosen)])
        over = count(text) - target
        if over <= 0:
            return text
        while over > 0 and len(chosen) > 1:
            over -= tokens(chosen.pop())
    return line(passages, found[chosen[0]])


def _first_line(passages: Sequence[Passage]) -> str:
    """The first line that is not blank; it was too long to be a candidate."""
    for passage in passages:
        text = passage.text.lstrip()
        if text:
            return text[: text.find("\n") if "\n" in text else len(text)].rstrip()
    return ""
