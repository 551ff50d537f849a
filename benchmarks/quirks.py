"""Conformance: is every reply of a corpus understood, and is what it teaches learned, and nothing else?

python -m benchmarks.quirks [--corpus FILE] [--json] [--leave-out]

Each case's reply is served on loopback (see ``benchmarks.quirk_replay``) and asked for through the real
client, with the retries that it makes and without their waits. The reaction is that of
``summarizer_providers.reaction``; what is learned goes the way of the client's own memory: observation,
then bounds, from this reply alone.

A case agrees if the reaction is one of ``expect.reactions``, if a number that ``expect`` states
(``output_ceiling``, ``context_window``) is the one that was learned, and if nothing is learned of which
it says that nothing may be (``learns_no_ceiling``, ``learns_no_window``). A wrong lesson is another number
than the stated one, or any where none may be; a number that ``expect`` is silent about is listed as
unstated. A case whose ``wire`` is null tells of a request that is never sent: the server has an empty
answer for it.

``--leave-out`` measures how far the reading goes beyond the providers that it was made from. Every list of
words, codes and finish reasons in it is a ``Lexicon`` of single phrases. For each provider in turn, every
phrase that the replies of no other provider in the corpus contain is switched off, whatever it was written
for, and the replies of this provider are read again. What remains is what other providers, and no more than
that, would have justified. The structure of the grammar itself stays.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import table
from benchmarks.quirk_replay import Case, read_corpus, serving
from benchmarks.requests_of import call_of
from summarizer_providers.classify import classify
from summarizer_providers.client import Client
from summarizer_providers.learning import learn
from summarizer_providers.observations import observe
from summarizer_providers.outcome import Answer, Outcome, Transient
from summarizer_providers.reaction import reaction
from summarizer_providers.transports.litellm import LitellmTransport
from summarizer_providers.types import Call, Failure, Reply
from summarizer_providers.understanding.cues import LEXICONS as CUES
from summarizer_providers.understanding.failures import snake
from summarizer_providers.understanding.lexicon import left_out
from summarizer_providers.understanding.limits import LEXICONS as FIELDS
from summarizer_providers.understanding.numerals import LEXICONS as UNITS
from summarizer_providers.understanding.numerals import normalized
from summarizer_providers.understanding.phrases import LEXICONS as PHRASES
from summarizer_providers.understanding.texts import LEXICONS as TEXTS

__all__ = ["Verdict", "judged", "main", "replayed"]

_CORPUS = Path(__file__).resolve().parents[2] / "shared" / "quirks.jsonl"
_AT_ONCE = 4
_LEXICONS = (*CUES, *FIELDS, *UNITS, *PHRASES, *TEXTS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one case came to: the ``reaction``, the upper bounds learned from it alone (tokens), and what
    ``expect`` says to that. ``numbers`` is (stated, learned); ``wrong`` names wrong lessons.
    """

    id: str
    kind: str
    provider: str
    reaction: str
    output_ceiling: int | None
    context_window: int | None
    right: bool
    numbers: tuple[int, int]
    wrong: tuple[str, ...]
    unstated: bool
    requests: int
    waited: bool | None

    @property
    def agrees(self) -> bool:
        """Whether reaction and lessons are what the case expects."""
        return self.right and not self.wrong and self.numbers[0] == self.numbers[1]


class _Recording:
    """The real transport, with the last result of each call kept."""

    def __init__(self) -> None:
        self._transport = LitellmTransport()
        self.results: dict[int, tuple[Call, Reply | Failure]] = {}

    async def prepare(self, call: Call) -> None:
        """What has to be there before the call's clock starts."""
        await self._transport.prepare(call)

    async def send(self, call: Call) -> Reply | Failure:
        """The endpoint's answer to one request."""
        self.results[call.id] = call, Failure("no answer in time", 408, kind="Timeout")
        result = await self._transport.send(call)
        self.results[call.id] = call, result
        return result


async def replayed(cases: Sequence[Case]) -> tuple[list[Answer], dict[int, tuple[Call, Reply | Failure]]]:
    """What the client made of each case, and the last result behind it."""
    recording, gate = _Recording(), asyncio.Semaphore(_AT_ONCE)
    client = Client({"litellm": recording}, sleep=_at_once)

    async def one(number: int, root: str) -> Answer:
        async with gate:
            return await client.send(call_of(number, cases[number], root))

    with serving(cases) as root:
        answers = await asyncio.gather(*(one(number, root) for number in range(len(cases))))
    return answers, recording.results


async def _at_once(_: float) -> None:
    """Waits are counted as requests, not slept."""


