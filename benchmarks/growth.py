"""How cost grows with the input: CPU and peak memory at doubling sizes, with fitted exponents.

python -m benchmarks.growth [--sizes 1,2,4,8] [--budget 10000]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

from benchmarks.measure import Measured, best, command, log, session, table

__all__ = ["exponent", "main"]

MILLION = 1_000_000
SMALL = 1_000  # tokens; what such a run takes is taken off, or the fixed costs would flatter the exponent
COMMANDS = {"plan": (), "run": ("--model", "offline/extractive")}


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of the line of least squares through the logarithms: 1 is proportional growth."""
    xs, ys = [math.log(s) for s in sizes], [math.log(max(v, 1e-9)) for v in values]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    along = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return along / sum((x - mean_x) ** 2 for x in xs)


def at(tokens: int, budget: int) -> dict[str, Measured]:
    """Both commands over a session of a size."""
    with session(tokens) as path:
        log(f"measuring {tokens:,} tokens")
        rest = ("--budget", str(budget))
        return {name: best(command(name, str(path), *rest, *more), 2) for name, more in COMMANDS.items()}


def main() -> None:
    """Prints both commands at every size, and the exponents of what they take beyond a small input's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1,2,4,8", help="in millions of tokens, with commas between")
    parser.add_argument("--budget", type=int, default=10_000)
    options = parser.parse_args()
    sizes = [float(size) for size in options.sizes.split(",")]
    base = at(SMALL, options.budget)
    found = [at(round(size * MILLION), options.budget) for size in sizes]
    for name in COMMANDS:
        runs = [each[name] for each in found]
        rows = [[f"{s:g}", r.wall, r.cpu, round(r.peak)] for s, r in zip(sizes, runs, strict=True)]
        table(
            f"summarizer {name}, budget {options.budget:,}",
            ["million tokens", "wall s", "CPU s", "peak MB"],
            rows,
        )
        cpu = exponent(sizes, [r.cpu - base[name].cpu for r in runs])
        peak = exponent(sizes, [r.peak - base[name].peak for r in runs])
        print(f"\nexponents beyond a small input: CPU {cpu:.2f}, memory {peak:.2f} (≤ 1.1)")


if __name__ == "__main__":
    main()
