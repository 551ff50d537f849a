"""Every real session at several budgets, offline: is each result within budget, whole, and equal after JSON?

    python -m benchmarks.real_input [--sessions ../shared/sessions] [--budget 300 --budget 2000]

Exit code 1 if any result breaks the contract. Tokens are counted by tiktoken itself, not by the project.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT, table
from summarizer import Complete, Partial, SummarizerError, load_result, summarize
from summarizer.reading import read_records

SESSIONS = ROOT.parent / "shared" / "sessions"
BUDGETS = (300, 2_000, 20_000)


@dataclass(frozen=True, slots=True)
class Row:
    """One result: how it ended, its tokens by an independent count, CPU seconds, and what was wrong."""

    file: str
    budget: int
    status: str
    tokens: int
    cpu: float
    faults: tuple[str, ...]


def faults_of(result: Complete | Partial, records: int, tokens: int) -> tuple[str, ...]:
    """What in a result breaks the contract."""
    spans = sorted((e.first, e.last) for e in (*result.sections, *getattr(result, "gaps", ())))
    seen = [i for first, last in spans for i in range(first, last + 1)]
    checks = {
        f"{tokens} tokens": tokens > result.budget,
        f"says {result.tokens} tokens": tokens != result.tokens,
        "records not in exactly one section or gap": seen != list(range(records)),
        "JSON there and back differs": load_result(result.to_json()) != result,
        "the text is not valid UTF-8": result.text != result.text.encode("utf-8", "replace").decode(),
        "empty although there was something to say": not result.text and result.coverage.total > 0,
    }
    return tuple(fault for fault, found in checks.items() if found)


def measure(path: Path, budget: int) -> Row:
    """Summarize one file."""
    import tiktoken

    name, before = path.name.removesuffix(".jsonl.gz"), time.process_time()
    try:
        records = read_records(path)
        result = summarize(records, budget, models=["offline/extractive"])
    except SummarizerError as error:
        return Row(name, budget, "error", 0, time.process_time() - before, (str(error),))
    cpu = time.process_time() - before
    tokens = len(tiktoken.get_encoding("o200k_base").encode_ordinary(result.text))
    return Row(name, budget, result.status, tokens, cpu, faults_of(result, len(records), tokens))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sessions", type=Path, default=SESSIONS)
    parser.add_argument("--budget", type=int, action="append")
    options = parser.parse_args()
    budgets = options.budget or BUDGETS
    summarize(["warm up"], 16)
    rows = [measure(path, budget) for path in sorted(options.sessions.glob("*.gz")) for budget in budgets]
    cells = []
    for budget in budgets:
        mine = [row for row in rows if row.budget == budget]
        slowest = max(mine, key=lambda row: row.cpu)
        cells.append(
            [
                f"{budget:,}",
                str(len(mine)),
                str(sum(row.status == "complete" for row in mine)),
                str(sum(bool(row.faults) for row in mine)),
                f"{sum(row.cpu for row in mine):.1f}",
                f"{slowest.cpu:.1f} ({slowest.file})",
            ]
        )
    table("real input, offline", ["budget", "results", "complete", "faulty", "CPU s", "slowest"], cells)
    broken = [row for row in rows if row.faults]
    for row in broken:
        print(f"{row.file} at {row.budget}: {'; '.join(row.faults)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
