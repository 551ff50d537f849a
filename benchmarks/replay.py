"""The failure that started it all, replayed: a session that grows, and a provider that cuts every answer.

python -m benchmarks.replay [--json] [--ceiling N] [--fail] [--outage] [--kill]

An agent's session has 767,000 tokens at message 576 and 896,000 at message 644, and grows on at that rate.
Its host compacts each time the prompt passes 400,000 tokens (see ``benchmarks.host``), until that was due
three times. The provider has a window of 1,000,000 tokens and cuts each answer at ``--ceiling`` (10,000)
tokens, of which it says nothing; its model writes what it sees fit, whatever length it is asked for: every
fact that it reads, then prose, up to a tenth of what it read. It stands on loopback, in a process of its own.

``--fail``: one call in five ends in a 500. ``--outage``: in the middle of the second compaction the provider
is away for 8 seconds. ``--kill``: each compaction runs in a process that is killed when half of its calls
have ended, and is then started again in a new one.

``--json`` prints an object a line for each attempt. Calls, cuts and tokens are the provider's own count;
``facts_in`` are the facts that the compaction was given (in the older messages and the digest before),
``facts_kept`` those of them that the new prompt holds to the letter, ``facts_room`` those that the budget
could hold if it held nothing else. The exit code is 0 if every compaction is complete, leaves the prompt
below the trigger and keeps 90 % of what the budget could hold.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from benchmarks import provider
from benchmarks.host import Host, Terms, in_killed_process, run, settle
from benchmarks.measure import table
from benchmarks.planted import fact_tokens, facts_in, messages
from summarizer import Model
from summarizer.events import CallEnded, Event

__all__ = ["Attempt", "Variant", "main", "replay"]

WINDOW = 1_000_000
DUE = 3
TERMS = Terms()
MOST_ATTEMPTS = 12
FIRST, SECOND = (576, 767_000), (644, 896_000)
"""Where the session stood at the first two attempts of the original: the message, the tokens."""
EVERY = 450
"""Tokens of session for each fact: by the third compaction they are 80 % of what the digest can hold."""
MANNERS = {"window": WINDOW, "density": 0.1, "obey": False, "latency": 0.05, "latency_per_token": 0.0001}
KEPT = 0.9
AWAY = 8.0  # seconds


@dataclass(frozen=True, slots=True)
class Variant:
    """What the provider and the process are put through."""

    ceiling: int = 10_000
    fail: bool = False
    outage: bool = False
    kill: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One compaction; prompts and trigger in tokens, ``seconds`` of the clock."""

    attempt: int
    prompt_before: int
    prompt_after: int
    trigger: int
    calls: int
    cuts: int
    input_tokens: int
    output_tokens: int
    facts_in: int
    facts_kept: int
    status: str
    facts_room: int
    message: int
    seconds: float

    @property
    def good(self) -> bool:
        """Whether it reached every mark."""
        kept = self.facts_kept >= KEPT * self.facts_room
        return self.status == "complete" and self.prompt_after < self.trigger and kept


def schedule(number: int) -> int:
    """The session's tokens behind a message."""
    (at, tokens), (later, more) = FIRST, SECOND
    if number <= at:
        return tokens * number // at
    return tokens + (number - at) * (more - tokens) // (later - at)


def replay(variant: Variant, terms: Terms = TERMS, due: int = DUE) -> Iterator[Attempt]:
    """The attempts, each as soon as it has ended."""
    script = {**MANNERS, "ceiling": variant.ceiling, "fail_rate": 0.2 if variant.fail else 0.0}
    with (
        provider.serving(**script) as root,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        host, number, complete = Host(terms), 0, 0
        for at, message in enumerate(messages(schedule, EVERY), 1):
            host.take(message)
            if host.tokens <= terms.trigger:
                continue
            number += 1
            attempt = _attempt(host, root, Path(folder), variant, (number, at))
            complete += attempt.status == "complete"
            yield attempt
            if complete >= due or number >= MOST_ATTEMPTS:
                return


def _attempt(host: Host, root: str, folder: Path, variant: Variant, where: tuple[int, int]) -> Attempt:
    number, message = where
    model = Model("openai/replayed", api_base=f"{root}/v1", context_window=WINDOW, extra={"api_key": "none"})
    on_event = _Interrupter(root) if variant.outage and number == 2 else _ignored
    carry = partial(in_killed_process if variant.kill else run, on_event=on_event)
    before, prompt, began = provider.totals(root), host.tokens, time.monotonic()
    given = host.compact(model, str(folder / "data"), carry)
    spent = provider.totals(root)
    spent.subtract(before)
    held = facts_in(host.text())
    return Attempt(
        attempt=number,
        prompt_before=prompt,
        prompt_after=host.tokens,
        trigger=host.terms.trigger,
        calls=spent["calls"],
        cuts=spent["cuts"],
        input_tokens=spent["input_tokens"],
        output_tokens=spent["output_tokens"],
        facts_in=len(given),
        facts_kept=sum(held.get(fact) == value for fact, value in given.items()),
        status=host.digest.status if host.digest else "partial",
        facts_room=min(len(given), host.terms.budget * len(given) // max(1, fact_tokens(given))),
        message=message,
        seconds=round(time.monotonic() - began, 1),
    )


def _ignored(_: Event) -> None:
    """Nobody listens."""


class _Interrupter:
    """Takes the provider away behind the second answer that it hears of."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._ended = 0

    def __call__(self, event: Event) -> None:
        self._ended += isinstance(event, CallEnded)
        if self._ended == 2:
            self._ended += 1
            provider.configure(self._root, outage_seconds=AWAY)


def main(argv: Sequence[str] | None = None) -> int:
    """Print each attempt, and whether the marks were reached."""
    parser = argparse.ArgumentParser(prog="benchmarks.replay", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one object a line for each attempt")
    parser.add_argument("--ceiling", type=int, default=10_000, help="tokens at which answers are cut")
    parser.add_argument("--fail", action="store_true", help="one call in five fails")
    parser.add_argument("--outage", action="store_true", help="the provider is away for a while")
    parser.add_argument("--kill", action="store_true", help="each compaction is killed and started again")
    given = parser.parse_args(argv)
    settle()
    variant = Variant(given.ceiling, given.fail, given.outage, given.kill)
    attempts = []
    for attempt in replay(variant):
        attempts.append(attempt)
        if given.json:
            print(json.dumps(asdict(attempt)), flush=True)
    if not given.json:
        _show(variant, attempts)
    complete = sum(attempt.status == "complete" for attempt in attempts)
    return 0 if complete >= DUE and all(attempt.good for attempt in attempts) else 1


def _show(variant: Variant, attempts: Sequence[Attempt]) -> None:
    head = list(asdict(attempts[0]))
    rows = [[*asdict(attempt).values(), "PASS" if attempt.good else "short"] for attempt in attempts]
    put = [name for name in ("fail", "outage", "kill") if getattr(variant, name)]
    title = f"A ceiling of {variant.ceiling:,} tokens" + (f", with {', '.join(put)}" if put else "")
    table(title, [*(name.replace("_", " ") for name in head), "marks"], rows)
    print(
        f"\nmarks: complete; the prompt falls below the trigger; facts kept ≥ {KEPT:.0%} of those that a "
        f"digest of {TERMS.budget:,} tokens has room for"
    )


if __name__ == "__main__":
    raise SystemExit(main())
