"""What starting costs: `import summarizer` against `import litellm`, and `summarizer --help`.

python -m benchmarks.start
"""

from __future__ import annotations

from benchmarks.measure import best, command, python, table

__all__ = ["main"]

RUNS = 5


def main() -> None:
    """Prints seconds, and the ratio of the two imports, each less the start of the interpreter."""
    start = best(python("pass"), RUNS)
    rows = {code: best(python(code), RUNS) for code in ("import summarizer", "import litellm")}
    help_ = best(command("--help"), RUNS)
    net = {code: run.cpu - start.cpu for code, run in rows.items()}
    table(
        f"Start, best of {RUNS}",
        ["", "wall s", "CPU s", "CPU s less start"],
        [
            ["python -c pass", start.wall, start.cpu, 0.0],
            *([code, run.wall, run.cpu, net[code]] for code, run in rows.items()),
            ["summarizer --help", help_.wall, help_.cpu, help_.cpu - start.cpu],
        ],
    )
    ratio = net["import summarizer"] / net["import litellm"]
    print(f"\nimport summarizer / import litellm: {ratio:.3f} (≤ 0.05)")
    print(f"summarizer --help: {help_.wall:.2f} s (≤ 0.4)")


if __name__ == "__main__":
    main()
