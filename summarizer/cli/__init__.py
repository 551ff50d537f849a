"""The command ``summarizer``: reads files, prints results, and exits with a code that says how it went."""

from __future__ import annotations

from collections.abc import Sequence

from summarizer.cli.arguments import parsed
from summarizer.cli.exits import INTERRUPTED, WRONG
from summarizer.cli.output import say
from summarizer.errors import SummarizerError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 complete, 3 partial, 2 wrong usage or unreadable input, 130 or 143
    interrupted. A user's mistake is one line on stderr.
    """
    options = parsed(argv)
    try:
        return int(options.run(options))
    except (SummarizerError, OSError) as error:
        say(f"summarizer {options.command}: {' '.join(str(error).split())}")
        return WRONG
    except KeyboardInterrupt:
        return INTERRUPTED
