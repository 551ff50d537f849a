"""Adding up what a run uses, model by model."""

from __future__ import annotations

from dataclasses import fields, replace

from summarizer.result import ModelUsage, Usage
from summarizer_providers.outcome import Answer

__all__ = ["Meter"]


class Meter:
    """Counts requests, tokens and US dollars as calls start and end."""

    def __init__(self) -> None:
        self._models: dict[str, ModelUsage] = {}

    @property
    def calls(self) -> int:
        """Requests sent so far, to all models."""
        return sum(part.calls for part in self._models.values())

    @property
    def cost(self) -> float:
        """US dollars spent so far where prices are known."""
        return sum(part.cost or 0.0 for part in self._models.values())

    def started(self, model: str) -> None:
        """A call was sent."""
        part = self._models.get(model, ModelUsage())
        self._models[model] = replace(part, calls=part.calls + 1)

    def ended(self, model: str, answer: Answer, used: float) -> None:
        """A call that was counted as started gave an answer; the part of it that was ``used``, 0 to 1."""
        part = self._models[model]
        cost = None if part.cost is None or answer.cost is None else part.cost + answer.cost
        self._models[model] = replace(
            part,
            calls=part.calls + answer.requests - 1,
            input_tokens=part.input_tokens + answer.input_tokens,
            output_tokens=part.output_tokens + answer.output_tokens,
            wasted_output_tokens=part.wasted_output_tokens + round((1 - used) * answer.output_tokens),
            cost=cost,
        )

    def cached(self, model: str) -> None:
        """A section of a model was taken from the journal."""
        part = self._models.get(model, ModelUsage())
        self._models[model] = replace(part, cached_calls=part.cached_calls + 1)

    def abandoned(self, model: str, *, priced: bool) -> None:
        """A call that was counted as started was given up: what it costs, if anything, is not known."""
        if priced:
            self._models[model] = replace(self._models[model], cost=None)

    def usage(self) -> Usage:
        """The sum so far."""
        parts = self._models.values()
        total = {
            name: sum(getattr(part, name) for part in parts)
            for name in (f.name for f in fields(ModelUsage))
            if name != "cost"
        }
        known = [part.cost for part in parts if part.cost is not None]
        cost = sum(known) if len(known) == len(parts) else None
        return Usage(**total, cost=cost, by_model=dict(self._models))
