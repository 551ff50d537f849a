"""Which sections at the front of a text stay as they are, whatever the rest of a run brings. Pure.

A section settles once all before it have, and what they take together leaves the rest nearly its share of the
budget. Whether it does depends on nothing that comes later: so its text can be handed on while the run goes
on, and the text at the end begins with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from summarizer import assembly
from summarizer.budget import Budget
from summarizer.prepare import Unit
from summarizer.prompts import prompt_id
from summarizer.result import Gap, Reason, Section
from summarizer.work import Leaf, State, entries_of

__all__ = ["Front", "fitted_behind", "settled", "taken_by"]

_SLACK = 0.1
"""What the front may take of the share of the rest: models do not keep to lengths by the word."""
_SEPARATOR = 2
"""Tokens between two sections, at most."""
_UNREACHED = (Reason.CANCELLED, "")

Count = Callable[[str], int]


class _Room:
    """What the front has taken so far, of a budget for ``source`` tokens of records."""

    def __init__(self, source: int, budget: Budget) -> None:
        self._all, self._budget = max(1, source), budget.tokens
        self._shut = not budget.steady or budget.shape == "one"
        self._source = self._tokens = 0

    def takes(self, entry: Section | Gap) -> bool:
        """Whether the next entry settles; after one that does not, none does."""
        if self._shut or isinstance(entry, Gap):
            self._shut = True
            return False
        source, tokens = self._source + entry.source_tokens, self._tokens + _taken(entry)
        share = min(1.0, source / self._all)
        self._shut = tokens > self._budget * (share + _SLACK * (1 - share))
        if not self._shut:
            self._source, self._tokens = source, tokens
        return not self._shut


def settled(entries: Iterable[Section | Gap], source: int, budget: Budget) -> int:
    """How many of the entries at the front have settled, in a text of ``budget`` for ``source`` tokens."""
    room, found = _Room(source, budget), 0
    for entry in entries:
        if not room.takes(entry):
            break
        found += 1
    return found


def taken_by(entries: Iterable[Section | Gap]) -> int:
    """The tokens that entries and the separators behind them take, at most."""
    return sum(_taken(entry) for entry in entries)


def _taken(entry: Section | Gap) -> int:
    return entry.tokens + _SEPARATOR if isinstance(entry, Section) and entry.text else 0


def fitted_behind(
    kept: int, entries: Sequence[Section | Gap], budget: Budget, count: Count, fit: assembly.Fit
) -> tuple[list[Section | Gap], str, int] | None:
    """The entries with those behind the first ``kept`` shortened until all fit the budget, their text and its
    tokens; None where the first alone do not fit.
    """
    front, rest = entries[:kept], entries[kept:]
    room = budget.tokens - taken_by(front)
    while True:
        found = assembly.fitted(rest, max(0, room), count, fit, recent=budget.recent)[0]
        whole = [*front, *found]
        text = assembly.joined(whole)
        tokens = count(text)
        if tokens <= budget.tokens:
            return whole, text, tokens
        if room <= 0:
            return None
        room = min(room - 1, room * 19 // 20)


class Front:
    """The settled sections of a run as they grow: those that are ``known``, and what its leaves give."""

    def __init__(self, known: Iterable[Section], source: int, budget: Budget) -> None:
        self._known = sorted(known, key=lambda section: section.first)
        self._room = _Room(source, budget)
        self._leaf = 0

    def grown(self, leaves: Sequence[Leaf], units: Sequence[Unit], count: Count) -> list[Section]:
        """What has settled since it was last asked."""
        found = []
        while (upcoming := self._upcoming(leaves, units, count)) is not None:
            section, used = upcoming
            if not self._room.takes(section):
                break
            found.append(section)
            self._leaf += used
            self._known = self._known if used else self._known[1:]
        return found

    def _upcoming(
        self, leaves: Sequence[Leaf], units: Sequence[Unit], count: Count
    ) -> tuple[Section, int] | None:
        """The next section, if it is finished, and how many leaves it is made of (0: it is known)."""
        rest = leaves[self._leaf :]
        begins = units[rest[0].chunk.first].position if rest else None
        if self._known and (begins is None or self._known[0].first < begins):
            return self._known[0], 0
        group = _record_of(rest)
        if not group or any(leaf.state is not State.DONE for leaf in group):
            return None
        made = entries_of(group, units, count, prompt_id(), _UNREACHED)[0]
        return (made, len(group)) if isinstance(made, Section) else None


def _record_of(leaves: Sequence[Leaf]) -> Sequence[Leaf]:
    """The first leaf, with the further pieces of its record."""
    if not leaves or not leaves[0].chunk.is_piece:
        return leaves[:1]
    record = leaves[0].chunk.first
    size = next((i for i, e in enumerate(leaves) if not e.chunk.is_piece or e.chunk.first != record), None)
    return leaves[:size]
