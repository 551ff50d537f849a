"""``summarizer recall``: what was summarized, searched through and shown again."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from summarizer.cli.exits import COMPLETE
from summarizer.cli.output import say, write
from summarizer.errors import InvalidResult, InvalidSettings
from summarizer.recall import Recalled, open_recall
from summarizer.result import Complete, Partial, Section, load_result

__all__ = ["recall"]

_MOST = 10_000_000
"""Tokens of one answer, as of a budget."""


def recall(options: argparse.Namespace) -> int:
    """Carry the command out; raises ``InvalidSettings`` or ``InvalidResult`` for a user's mistake."""
    tokens = _number("--tokens", options.tokens, _MOST)
    found = _search(options, tokens) if options.action == "search" else _expand(options, tokens)
    if found.failed and not found.text:
        raise InvalidSettings(str(found.notice))
    if options.format == "json":
        write(json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n", None)
    elif found.text:
        write(f"{found.text}\n", None)
    if found.notice or not found.text:
        say(f"note: {found.notice or 'nothing was found'}")
    return COMPLETE


def _search(options: argparse.Namespace, tokens: int) -> Recalled:
    return open_recall().search(" ".join(options.query), tokens)


def _expand(options: argparse.Namespace, tokens: int) -> Recalled:
    result = _result(options.result)
    return open_recall().expand(_sections(result, options.section), tokens)


def _sections(result: Complete | Partial, wanted: str | None) -> tuple[Section, ...]:
    if wanted is None:
        return result.sections
    if not result.sections:
        raise InvalidResult("the result has no sections")
    number = _number("--section", wanted, len(result.sections))
    return result.sections[number - 1 : number]


def _result(name: str) -> Complete | Partial:
    try:
        if name == "-" and sys.stdin is not None:
            return load_result(sys.stdin.buffer.read())
        return load_result(Path(name).read_bytes())
    except OSError as error:
        raise InvalidResult(f"{name}: expected a result's JSON file: {error.strerror}") from None
    except InvalidResult as error:
        raise InvalidResult(f"{name}: {error}") from None


def _number(option: str, text: str, most: int) -> int:
    digits = text.replace(",", "").replace("_", "")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
    if not 1 <= number <= most:
        raise InvalidSettings(f"{option}: expected a whole number from 1 to {most:,}, got {text!r:.40}")
    return number
