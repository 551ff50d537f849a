"""Which candidates cover most of what is worth covering, within a budget: greedy, as far as it fits."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from summarizer_providers.extractive.index import Index
from summarizer_providers.extractive.weights import Weights

__all__ = ["Selection"]

# Worth only falls, so an entry that is still the best is the best of all. One that is nearly so is taken
# as well: it saves most of the renewals when much of a large input is chosen.
_NEARLY = 0.97
_DIGITS = re.compile(r"\d+")
# Estimates are seldom wrong by half; what is longer than that is not counted to find out.
_SURELY = 2.0
# When so many in a row were too long for what is left, what is left is too little.
_MISSES = 200


class Selection:
    """A choice that grows: candidates are taken by what they newly cover for the tokens that they cost.

    This is the greedy rule for covering under a budget (Khuller, Moss and Naor, 1999): the worth of a
    set of lines has diminishing returns, and the rule is then at most a constant factor from the best.
    """

    def __init__(
        self, index: Index, estimates: Sequence[float], text: Callable[[int], str], weights: Weights
    ) -> None:
        """``estimates`` are the candidates' lengths in tokens, roughly; ``text`` gives their texts."""
        self._index = index
        self._text = text
        self._taken: set[str] = set()
        self._shapes: Counter[str] = Counter()
        self._costs = [tokens + weights.line for tokens in estimates]
        self._decay = weights.decay
        self._line = weights.line
        self._remaining = list(index.worth)
        self._heap = [(-self._rate(number), number) for number in range(len(estimates))]
        heapq.heapify(self._heap)
        self.chosen: list[int] = []

    def take(
        self, budget: int, longest: float, tokens: Callable[[int], int], alike: int | None = None
    ) -> int:
        """Choose more, up to ``budget`` tokens and none over ``longest``; the number of tokens left over.

        ``tokens`` gives the exact length of a candidate, ``alike`` is how many lines may differ in nothing
        but digits (None for any number). What was passed over stays for the next time.
        """
        passed: list[tuple[float, int]] = []
        misses = 0
        while self._heap and budget > 0 and misses < _MISSES:
            entry = self._best()
            if self._text(entry[1]) in self._taken:
                continue  # said before, word for word
            if self._costs[entry[1]] > _SURELY * longest + self._line or (
                alike is not None and self._shapes[self._shape(entry[1])] >= alike
            ):
                passed.append(entry)
                continue
            length = tokens(entry[1])
            if length > min(budget, longest):
                passed.append(entry)
                misses += length <= longest
                continue
            self._choose(entry[1])
            budget -= length
            misses = 0
        for entry in passed:
            heapq.heappush(self._heap, entry)
        return budget

    def drop(self, numbers: Collection[int]) -> Collection[int]:
        """Take these out of the choice for good; what they covered counts as covered."""
        gone = set(numbers)
        self.chosen = [number for number in self.chosen if number not in gone]
        return numbers

    def best(self) -> int | None:
        """The candidate that is worth most of those not chosen; None if there are none left."""
        return self._heap[0][1] if self._heap else None

    def _best(self) -> tuple[float, int]:
        while True:
            _, number = heapq.heappop(self._heap)
            rate = self._rate(number)
            if not self._heap or rate >= -self._heap[0][0] * _NEARLY:
                return -rate, number
            heapq.heappush(self._heap, (-rate, number))

    def _rate(self, number: int) -> float:
        index, remaining = self._index, self._remaining
        worth = sum(remaining[term] for term in index.terms[index.starts[number] : index.starts[number + 1]])
        return worth * index.priors[number] / self._costs[number]

    def _shape(self, number: int) -> str:
        return _DIGITS.sub("", self._text(number))

    def _choose(self, number: int) -> None:
        index = self._index
        self.chosen.append(number)
        self._taken.add(self._text(number))
        self._shapes[self._shape(number)] += 1
        for term in index.terms[index.starts[number] : index.starts[number + 1]]:
            self._remaining[term] *= self._decay
