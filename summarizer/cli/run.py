"""``summarizer run``: summarize, show progress on a terminal, print the result and a closing line."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from types import FrameType

from summarizer.api import Summarizer
from summarizer.cli import inputs
from summarizer.cli.exits import COMPLETE, INTERRUPTED, PARTIAL, TERMINATED
from summarizer.cli.output import check_output, closing_lines, shown, write
from summarizer.cli.progress import progress
from summarizer.result import Complete, Partial

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Carry the command out; raises ``SummarizerError`` for a user's mistake, before anything is sent."""
    started = time.monotonic()
    budget = inputs.budget(options)
    deadline, max_cost = inputs.number(options, "deadline"), inputs.number(options, "max_cost")
    check_output(options.output)
    before = inputs.previous(options)
    found = inputs.still_to_do(inputs.records(options), before)
    cancel = threading.Event()
    with _Signals(cancel) as signals, progress(quiet=options.quiet) as on_event:
        result = Summarizer().summarize(
            found,
            budget,
            models=inputs.models(options),  # type: ignore[arg-type]
            focus=options.focus,
            instructions=options.instructions,
            previous=before,
            deadline=deadline,
            max_cost=max_cost,
            cancel=cancel,
            on_event=on_event,
        )
    write(shown(result, options.format), options.output)
    if not options.quiet:
        for line in closing_lines(result, time.monotonic() - started, where=options.output):
            print(line, file=sys.stderr)  # noqa: T201
    return signals.exit_code or _exit_code(result)


def _exit_code(result: Complete | Partial) -> int:
    return COMPLETE if isinstance(result, Complete) else PARTIAL


class _Signals:
    """The first Ctrl-C or SIGTERM asks the run to come back with what it has; a second one ends it."""

    def __init__(self, cancel: threading.Event) -> None:
        self.exit_code = 0
        self._cancel = cancel

    def __enter__(self) -> _Signals:
        self._before = {number: signal.signal(number, self._caught) for number in _CODES}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _caught(self, number: int, _: FrameType | None) -> None:
        if self.exit_code:
            os._exit(self.exit_code)
        self.exit_code = _CODES[signal.Signals(number)]
        self._cancel.set()


_CODES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
