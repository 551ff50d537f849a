"""``summarizer plan``: what a run would send, worked out without sending it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from summarizer.cli import inputs
from summarizer.cli.exits import COMPLETE
from summarizer.cli.output import write
from summarizer.flow import Flow
from summarizer.result import Complete, Partial
from summarizer.run import Laid, Request, lay_out
from summarizer.settings import Settings

if TYPE_CHECKING:
    from summarizer_providers.store import Store

__all__ = ["plan"]

_MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class _Row:
    """A chunk: the positions of its records and what the call that reads it would be asked for, in tokens."""

    first: int
    last: int
    tokens: int
    target: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """Tokens as our counter counts them; ``cost`` in US dollars, None where a price is not known."""

    model: str | None
    records: int
    tokens: int
    budget: int
    chunks: tuple[_Row, ...]
    calls: int
    max_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def plan(options: argparse.Namespace) -> int:
    """Carry the command out; raises ``SummarizerError`` for a user's mistake."""
    budget, max_cost = inputs.budget(options), inputs.number(options, "max_cost")
    settings = Settings()
    request = Request.of(
        inputs.records(options),
        budget,
        settings,
        models=inputs.models(options),  # type: ignore[arg-type]
        focus=options.focus,
        instructions=options.instructions,
        max_cost=max_cost,
    )
    with ExitStack() as stack:
        laid_out = lay_out(request, lambda: stack.enter_context(_store(settings)), lambda _: None)
        found = _of_flow(laid_out.flow) if isinstance(laid_out, Laid) else _of_result(laid_out)
    if options.format == "json":
        write(json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n", None)
    else:
        write("\n".join(_lines(found)) + "\n", None)
    return COMPLETE


def _store(settings: Settings) -> closing[Store]:
    from summarizer.knowledge import open_store

    return closing(open_store(settings.data_dir, settings.store))


def _of_flow(flow: Flow) -> _Plan:
    endpoint, units = flow.ladder.first(), flow.board.units
    rows = tuple(
        _Row(units[x.chunk.first].position, units[x.chunk.last].position, x.chunk.tokens, x.target)
        for x in flow.board.leaves
    )
    read = sum(row.tokens + flow.overhead for row in rows)
    written = sum(row.target for row in rows)
    known = endpoint.input_cost is not None and endpoint.output_cost is not None
    return _Plan(
        model=endpoint.label,
        records=len(units),
        tokens=flow.board.tokens,
        budget=flow.job.budget.tokens,
        chunks=rows,
        calls=len(rows),
        max_calls=flow.max_calls,
        input_tokens=read,
        output_tokens=written,
        cost=endpoint.worst_cost(read, written) if known else None,
    )


def _of_result(result: Complete | Partial) -> _Plan:
    return _Plan(None, result.coverage.total, result.tokens, result.budget, (), 0, 0, 0, 0, 0.0)


def _lines(found: _Plan) -> Iterator[str]:
    yield f"{found.records:,} records, {found.tokens:,} tokens, to at most {found.budget:,} tokens"
    if not found.calls:
        yield "no call is needed: the records fit the budget as they are"
        return
    yield f"model: {found.model}"
    yield f"{'chunk':>6}  {'records':<15}  {'tokens':>9}  {'asked for':>9}"
    for i, row in enumerate(found.chunks[:_MOST_ROWS], 1):
        yield f"{i:>6}  {f'{row.first}–{row.last}':<15}  {row.tokens:>9,}  {row.target:>9,}"
    if len(found.chunks) > _MOST_ROWS:
        yield f"        … {len(found.chunks) - _MOST_ROWS} more"
    if found.output_tokens > found.budget:
        yield "the answers together are longer than the budget: further calls merge them"
    cost = "not known" if found.cost is None else f"${found.cost:.4f}"
    yield (
        f"calls: {found.calls} (at most {found.max_calls}); tokens: {found.input_tokens:,} in, "
        f"about {found.output_tokens:,} out; cost: {cost}"
    )
