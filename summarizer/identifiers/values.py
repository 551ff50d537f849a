"""Which value replaced which: for each key the values that were stated, and the one that holds now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from summarizer.identifiers.kinds import Kind
from summarizer.identifiers.normal import normal
from summarizer.identifiers.statements import Assignment, assignments
from summarizer.identifiers.voices import Voice, voices
from summarizer.records import Record

__all__ = ["Stale", "Stated", "Values", "values"]


@dataclass(frozen=True, slots=True, order=True)
class Stated:
    """A value where it was stated: the record's position, the character of its text, the value.

    ``change``: the statement speaks of a change.
    """

    position: int
    start: int
    value: str
    change: bool = False


@dataclass(frozen=True, slots=True)
class Stale:
    """A text says that ``key`` has ``value``, where ``current`` holds now; ``start`` is a character of it."""

    key: str
    value: str
    current: str
    start: int


@dataclass(frozen=True, slots=True)
class Values:
    """For each key what was stated of it, in order."""

    stated: Mapping[str, tuple[Stated, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def keys(self) -> list[str]:
        """The keys, in the order in which they were first stated."""
        return sorted(self.stated, key=lambda key: (self.stated[key][0], key))

    def history(self, key: str) -> tuple[str, ...]:
        """The values of a key in order; one that is stated again while it holds is there once."""
        return tuple(_distinct(self.stated.get(key, ())))

    def current(self, key: str) -> str | None:
        """The value that holds at the end; None for a key that nothing is known of."""
        history = self.history(key)
        return history[-1] if history else None

    def changed(self) -> dict[str, tuple[str, ...]]:
        """The keys with more than one value of which a statement says that it changed, and their history.

        Where none does, a key is a label of many things rather than one thing that changed.
        """
        told = (key for key in self.keys() if any(each.change for each in self.stated[key]))
        return {key: history for key in told if len(history := self.history(key)) > 1}

    def stale(self, text: str) -> list[Stale]:
        """What ``text`` states that no longer holds, unless it names the value that does as well."""
        return [stale for each in assignments(text) if (stale := self._stale(each, text)) is not None]

    def _stale(self, said: Assignment, text: str) -> Stale | None:
        history = self.history(said.key)
        if len(history) < 2 or _form(said.value) == _form(history[-1]) or history[-1] in text:
            return None
        if _form(said.value) not in map(_form, history[:-1]):
            return None
        return Stale(said.key, said.value, history[-1], said.start)

    def merged(self, *others: Values) -> Values:
        """One for all these stretches, in whatever order and however they are put together."""
        stated: dict[str, set[Stated]] = {}
        for each in (self, *others):
            for key, found in each.stated.items():
                stated.setdefault(key, set()).update(found)
        return _frozen(stated)


def _frozen(stated: Mapping[str, set[Stated]]) -> Values:
    return Values(MappingProxyType({key: tuple(sorted(found)) for key, found in stated.items()}))


def _form(value: str) -> str:
    return normal(Kind.VERSION, normal(Kind.NUMBER, value.strip("`\"'")))


def _distinct(stated: Iterable[Stated]) -> Iterator[str]:
    last: str | None = None
    for each in stated:
        form = _form(each.value)
        if form != last:
            yield each.value
        last = form


_TOOLS = frozenset({Voice.TOOL, Voice.LISTING, Voice.SYSTEM})


def values(
    records: Sequence[Record], positions: Iterable[int] | None = None, spoken: Sequence[Voice] | None = None
) -> Values:
    """What these records state, at these positions (0, 1, … if None); see ``ledger`` for ``spoken``.

    Of tools' output, which is full of labels, only facts and changes count. Time is linear in the text.
    """
    stated: dict[str, set[Stated]] = {}
    at = range(len(records)) if positions is None else positions
    for record, position, voice in zip(
        records, at, voices(records) if spoken is None else spoken, strict=True
    ):
        for each in assignments(record.text, changes_only=voice in _TOOLS):
            found = stated.setdefault(each.key, set())
            if each.before is not None:
                found.add(Stated(position, max(0, each.start - 1), each.before, each.change))
            found.add(Stated(position, each.start, each.value, each.change))
    return _frozen(stated)
