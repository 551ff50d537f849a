"""What a plan costs: CPU of `summarizer plan` against one tiktoken pass over the same text, in the same run.

python -m benchmarks.planning [--tokens 900000] [--budget 10000]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.measure import best, command, measured, python, session, table, text_of

__all__ = ["main", "tiktoken_pass"]

RUNS = 3
CODE = "import sys; from benchmarks.planning import one_pass; one_pass(sys.argv[1])"


def one_pass(path: str) -> None:
    """In a child: prints the CPU seconds of loading tiktoken's table and of one pass, and the tokens."""
    texts = list(text_of(Path(path)))
    before = time.process_time()
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")
    loaded = time.process_time()
    tokens = sum(len(encoding.encode_ordinary(text)) for text in texts)
    sys.stdout.write(f"{loaded - before} {time.process_time() - loaded} {tokens}")


def tiktoken_pass(path: Path, runs: int = RUNS) -> tuple[float, float, int]:
    """CPU seconds of the table's load and of one pass over a session's text (the best), and its tokens."""
    found = [measured(python(CODE, str(path))).output.split() for _ in range(runs)]
    return min(float(f[0]) for f in found), min(float(f[1]) for f in found), int(found[0][2])


def main() -> None:
    """Prints the parts and the ratio: (plan - start - load) / pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=900_000)
    parser.add_argument("--budget", type=int, default=10_000)
    options = parser.parse_args()
    with session(options.tokens) as path:
        start = best(python("pass"), RUNS).cpu
        load, once, tokens = tiktoken_pass(path)
        plan = best(command("plan", str(path), "--budget", str(options.budget)), RUNS)
    table(
        f"Planning {tokens:,} tokens to {options.budget:,}, best of {RUNS}",
        ["", "CPU s", "peak MB"],
        [
            ["interpreter start", start, ""],
            ["load of tiktoken's table", load, ""],
            ["one tiktoken pass", once, ""],
            ["summarizer plan", plan.cpu, round(plan.peak)],
        ],
    )
    print(f"\n(plan - start - load) / pass: {(plan.cpu - start - load) / once:.2f} (≤ 1.5)")


if __name__ == "__main__":
    main()
