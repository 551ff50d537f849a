"""The command ``summarizer``: reads files, prints results, and exits with a code that says how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from summarizer.cli.arguments import parser
from summarizer.cli.exits import INTERRUPTED, WRONG
from summarizer.errors import SummarizerError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 complete, 3 partial, 2 wrong usage or unreadable input, 130 or 143
    interrupted. A user's mistake is one line on stderr.
    """
    options = parser().parse_args(argv)
    try:
        return int(options.run(options))
    except SummarizerError as error:
        print(f"summarizer {options.command}: {' '.join(str(error).split())}", file=sys.stderr)  # noqa: T201
        return WRONG
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Who read the output went away; nothing more can be said to them, nor at the flush on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return WRONG
