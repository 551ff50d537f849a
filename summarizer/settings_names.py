"""The names that settings go by outside of the program."""

from __future__ import annotations

__all__ = ["FILE", "PREFIX"]

FILE = "summarizer.toml"
"""The file in the working folder that holds settings by their names in lower case."""
PREFIX = "SUMMARIZER_"
"""What stands before a setting's name in an environment variable."""
