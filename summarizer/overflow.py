"""What to do with a chunk whose answer was cut: split it, ask for more room, or give it to a larger model.

Pure: whichever costs least by the numbers observed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["Option", "Way", "cheapest"]

_FULL = 0.93
_FILLED = 0.85
_OUTPUT_WEIGHT = 4.0
"""Where prices are not known all models are taken to cost the same, a token written four times one read: the
usual ratio of providers' price lists."""


class Way(Enum):
    """How a chunk goes on whose answer was cut."""

    SPLIT = auto()
    RAISE = auto()
    SWITCH = auto()


@dataclass(frozen=True, slots=True)
class Option:
    """An endpoint for the next try: it can write ``output`` tokens a call; prices are in US dollars a token,
    None where unknown.
    """

    output: int
    input_cost: float | None = None
    output_cost: float | None = None

    @property
    def is_priced(self) -> bool:
        """Whether both prices are known."""
        return self.input_cost is not None and self.output_cost is not None


def cheapest(
    read: int,
    length: int,
    overhead: int,
    here: Option,
    raised: int = 0,
    larger: Option | None = None,
    least: int = 2,
) -> Way:
    """The way that costs least for a chunk of ``read`` tokens whose whole answer would have about ``length``
    tokens, behind a prompt of ``overhead`` tokens.

    ``here`` is the endpoint that cut; ``raised`` what it may write in one call if the limit that cut was one
    we had sent (0: it was not); ``larger`` the next endpoint that writes more; ``least`` the calls that it
    takes here at least: two for a chunk that was cut, one for the rest of one. Of equal ways the user's
    first choice of model goes before another, and fewer calls before more.
    """
    priced = here.is_priced and (larger is None or larger.is_priced)
    split = _calls(length, here.output, least)
    ways = []
    if raised and raised >= length:
        ways.append((_cost(read, length, overhead, 1, here, priced), 0, Way.RAISE))
    ways.append((_cost(read, length, overhead, split, here, priced), 2 if split > 1 else 0, Way.SPLIT))
    if larger is not None and larger.output > here.output:
        calls = _calls(length, larger.output, least=1)
        ways.append((_cost(read, length, overhead, calls, larger, priced), 1, Way.SWITCH))
    return min(ways, key=lambda way: way[:2])[2]


def _calls(length: int, output: int, least: int) -> int:
    if least == 1 and length <= _FULL * output:
        return 1
    return max(least, math.ceil(length / max(1.0, _FILLED * output)))


def _cost(read: int, length: int, overhead: int, calls: int, option: Option, priced: bool) -> float:
    into, out = (option.input_cost or 0.0, option.output_cost or 0.0) if priced else (1.0, _OUTPUT_WEIGHT)
    return into * (read + calls * overhead) + out * length
