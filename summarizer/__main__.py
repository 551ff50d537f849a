"""``python -m summarizer`` is the command ``summarizer``."""

from __future__ import annotations

from summarizer.cli import command

command()
