"""Agents' sessions with planted facts, of any length, the same for the same seed: what a summary lost can be
counted.

python -m benchmarks.planted --tokens 50000 --facts 150 [--seed 1] > session.jsonl

A fact is a line ``FACT-<six digits>: <value to the end of the line>``. Facts stand at even distances in what
users and the agent say, in arguments of tool calls and in what the tools print.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count as counting
from typing import Any

from summarizer_providers.tokens import get_counter

__all__ = [
    "A_CYCLE",
    "FACT",
    "Session",
    "fact_tokens",
    "facts_in",
    "messages",
    "remark",
    "said",
    "session",
    "size",
]

Message = dict[str, Any]
FACT = re.compile(r"FACT-(\d{6}): ([^\n\"\\]+)")
A_CYCLE = 4
"""Messages: a user's, one with two tool calls, and their two results. A session is at its exact size behind
the last of them."""


_ALL_BEFORE = 0.98
"""The part of a session behind which no more facts are due, so that all have been planted at its end."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


THINGS = _words(
    "ledger turbine archive compass granary foundry tollgate aqueduct kiln orchard "
    "weir signal pontoon viaduct beacon winch silo smelter jetty culvert"
)
STATES = _words("idle worn sealed flooded rebuilt leased unlit patched rusty quiet crowded vacant")
DEEDS = _words("opened drained measured painted inspected moved closed repaired counted shipped")
PLACES = _words("Arden Belmora Castine Dunmore Elgin Farrow Galway Hexham Istria Jarrow Kelso Lorne")
TOOLS = ("read_file", "run_command", "search", "edit_file")


def remark(rng: random.Random) -> str:
    """A short sentence, about 11 tokens, as a model might write it."""
    words = (STATES, THINGS, PLACES, DEEDS, THINGS)
    state, thing, place, deed, other = (words_[int(rng.random() * len(words_))] for words_ in words)
    return f"The {state} {thing} at {place} was {deed}, {other} too."


def facts_in(text: str) -> dict[str, str]:
    """Values by number, in the order of the first mention; the last value holds."""
    return {number: value.strip() for number, value in FACT.findall(text)}


def said(message: Message) -> str:
    """What a message says: its content and the notes in its calls."""
    notes = (json.loads(call["function"]["arguments"])["note"] for call in message.get("tool_calls", ()))
    return "\n".join([message["content"] or "", *notes])


def size(message: Message) -> int:
    """The tokens (o200k_base) of what a message says: its content and the arguments of its calls."""
    count = get_counter().count
    calls = message.get("tool_calls", ())
    return count(message["content"] or "") + sum(count(call["function"]["arguments"]) for call in calls)


def fact_tokens(facts: dict[str, str]) -> int:
    """The tokens of a text that holds these facts and nothing else, a line each."""
    return get_counter().count("\n".join(f"FACT-{number}: {value}" for number, value in facts.items()))


@dataclass(frozen=True, slots=True)
class Session:
    """``messages`` with the ``facts`` planted in them, and their ``tokens``."""

    messages: Sequence[Message]
    facts: dict[str, str]
    tokens: int