def judged(case: Case, call: Call, outcome: Outcome, requests: int = 1) -> Verdict:
    """A case's outcome beside what the case expects."""
    expect = case.get("expect") or {}
    seen = observe(str(case["id"]), call, outcome, at=0.0)
    bounds = learn([] if seen is None else [seen])
    learned = {
        "output_ceiling": bounds.upper.value if bounds.upper else None,
        "context_window": bounds.window_stated.value if bounds.window_stated else None,
    }
    chosen, stated = reaction(outcome, call).value, [name for name in learned if expect.get(name) is not None]
    wait = expect.get("retry_after_s")
    given = outcome.retry_after if isinstance(outcome, Transient) else None
    return Verdict(
        id=str(case["id"]),
        kind=str(case.get("kind", "")),
        provider=str(case.get("provider", "")),
        reaction=chosen,
        **learned,
        right=chosen in expect.get("reactions", [chosen]),
        numbers=(len(stated), sum(learned[name] == expect[name] for name in stated)),
        wrong=tuple(_wrong(expect, learned)),
        unstated=any(learned[name] is not None and name not in stated for name in learned),
        requests=requests,
        waited=None if wait is None else given is not None and abs(given - wait) < 1,
    )


def _wrong(expect: Case, learned: dict[str, int | None]) -> Iterable[str]:
    for name, banned in (("output_ceiling", "learns_no_ceiling"), ("context_window", "learns_no_window")):
        value, said = learned[name], expect.get(name)
        if value is not None and (expect.get(banned) or (said is not None and said != value)):
            yield f"{name} {value}"


# ---- leaving providers out ----


def _words(result: Reply | Failure) -> str:
    if isinstance(result, Reply):
        return f"{result.text}\n{snake(result.finish_reason or '')}"
    codes = [snake(code) for code in (result.code, *result.codes) if code]
    return "\n".join(
        [result.body or result.message, result.param or "", *codes, *(n for n, _ in result.fields)]
    )


def _without(cases: Sequence[Case], results: dict[int, tuple[Call, Reply | Failure]]) -> list[Verdict]:
    """Every case read without the phrases that its provider alone justifies."""
    users: dict[tuple[str, str], set[str]] = {}
    for number, (_, result) in results.items():
        text = _words(result)
        for place in (text, normalized(text), *text.splitlines()):
            for phrase in (found for lexicon in _LEXICONS for found in lexicon.matched(place)):
                users.setdefault(phrase, set()).add(str(cases[number].get("provider")))
    verdicts = []
    for number, (call, result) in sorted(results.items()):
        own = {str(cases[number].get("provider"))}
        with left_out(frozenset(phrase for phrase, providers in users.items() if providers == own)):
            verdicts.append(judged(cases[number], call, classify(call, result)))
    return verdicts


# ---- what is printed ----


def _line(verdict: Verdict) -> list[object]:
    mark = "yes" if verdict.agrees else "NO"
    return [
        verdict.id,
        verdict.reaction,
        verdict.output_ceiling,
        verdict.context_window,
        verdict.requests,
        mark,
    ]


def _json(verdict: Verdict) -> str:
    names = ("id", "reaction", "output_ceiling", "context_window", "agrees")
    return json.dumps({name: getattr(verdict, name) for name in names})


def _totals(verdicts: Sequence[Verdict]) -> list[list[object]]:
    rows: list[list[object]] = []
    kinds = Counter(verdict.kind for verdict in verdicts)
    for kind in [*sorted(kinds), "all"]:
        of = [verdict for verdict in verdicts if kind in ("all", verdict.kind)]
        right, stated = sum(v.right for v in of), sum(v.numbers[0] for v in of)
        waits = [v.waited for v in of if v.waited is not None]
        rows.append(
            [
                kind,
                len(of),
                f"{right} ({right / len(of):.1%})",
                f"{sum(v.numbers[1] for v in of)} of {stated}",
                sum(len(v.wrong) for v in of),
                sum(v.unstated for v in of),
                f"{sum(waits)} of {len(waits)}",
            ]
        )
    return rows


def _report(verdicts: Sequence[Verdict], title: str) -> None:
    table(title, ["case", "reaction", "ceiling", "window", "requests", "agrees"], list(map(_line, verdicts)))
    for verdict in verdicts:
        if verdict.wrong:
            print(f"wrong lesson: {verdict.id}: {', '.join(verdict.wrong)}")
    heads = ["kind", "cases", "reactions", "numbers", "wrong lessons", "unstated", "waits"]
    table("totals", heads, _totals(verdicts))


def main(argv: Sequence[str] | None = None) -> int:
    """Replay a corpus; exit code 0 whatever the figures are, 2 for a corpus that cannot be read."""
    parser = argparse.ArgumentParser(prog="benchmarks.quirks", description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=_CORPUS, help="a file with one case a line")
    parser.add_argument("--json", action="store_true", help="one JSON object a case, and nothing else")
    parser.add_argument("--leave-out", action="store_true", help="read each provider by the others' words")
    given = parser.parse_args(argv)
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        cases = read_corpus(given.corpus)
    except (OSError, ValueError) as error:
        parser.error(f"{given.corpus}: expected a JSON object on each line: {error}")
    answers, results = asyncio.run(replayed(cases))
    if given.leave_out:
        verdicts = _without(cases, results)
    else:
        verdicts = [
            judged(case, results[i][0], answers[i].outcome, answers[i].requests)
            for i, case in enumerate(cases)
        ]
    if given.json:
        print("\n".join(map(_json, verdicts)))
    else:
        _report(verdicts, f"{len(cases)} cases of {given.corpus.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
