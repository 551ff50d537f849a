"""What the benchmarks share: measured child processes, sessions of a given size, tables.

Everything measured runs in a child, by what the kernel says of it when it ends. Linux counts the memory of
the process that forks towards the child's peak, so this one stays small and writes sessions in a child too.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Measured", "best", "command", "log", "measured", "python", "session", "table", "text_of"]

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = Path(sys.executable).with_name("summarizer")
WORD = re.compile(r"[A-Za-z]{5,}")
CHANGED = (
    0.3  # share of a copy's words that are exchanged, so that copies of a scene do not repeat each other
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A child process that ended well: ``wall`` and ``cpu`` in seconds, ``peak`` memory in MB, its output."""

    wall: float
    cpu: float
    peak: float
    output: str


def environment() -> dict[str, str]:
    """This process's environment without settings of the project, and with what runs need offline."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SUMMARIZER_")}
    paths = [str(ROOT), str(ROOT / "providers"), kept.get("PYTHONPATH", "")]
    return kept | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "TIKTOKEN_CACHE_DIR": tables() or kept.get("TIKTOKEN_CACHE_DIR", ""),
    }


def tables() -> str | None:
    """The folder with tiktoken's tables in litellm's wheel, found without importing it; None without one."""
    spec = importlib.util.find_spec("litellm")
    places = spec.submodule_search_locations if spec else None
    return str(Path(places[0]) / "litellm_core_utils" / "tokenizers") if places else None


def measured(argv: Sequence[str]) -> Measured:
    """Runs a command; raises RuntimeError with its last words if it does not end with 0."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment())
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode:
            raise RuntimeError(f"{argv}: exit {child.returncode}: {err.read().decode()[-2000:]}")
        # ru_maxrss is in kilobytes, except on macOS, where it is in bytes.
        peak = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        return Measured(wall, usage.ru_utime + usage.ru_stime, peak, out.read().decode())


def best(argv: Sequence[str], runs: int = 3) -> Measured:
    """The run with the least CPU of several: what disturbs a measurement only ever adds to it."""
    return min((measured(argv) for _ in range(runs)), key=lambda each: each.cpu)


def python(code: str, *arguments: str) -> list[str]:
    """A command that runs code in a new interpreter."""
    return [sys.executable, "-c", code, *arguments]


def command(*arguments: str) -> list[str]:
    """The installed command `summarizer`, or the same from this checkout where it is not installed."""
    if SCRIPT.exists():
        return [str(SCRIPT), *arguments]
    return python("from summarizer.cli import command; command()", *arguments)


def texts(message: dict[str, Any]) -> Iterator[str]:
    """What a message says: its content and the arguments of its calls."""
    yield message["content"] or ""
    yield from (call["function"]["arguments"] for call in message.get("tool_calls", ()))


def text_of(path: Path) -> Iterator[str]:
    """The texts of all messages of a session's file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield from texts(json.loads(line))


@contextmanager
def session(tokens: int, seed: int = 1) -> Iterator[Path]:
    """A file with a session of about ``tokens`` tokens, the same for the same seed; removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        code = "import sys; from benchmarks.measure import write; write(*sys.argv[1:])"
        measured(python(code, str(path), str(tokens), str(seed)))
        yield path


def write(path: str, tokens: str, seed: str) -> None:
    """Writes copies of the demo session, with other numbers and words in each, up to a size."""
    from summarizer_providers.tokens import get_counter

    sys.path.insert(0, str(ROOT / "examples"))
    from demo_session import messages

    base = list(messages())
    words = sorted({word for message in base for word in WORD.findall(message["content"] or "")})
    count, rng, left = get_counter().count, random.Random(seed), int(tokens)
    with Path(path).open("w", encoding="utf-8") as out:
        while left > 0:
            for message in varied(base, words, rng):
                left -= sum(map(count, texts(message)))
                out.write(json.dumps(message, ensure_ascii=False) + "\n")
                if left <= 0:
                    break


def varied(base: list[dict[str, Any]], words: list[str], rng: random.Random) -> Iterator[dict[str, Any]]:
    """One copy of the messages, with all digits and a share of the words exchanged for each other."""
    chosen = rng.sample(words, int(len(words) * CHANGED))
    exchange = dict(zip(chosen, rng.sample(chosen, len(chosen)), strict=True))
    digits = str.maketrans("123456789", "".join(rng.sample("123456789", 9)))
    for each in base:
        message = copy.deepcopy(each)
        if message["content"]:
            text = WORD.sub(lambda found: exchange.get(found[0], found[0]), message["content"])
            message["content"] = text.translate(digits)
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = call["function"]["arguments"].translate(digits)
        yield message


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints rows under a title; floats with three places."""
    cells = [list(head), *([f"{c:.3f}" if isinstance(c, float) else str(c) for c in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    print(f"\n{title}\n")
    for first, *rest in cells:
        columns = [first.ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(rest, widths[1:], strict=True))]
        print("  ".join(columns).rstrip())


def log(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)
