"""The command ``/summarizer`` inside hermes: how the last compactions of this process went."""

from __future__ import annotations

import time

from summarizer.hermes.attempts import Attempt, recent

__all__ = ["status"]

_SHOWN = 5


def status(_: str = "") -> str:
    """The last attempts, the newest first, one line each."""
    attempts = list(recent())[:_SHOWN]
    if not attempts:
        return "summarizer: no compaction since hermes was started"
    return "\n".join(map(_line, attempts))


def _line(attempt: Attempt) -> str:
    when = time.strftime("%H:%M", time.localtime(attempt.ended_at))
    return f"{when} [{attempt.session or 'no session'}, {attempt.trigger}] {attempt.sentence}"
