"""Exit codes of the command."""

from __future__ import annotations

__all__ = ["COMPLETE", "INTERRUPTED", "PARTIAL", "TERMINATED", "WRONG"]

COMPLETE = 0
"""The result covers every record."""
WRONG = 2
"""Wrong usage or unreadable input, or an output that cannot be written."""
PARTIAL = 3
"""Some records are missing from the result."""
INTERRUPTED = 130
"""Ctrl-C: 128 + SIGINT, as shells count."""
TERMINATED = 143
"""SIGTERM: 128 + SIGTERM."""
