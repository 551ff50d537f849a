"""How long a summary takes against the ideal for the same latency, and how much of its CPU is our own.

python -m benchmarks.economy --only time        (or cpu)

Time: a call takes half a second and a quarter of a millisecond for each token that it writes; 16 calls may be
under way at once. It runs from the first call to the last answer. The ideal is that of the fewest calls, each
with an equal part of the text that came of it.

CPU: a child summarizes a session with a model that answers at once, and takes off one tiktoken pass over
the same text, made in the same process. What litellm would take for a call is thereby left out.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.economy import AT_ONCE, CASES, Case, Watch, once, overhead
from benchmarks.marks import CHUNK, WINDOW, Floor, ideal_seconds
from benchmarks.measure import best, log, python, session, table, text_of
from benchmarks.planted import Session, remark
from benchmarks.planted import session as planted
from summarizer import CallEnded, CallStarted, Event, Model, Settings, Summarizer
from summarizer_providers.client import Client
from summarizer_providers.tokens import get_counter
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["cpu", "own_cpu", "times"]

LATENCY, A_TOKEN = 0.5, 0.000_25
OWN = 1.0  # second
RUNS = 3
CODE = "import sys; from benchmarks.pace import own_cpu; own_cpu(sys.argv[1])"


class _Clock(Watch):
    """When the first call was sent and the last answer came."""

    def __init__(self) -> None:
        super().__init__()
        self.first = self.last = 0.0

    def __call__(self, event: Event) -> None:
        super().__call__(event)
        now = time.perf_counter()
        if isinstance(event, CallStarted):
            self.first = self.first or now
        elif isinstance(event, CallEnded):
            self.last = now


def times(as_json: bool, *, quick: bool) -> None:
    """Print seconds against the ideal, cold and warm."""
    rows: list[list[object]] = []
    for case in CASES:
        if case.tokens > (200_000 if quick else 800_000):
            continue
        log(f"timing {case.name}")
        made = planted(case.tokens, case.facts)
        for ceiling in (10_000, 1_000):
            for known, seconds, most in _timed(case, made, ceiling):
                if as_json:
                    row = {"what": "time", "case": case.name, "ceiling": ceiling, "known": known}
                    came = {"seconds": round(seconds, 2), "seconds_most": round(most, 2)}
                    print(json.dumps({**row, **came, "short": seconds > most}), flush=True)
                rows.append([f"{case.name} at {ceiling:,}, {known}", seconds, most, _said(seconds <= most)])
    if not as_json:
        table(f"Seconds to finish, {AT_ONCE} calls at a time", ["", "seconds", "at most", "mark"], rows)


def _timed(case: Case, made: Session, ceiling: int) -> list[tuple[str, float, float]]:
    """For cold and warm: the seconds, and the most that it may be."""
    found = []
    floor = Floor(made.tokens, case.budget, ceiling, overhead())
    script = f"ceiling={ceiling},{case.script('own mind')},latency={LATENCY},latency_per_token={A_TOKEN}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for known in ("cold", "warm"):
            clock = _Clock()
            result = once(made.messages, case.budget, script, folder, clock)
            ideal = ideal_seconds(floor.calls, result.tokens, AT_ONCE, LATENCY, A_TOKEN)
            one_more = LATENCY + min(ceiling, result.tokens) * A_TOKEN if known == "cold" else 0.0
            found.append((known, clock.last - clock.first, 1.25 * ideal + one_more))
    return found


def _said(good: bool) -> str:
    return "PASS" if good else "short"


# ---- CPU ----


class _Canned:
    """Answers at once with a little less than it is asked for."""

    def __init__(self) -> None:
        rng = random.Random(1)
        self._lines = [remark(rng) for _ in range(4_000)]
        self._a_line = get_counter().count("\n".join(self._lines)) / len(self._lines)

    async def send(self, call: Call) -> Reply | Failure:
        """Lines of a text that was made before."""
        lines = max(1, int(0.97 * call.hints.target / self._a_line))
        at = call.id * 37 % 1_000
        text = "\n".join(self._lines[at : at + lines])
        return Reply(text, "stop", call.prompt_tokens, int(lines * self._a_line))


def own_cpu(path: str) -> None:
    """In a child: prints CPU seconds of one tiktoken pass, of the first run with its imports, of a second."""
    texts = list(text_of(Path(path)))
    records = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    import tiktoken

    encoding, client = tiktoken.get_encoding("o200k_base"), Client({"scripted": _Canned()})
    spent = [time.process_time()]
    sum(len(encoding.encode_ordinary(text)) for text in texts)
    spent.append(time.process_time())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for run in ("first", "second"):
            model = Model(f"scripted/{run}", context_window=WINDOW)
            settings = Settings(data_dir=folder, models=[model], chunk_tokens=CHUNK, concurrency=AT_ONCE)
            with Summarizer(settings, client=client) as summarizer:
                summarizer.summarize(records, 40_000)
            spent.append(time.process_time())
    sys.stdout.write(" ".join(str(b - a) for a, b in pairwise(spent)))


def cpu(as_json: bool, tokens: int) -> None:
    """Print the CPU of a run beside tiktoken's pass and litellm's calls."""
    log(f"measuring CPU for {tokens:,} tokens")
    with session(tokens) as path:
        found = [list(map(float, best(python(CODE, str(path)), 1).output.split())) for _ in range(RUNS)]
    once_over, first, second = map(min, zip(*found, strict=True))
    own = {"with imports": first - once_over, "a second run": second - once_over}
    if as_json:
        for name, seconds in own.items():
            row = {"run": name, "tokens": tokens, "pass": once_over, "own": seconds, "own_most": OWN}
            print(json.dumps({"what": "cpu", **row, "short": seconds > OWN}), flush=True)
        return
    rows: Sequence[Sequence[object]] = [[n, once_over, s, OWN, _said(s <= OWN)] for n, s in own.items()]
    table(
        f"CPU seconds for {tokens:,} tokens, best of {RUNS}",
        ["", "tiktoken's pass", "own", "at most", "mark"],
        rows,
    )


if __name__ == "__main__":
    raise SystemExit("python -m benchmarks.economy --only time (or cpu) runs it")
