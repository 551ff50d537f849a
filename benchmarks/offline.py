"""What the offline model costs: a long session to a large budget, the whole command.

python -m benchmarks.offline [--tokens 900000] [--budget 10000]
"""

from __future__ import annotations

import argparse

from benchmarks.measure import best, command, session, table
from benchmarks.planning import tiktoken_pass

__all__ = ["main"]

RUNS = 3
MODEL = "offline/extractive"


def main() -> None:
    """Prints CPU seconds and peak memory, and a tiktoken pass over the same text to compare with."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=900_000)
    parser.add_argument("--budget", type=int, default=10_000)
    options = parser.parse_args()
    with session(options.tokens) as path:
        load, once, tokens = tiktoken_pass(path)
        run = best(command("run", str(path), "--budget", str(options.budget), "--model", MODEL), RUNS)
    table(
        f"{MODEL}: {tokens:,} tokens to {options.budget:,}, best of {RUNS}",
        ["", "wall s", "CPU s", "peak MB"],
        [
            ["one tiktoken pass", "", load + once, ""],
            ["summarizer run", run.wall, run.cpu, round(run.peak)],
        ],
    )
    print(
        f"\nCPU: {run.cpu:.1f} s (≤ 10), {run.cpu / once:.1f} passes; peak memory: {run.peak:.0f} MB (≤ 500)"
    )


if __name__ == "__main__":
    main()
