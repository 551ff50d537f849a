"""The terms of all candidates as numbers, with what each is worth: the table that the choice is made from."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from summarizer_providers.extractive.candidates import Candidate
from summarizer_providers.extractive.speakers import Speaker
from summarizer_providers.extractive.terms import Kind, terms
from summarizer_providers.extractive.weights import Weights, prior, term_weight
from summarizer_providers.types import Passage

__all__ = ["Index", "build"]

_VOTES = {Kind.NAME: 1, Kind.WORD: -1}


@dataclass(frozen=True, slots=True)
class Index:
    """For each candidate its terms, and for each term its worth.

    The terms of candidate i are ``terms[starts[i]:starts[i + 1]]``, indices into ``worth``; ``priors[i]``
    is the factor on what they are worth there.
    """

    terms: array[int]
    starts: array[int]
    worth: list[float]
    priors: array[float]


class _Vocabulary:
    """Numbers for terms, in the order in which they are met, and in how many passages each stands."""

    def __init__(self) -> None:
        self.ids: dict[object, int] = {}
        self.kinds: list[Kind] = []
        self.records: list[int] = []
        self.mass: list[float] = []
        self._votes: list[int] = []
        self._last: list[int] = []

    def add(self, key: object, kind: Kind, passage: int, mass: float) -> int:
        """The number of a term that stands in this passage; ``mass`` counts once a passage."""
        number = self.ids.get(key)
        if number is None:
            number = self.ids[key] = len(self.kinds)
            self.kinds.append(kind)
            self.records.append(0)
            self.mass.append(0.0)
            self._votes.append(0)
            self._last.append(-1)
        if self._last[number] != passage:
            self._last[number] = passage
            self.records[number] += 1
            self.mass[number] += mass
        self._votes[number] += _VOTES.get(kind, 0)
        return number

    def kind(self, number: int) -> Kind:
        """What a term is: a name, if it has its capital inside sentences more often than not."""
        kind = self.kinds[number]
        if kind in _VOTES or kind is Kind.OPENING:
            return Kind.NAME if self._votes[number] > 0 else Kind.WORD
        return kind


def build(
    passages: Sequence[Passage],
    speakers: Sequence[Speaker],
    found: Iterable[Candidate],
    total: int,
    focus: str | None,
    weights: Weights,
) -> Index:
    """The table of these candidates; ``total`` is the number of records of the whole input."""
    words = _Vocabulary()
    flat, starts, priors = array("I"), array("I", [0]), array("d")
    for candidate in found:
        passage, speaker = passages[candidate.passage], speakers[candidate.passage]
        factor = prior(candidate, passage, speaker, total, weights)
        met = terms(passage.text[candidate.start : candidate.end])
        mass = min(1.0, factor)
        numbers = {words.add(key, kind, candidate.passage, mass) for key, kind in met}
        if weights.passages[speaker]:
            numbers.add(words.add(candidate.passage, Kind.WORD, candidate.passage, 0.0))
        flat.extend(numbers)
        starts.append(len(flat))
        priors.append(factor)
    index = Index(flat, starts, _worth(words, passages, speakers, weights), priors)
    return _focused(index, words, focus, len(passages), weights) if focus else index


def _own_worth(speaker: Speaker, passage: Passage, weights: Weights) -> float:
    """What is said at all by this passage; a person's message counts however short it is."""
    share = 1.0 if speaker is Speaker.PERSON else min(1.0, len(passage.text) / weights.wish)
    return weights.passages[speaker] * share


def _worth(
    words: _Vocabulary, passages: Sequence[Passage], speakers: Sequence[Speaker], weights: Weights
) -> list[float]:
    return [
        _own_worth(speakers[key], passages[key], weights)
        if isinstance(key, int)
        else _term_worth(words, number, len(passages), weights)
        for key, number in words.ids.items()
    ]


def _term_worth(words: _Vocabulary, number: int, total: int, weights: Weights) -> float:
    return term_weight(words.kind(number), words.mass[number], words.records[number], total, weights)


def _focused(index: Index, words: _Vocabulary, focus: str, total: int, weights: Weights) -> Index:
    """The table with a larger factor on candidates that speak of the focus: of its rare terms above all."""
    rarity = {
        number: math.log1p(total / words.records[number])
        for key in {key for key, _ in terms(focus)}
        if (number := words.ids.get(key)) is not None
    }
    whole = sum(rarity.values())
    priors = array("d", index.priors)
    for candidate in range(len(priors) if rarity else 0):
        own = index.terms[index.starts[candidate] : index.starts[candidate + 1]]
        shared = sum(rarity.get(number, 0.0) for number in own)
        priors[candidate] *= 1 + weights.focus * (shared / whole) ** 2
    return replace(index, priors=priors)
