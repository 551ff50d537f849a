"""``summarizer run``: summarize, show progress on a terminal, print the result and a closing line."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import threading
import time
from types import FrameType
from typing import Any

from summarizer.api import Summarizer
from summarizer.cli import inputs
from summarizer.cli.exits import COMPLETE, INTERRUPTED, PARTIAL, TERMINATED
from summarizer.cli.output import check_output, closing_lines, say, shown, write
from summarizer.cli.progress import progress
from summarizer.result import Complete, Partial
from summarizer.resuming import still_to_do

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Carry the command out; raises ``SummarizerError`` for a user's mistake, before anything is sent."""
    started = time.monotonic()
    budget = inputs.budget(options)
    deadline, max_cost = inputs.number(options, "deadline"), inputs.number(options, "max_cost")
    check_output(options.output)
    before = inputs.previous(options)
    records = inputs.records(options)
    cancel = threading.Event()
    with _Signals(cancel, quiet=options.quiet) as signals, Summarizer() as summarizer:
        found = still_to_do(records, before, masked=summarizer.settings.redact)
        with progress(quiet=options.quiet) as on_event:
            result = summarizer.summarize(
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
        _hand_over(result, options)
        if not options.quiet:
            saved = options.output if options.format == "json" else None
            for line in closing_lines(result, time.monotonic() - started, saved):
                say(line)
    return signals.exit_code or _exit_code(result)


def _hand_over(result: Complete | Partial, options: argparse.Namespace) -> None:
    """A result that was paid for is not lost where its file cannot be written any more."""
    text = shown(result, options.format)
    try:
        write(text, options.output)
    except OSError:
        if options.output is not None:
            write(text, None)
        raise


def _exit_code(result: Complete | Partial) -> int:
    return COMPLETE if isinstance(result, Complete) else PARTIAL


_IN_EARNEST = 2.0
"""Seconds after which a second signal is meant: ``timeout`` and terminals send the first one twice."""


class _Signals:
    """The first Ctrl-C or SIGTERM asks the run to come back with what it has; a later one ends it."""

    def __init__(self, cancel: threading.Event, *, quiet: bool) -> None:
        self.exit_code = 0
        self._quiet = quiet
        self._cancel = cancel
        self._since = 0.0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> _Signals:
        if threading.current_thread() is threading.main_thread():  # no other may set handlers
            self._before = {number: signal.signal(number, self._caught) for number in _CODES}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _caught(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if self.exit_code:
            if now - self._since > _IN_EARNEST:
                os._exit(self.exit_code)
            return
        self.exit_code, self._since = _CODES[signal.Signals(number)], now
        self._cancel.set()
        if not self._quiet:
            with contextlib.suppress(OSError):
                os.write(_STDERR, _STOPPING)


_STDERR = 2
_STOPPING = b"stopping: what is finished is printed in a moment (once more to give it up)\n"
_CODES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
