"""Whether an agent finds again what its digest no longer says, through the tools that it is given.

python -m benchmarks.recall --only agent [--tokens 100000] [--facts 300] [--steps 4] [--rounds 5]

A session with planted facts is summarized offline in several steps, beside other sessions in the same
database that were made of the same words. Then an agent without a model, always the same for the same seed,
is asked for 20 facts that are not in its digest: once by a fact's number, once by a question that names what
the fact is about and not its number. It searches and looks for a line with all that it asks about; where that
is cut it reads the record again, and where there is none it searches once more with as many tokens as it may
have, then reads the records that were named. A fact is found if what it says is its value to the letter.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import planted, recall
from summarizer import Complete, Partial, Settings, Summarizer
from summarizer.recall import RecallTools
from summarizer_providers.tokens import get_counter

__all__ = ["ASKED", "KINDS", "Answer", "Figures", "Question", "ask", "figures", "made"]

ASKED = 20
"""Facts that an agent is asked for in one round."""
KINDS = ("agent", *recall.LANGUAGES)
"""Sessions: an agent's with tool calls, and talk in each of the languages."""
BUDGET, MOST_READ = 800, 3
"""Tokens of a digest; records that the agent reads again before it gives up."""

_RECORD = re.compile(r"^┃record (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent is asked for: ``FACT-<number>``, or the same in other words (``text``), which are
    ``about`` these things.
    """

    number: str
    text: str
    about: tuple[str, ...]
    value: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What the agent says (None: it found nothing), after so many ``calls``, and the tokens of all that the
    tools answered.
    """

    said: str | None
    calls: int
    tokens: int


# The agent -------------------------------------------------------------------------------------------------


def ask(tools: RecallTools, question: Question, *, by_number: bool) -> Answer:
    """Let the agent look a fact up."""
    key = f"FACT-{question.number}"
    query, about = (key, (key,)) if by_number else (question.text, question.about)
    calls = tokens = 0
    for answer in _answers(tools, query):
        calls, tokens = calls + 1, tokens + get_counter().count(answer)
        said = _read(str(json.loads(answer).get("text", "")), about)
        if said is not None:
            return Answer(said, calls, tokens)
    return Answer(None, calls, tokens)


def _answers(tools: RecallTools, query: str) -> Iterator[str]:
    """What the agent is told, call by call, for as long as it goes on."""
    first = tools.call("summary_search", json.dumps({"query": query}))
    yield first
    named = list(dict.fromkeys(_RECORD.findall(str(json.loads(first).get("text", "")))))
    if "…" not in first:
        named = []
    yield from (tools.call("summary_expand", {"first": int(record)}) for record in named[:1])
    yield tools.call("summary_search", {"query": query, "max_tokens": tools.most_tokens})
    yield from (tools.call("summary_expand", {"first": int(record)}) for record in named[1:MOST_READ])


def _read(text: str, about: Sequence[str]) -> str | None:
    """The value in the line that has all of this, if it is there to its end."""
    for line in text.splitlines():
        found = planted.FACT.search(line)
        if found and not line.endswith("…") and all(words in line for words in about):
            return found[2].strip()
    return None


# The sessions ----------------------------------------------------------------------------------------------


def made(kind: str, tokens: int, facts: int, seed: int) -> tuple[list[Any], list[Question]]:
    """A session's records, and what can be asked of it."""
    if kind == "agent":
        session = planted.session(tokens, facts, seed)
        return list(session.messages), list(_asked(session.facts))
    rng, language = random.Random(seed), recall.LANGUAGES[kind]
    known = recall.planted(language, facts, rng)
    return list(recall.session(language, known, tokens, rng)), [_about(language, fact) for fact in known]


def _about(language: recall.Language, fact: recall.Fact) -> Question:
    names = (name for name in (*language.things, *language.places) if name in fact.line)
    return Question(fact.number, fact.question, tuple(names), fact.line.partition(": ")[2])


def _asked(facts: Mapping[str, str]) -> Iterator[Question]:
    """Questions about what is said of one fact only."""
    about = {number: value.rpartition(" at ")[0] for number, value in facts.items()}
    for number, words in about.items():
        if list(about.values()).count(words) == 1:
            place, thing, state = words.split()
            text = f"Which number was given for the {thing} in {place}, {state}?"
            yield Question(number, text, (place, thing, state), facts[number])


def _digest(summarizer: Summarizer, records: Sequence[Any], steps: int) -> Complete | Partial:
    """What an agent has of its session after several compactions."""
    size = len(records)
    result = summarizer.summarize(records[: size // steps], BUDGET)
    for step in range(1, steps):
        part = records[step * size // steps : (step + 1) * size // steps]
        result = summarizer.summarize(part, BUDGET, previous=result)
    return result


@dataclass(frozen=True, slots=True)
class Figures:
    """Facts that the digest holds, questions ``asked`` in each way, how many were found by number and in
    other words; calls and tokens of a question, on average, in each way.
    """

    in_digest: int
    asked: int
    by_number: int
    in_words: int
    calls: tuple[float, float]
    tokens: tuple[float, float]


def figures(kind: str, tokens: int, facts: int, steps: int, rounds: int = 1, seed: int = 1) -> Figures:
    """Rounds of 20 questions, asked of a session that lies in one database with two others."""
    records, questions = made(kind, tokens, facts, seed)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), models=["offline/extractive"], journal="off")
        with Summarizer(settings) as summarizer:
            for other in (seed + 1_000, seed + 2_000):
                _digest(summarizer, made(kind, tokens, facts, other)[0], 1)
            digest = _digest(summarizer, records, steps)
            gone = [each for each in questions if each.value not in digest.text]
            chosen = random.Random(seed).sample(gone, min(len(gone), rounds * ASKED))
            tools = summarizer.recall_tools(digest)
            numbers = [(each, ask(tools, each, by_number=True)) for each in chosen]
            words = [(each, ask(tools, each, by_number=False)) for each in chosen]
    return Figures(
        len(questions) - len(gone),
        len(chosen),
        sum(answer.said == each.value for each, answer in numbers),
        sum(answer.said == each.value for each, answer in words),
        (_mean(answer.calls for _, answer in numbers), _mean(answer.calls for _, answer in words)),
        (_mean(answer.tokens for _, answer in numbers), _mean(answer.tokens for _, answer in words)),
    )


def _mean(values: Iterable[int]) -> float:
    found = list(values)
    return sum(found) / max(1, len(found))
