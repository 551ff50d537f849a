"""What a summary costs against the least that it can cost: calls, tokens in, out and wasted, time, own CPU.

python -m benchmarks.economy [--json] [--quick] [--only tokens|time|cpu]

Sessions of 50,000 to 3,200,000 tokens are summarized to 6 % of their size, and a dense one (52,000 tokens to
20,000, of which its 1,000 facts fill 70 %), by scripted models with a window of 128,000 tokens that are cut
at 10,000, 4,000 and 1,000 tokens and tell nothing of it; ``CHUNK_TOKENS`` is 120,000. ``--quick`` leaves out
what is larger than 200,000 tokens.

Two manners: ``obeys`` writes as long as it is asked to, facts before prose; ``own mind`` writes every fact
that it reads, then prose up to 80 % of the budget's share of what it read, whatever it is asked. ``cold``:
nothing is known of the endpoint; ``warm``: it is what the cold run before has learned.

The bound is max(⌈N / U⌉, ⌈B / C⌉) calls, each of which reads its part once with a prompt of p tokens; N is
what the messages say (tiktoken's o200k_base). See ``benchmarks.pace`` for time and CPU.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.host import settle
from benchmarks.marks import CHUNK, WINDOW, Floor, Spent, marks
from benchmarks.measure import log, table
from benchmarks.planted import Session, facts_in, session
from benchmarks.provider import VariedTransport
from summarizer import CallEnded, CallStarted, Complete, Event, Model, Partial, Settings, Summarizer
from summarizer_providers.client import Client

__all__ = ["CASES", "Case", "Row", "main", "once", "rows"]

CEILINGS = (10_000, 4_000, 1_000)
AT_ONCE = 16
FILLED = 0.8
"""The part of the budget that a model with a mind of its own writes."""


@dataclass(frozen=True, slots=True)
class Case:
    """A session of so many tokens with planted facts, and the budget."""

    name: str
    tokens: int
    facts: int
    budget: int

    def script(self, manner: str) -> str:
        """The parameters of a scripted model of this manner."""
        if manner == "obeys":
            return "obey=yes"
        return f"obey=no,density={FILLED * self.budget / self.tokens:.4f}"


SIZES = (50_000, 200_000, 800_000, 3_200_000)
CASES = (
    *(Case(f"{size // 1_000:,}k", size, size * 3 // 1_000, size * 6 // 100) for size in SIZES),
    Case("dense", 52_000, 1_000, 20_000),
)
MANNERS = ("obeys", "own mind")


@dataclass(frozen=True, slots=True)
class Row:
    """One run: what was spent and the most that it might be, and what came of it."""

    case: str
    ceiling: int
    manner: str
    known: str
    bound: int
    spent: Spent
    marks: dict[str, tuple[float, float]]
    facts: int
    kept: int
    filled: float
    status: str

    @property
    def short(self) -> list[str]:
        """The marks that were missed."""
        missed = [name for name, (value, most) in self.marks.items() if value > most]
        missed += ["facts"] if self.kept < self.facts else []
        return missed + ([self.status] if self.status != "complete" else [])

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        spent = {name: getattr(self.spent, name) for name in ("calls", "input", "output", "wasted", "cuts")}
        most = {f"{name}_most": round(most) for name, (_, most) in self.marks.items()}
        told = {"case": self.case, "ceiling": self.ceiling, "manner": self.manner, "known": self.known}
        came = {"facts": self.facts, "facts_kept": self.kept, "filled": self.filled, "status": self.status}
        return {**told, "bound": self.bound, **spent, **most, **came, "short": self.short}


class Watch:
    """Counts cuts and keeps the prompts' sizes; an ``on_event``."""

    def __init__(self) -> None:
        self.prompts: list[int] = []
        self.cuts = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, CallStarted):
            self.prompts.append(event.prompt_tokens)
        elif isinstance(event, CallEnded):
            self.cuts += event.outcome == "CutAtOutput"


