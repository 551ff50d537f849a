"""How an endpoint writes, as far as it was seen: lengths asked for and written, what was whole, what was cut.

Pure values; sizes are in tokens of our counter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["FILL", "NEARLY", "Habits"]

FILL = 0.87
"""The share of a known ceiling that is asked for: models keep to a length within some ten in a hundred."""
NEARLY = 0.8
"""A length that was proved is as good as one that is longer by no more than this: less is asked for, instead
of a call that goes alone to find out.
"""
_ROOM = 0.85
"""The share of a ceiling that an answer should take, by what the endpoint writes per token read."""
_FULL = 0.93
"""Up to here a size is left as it is: each smaller size costs calls."""
_LIMIT = 0.97

_CUT = 1.5
"""An answer that was cut would have been longer, by a factor that nobody knows."""
_LIKE = 1.2
"""A chunk that is larger than one that went well by no more than this factor is of its size."""
_LEAST_OBEDIENCE, _MOST_OBEDIENCE = 0.5, 3.0
"""A model that writes more than three times what it is asked for does not listen: less is asked in vain; and
one that writes less than half may have no more to say."""
_MEMORY = 8
"""Answers over which the mean of lengths runs."""
_FADING = 0.95
"""What an answer weighs in the density once another has come."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Sums and bounds over an endpoint's answers.

    ``written`` for ``read`` tokens make its density; ``guess`` is what cut answers let suppose of it until
    one like them was whole. ``obedience``: written per token asked for, 0.5 to 3. ``proved``: the longest
    wish whose answer ended by itself. ``cut_at``, ``whole_at``: the smallest chunk whose answer was
    cut, and the largest whose answer was whole since. ``wary``: an answer
    was cut, and none like it was whole since. ``in_order``: whether its whole answers follow their
    material once, from beginning to end, as far as ``looked_at`` of them tell. ``seen``: answers that ended
    by themselves.
    """

    written: float = 0.0
    read: float = 0.0
    guess: float = 0.0
    obedience: float = 1.0
    proved: int = 0
    cut_at: int = 0
    whole_at: int = 0
    wary: bool = False
    in_order: bool | None = None
    looked_at: int = 0
    seen: int = 0

    @property
    def density(self) -> float:
        """Tokens written per token read; 0 where nothing is known."""
        return max(self.guess, self.written / self.read if self.read else 0.0)

    def ended(self, read: int, written: int, asked: int) -> Habits:
        """After an answer that ended by itself, to a chunk of ``read`` tokens."""
        return replace(
            self.obeyed(written, asked)._added(read, written),
            guess=self.guess if 2.5 * read < self.cut_at else 0.0,
            wary=self.wary and 2.5 * read < self.cut_at,
            whole_at=max(self.whole_at, read),
            seen=self.seen + 1,
        )

    def _added(self, read: int, written: float) -> Habits:
        return replace(
            self, read=self.read * _FADING + max(1, read), written=self.written * _FADING + written
        )

    def obeyed(self, written: int, asked: int) -> Habits:
        """After an answer of which only the length counts: one that merged summaries."""
        ratio = min(_MOST_OBEDIENCE, max(_LEAST_OBEDIENCE, written / max(1, asked)))
        weight = 1 / min(self.seen + 2, _MEMORY)
        return replace(
            self,
            obedience=self.obedience + weight * (ratio - self.obedience),
            proved=max(self.proved, int(asked * self.obedience)),
        )

    def cut(self, read: int, written: int, asked: int, progress: float | None = None) -> Habits:
        """After an answer that was cut; ``progress`` is how far in its chunk it had come, 0 to 1, if that
        can be seen. Else the size is found by halving, unless as much was asked for: then the
        wish is the first to be changed.
        """
        longer = written * _CUT if progress is None else written / progress
        ratio = min(_MOST_OBEDIENCE, longer / max(1, asked))
        kept = replace(self, obedience=max(self.obedience, (self.obedience + ratio) / 2))
        if progress is not None:
            return kept._added(read, longer)
        if asked >= written and not self.wary:
            return replace(kept, wary=True)
        return replace(
            kept,
            guess=max(self.guess, longer / max(1, read)),
            cut_at=min(self.cut_at or read, read),
            whole_at=min(self.whole_at, max(1, read // 2)),
            wary=True,
        )

    def ordered(self, through: bool | None) -> Habits:
        """After a whole answer that went through its material once and in order, or did not (None: it does
        not tell).
        """
        if through is None:
            return self
        in_order = through and self.in_order is not False
        return replace(self, in_order=in_order, looked_at=self.looked_at + 1)

    def request(self, wanted: int) -> int:
        """The length to ask for so that about ``wanted`` tokens are written; at least 16."""
        return max(16, int(wanted / self.obedience))

    def expected(self, read: int, wanted: int) -> int:
        """How long an answer may become that is to have ``wanted`` tokens, to a chunk of ``read`` tokens."""
        return max(wanted, int(self.density * read))

    def chunk(self, share: float, output: int, most: int) -> int:
        """The largest chunk, of at most ``most`` tokens, whose answer should stay within ``output`` tokens
        where ``share`` tokens are wanted per token read.
        """
        size = int(output / share) if share * most > output else most
        if self.density * size > _FULL * output:
            size = int(_ROOM * output / self.density)
        if self.cut_at and size > max(0.75 * self.cut_at, _LIKE * self.whole_at):
            size = min(size, self.cut_at // 2)
        return max(1, size)

    def limit(self, output: int, most: int) -> int:
        """The largest chunk, of at most ``most`` tokens, whose answer just stays within ``output`` tokens."""
        return max(1, min(most, int(_LIMIT * output / self.density))) if self.density else most

    def keeps_to(self, factor: float) -> bool:
        """Whether it is known to write no more than ``factor`` times what it is asked for."""
        return self.seen > 1 and self.obedience <= factor

    def is_tried(self, size: int) -> bool:
        """Whether chunks of ``size`` tokens may go out in numbers: nothing was cut, or one like it was whole
        since.
        """
        return size <= _LIKE * self.whole_at or not (self.wary or self.cut_at)
