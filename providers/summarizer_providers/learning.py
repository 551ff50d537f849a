"""From dated observations of one endpoint to what is known of it. Pure: no clock, no store.

Bounds, not a value, and never an average of two limits: what contradicts a bound takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from statistics import fmean, median
from typing import TypeVar

from summarizer_providers.observations import Kind, Observation

__all__ = [
    "MAX_COMPLETED",
    "MAX_OTHERS",
    "MAX_SIZES",
    "SIZED",
    "Bound",
    "Bounds",
    "Length",
    "kept",
    "learn",
    "update",
]

MAX_COMPLETED, MAX_OTHERS, MAX_SIZES = 256, 64, 16
"""How many observations of an endpoint still matter: the newest that completed, the newest of each other
kind, and the longest answers whatever their date. Means are over 64 at most, so these are ample."""

SIZED = (Kind.COMPLETED, Kind.CUT)
"""The kinds of which the longest answers matter: they set bounds and remove them."""

_RECENT = 32
_LENGTHS = 64
_LIKE = 1.5
_DOES_NOT_LISTEN = 1.6
_EDGE = 16
"""Servers stop up to some tokens short of the window (for end marks): a cut so near to it is the window's."""
_SMALL_PROMPT = 200
"""Tokens: in a shorter prompt the chat template weighs too much to tell the tokenizer's scale."""
_REPLIES = {
    *(Kind.COMPLETED, Kind.CUT, Kind.WINDOW_FULL, Kind.REASONING_EXHAUSTED),
    *(Kind.INPUT_TRUNCATED, Kind.DEFAULT_SEEN),
}