def once(
    records: Sequence[object], budget: int, script: str, data_dir: str, watch: Watch | None = None
) -> Complete | Partial:
    """One run with a scripted model; what was learned before lies in ``data_dir``."""
    model = Model(f"scripted/model,window={WINDOW},{script}", context_window=WINDOW)
    settings = Settings(
        data_dir=data_dir, models=[model], chunk_tokens=CHUNK, concurrency=AT_ONCE, journal="off"
    )
    with Summarizer(settings, client=Client({"scripted": VariedTransport()})) as summarizer:
        return summarizer.summarize(records, budget, on_event=watch)  # type: ignore[arg-type]


@cache
def overhead() -> int:
    """p: the tokens of a prompt around what it gives to read."""
    watch = Watch()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        once(["word " * 1_000], 500, "obey=yes", folder, watch)
    return watch.prompts[0] - 1_000


def rows(case: Case, made: Session, ceiling: int, manner: str) -> Iterator[Row]:
    """The cold run, then the warm one."""
    floor = Floor(made.tokens, case.budget, ceiling, overhead())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for known in ("cold", "warm"):
            watch = Watch()
            script = f"ceiling={ceiling},{case.script(manner)}"
            result = once(made.messages, case.budget, script, folder, watch)
            usage, held = result.usage, facts_in(result.text)
            spent = Spent(
                calls=usage.calls,
                input=usage.input_tokens,
                output=usage.output_tokens,
                wasted=usage.wasted_output_tokens,
                cuts=watch.cuts,
                largest=max(watch.prompts, default=0),
            )
            yield Row(
                case=case.name,
                ceiling=ceiling,
                manner=manner,
                known=known,
                bound=floor.calls,
                spent=spent,
                marks=dict(marks(floor, spent, warm=known == "warm", dense=case.name == "dense")),
                facts=len(made.facts),
                kept=sum(held.get(fact) == value for fact, value in made.facts.items()),
                filled=round(result.tokens / case.budget, 2),
                status=result.status,
            )


def _all(cases: Sequence[Case]) -> Iterator[Row]:
    for case in cases:
        log(f"measuring {case.name}")
        made = session(case.tokens, case.facts)
        for ceiling in CEILINGS:
            for manner in MANNERS:
                yield from rows(case, made, ceiling, manner)


def _cells(row: Row) -> list[object]:
    """The row of the table: each figure with the most that it may be."""
    spent = row.spent

    def against(name: str, value: int) -> str:
        most = row.marks.get(name)
        return f"{value:,}" if most is None else f"{value:,} (≤ {int(most[1]):,})"

    return [
        f"{row.case} at {row.ceiling:,}, {row.manner}, {row.known}",
        row.bound,
        against("calls", spent.calls),
        against("input", spent.input),
        f"{spent.output:,}",
        against("wasted", spent.wasted),
        against("cuts", spent.cuts),
        f"{row.kept}/{row.facts}",
        f"{row.filled:.0%}",
        "short: " + ", ".join(row.short) if row.short else "PASS",
    ]


HEAD = ["", "bound", "calls", "input tokens", "output", "wasted", "cuts", "facts", "filled", "marks"]


def tokens(cases: Sequence[Case], as_json: bool) -> None:
    """Print the rows about calls and tokens."""
    found = []
    for row in _all(cases):
        found.append(row)
        if as_json:
            print(json.dumps({"what": "tokens", **row.plain()}), flush=True)
    if not as_json:
        table(f"Calls and tokens; a prompt's own p = {overhead()} tokens", HEAD, [_cells(r) for r in found])
        print(f"\n{sum(not row.short for row in found)} of {len(found)} rows reach every mark")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables, or an object a line."""
    parser = argparse.ArgumentParser(prog="benchmarks.economy", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="nothing above 200,000 tokens")
    parser.add_argument("--only", choices=("tokens", "time", "cpu"), help="one of the three tables")
    given = parser.parse_args(argv)
    settle()
    if given.only in (None, "tokens"):
        tokens([case for case in CASES if case.tokens <= 200_000 or not given.quick], given.json)
    from benchmarks import pace

    if given.only in (None, "time"):
        pace.times(given.json, quick=given.quick)
    if given.only in (None, "cpu"):
        pace.cpu(given.json, 100_000 if given.quick else 900_000)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
