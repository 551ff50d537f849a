"""Exit codes of the command."""

from __future__ import annotations

__all__ = ["COMPLETE", "INTERRUPTED", "PARTIAL", "TERMINATED", "WRONG"]

COMPLETE = 0
WRONG = 2
"""Wrong usage or unreadable input."""
PARTIAL = 3
INTERRUPTED = 130
TERMINATED = 143
