"""A progress bar for long work, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from summarizer.events import CallEnded, Event, Planned, SectionDone

__all__ = ["progress"]


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[Event], None] | None]:
    """Gives the ``on_event`` that moves the bar; None where there is nobody to see it."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    form = "{desc} {percentage:3.0f}% |{bar}| {elapsed}"
    with tqdm(total=100, file=sys.stderr, leave=False, bar_format=form, desc="reading") as bar:
        state = {"calls": 0, "planned": 0}

        def on_event(event: Event) -> None:
            match event:
                case Planned(chunks=chunks):
                    state["planned"] = chunks
                case CallEnded():
                    state["calls"] += 1
                case SectionDone(covered=covered):
                    bar.n = round(100 * covered)
            bar.set_description_str(f"{state['calls']} calls of about {max(state.values())}", refresh=False)
            bar.refresh()

        yield on_event
