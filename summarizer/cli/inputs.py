"""From the command's words to the arguments of a run; each mistake names the option."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from summarizer.budget import Budget
from summarizer.errors import InvalidBudget, InvalidRecords, InvalidResult, InvalidSettings
from summarizer.reading import read_records
from summarizer.records import Record
from summarizer.result import Complete, Partial, load_result

_WHOLE_NUMBER = r"[+-]?(\d{1,100}|\d{1,3}([,_]\d{3}){1,30})"

__all__ = ["budget", "models", "number", "previous", "records"]


def budget(options: argparse.Namespace) -> Budget:
    """The budget in tokens; raises ``InvalidBudget``."""
    text = options.budget.strip()
    if not re.fullmatch(_WHOLE_NUMBER, text):
        raise InvalidBudget(f"--budget: expected a whole number of tokens, got {options.budget!r:.60}")
    return Budget(int(re.sub("[,_]", "", text)), options.shape, recent=options.recent)


def number(options: argparse.Namespace, name: str) -> float | None:
    """An option that is a number above 0 (seconds, US dollars), if given; raises ``InvalidSettings``."""
    text = getattr(options, name)
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 < value < float("inf"):
        raise InvalidSettings(f"--{name.replace('_', '-')}: expected a number above 0, got {text!r:.60}")
    return value


def models(options: argparse.Namespace) -> list[object] | None:
    """The ladder: names, or JSON objects with a model's fields."""
    if not options.model:
        return None
    return [_model(text) for text in options.model]


def _model(text: str) -> object:
    if not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidSettings(f"--model: expected a name or a JSON object: {error}") from None


def records(options: argparse.Namespace) -> list[Record]:
    """All records of all files, in order; raises ``InvalidRecords`` naming file and line."""
    files = options.files or ["-"]
    if "-" in files and sys.stdin is None:
        raise InvalidRecords("stdin: expected something to read, but it is closed")
    if not options.files and sys.stdin.isatty():
        raise InvalidRecords("expected a FILE, or - and something on standard input")
    return [record for file in files for record in read_records(file, format=options.input_format)]


def previous(options: argparse.Namespace) -> Complete | Partial | None:
    """The result to go on from, if one is given; raises ``InvalidResult`` naming the file."""
    if not options.previous:
        return None
    try:
        return load_result(Path(options.previous).read_bytes())
    except OSError as error:
        raise InvalidResult(f"{options.previous}: expected a result's JSON file: {error.strerror}") from None
    except InvalidResult as error:
        raise InvalidResult(f"{options.previous}: {error}") from None
