"""The terms of all candidates as numbers, with what each is worth: the table that the choice is made from."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from summarizer_providers.extractive.candidates import Candidate
from summarizer_providers.extractive.listing import Oddity
from summarizer_providers.extractive.speakers import Speaker, is_dialogue
from summarizer_providers.extractive.terms import Kind, terms
from summarizer_providers.extractive.weights import Weights, prior, term_weight
from summarizer_providers.types import Passage

__all__ = ["Index", "build"]

_OPENING = 0.05
"""The share of a conversation in which people greet each other; what matters of it comes up again."""
_STEP, _STEPS = 10, 3
"""A line speaks for its part of the whole by so many tokens, so often; what is shorter says too little."""
_VALUES = (Kind.IDENTIFIER, Kind.NUMBER, Kind.NAME)
_BARE = 0.3
_COOLING, _COOLING_RECORD = 0.93, 0.7
"""How much of a match remains on the next line of a record, and in the next record."""
_STEM, _ENDING = 4, 2
"""Words are taken as one that differ in up to so many last letters, after so many first ones."""
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
        self.last: list[int] = []

    def add(self, key: object, kind: Kind, passage: int, mass: float) -> int:
        """The number of a term that stands in this passage; ``mass`` counts once a passage."""
        number = self.ids.get(key)
        if number is None:
            number = self.ids[key] = len(self.kinds)
            self.kinds.append(kind)
            self.records.append(0)
            self.mass.append(0.0)
            self._votes.append(0)
            self.last.append(-1)
        if self.last[number] != passage:
            self.last[number] = passage
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
    odd: Mapping[int, Oddity],
    regions: int,
) -> Index:
    """The table of these candidates; ``total`` is the number of records of the whole input.

    ``odd`` says which candidates are lines of a listing, ``regions`` into how many parts, of as much text
    each, the passages are cut, all of which are to have their say.
    """
    words = _Vocabulary()
    extra: dict[int, float] = {}
    flat, starts, priors = array("I"), array("I", [0]), array("d")
    places: list[int] = []
    talk = is_dialogue(passages, speakers)
    ends = list(accumulate(len(passage.text) for passage in passages))
    for order, candidate in enumerate(found):
        passage, speaker = passages[candidate.passage], speakers[candidate.passage]
        factor = prior(candidate, passage, speaker, total, weights)
        met = terms(passage.text[candidate.start : candidate.end])
        mass = min(1.0, factor)
        numbers = {words.add(key, kind, candidate.passage, mass) for key, kind in met}
        if weights.passages[speaker]:
            numbers.add(words.add(candidate.passage, Kind.WORD, candidate.passage, 0.0))
        if talk and speaker is Speaker.TEXT:
            at = ends[candidate.passage] - len(passage.text) + candidate.start
            region = at * regions // ends[-1]
            for step in range(min(_STEPS, int(candidate.tokens / _STEP))):
                numbers.add(number := words.add((region, step), Kind.WORD, candidate.passage, 0.0))
                extra[number] = weights.region
        # In what a tool wrote, the odd one is of interest only where something went wrong.
        if order in odd and (speaker is Speaker.TEXT or (speaker is Speaker.TOOL and candidate.signal)):
            factor *= weights.common + odd[order].surprise * weights.odd
            for value, surprise in odd[order].values:
                numbers.add(number := words.add(value, Kind.WORD, candidate.passage, 0.0))
                extra[number] = weights.rare * surprise
        flat.extend(numbers)
        starts.append(len(flat))
        places.append(candidate.passage)
        priors.append(factor)
    worth = _worth(words, passages, speakers, weights)
    opening = bisect_left(ends, ends[-1] * _OPENING) if talk else 0
    for number, last in enumerate(words.last if talk else ()):
        if last < opening and speakers[last] is Speaker.TEXT:
            worth[number] *= weights.passing
    for number, own in extra.items():
        worth[number] = own
    index = Index(flat, starts, worth, priors)
    return _focused(index, words, places, focus, len(passages), weights) if focus else index


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


def _focused(
    index: Index, words: _Vocabulary, found: Sequence[int], focus: str, total: int, weights: Weights
) -> Index:
    """The table with a larger factor on candidates that speak of the focus, or stand near where it is.

    ``found`` are the candidates' passages. An answer seldom repeats the question: it follows it, and it
    has what the question has not, a value or a name.
    """
    rarity = _rarity(words, focus, total)
    whole = sum(dict(rarity.values()).values())
    priors = array("d", index.priors)
    heat, before = 0.0, -1
    for candidate in range(len(priors) if whole else 0):
        own = index.terms[index.starts[candidate] : index.starts[candidate + 1]]
        shared = sum(dict(rarity[number] for number in own if number in rarity).values())
        match = (shared / whole) ** 2
        heat *= (
            _COOLING if found[candidate] == before else _COOLING_RECORD ** min(9, found[candidate] - before)
        )
        heat = max(heat, match)
        before = found[candidate]
        values = sum(words.kinds[number] in _VALUES and number not in rarity for number in own)
        factor = heat if values else match * _BARE
        priors[candidate] *= 1 + weights.focus * factor
    return replace(index, priors=priors)


def _rarity(words: _Vocabulary, focus: str, total: int) -> dict[int, tuple[str, float]]:
    """For each term that is one of the focus's, whatever its ending, which one, and how rare that is."""
    wanted = {key for key, _ in terms(focus)}
    stems = {key[: max(_STEM, len(key) - _ENDING)]: key for key in wanted if len(key) >= _STEM}
    records: Counter[str] = Counter()
    found: dict[int, str] = {}
    for key, number in words.ids.items():
        match = (key if key in wanted else _stemmed(key, stems)) if isinstance(key, str) else None
        if match is not None:
            found[number] = match
            records[match] = max(records[match], words.records[number])
    return {number: (match, math.log1p(total / records[match])) for number, match in found.items()}


def _stemmed(key: str, stems: Mapping[str, str]) -> str | None:
    for end in range(max(_STEM, len(key) - _ENDING), len(key) + 1):
        match = stems.get(key[:end])
        if match is not None and abs(len(key) - len(match)) <= _ENDING:
            return match
    return None
