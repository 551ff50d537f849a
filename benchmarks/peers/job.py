"""One product's job in its own process: what it is given, what it hands back, and all that it said meanwhile.

A driver is a module with a function ``compact(job)``. It imports its product, and runs in an environment
where nothing of this project is installed, so this module needs the standard library alone.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["Done", "Job", "conversation", "main", "said_by"]

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """A session of chat messages to become ``budget`` tokens, through ``model`` at ``base_url`` (it ends in
    /v1), whose ``window`` (tokens) is told to all and whose ceiling to none. ``folder`` is the product's own.
    """

    messages: Sequence[Message]
    budget: int
    window: int
    base_url: str
    model: str
    folder: str


@dataclass(frozen=True, slots=True)
class Done:
    """What a product left in the place of the session: ``text``, all of it; ``said`` is what its result and
    its events tell beside that, a line each; ``failure`` is the exception, where it raised one.
    """

    text: str = ""
    said: tuple[str, ...] = ()
    failure: str = ""


class _Heard(logging.Handler):
    """Keeps the warnings and errors that are logged, as a user would find them in a log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage()[:2_000])


def said_by(message: Message) -> str:
    """What a message says, as text: its content, and its calls with their arguments."""
    calls = message.get("tool_calls") or ()
    lines = (f"{call['function']['name']} {call['function']['arguments']}" for call in calls)
    return "\n".join(filter(None, (message.get("content") or "", *lines)))


def conversation(messages: Sequence[Message]) -> str:
    """A session as one text, for products that read documents and not messages."""
    return "\n\n".join(f"{message['role']}: {said_by(message)}" for message in messages)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the driver named first on the job named second, and write what came of it to the third."""
    name, job_file, out_file = argv or sys.argv[1:]
    job = Job(**json.loads(Path(job_file).read_text("utf-8")))
    heard = _Heard()
    logging.captureWarnings(True)
    compact = importlib.import_module(name).compact
    logging.getLogger().addHandler(heard)
    try:
        done = compact(job)
        failure, text, said = "", done.text, done.said
    except Exception as error:  # noqa: BLE001 - whatever a product raises is its result
        failure, text, said = f"{type(error).__name__}: {error}"[:500], "", ()
    whole = Done(text, (*said, *heard.lines), failure)
    Path(out_file).write_text(json.dumps(asdict(whole)), "utf-8")
    return 0