Length = tuple[int, int, int]
"""One answer that ended by itself, in tokens of our counter: asked for, written, read."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A number of tokens and what stands behind it: when it was last seen (seconds since the epoch), in what
    kind of observation, how many times in a row, and the wording. ``total`` is prompt and answer together.
    """

    value: int
    at: float
    kind: Kind
    times: int = 1
    source: str = ""
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of one endpoint, in its own tokens unless said otherwise; None where nothing is.

    ``longest`` is the largest completion that ended by itself. Upper bounds of what it can write: ``stated``
    by an error, ``cut`` below the ``max_tokens`` that was sent, ``chosen`` by the user. The window:
    ``window_seen`` went through, ``window_stated`` is its upper bound. ``default`` is where it stops if no
    ``max_tokens`` is sent. Refused without a number: ``refused_output`` (a ``max_tokens``) and
    ``refused_prompt`` (by our counter). ``proved`` is the longest target (our tokens) whose answer ended by
    itself. The tuples are the newest samples: ``scales`` (its tokens per token of ours), ``lengths`` (asked,
    written, read; our tokens), ``shares`` (of reasoning in what it writes).
    """

    longest: Bound | None = None
    stated: Bound | None = None
    cut: Bound | None = None
    chosen: Bound | None = None
    window_seen: Bound | None = None
    window_stated: Bound | None = None
    default: Bound | None = None
    refused_output: Bound | None = None
    refused_prompt: Bound | None = None
    proved: Bound | None = None
    scales: tuple[float, ...] = ()
    lengths: tuple[Length, ...] = ()
    shares: tuple[float, ...] = ()
    count: int = 0

    @property
    def lower(self) -> int | None:
        """The most that it is known to be able to write in one call; never above ``upper``."""
        return self.longest.value if self.longest else None

    @property
    def upper(self) -> Bound | None:
        """The lowest of the upper bounds of what one call can write."""
        known = [bound for bound in (self.chosen, self.stated, self.cut) if bound is not None]
        return min(known, key=lambda bound: bound.value, default=None)

    @property
    def scale(self) -> float | None:
        """Its tokens per token of our counter: the median of what was seen."""
        return median(self.scales) if self.scales else None

    @property
    def obedience(self) -> float | None:
        """Written against asked: 1 keeps to lengths, 2 writes twice as much."""
        return fmean(written / asked for asked, written, _ in self.lengths) if self.lengths else None

    @property
    def density(self) -> float | None:
        """Tokens written per token read, a mean: for models that ignore lengths."""
        return fmean(written / read for _, written, read in self.lengths) if self.lengths else None

    @property
    def reasoning_share(self) -> float | None:
        """The part of what it writes, 0 to 1, that is hidden reasoning."""
        return fmean(self.shares) if self.shares else None

    def willing(self, asked: int) -> int | None:
        """What it writes when asked for so many tokens (both ours): by what was asked for within a factor of
        two, or else by all that was asked.
        """
        near = [written / wish for wish, written, _ in self.lengths if asked / 2 <= wish <= asked * 2]
        ratio = fmean(near) if near else self.obedience
        return None if ratio is None else round(asked * ratio)

    def like(self, share: float, overhead: int) -> tuple[Length, ...]:
        """Those of ``lengths`` at which about as much was asked for per token read, within a factor of
        one and a half, behind a prompt of ``overhead`` tokens: how a model writes depends on that. All
        of them where it does not listen: then it depends on what it reads alone.
        """
        read = ((asked, written, max(1, whole - overhead)) for asked, written, whole in self.lengths)
        if (self.obedience or 0.0) > _DOES_NOT_LISTEN:
            return tuple(read)
        near = (each for each in read if share / _LIKE <= each[0] / each[2] <= share * _LIKE)
        return tuple(near)


def learn(observations: Iterable[Observation]) -> Bounds:
    """What the observations of one endpoint say, in whatever order they are given."""
    return reduce(update, sorted(observations, key=lambda each: each.order), Bounds())


def update(bounds: Bounds, seen: Observation) -> Bounds:
    """The bounds after one more observation, which is to be no older than those before it."""
    bounds = replace(bounds, count=bounds.count + 1)
    if seen.kind is Kind.SET:
        return _clamped(
            replace(bounds, chosen=_bound(None, seen, seen.stated_ceiling), stated=None, cut=None)
        )
    if seen.kind in _REPLIES:
        bounds = _sampled(_contradicted(bounds, seen), seen)
        bounds = _ended(bounds, seen)
    return _clamped(_refused(bounds, seen))


# ---- what a reply says ----


def _contradicted(bounds: Bounds, seen: Observation) -> Bounds:
    """A longer answer removes an upper bound; so does an accepted request for what had been refused."""
    written, sent = seen.output_tokens or 0, seen.max_tokens or 0
    whole = seen.kind is not Kind.INPUT_TRUNCATED
    prompt, total = (seen.prompt_tokens or 0, seen.total_tokens) if whole else (0, None)
    return replace(
        bounds,
        stated=_below(bounds.stated, max(written, sent)),
        cut=_below(bounds.cut, written),
        refused_output=_below(bounds.refused_output, sent + 1),
        refused_prompt=_below(bounds.refused_prompt, prompt + 1),
        window_stated=_below(bounds.window_stated, total or 0),
        window_seen=_largest(bounds.window_seen, seen, total),
    )


def _ended(bounds: Bounds, seen: Observation) -> Bounds:
    """How a reply ended: by itself, at the window, at a limit of ours, at a default, or at its ceiling."""
    written, total = seen.output_tokens, seen.total_tokens
    if seen.kind is Kind.COMPLETED:
        longest = _largest(bounds.longest, seen, written)
        return replace(bounds, longest=longest, proved=_largest(bounds.proved, seen, seen.target))
    if seen.kind is Kind.WINDOW_FULL and seen.stated_window is None:
        return _window(bounds, seen, total)
    if seen.kind not in (Kind.CUT, Kind.DEFAULT_SEEN) or not written:
        return bounds
    if seen.max_tokens is None:
        return replace(bounds, default=_bound(bounds.default, seen, written))
    if written >= seen.max_tokens or _at_window(bounds.window_stated, total):
        return bounds
    failed = bounds.proved is not None and (seen.target or 0) <= bounds.proved.value
    proved = None if failed else bounds.proved
    return replace(bounds, cut=_bound(bounds.cut, seen, written), proved=proved)


def _sampled(bounds: Bounds, seen: Observation) -> Bounds:
    """Means are of what was read whole; lengths only of what ended by itself."""
    if seen.kind is Kind.INPUT_TRUNCATED:
        return bounds
    prompt, read, written = seen.prompt_tokens or 0, seen.input_tokens, seen.output_tokens
    if read and prompt >= _SMALL_PROMPT:
        bounds = replace(bounds, scales=_newest(bounds.scales, read / prompt))
    if written and seen.reasoning_tokens is not None:
        bounds = replace(bounds, shares=_newest(bounds.shares, seen.reasoning_tokens / written))
    if seen.kind is not Kind.COMPLETED or seen.visible_tokens is None:
        return bounds
    ours = round(seen.visible_tokens / (bounds.scale or 1.0))
    if not seen.target or not prompt:
        return bounds
    return replace(bounds, lengths=_newest(bounds.lengths, (seen.target, ours, prompt), _LENGTHS))


# ---- what was stated or refused ----


def _refused(bounds: Bounds, seen: Observation) -> Bounds:
    """Numbers that were stated; and what was refused without one."""
    if seen.stated_ceiling:
        bounds = replace(bounds, stated=_bound(bounds.stated, seen, seen.stated_ceiling))
    elif seen.kind is Kind.OUTPUT_REJECTED:
        bounds = replace(bounds, refused_output=_smallest(bounds.refused_output, seen, seen.max_tokens))
    if seen.stated_window:
        bounds = _window(bounds, seen, seen.stated_window)
    elif seen.kind is Kind.PROMPT_TOO_LONG:
        bounds = replace(bounds, refused_prompt=_smallest(bounds.refused_prompt, seen, seen.prompt_tokens))
    return bounds


def _window(bounds: Bounds, seen: Observation, size: int | None) -> Bounds:
    """A window of this size; an earlier cut that reached it was the window's and not the ceiling's."""
    if not size:
        return bounds
    window = _bound(bounds.window_stated, seen, size)
    windowed = bounds.cut is not None and _at_window(window, bounds.cut.total)
    return replace(bounds, window_stated=window, cut=None if windowed else bounds.cut)


def _at_window(window: Bound | None, total: int | None) -> bool:
    return window is not None and total is not None and total >= window.value - _EDGE


# ---- bounds ----


def _clamped(bounds: Bounds) -> Bounds:
    """A newer upper bound replaces what an older observation says against it."""
    return replace(
        bounds,
        longest=_capped(bounds.longest, bounds.upper),
        window_seen=_capped(bounds.window_seen, bounds.window_stated),
    )


def _capped(bound: Bound | None, upper: Bound | None) -> Bound | None:
    if bound is None or upper is None or bound.value <= upper.value:
        return bound
    return replace(bound, value=upper.value)


def _bound(known: Bound | None, seen: Observation, value: int | None) -> Bound | None:
    """The newest number; where it says the same again, it is surer."""
    if not value:
        return known
    times = known.times + 1 if known is not None and known.value == value else 1
    return Bound(value, seen.at, seen.kind, times, seen.source, seen.total_tokens)


def _largest(known: Bound | None, seen: Observation, value: int | None) -> Bound | None:
    return known if known is not None and (value or 0) < known.value else _bound(known, seen, value)


def _smallest(known: Bound | None, seen: Observation, value: int | None) -> Bound | None:
    return known if known is not None and value and value > known.value else _bound(known, seen, value)


def _below(bound: Bound | None, value: int) -> Bound | None:
    """The bound, unless ``value`` is above it."""
    return None if bound is None or value > bound.value else bound


_Sample = TypeVar("_Sample")


def _newest(samples: tuple[_Sample, ...], sample: _Sample, most: int = _RECENT) -> tuple[_Sample, ...]:
    return (*samples, sample)[-most:]


# ---- what is worth keeping ----


def kept(observations: Iterable[Observation]) -> list[Observation]:
    """The observations of one endpoint that still matter, oldest first: at most 256 that completed, 64 of
    each other kind, and the 16 longest answers that completed or were cut.
    """
    newest = sorted(observations, key=lambda each: each.order, reverse=True)
    chosen: dict[int, Observation] = {}
    for kind in Kind:
        group = [each for each in newest if each.kind is kind]
        longest = (
            sorted(group, key=lambda each: each.output_tokens or 0, reverse=True) if kind in SIZED else []
        )
        most = MAX_COMPLETED if kind is Kind.COMPLETED else MAX_OTHERS
        chosen |= {id(each): each for each in (*group[:most], *longest[:MAX_SIZES])}
    return sorted(chosen.values(), key=lambda each: each.order)
