"""Whether what a digest dropped can be looked up again, in English, Chinese and Japanese, and at what cost.

python -m benchmarks.recall [--only search|agent] [--facts 200] [--tokens 300000] [--steps 5] [--rounds 5]

A session with planted facts is summarized offline in several steps, each going on from the one before, to a
digest that has no room for the facts. Then each is searched for in two ways: by its number, and with a
question that shares some words with it. It is found if its value stands in an answer of 1,000 tokens.
The second part lets an agent look facts up through its tools: see ``benchmarks.agent``.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks.measure import table
from summarizer import Settings, Summarizer
from summarizer.recall import Recalled
from summarizer_providers.tokens import get_counter

__all__ = ["LANGUAGES", "Fact", "Figures", "Language", "figures", "planted", "session"]

T = TypeVar("T")

BUDGET, ANSWER = 800, 1_000
"""Tokens of the digest, and of an answer."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@dataclass(frozen=True, slots=True)
class Language:
    """The words that facts are made of: a ``fact`` and a ``question`` about a thing at a place, and remarks
    that name the same things and places, so that neither alone finds anything.
    """

    things: tuple[str, ...]
    places: tuple[str, ...]
    fact: str
    question: str
    remark: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A planted line, and what finds it: ``FACT-<number>``, or a ``question``."""

    number: str
    value: str
    line: str
    question: str


LANGUAGES = {
    "English": Language(
        _words("ledger turbine archive compass granary foundry tollgate aqueduct kiln orchard weir signal"),
        _words(
            "Arden Belmora Castine Dunmore Elgin Farrow Galway Hexham Istria Jarrow Kelso Lorne Morven Nairn "
            "Ormond Penrith Quimper"
        ),
        "the {thing} at {place} answers on port {value}",
        "Which port did we give to the {thing} in {place}?",
        "Someone walked from the {thing} to {place} and wrote to {other} about the weather there.",
    ),
    "Chinese": Language(
        _words("账本服务 涡轮机 档案馆 指南针 粮仓 铸造厂 收费站 渡槽 砖窑 果园 堤坝 信号灯"),
        _words("青岛 武汉 成都 西安 南京 苏州 厦门 昆明 大连 长沙 合肥 兰州 贵阳 济南 太原 沈阳 桂林"),
        "{place}的{thing}改用端口 {value}",
        "{place}那边的{thing}现在用哪个端口？",
        "有人从{thing}走到{place}，又给{other}写信谈了那里的天气。",
    ),
    "Japanese": Language(
        _words("台帳サーバー タービン 書庫 羅針盤 穀物倉 鋳造所 料金所 水道橋 窯 果樹園 堰 信号機"),
        _words("東京 大阪 名古屋 札幌 仙台 広島 福岡 金沢 長崎 鹿児島 新潟 静岡 岡山 熊本 松山 高知 奈良"),
        "{place}の{thing}はポート {value} で待ち受けるようにした",
        "{place}にある{thing}のポート番号は何番でしたか？",
        "誰かが{thing}から{place}まで歩き、{other}へ天気のことを手紙に書いた。",
    ),
}


def planted(language: Language, facts: int, rng: random.Random) -> list[Fact]:
    """Facts about as many different pairs of a thing and a place."""
    pairs = [(thing, place) for thing in language.things for place in language.places]
    numbers = rng.sample(range(100_000, 1_000_000), facts)
    values = rng.sample(range(10_000, 65_536), facts)
    return [
        _fact(language, str(number), str(value), thing, place)
        for number, value, (thing, place) in zip(numbers, values, rng.sample(pairs, facts), strict=True)
    ]


def _fact(language: Language, number: str, value: str, thing: str, place: str) -> Fact:
    told = language.fact.format(thing=thing, place=place, value=value)
    return Fact(number, value, f"FACT-{number}: {told}", language.question.format(thing=thing, place=place))


def session(language: Language, facts: list[Fact], tokens: int, rng: random.Random) -> Iterator[str]:
    """Records of some 200 tokens that hold remarks, and one fact each at even distances."""
    count, records = get_counter().count, max(len(facts), tokens // 200)
    for i in range(records):
        lines = [_remark(language, rng) for _ in range(3)]
        size = sum(map(count, lines))
        lines += [_remark(language, rng) for _ in range(max(0, (tokens // records - size) * 3 // size))]
        at = i * len(facts) // records
        if at != (i + 1) * len(facts) // records:
            lines.insert(rng.randrange(len(lines)), facts[at].line)
        yield "\n".join(lines)


def _remark(language: Language, rng: random.Random) -> str:
    place, other = rng.sample(language.places, 2)
    return language.remark.format(thing=rng.choice(language.things), place=place, other=other)


@dataclass(frozen=True, slots=True)
class Figures:
    """Facts that the digest holds, and the shares (0 to 1) found by number and by question; the CPU seconds
    of the runs that kept records and of the same runs without, of the first search, and of any later one.
    """

    in_digest: int
    by_number: float
    by_question: float
    kept: float
    not_kept: float
    first: float
    later: float


def figures(name: str, facts: int, tokens: int, steps: int, seed: int = 1) -> Figures:
    """Summarize a session in one of the languages step by step, and search for its facts."""
    language, rng = LANGUAGES[name], random.Random(seed)
    known = planted(language, facts, rng)
    records = list(session(language, known, tokens, rng))
    with tempfile.TemporaryDirectory() as folder:
        _digest(records[:12], 1, Path(folder, "first"), "on")  # imports what all later ones use
        _, not_kept, _ = _digest(records, steps, Path(folder, "off"), "off")
        digest, kept, summarizer = _digest(records, steps, Path(folder, "on"), "on")
        gone = [fact for fact in known if fact.value not in digest]
        _, first = _timed(lambda: summarizer.search("the first search makes the index", ANSWER))
        by_number, _ = _timed(lambda: _found(summarizer.search, gone, lambda fact: f"FACT-{fact.number}"))
        by_question, later = _timed(lambda: _found(summarizer.search, gone, lambda fact: fact.question))
    held = len(known) - len(gone)
    return Figures(held, by_number, by_question, kept, not_kept, first, later / max(1, len(gone)))


def _digest(records: list[str], steps: int, folder: Path, recall: str) -> tuple[str, float, Summarizer]:
    """The digest after the last step, the CPU seconds of all, and what can be asked afterwards."""
    settings = Settings(data_dir=folder, models=["offline/extractive"], recall=recall, journal="off")
    summarizer = Summarizer(settings)

    def work() -> str:
        result = None
        for step in range(steps):
            part = records[step * len(records) // steps : (step + 1) * len(records) // steps]
            result = summarizer.summarize(part, BUDGET, previous=result)
        return result.text if result else ""

    text, seconds = _timed(work)
    return text, seconds, summarizer


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.process_time()
    return work(), time.process_time() - started


def _found(search: Callable[[str, int], Recalled], facts: list[Fact], query: Callable[[Fact], str]) -> float:
    answers = ((fact, search(query(fact), ANSWER)) for fact in facts)
    found = sum(fact.value in answer.text and answer.tokens <= ANSWER for fact, answer in answers)
    return found / len(facts) if facts else 1.0


def main() -> None:
    """Print the rows of both parts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=("search", "agent"))
    options.add_argument("--facts", type=int, default=200)
    options.add_argument("--tokens", type=int, default=300_000)
    options.add_argument("--steps", type=int, default=5)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    if chosen.only != "agent":
        _print_searches(chosen.facts, chosen.tokens, chosen.steps)
    if chosen.only != "search":
        _print_agents(chosen.facts, chosen.tokens, chosen.steps, chosen.rounds)


