"""``summarizer ceilings``: what was learned of each model endpoint, with what stands behind each number."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict

from summarizer.cli.exits import COMPLETE
from summarizer.cli.output import write
from summarizer.errors import InvalidSettings
from summarizer.knowledge import keys_of, known, open_store
from summarizer.models import as_models
from summarizer.settings import Settings
from summarizer_providers import advice
from summarizer_providers.learning import Bound, Bounds
from summarizer_providers.observations import Observation
from summarizer_providers.store import Store

__all__ = ["ceilings"]

_SHOWN = 12
"""Observations that ``show`` lists, the newest."""


def ceilings(options: argparse.Namespace) -> int:
    """Carry the command out; raises ``InvalidSettings`` for a model of which nothing is known."""
    settings = Settings()
    store = open_store(settings.data_dir, settings.store)
    lines = _ACTIONS[options.action](store, options)
    write("".join(f"{line}\n" for line in lines), None)
    store.close()
    if store.trouble is not None:
        raise InvalidSettings(store.trouble)
    return COMPLETE


def _list(store: Store, options: argparse.Namespace) -> Iterator[str]:
    keys = store.endpoints()
    if options.format == "json":
        yield json.dumps([_summary(store, key) for key in keys], ensure_ascii=False, indent=2)
        return
    if not keys:
        yield "nothing is known yet: ceilings are learned from the answers of the models that are used"
        return
    rows = [_row(key, known(store, key)) for key in keys]
    head = ("endpoint", "writes (tokens)", "window", "answers")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _row(key: str, bounds: Bounds) -> tuple[str, str, str, str]:
    window = bounds.window_stated.value if bounds.window_stated else None
    return key, _interval(bounds), "?" if window is None else f"{window:,}", str(bounds.count)


def _interval(bounds: Bounds) -> str:
    """The ceiling as what is known of it: from the longest answer to the lowest limit."""
    low = f"{bounds.lower:,}" if bounds.lower is not None else "?"
    high = f"{bounds.upper.value:,}" if bounds.upper is not None else "?"
    return f"{low} to {high}"


def _summary(store: Store, key: str) -> dict[str, object]:
    bounds = known(store, key)
    window = bounds.window_stated
    return {
        "endpoint": key,
        "written": bounds.lower,
        "ceiling": bounds.upper.value if bounds.upper else None,
        "window": window.value if window else None,
        "observations": bounds.count,
    }


def _show(store: Store, options: argparse.Namespace) -> Iterator[str]:
    keys = _matching(store, options.model)
    if options.format == "json":
        found = [_summary(store, key) | {"seen": [asdict(seen) for seen in store.about(key)]} for key in keys]
        yield json.dumps(found, ensure_ascii=False, indent=2)
        return
    for key in keys:
        yield key
        yield from (f"  {line}" for line in _known_lines(known(store, key)))
        seen = store.about(key)
        yield f"  seen, newest last ({min(len(seen), _SHOWN)} of {len(seen)}):"
        yield from (f"    {_told(each)}" for each in seen[-_SHOWN:])


def _known_lines(bounds: Bounds) -> Iterator[str]:
    now = time.time()
    numbers: dict[str, Bound | None] = {
        "longest answer": bounds.longest,
        "writes at most": bounds.upper,
        "context window at most": bounds.window_stated,
        "stops without max_tokens at": bounds.default,
    }
    for name, bound in numbers.items():
        if bound is not None:
            yield f"{name}: {bound.value:,} tokens ({advice.standing(bound, now)})"
            if bound.source:
                yield f"    “{bound.source}”"
    ratios = {
        "tokens per token of ours": bounds.scale,
        "written per token asked for": bounds.obedience,
        "written per token read": bounds.density,
        "share of reasoning": bounds.reasoning_share,
    }
    yield from (f"{name}: {value:.2f}" for name, value in ratios.items() if value is not None)


def _told(seen: Observation) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(seen.at))
    numbers = {
        "max_tokens": seen.max_tokens,
        "read": seen.input_tokens,
        "wrote": seen.output_tokens,
        "stated ceiling": seen.stated_ceiling,
        "stated window": seen.stated_window,
    }
    parts = [f"{name} {value:,}" for name, value in numbers.items() if value is not None]
    return ", ".join([f"{when} UTC {seen.kind.replace('_', ' ')}", *parts])


def _set(store: Store, options: argparse.Namespace) -> Iterator[str]:
    ceiling = _tokens(options.tokens)
    keys = [key for key in store.endpoints() if _names(key, options.model)]
    for key in keys or keys_of(as_models([options.model])).values():
        store.set(key, ceiling)
        yield f"{key}: writes at most {ceiling:,} tokens"


def _tokens(text: str) -> int:
    try:
        tokens = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        tokens = 0
    if tokens < 1:
        raise InvalidSettings(f"expected a whole number of tokens from 1 on, got {text!r:.40}")
    return tokens


def _forget(store: Store, options: argparse.Namespace) -> Iterator[str]:
    for key in _matching(store, options.model):
        yield f"{key}: observations forgotten: {store.forget(key)}"


def _matching(store: Store, name: str) -> list[str]:
    """The endpoints of that name, at whatever address, or the one with that whole key."""
    keys = [key for key in store.endpoints() if _names(key, name)]
    if not keys:
        raise InvalidSettings(f"nothing is known of {name!r:.80}; 'summarizer ceilings list' shows what is")
    return keys


def _names(key: str, name: str) -> bool:
    return key == name or key.startswith((f"{name},", f"{name} at "))


_ACTIONS = {"list": _list, "show": _show, "set": _set, "forget": _forget}