def session(tokens: int, facts: int, seed: int = 1, a_message: int = 450) -> Session:
    """A session of about so many tokens with exactly so many facts, of ``a_message`` tokens a message."""
    a_message = min(a_message, max(50, tokens // (8 * A_CYCLE)))
    made: list[Message] = []
    total = 0
    every = _ALL_BEFORE * tokens / facts
    for message in messages(lambda n: min(tokens, a_message * n), every, seed, facts):
        made.append(message)
        total += size(message)
        if total >= 0.995 * tokens and len(made) % A_CYCLE == 0:
            break
    known = facts_in("\n".join(map(said, made)))
    return Session(made, known, total)


def messages(
    schedule: Callable[[int], int], every: float, seed: int = 1, most: int | None = None
) -> Iterator[Message]:
    """Messages without end, with a fact every so many tokens, ``most`` in all.

    ``schedule`` says how many tokens the session has behind message n, from 1; it is met at the fourth, the
    eighth, and so on, within a few tokens.
    """
    writer = _Writer(random.Random(seed), every, most=most)
    total = 0
    for number in counting(1):
        message = _message(writer, number, schedule(number) - total)
        total += size(message)
        yield message


def _message(writer: _Writer, number: int, owed: int) -> Message:
    match number % A_CYCLE:
        case 1:
            return {"role": "user", "content": writer.text(max(20, min(90, owed // 4)))}
        case 2:
            said = writer.text(max(20, min(120, owed // 4)))
            calls = [_call(writer, number, letter) for letter in "ab"]
            return {"role": "assistant", "content": said, "tool_calls": calls}
        case 3:
            text, letter = writer.text(max(10, owed // 2), prints=True), "a"
        case _:
            text, letter = writer.text(max(10, owed), prints=True), "b"
    before = number - (number + 2) % A_CYCLE
    return {"role": "tool", "tool_call_id": f"call_{before}{letter}", "content": text}


def _call(writer: _Writer, number: int, letter: str) -> dict[str, Any]:
    path = f"{writer.one(PLACES).lower()}/{writer.one(THINGS)}.py"
    arguments = json.dumps({"path": path, "note": writer.text(15)})
    return {
        "id": f"call_{number}{letter}",
        "type": "function",
        "function": {"name": writer.one(TOOLS), "arguments": arguments},
    }


@dataclass(slots=True)
class _Writer:
    """Lines of text, with a fact among them every so many tokens."""

    rng: random.Random
    every: float
    most: int | None = None
    written: int = 0
    planted: int = 0
    used: set[int] = field(default_factory=set)

    def one(self, words: Sequence[str]) -> str:
        return words[int(self.rng.random() * len(words))]

    def text(self, tokens: int, *, prints: bool = False) -> str:
        """About so many tokens."""
        count = get_counter().count
        lines: list[str] = []
        spent = 0
        while spent < tokens:
            due = self.written + spent >= (self.planted + 0.5) * self.every
            if due and self.planted != self.most:
                line = self.fact()
            else:
                line = self._printed() if prints else self._sentence()
            spent += count(line + "\n")
            lines.append(line)
        self.written += spent
        return "\n".join(lines)

    def fact(self) -> str:
        self.planted += 1
        number = self.rng.randrange(100_000, 1_000_000)
        while number in self.used:
            number = self.rng.randrange(100_000, 1_000_000)
        self.used.add(number)
        words = f"{self.one(PLACES)} {self.one(THINGS)} {self.one(STATES)}"
        return f"FACT-{number}: {words} at {self.rng.randrange(100, 1_000)}"

    def _sentence(self) -> str:
        return (
            f"The {self.one(STATES)} {self.one(THINGS)} near {self.one(PLACES)} was {self.one(DEEDS)} before "
            f"the {self.one(THINGS)} could be {self.one(DEEDS)}, and the {self.one(THINGS)} stayed "
            f"{self.one(STATES)}."
        )

    def _printed(self) -> str:
        draw = int(self.rng.random() * 1_000_000)
        if draw % 3 == 0:
            return f"{self.one(THINGS)}.py:{draw % 997}: {self.one(THINGS)} = {self.one(DEEDS)}({draw % 89})"
        if draw % 3 == 1:
            clock = f"{draw % 24:02d}:{draw % 60:02d}:{draw % 59:02d}"
            return f"{clock} {self.one(PLACES)} {self.one(THINGS)} {self.one(DEEDS)} in {draw % 4001} ms"
        return self._sentence()


def main(argv: Sequence[str] | None = None) -> int:
    """Print a session as JSONL."""
    parser = argparse.ArgumentParser(prog="benchmarks.planted", description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=50_000)
    parser.add_argument("--facts", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    for message in session(given.tokens, given.facts, given.seed).messages:
        print(json.dumps(message))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