def _print_searches(facts: int, tokens: int, steps: int) -> None:
    rows = []
    for name in LANGUAGES:
        got = figures(name, facts, tokens, steps)
        share = f"{got.kept / got.not_kept - 1:+.1%}"
        found = (f"{got.by_number:.1%}", f"{got.by_question:.1%}")
        rows.append((name, got.in_digest, *found, got.not_kept, share, got.first, got.later))
    head = (
        "language",
        "in digest",
        "by number",
        "by question",
        "runs (s)",
        "keeping",
        "first (s)",
        "then (s)",
    )
    table(f"{facts} facts in {tokens:,} tokens, found in {ANSWER:,} tokens", head, rows)


def _print_agents(facts: int, tokens: int, steps: int, rounds: int) -> None:
    from benchmarks import agent  # which stands on this module

    rows = []
    for kind in agent.KINDS:
        got = agent.figures(kind, tokens, facts, steps, rounds)
        ways = zip((got.by_number, got.in_words), got.calls, got.tokens, strict=True)
        cells = [cell for found, calls, read in ways for cell in (found, f"{calls:.2f}", f"{read:,.0f}")]
        rows.append((kind, got.in_digest, got.asked, *cells))
    way = ("calls", "tokens")
    head = ("session", "in digest", "asked", "by number", *way, "in words", *way)
    table(f"an agent asks for facts that its digest lost, of {facts} in {tokens:,} tokens", head, rows)


if __name__ == "__main__":
    main()
