"""How many calls, how large, and how long each answer may be. Pure: numbers in, numbers out."""

from __future__ import annotations

from summarizer.habits import FILL, NEARLY
from summarizer_providers.bounds import DEFAULT_WINDOW, Limits, readable

__all__ = [
    "USEFUL_SECTION",
    "call_limit",
    "chunk_count",
    "chunk_size",
    "loosely",
    "output_size",
    "parts",
    "target",
    "useful_length",
    "wanted",
]

USEFUL_SECTION = 300
"""Tokens: a section shorter than this is not worth reading by itself for a chunk of many records."""

_MOST_USEFUL = 1_000
_USEFUL_SHARE = 40

_WINDOW_SHARE = 0.5
_MOST_READ = 64_000
"""A model reads badly long before its window is full: without a measured size, half the window and at most
64,000 tokens are given to one call."""

_LOOSE = 4

_LEAST_READ = 64
"""Tokens: where not even so much seems to fit, one call finds out; no plan is made of a call a word."""


def output_size(limits: Limits) -> int:
    """The most that one call is expected to write for its reader, in tokens of our counter."""
    return max(1, int(limits.output * (1.0 - limits.hidden) / max(1.0, limits.scale)))


def chunk_size(limits: Limits, overhead: int, setting: int | None) -> int:
    """The most input that one call is given, in tokens of our counter; at least 64.

    ``overhead`` is the prompt's own size, ``setting`` the user's limit (None: automatic).
    """
    window = limits.window or DEFAULT_WINDOW
    fits = readable(limits, min(limits.output, window // 4)) - overhead
    useful = limits.useful or min(int(window * _WINDOW_SHARE), _MOST_READ)
    return max(_LEAST_READ, min(fits, useful if setting is None else setting))


def useful_length(read: int) -> int:
    """The shortest text, in tokens, that is worth reading for ``read`` tokens: 300, or a quarter of them."""
    return min(USEFUL_SECTION, read // 4)


def chunk_count(tokens: int, budget: int, size: int, output: int) -> int:
    """The fewest calls that can read ``tokens`` and write ``budget``: max(⌈N / U⌉, ⌈B / C⌉)."""
    return max(1, -(-tokens // size), -(-min(budget, tokens) // output))


def parts(tokens: int, size: int) -> int:
    """How many parts of about ``size`` tokens there are: sizes were rounded down from the exact ones."""
    return max(1, -(-tokens // (size + 1)))


def loosely(size: int, most: int) -> int:
    """The most that a chunk of about ``size`` tokens may have: borders lie where they read best."""
    return max(1, min(most, size + size // _LOOSE))


def wanted(length: int, limits: Limits, proved: int) -> int:
    """How much of a ``length`` to ask for: models miss a length by some, so less than a known ceiling; and
    where none is known no more than what was ``proved``, if that is nearly as much.
    """
    output = output_size(limits)
    if limits.ceiling is not None:
        return min(length, max(1, int(FILL * output)))
    return min(length, output, proved if proved >= NEARLY * length else output)


def target(chunk_tokens: int, total: int, budget: int, output: int) -> int:
    """The length to ask for, in tokens: the chunk's share of the budget, or where that is too small to be
    worth reading, a useful length that is merged later. Never more than can be written or than was read,
    except that no less than 16 are asked for.
    """
    share = budget * chunk_tokens // max(1, total)
    useful = useful_length(chunk_tokens)
    if share < useful and chunk_tokens < total:
        share = max(useful, min(_MOST_USEFUL, chunk_tokens // _USEFUL_SHARE))
    return max(16, min(share, output, chunk_tokens))


def call_limit(tokens: int, budget: int, size: int) -> int:
    """The most requests of a run, retries included, unless set: 4 × (⌈N / U⌉ + ⌈B / 500⌉) + 16, for an input
    of N tokens, a budget of B tokens and chunks of U tokens.
    """
    return 4 * (-(-tokens // size) + -(-budget // 500)) + 16
