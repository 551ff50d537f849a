"""Runs of the flow without a network, a clock or threads: scripted models, and time that only jumps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from summarizer.budget import Budget
from summarizer.calls import Job
from summarizer.endpoints import Endpoint
from summarizer.flow import Flow
from summarizer.prepare import Unit, prepare
from summarizer.records import Record
from summarizer.result import Complete, Gap, Partial, Section
from summarizer_providers.bounds import Limits
from summarizer_providers.client import answered
from summarizer_providers.transports.script import Script
from summarizer_providers.transports.scripted import answer
from summarizer_providers.types import Call, Failure, Model, Reply

Answers = Callable[[Call, int, int], Reply | Failure]


def count(text: str) -> int:
    """A cheap count that grows with the text: four characters a token."""
    return -(-len(text) // 4)


def fit(text: str, tokens: int) -> str:
    """Whole lines from the start that fit, else the text's beginning."""
    kept = ""
    for line in text.splitlines(keepends=True):
        if count((kept + line).strip()) > tokens:
            break
        kept += line
    return kept.strip() or text[: tokens * 4]


@lru_cache(maxsize=512)
def session(records: int, facts: int = 0, words: int = 60, seed: int = 1) -> tuple[str, ...]:
    """Records of some words each, with facts planted evenly among them."""
    chance = random.Random(seed)
    vocabulary = ("salt", "river", "paper", "north")
    texts = [" ".join(chance.choice(vocabulary) for _ in range(words)) for _ in range(records)]
    for i in range(facts):
        texts[i * records // facts] += f"\nFACT-{100_000 + i}: value {i}"
    return tuple(texts)


def units_of(texts: Sequence[str]) -> list[Unit]:
    """Units of user records with these texts."""
    records = [Record(role="user", text=text) for text in texts]
    return prepare(records, range(len(records)), count)


def scripted(script: Script, name: str = "scripted/model", limits: Limits | None = None) -> Endpoint:
    """An endpoint for a script; nothing is known of it unless limits are given. It costs a little."""
    limits = limits or Limits(window=script.window, scale=1.0)
    prices = {"input_cost_per_token": 1e-6, "output_cost_per_token": 4e-6}
    return Endpoint(Model(name, extra=prices), name, limits, *prices.values())


def job(budget: int | Budget, **more: object) -> Job:
    """A job with the cheap counter."""
    return Job(budget=Budget.of(budget), count=count, fit=fit, encoding="fast", **more)  # type: ignore[arg-type]


def from_scripts(scripts: dict[str, Script]) -> Answers:
    """Answers of scripted models, by the model's name."""
    return lambda call, nth, number: answer(scripts[call.model.name], call, nth, number)


def play(
    flow: Flow,
    answers: Answers,
    seed: int = 0,
    look: Callable[[Complete | Partial], None] | None = None,
    most: int = 10_000,
) -> Complete | Partial:
    """Run a flow to its end: answers come back in an order drawn from ``seed``, each after one second.

    ``look`` sees the result as it would be after every event. Fails where the flow waits for nothing.
    """
    chance, now, number = random.Random(seed), 0.0, 0
    sent: Counter[tuple[str, str]] = Counter()
    flights: list[Call] = []
    while not flow.finished:
        flights += flow.ready(now)
        if look is not None:
            look(flow.result(now))
        if flights:
            call = flights.pop(chance.randrange(len(flights)))
            key = (call.model.name, call.messages[-1].content)
            number += 1
            reply = answers(call, sent[key], number)
            sent[key] += 1
            now += 1.0
            flow.receive(call, answered(call, reply), now)
        elif not flow.finished:
            wake = flow.wake_at(now)
            assert wake is not None, "nothing is in flight and nothing will ever start"
            now = wake
        assert number <= most, "the run does not end"
    return flow.result(now)


def check(result: Complete | Partial, total: int, budget: int, *, written: bool = True) -> None:
    """What every result must be, whatever the models did; ``written``: its JSON gives it back as well."""
    assert result.tokens == count(result.text) <= budget
    entries: list[Section | Gap] = [*result.sections, *getattr(result, "gaps", ())]
    seen = [i for e in sorted(entries, key=lambda e: e.first) for i in range(e.first, e.last + 1)]
    assert seen == list(range(total)), "every record is in exactly one section or gap"
    assert result.coverage.total == total
    assert result.coverage.missing == sum(g.last - g.first + 1 for g in getattr(result, "gaps", ()))
    assert isinstance(result, Complete) == (result.coverage.missing == 0)
    assert not written or type(result).from_json(result.to_json()) == result
