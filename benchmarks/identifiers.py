"""What finding identifiers costs beside a tiktoken pass over the same text, and how that grows.

python -m benchmarks.identifiers [--tokens 900000] [--sizes 1,2,4,8]

Both are timed in one child, in turn; each run begins with nothing remembered of the text.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.growth import exponent
from benchmarks.measure import log, measured, python, session, table, text_of

__all__ = ["costs", "main"]

MILLION = 1_000_000
MOST = 5.0  # tiktoken passes
RUNS = 3
CODE = "import sys; from benchmarks.identifiers import costs; costs(sys.argv[1])"
STEPS = ("tiktoken", "find", "ledger", "values")


def costs(path: str) -> None:
    """In a child: prints tokens, identifiers, and the least CPU seconds of a pass of each step."""
    import tiktoken

    from summarizer.identifiers import find, ledger, values, voices
    from summarizer.identifiers.shapes import parts
    from summarizer.records import Record

    texts = list(text_of(Path(path)))
    records = [
        Record(text=text, role=("assistant", "tool")[at % 2], clean=True) for at, text in enumerate(texts)
    ]
    spoken = voices(records)
    encoding = tiktoken.get_encoding("o200k_base")
    tokens = sum(len(encoding.encode_ordinary(text)) for text in texts)
    found = sum(1 for text in texts for _ in find(text))
    steps: dict[str, Callable[[], object]] = {
        "tiktoken": lambda: [len(encoding.encode_ordinary(text)) for text in texts],
        "find": lambda: [sum(1 for _ in find(text)) for text in texts],
        "ledger": lambda: ledger(records, None, spoken),
        "values": lambda: values(records, None, spoken),
    }
    spent = {name: float("inf") for name in STEPS}
    for _ in range(RUNS):
        for name, step in steps.items():
            parts.cache_clear()
            before = time.process_time()
            step()
            spent[name] = min(spent[name], time.process_time() - before)
    sys.stdout.write(json.dumps({"tokens": tokens, "found": found, **spent}))


def at(tokens: int) -> dict[str, float]:
    """The costs for a session of a size."""
    with session(tokens) as path:
        log(f"measuring {tokens:,} tokens")
        costs_found: dict[str, float] = json.loads(measured(python(CODE, str(path))).output)
        return costs_found


def main() -> None:
    """Prints CPU seconds and their ratio to a tiktoken pass, and the exponents over growing sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=900_000)
    parser.add_argument("--sizes", default="1,2,4,8", help="in millions of tokens; empty for none")
    options = parser.parse_args()
    once = at(options.tokens)
    rows = [[name, once[name], f"{once[name] / once['tiktoken']:.2f}"] for name in STEPS]
    title = f"{once['tokens']:,} tokens, {once['found']:,} identifiers, best of {RUNS}"
    table(title, ["", "CPU s", "tiktoken passes"], rows)
    print(f"\nfind / tiktoken pass: {once['find'] / once['tiktoken']:.2f} (≤ {MOST:g})")
    sizes = [float(size) for size in options.sizes.split(",") if size]
    if len(sizes) > 1:
        runs = [at(round(size * MILLION)) for size in sizes]
        grown = [[f"{s:g}", *(run[name] for name in STEPS)] for s, run in zip(sizes, runs, strict=True)]
        table("CPU seconds", ["million tokens", *STEPS], grown)
        slopes = ", ".join(f"{name} {exponent(sizes, [run[name] for run in runs]):.2f}" for name in STEPS)
        print(f"\nexponents: {slopes} (≤ 1.1)")


if __name__ == "__main__":
    main()
