"""The command ``summarizer``: reads files, prints results, and exits with a code that says how it went."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from summarizer.cli.arguments import parsed
from summarizer.cli.exits import INTERRUPTED, TERMINATED, WRONG
from summarizer.cli.output import say
from summarizer.errors import SummarizerError

__all__ = ["command", "main"]


def command() -> NoReturn:
    """The installed script: exits with what ``main`` returns.

    An interrupted run does not wait for threads of which nobody wants anything any more.
    """
    codes: list[int] = []
    atexit.register(
        _leave, codes
    )  # what is registered first runs last: nothing that wants to end is passed over
    code = main()
    codes.append(code)
    if code in (INTERRUPTED, TERMINATED):
        _leave(codes)
    sys.exit(code)


def _leave(codes: list[int]) -> None:
    """End without taking memory apart, which the system takes back anyway (0.05 s for the counter alone)."""
    if not codes:
        return
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(codes[0])


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
