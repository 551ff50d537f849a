"""What the comparison shows: a table for each session and ceiling, who is ahead, and how each was used."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from benchmarks.measure import table
from benchmarks.peers.measuring import Row
from benchmarks.peers.products import OURS, PRODUCTS, Product, requirements_of

__all__ = ["ahead", "show"]

_HEAD = ("product", "in budget", "in all", "size/budget", "calls", "cuts", "told")
_MORE = ("tokens in", "out", "wasted", "seconds", "MB", "what it did")
_WIDEST = 70  # characters of a status; all of it is in the JSON
_TOLD = {None: "-", True: "yes", False: "no"}


def show(rows: Sequence[Row]) -> None:
    """Print it all."""
    for _, group in groupby(rows, key=lambda row: (row.session, row.ceiling, row.window)):
        _show_one(list(group))
    behind = ahead(rows)
    print("\n" + ("\n".join(behind) if behind else f"Nobody keeps more facts than {OURS} in any table."))
    for product in PRODUCTS:
        if any(row.product == product.name for row in rows):
            print(f"\n{product.name} ({_version(product)}): {product.settings}")


def ahead(rows: Sequence[Row]) -> list[str]:
    """Where another product keeps more facts within the budget than this project, a line each."""
    ours = {_place(row): row.in_budget for row in rows if row.product == OURS}
    return [
        f"{row.session}, {row.ceiling:,}: {row.product} keeps {row.in_budget}, {OURS} {ours[_place(row)]}"
        for row in rows
        if row.in_budget > ours.get(_place(row), row.in_budget)
    ]


def _place(row: Row) -> tuple[str, int, int]:
    return row.session, row.ceiling, row.window


def _show_one(rows: Sequence[Row]) -> None:
    row = rows[0]
    title = (
        f"{row.session}: {row.facts} facts, budget {row.budget:,}; answers cut at {row.ceiling:,} tokens, "
        f"window {row.window:,}"
    )
    table(title, (*_HEAD, *_MORE), [_cells(row) for row in rows])


def _cells(row: Row) -> list[object]:
    shares = (f"{100 * facts / row.facts:.1f} %" for facts in (row.in_budget, row.kept))
    tokens = (f"{row.input_tokens:,}", f"{row.output_tokens:,}", f"{row.wasted:,}")
    counts = (f"{row.size / row.budget:.2f}", row.calls, row.cuts, _TOLD[row.told])
    return [
        row.product,
        *shares,
        *counts,
        *tokens,
        f"{row.seconds:.1f}",
        f"{row.peak:.0f}",
        row.status[:_WIDEST],
    ]


def _version(product: Product) -> str:
    if product.name == OURS:
        return "this checkout"
    lines = requirements_of(product).read_text("utf-8").splitlines()
    return next(line for line in lines if line.lower().startswith(f"{product.package}=="))
