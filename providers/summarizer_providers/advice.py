"""What follows from what is known of an endpoint: today's limits, and how sure they are."""

from __future__ import annotations

from summarizer_providers.bounds import DEFAULT_MAX_TOKENS, Limits
from summarizer_providers.learning import Bound, Bounds
from summarizer_providers.observations import Kind

__all__ = ["FRESH", "due", "limits", "standing"]

DAY = 86_400.0

FRESH = 14 * DAY
"""Seconds for which an upper bound is taken as it is. Providers change limits with their releases, every few
weeks; asking again costs one call that may be cut, so twice a month is cheap and soon enough."""

_GUESSED_SCALE = Limits().scale


def due(bounds: Bounds, now: float) -> bool:
    """Whether the upper bound of what it can write is so old that a longer answer is worth a try. The first
    call that asks for more settles it: it removes the bound, or is cut and makes it new.
    """
    upper = bounds.upper
    return upper is not None and upper.kind is not Kind.SET and now - upper.at > FRESH


def limits(bounds: Bounds, declared: int | None, window: int | None, now: float) -> Limits:
    """Today's limits for a run: ``declared`` (output) and ``window`` are what tables or the user declare, in
    tokens; ``now`` is in seconds since the epoch.

    An old bound counts as unknown, but for no more than twice its size, so that one call goes alone first.
    """
    ceiling = _ceiling(bounds, now)
    prior = _prior(bounds, declared)
    upper = bounds.upper
    if upper is not None and due(bounds, now):
        more = min(2 * upper.value, declared or 2 * upper.value)
        ceiling, prior = (None, more) if more > upper.value else (upper.value, prior)
    scale = bounds.scale
    return Limits(
        window=_window(bounds, window, now),
        declared=prior,
        ceiling=ceiling,
        scale=_GUESSED_SCALE if scale is None else min(4.0, max(0.5, scale)),
        measured=scale is not None,
        hidden=min(0.9, bounds.reasoning_share or 0.0),
    )


def _ceiling(bounds: Bounds, now: float) -> int | None:
    """The known upper bound; half of what was refused without a number, while that is fresh."""
    known = [bounds.upper.value] if bounds.upper is not None else []
    refused = bounds.refused_output
    if refused is not None and now - refused.at <= FRESH:
        known.append(max(1, refused.value // 2))
    return min(known, default=None)


def _prior(bounds: Bounds, declared: int | None) -> int | None:
    """The declared output limit, unless it wrote more than that already."""
    seen = bounds.lower or 0
    return seen if seen > (declared or DEFAULT_MAX_TOKENS) else declared


def _window(bounds: Bounds, declared: int | None, now: float) -> int | None:
    """What was stated goes before what is declared, and what went through before both."""
    stated, seen, refused = bounds.window_stated, bounds.window_seen, bounds.refused_prompt
    if stated is not None:
        old = now - stated.at > FRESH
        return max(stated.value, declared or 0) if old else stated.value
    if declared is not None and seen is not None:
        declared = max(declared, seen.value)
    if refused is None or now - refused.at > FRESH:
        return declared
    fits = max(1, int(refused.value * (bounds.scale or 1.0)))
    return min(fits, declared or fits)


def standing(bound: Bound, now: float) -> str:
    """What stands behind a number, for people: ``cut, 3 times, last 2 days ago``."""
    days = int(max(0.0, now - bound.at) // DAY)
    age = "today" if days == 0 else f"{days} day{'s' if days > 1 else ''} ago"
    times = "once" if bound.times == 1 else f"{bound.times} times"
    return f"{bound.kind.replace('_', ' ')}, {times}, last {age}"
