"""What a digest costs that grows with its session, how much of it stays as it is, and what it forgets.

python -m benchmarks.rolling [--json] [--quick]

A session that grows to 1,000,000 tokens is compacted 30 times, each time with what is new and the digest
before (through its JSON), into a digest of 40,000 tokens. ``--quick``: 200,000 tokens into 8,000.

``input``: input tokens of all calls, for each token of the session. ``prefix``: the share of the steps after
the first that leave the first quarter of the digest's text as it was, so that a provider's cache of the
prompt holds. ``fairness``: planted facts that the last digest holds, in ten groups by age: the share kept
of the worst group against that of the best. Facts are few (they fill half of the digest) or many (three
times as many as it can hold). Models are scripted: they keep to the length that they are asked for, write
twice as much, or write every fact that they read (``own mind``); some are cut early.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.host import settle
from benchmarks.measure import log, table
from benchmarks.planted import Session, facts_in, said, session, size
from benchmarks.provider import VariedTransport
from summarizer import Complete, Model, Partial, Settings, Summarizer, load_result
from summarizer_providers.client import Client

__all__ = ["Case", "Row", "Step", "cases", "main", "measure", "rolled"]

STEPS = 30
GROUPS = 10
A_FACT = 14
"""Tokens of a planted fact, about."""
COST, PREFIX, FAIR = 1.25, 0.8, 0.5
"""The marks: at most, at least, at least."""

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A session of so many ``tokens`` with planted ``facts``, a digest of ``budget`` tokens, and a model."""

    name: str
    tokens: int
    budget: int
    facts: int
    script: str


@dataclass(frozen=True, slots=True)
class Step:
    """One compaction: what it used, the digest's size and sections, and the share of the earlier text, from
    its beginning, that is still there.
    """

    calls: int
    input_tokens: int
    tokens: int
    sections: int
    kept: float
    status: str


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a case; ``ages`` are the shares of facts kept, oldest first."""

    case: str
    calls: int
    input: float
    prefix: float
    fairness: float
    filled: float
    ages: tuple[float, ...]
    status: str

    @property
    def short(self) -> list[str]:
        """The marks that were missed."""
        missed = {
            "input": self.input > COST,
            "prefix": self.prefix < PREFIX,
            "fairness": self.fairness < FAIR,
            "status": self.status != "complete",
        }
        return [name for name, is_missed in missed.items() if is_missed]


def cases(tokens: int, budget: int) -> Iterator[Case]:
    """Few facts and many, with models of all manners."""
    own = f"obey=no,density={0.8 * budget / tokens:.4f}"
    manners = {
        "obeys": "ceiling=10000",
        "obeys, cut at 4,096": "ceiling=4096",
        "obeys, cut at 1,000": "ceiling=1000",
        "writes twice as much": "ceiling=10000,verbosity=2",
        "own mind": f"ceiling=10000,{own}",
    }
    for much, facts in (("few", budget // (2 * A_FACT)), ("many", 3 * budget // A_FACT)):
        for manner, script in manners.items():
            yield Case(f"{much} facts, {manner}", tokens, budget, facts, script)


def _parts(made: Session) -> list[list[Message]]:
    """The session's messages as they come, compaction by compaction."""
    parts: list[list[Message]] = [[] for _ in range(STEPS)]
    total = 0
    for message in made.messages:
        parts[min(STEPS - 1, total * STEPS // made.tokens)].append(message)
        total += size(message)
    return parts


def rolled(case: Case, parts: Sequence[Sequence[Message]]) -> Iterator[tuple[Step, Complete | Partial]]:
    """The compactions one after the other, each from the JSON of the one before."""
    model = Model(f"scripted/model,{case.script}", context_window=128_000)
    before: Complete | Partial | None = None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = Settings(data_dir=folder, models=[model], journal="off")
        with Summarizer(settings, client=Client({"scripted": VariedTransport()})) as summarizer:
            for part in parts:
                result = summarizer.summarize(part, case.budget, previous=before)
                yield _step(result, before.text if before else ""), result
                before = load_result(result.to_json())


def _step(result: Complete | Partial, before: str) -> Step:
    usage = result.usage
    return Step(
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        tokens=result.tokens,
        sections=len(result.sections),
        kept=round(_common(before, result.text) / max(1, len(before)), 2),
        status=result.status,
    )


def _common(a: str, b: str) -> int:
    """How many characters two texts begin with in common."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _ages(parts: Sequence[Sequence[Message]], held: dict[str, str]) -> tuple[float, ...]:
    """The share of the facts that are held, by age, oldest first."""
    each = -(-len(parts) // GROUPS)
    shares = []
    for at in range(0, len(parts), each):
        told = [said(message) for part in parts[at : at + each] for message in part]
        facts = facts_in("\n".join(told))
        kept = sum(held.get(fact) == value for fact, value in facts.items())
        shares.append(round(kept / max(1, len(facts)), 3))
    return tuple(shares)


def measure(case: Case, made: Session) -> tuple[Row, list[Step]]:
    """All compactions of a case."""
    parts = _parts(made)
    ran = list(rolled(case, parts))
    steps, last = [step for step, _ in ran], ran[-1][1]
    ages = _ages(parts, facts_in(last.text))
    row = Row(
        case=case.name,
        calls=sum(step.calls for step in steps),
        input=round(sum(step.input_tokens for step in steps) / made.tokens, 3),
        prefix=round(sum(step.kept >= 0.25 for step in steps[1:]) / (len(steps) - 1), 3),
        fairness=round(min(ages) / (max(ages) or 1), 2),
        filled=round(last.tokens / case.budget, 2),
        ages=ages,
        status=last.status,
    )
    return row, steps


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row a case, or an object a line for each step and each case."""
    parser = argparse.ArgumentParser(prog="benchmarks.rolling", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="200,000 tokens into 8,000")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    given = parser.parse_args(argv)
    settle()
    tokens, budget = (200_000, 8_000) if given.quick else (1_000_000, 40_000)
    rows: list[Row] = []
    made: dict[int, Session] = {}
    for case in cases(tokens, budget):
        if given.only not in case.name:
            continue
        log(f"measuring {case.name}")
        if case.facts not in made:
            made[case.facts] = session(tokens, case.facts)
        row, steps = measure(case, made[case.facts])
        rows.append(row)
        if given.json:
            for number, step in enumerate(steps, 1):
                print(json.dumps({"case": case.name, "step": number, **asdict(step)}))
            print(json.dumps({**asdict(row), "short": row.short}), flush=True)
    if not given.json:
        _show(rows, tokens, budget)
    return 1 if any(row.short for row in rows) else 0


def _show(rows: Sequence[Row], tokens: int, budget: int) -> None:
    head = ["", "calls", "input", "prefix", "fairness", "filled", "kept by age, oldest first, %", "marks"]
    cells = [
        [
            row.case,
            row.calls,
            f"{row.input:.3f}",
            f"{row.prefix:.0%}",
            f"{row.fairness:.2f}",
            f"{row.filled:.0%}",
            " ".join(f"{share:.0%}"[:-1] for share in row.ages),
            "short: " + ", ".join(row.short) if row.short else "PASS",
        ]
        for row in rows
    ]
    table(f"{STEPS} compactions of {tokens:,} tokens into {budget:,}", head, cells)
    print(f"\nmarks: input ≤ {COST} × the session; prefix ≥ {PREFIX:.0%}; fairness ≥ {FAIR}; complete")


if __name__ == "__main__":
    raise SystemExit(main())
