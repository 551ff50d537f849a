"""This project beside other products: the same sessions, the same server that cuts, the same budget.

python -m benchmarks.peers [--quick] [--only PRODUCT]… [--sizes 50k,200k,800k,dense]
                           [--ceilings 10000,4000,1000] [--window 1000000] [--json] [--results FILE]

Each product runs in an environment of its own, which is built at first use (a few minutes, a few hundred
megabytes each) and kept below ``--envs``. Facts are counted in the first ``budget`` tokens of what a product
leaves in the place of the session, and in all of it. With ``--results`` rows are kept in a file, a JSON
object a line, and those that it has are not run again.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from benchmarks.measure import log
from benchmarks.peers.environments import built, folder_for_all
from benchmarks.peers.job import Done
from benchmarks.peers.measuring import Ended, Row, Task, row_of
from benchmarks.peers.products import PRODUCTS, Product
from benchmarks.peers.report import show
from benchmarks.peers.runs import outcome
from benchmarks.peers.server import WINDOW, Limits
from benchmarks.planted import Session, session

__all__ = ["SIZES", "Size", "main"]


@dataclass(frozen=True, slots=True)
class Size:
    """A session to make: about ``tokens`` long, ``facts`` planted in it, to become ``budget`` tokens."""

    tokens: int
    facts: int
    budget: int


A_MESSAGE = 150
"""Tokens of a message on average: two thirds of a session are tool output then, and many messages short."""

# The facts as lines alone take six to seven tenths of the budget. In the dense session there are so many that
# an answer cut at a low ceiling cannot hold those of a usual chunk.
SIZES = {
    "50k": Size(50_000, 160, 4_000),
    "200k": Size(200_000, 500, 12_000),
    "800k": Size(800_000, 2_000, 48_000),
    "dense": Size(52_000, 950, 20_000),
}

Key = tuple[str, str, int, int]


def _key(row: Row) -> Key:
    return row.product, row.session, row.ceiling, row.window


def _known(path: Path | None) -> dict[Key, Row]:
    lines = path.read_text("utf-8").splitlines() if path and path.exists() else []
    return {_key(row): row for row in (Row(**json.loads(line)) for line in lines)}


def _rows(given: argparse.Namespace, known: dict[Key, Row]) -> Iterator[Row]:
    """The rows asked for, in order, those that are known already as they are."""
    for name, ceiling, product in itertools.product(given.sizes, given.ceilings, given.only):
        row = known.get((product.name, name, ceiling, given.window))
        yield row or _run(product, name, Limits(ceiling, given.window), given)


@lru_cache(maxsize=1)
def _made(name: str, seed: int) -> Session:
    size = SIZES[name]
    made = session(size.tokens, size.facts, seed, A_MESSAGE)
    log(f"{name}: {made.tokens:,} tokens, {len(made.facts)} facts, budget {size.budget:,}")
    return made


def _run(product: Product, name: str, limits: Limits, given: argparse.Namespace) -> Row:
    task = Task(name, _made(name, given.seed), SIZES[name].budget, limits)
    log(f"{product.name} on {name}, ceiling {limits.ceiling:,} …")
    try:
        python = built(product, given.envs, given.python)
    except RuntimeError as error:
        return row_of(product.name, task, Ended(f"not run: {error}", Done()), ())
    return outcome(product, python, task, given.longest)


def _sizes(text: str) -> list[str]:
    if unknown := [name for name in text.split(",") if name not in SIZES]:
        raise argparse.ArgumentTypeError(f"no size {unknown[0]!r}; there are {', '.join(SIZES)}")
    return text.split(",")


def _ceilings(text: str) -> list[int]:
    try:
        return [int(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers of tokens like 4000,1000, got {text!r}") from None


def _asked(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.peers", description=(__doc__ or "").splitlines()[0])
    products = {product.name: product for product in PRODUCTS}
    add = parser.add_argument
    add("--quick", action="store_true", help="50k and dense, at a ceiling of 1,000")
    add("--only", action="append", choices=list(products), help="one product; repeatable")
    add("--sizes", type=_sizes, default=list(SIZES), help=f"of {', '.join(SIZES)}")
    add("--ceilings", type=_ceilings, default=[10_000, 4_000, 1_000], help="tokens at which answers are cut")
    add("--window", type=int, default=WINDOW, help="tokens; told to all products")
    add("--longest", type=float, default=600.0, metavar="S", help="seconds for one run")
    add("--seed", type=int, default=1, help="of the sessions")
    add("--envs", type=Path, default=folder_for_all(), metavar="DIR", help="for environments")
    add("--python", action="append", default=[], metavar="PATH", help="another interpreter to build with")
    add("--results", type=Path, metavar="FILE", help="rows that are kept from run to run")
    add("--json", action="store_true", help="one object a line")
    given = parser.parse_args(argv)
    if given.quick:
        given.sizes, given.ceilings = ["50k", "dense"], [1_000]
    given.only = [products[name] for name in given.only or products]
    return given


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is asked for, and show it."""
    given = _asked(argv)
    known, rows = _known(given.results), []
    for row in _rows(given, known):
        rows.append(row)
        line = json.dumps(asdict(row))
        if given.results and _key(row) not in known:
            with given.results.open("a", encoding="utf-8") as out:
                out.write(line + "\n")
        if given.json:
            print(line, flush=True)
    if not given.json:
        show(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
