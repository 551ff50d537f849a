"""Searching long texts in steps, so that other threads of the process are not kept waiting meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["matches"]

_STEP = 200_000
"""Characters that are searched at once: Python's ``re`` lets nobody else run while it searches."""
_OVERLAP = 10_000
"""Characters behind a step that a match which begins in it may reach into."""


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches in a text, in order and apart from each other, as ``finditer`` gives them."""
    end = 0
    for start in range(0, len(text), _STEP):
        for match in pattern.finditer(text, max(start, end), start + _STEP + _OVERLAP):
            if match.start() >= start + _STEP:
                break
            end = match.end()
            yield match
