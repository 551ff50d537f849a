"""How many answers a summary keeps: questions about sessions, each with a short answer that a good one holds.

python -m benchmarks.probes [--sessions DIR] [--probes DIR] [--budget N]… [--without METHOD]…

A file of probes is a JSON list of objects with `answer` and `aliases`, beside a session of the same name. An
answer is kept if it, or one of its aliases, stands in the text as written, between word boundaries.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT, log, table
from summarizer import Record, summarize
from summarizer.reading import read_records
from summarizer_providers.segmentation import spans
from summarizer_providers.tokens import get_counter

__all__ = ["kept", "main", "whole_lines"]

SHARED = ROOT.parent / "shared"
BUDGETS = (1_500, 4_000)
BLOCK = 150
"""Sentences that LexRank sees at once: it compares each with each, so that a whole session is beyond it."""
ENDS = frozenset(".!?:;…。！？：；」』”\"')）】*`_")
count = get_counter().count


def offline(records: Sequence[Record], budgets: Sequence[int]) -> list[str]:
    """The offline model, through the public call."""
    return [summarize(records, budget, models=["offline/extractive"]).text for budget in budgets]


def head(records: Sequence[Record], budgets: Sequence[int]) -> list[str]:
    """The first tokens of the input."""
    return [_first(_text(records), budget) for budget in budgets]


def tail(records: Sequence[Record], budgets: Sequence[int]) -> list[str]:
    """The last tokens of the input."""
    return [_last(_text(records), budget) for budget in budgets]


def half(records: Sequence[Record], budgets: Sequence[int]) -> list[str]:
    """Half of the budget for the first tokens, half for the last."""
    text = _text(records)
    return [f"{_first(text, budget // 2)}\n{_last(text, budget - budget // 2)}" for budget in budgets]


def lexrank(records: Sequence[Record], budgets: Sequence[int]) -> list[str]:
    """sumy's LexRank over blocks of sentences, each with its share of the budget."""
    sentences = [record.text[start:end] for record in records for start, end in spans(record.text)]
    blocks = [_ranked(sentences[at : at + BLOCK]) for at in range(0, len(sentences), BLOCK)]
    shares = [sum(map(len, block)) / max(1, sum(map(len, sentences))) for block in blocks]
    return [
        "\n".join(
            sentence
            for block, share in zip(blocks, shares, strict=True)
            for sentence in _fill(block, share * budget)
        )
        for budget in budgets
    ]


Method = Callable[[Sequence[Record], Sequence[int]], list[str]]
METHODS: dict[str, Method] = {
    "offline": offline,
    "head": head,
    "tail": tail,
    "half": half,
    "lexrank": lexrank,
}


def kept(text: str, probe: dict[str, Any], flags: int = 0) -> bool:
    """Whether the answer or one of its aliases stands in the text between word boundaries."""
    answers = [probe["answer"], *probe.get("aliases", ())]
    return any(re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text, flags) for answer in answers)


def whole_lines(text: str, records: Sequence[Record]) -> float:
    """The share of the text's lines (not blank) that are a line of a record, or a sentence of one."""
    known = {line.strip() for record in records for line in record.text.splitlines()}
    source = "\n".join(record.text for record in records)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return sum(line in known or _is_sentence(line, source) for line in lines) / max(1, len(lines))


def main() -> None:
    """Prints a table for each budget; exits with 2 where there are no probes."""
    options = _options()
    files = sorted(options.probes.glob("*.json"))
    if not files:
        log(f"{options.probes}: expected a folder with files of probes (*.json)")
        sys.exit(2)
    budgets = options.budget or BUDGETS
    methods = {name: method for name, method in METHODS.items() if name not in options.without}
    results = [_measured(file, options.sessions, budgets, methods) for file in files]
    for number, budget in enumerate(budgets):
        rows = [result[number] for result in results]
        means = ["average", *(sum(column) / len(rows) for column in list(zip(*rows, strict=True))[1:])]
        table(
            f"{budget:,} tokens: share of answers kept",
            ["", *methods, "offline, any case", "whole lines", "tokens"],
            [[*row[:-1], f"{row[-1]:,.0f}"] for row in (*rows, means)],
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sessions", type=Path, default=SHARED / "sessions")
    parser.add_argument("--probes", type=Path, default=SHARED / "probes")
    parser.add_argument("--budget", type=int, action="append", help="tokens; may be given several times")
    parser.add_argument(
        "--without", action="append", default=[], choices=METHODS, help="a method to leave out"
    )
    return parser.parse_args()


def _measured(
    file: Path, sessions: Path, budgets: Sequence[int], methods: dict[str, Method]
) -> list[list[Any]]:
    """For each budget a row: name, shares by method, any case, whole lines, tokens."""
    log(file.stem)
    probes = json.loads(file.read_text(encoding="utf-8"))
    records = read_records(sessions / f"{file.stem}.jsonl.gz")
    by_budget = zip(*(method(records, budgets) for method in methods.values()), strict=True)
    return [_row(file.stem, dict(zip(methods, texts, strict=True)), probes, records) for texts in by_budget]


def _row(
    name: str, texts: dict[str, str], probes: list[dict[str, Any]], records: Sequence[Record]
) -> list[Any]:
    ours = texts.get("offline", "")
    shares = [_share(text, probes) for text in texts.values()]
    return [name, *shares, _share(ours, probes, re.IGNORECASE), whole_lines(ours, records), count(ours)]


def _share(text: str, probes: list[dict[str, Any]], flags: int = 0) -> float:
    return sum(kept(text, probe, flags) for probe in probes) / len(probes)


def _is_sentence(line: str, source: str) -> bool:
    """Whether the line stands in the source from a sentence's or line's start to an end, however wrapped."""
    pattern = r"\s+".join(map(re.escape, line.split()))
    for match in re.finditer(pattern, source):
        before = source[max(0, match.start() - 80) : match.start()].rstrip(" \t")[-1:]
        after = source[match.end() : match.end() + 80].lstrip(" \t")[:1]
        if (before in ("", "\n") or before in ENDS) and (after in ("", "\n", "\r") or line[-1] in ENDS):
            return True
    return False


def _text(records: Sequence[Record]) -> str:
    return "\n".join(record.text for record in records)


def _first(text: str, budget: int) -> str:
    return text[: _most(budget, len(text), lambda at: text[:at])]


def _last(text: str, budget: int) -> str:
    return text[len(text) - _most(budget, len(text), lambda at: text[len(text) - at :]) :]


def _most(budget: int, size: int, part: Callable[[int], str]) -> int:
    """The most characters of a part that has at most ``budget`` tokens."""
    low, high = 0, min(size, 12 * budget)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(part(middle)) <= budget else (low, middle - 1)
    return low


class _Words:
    """What sumy wants of a tokenizer, without data to download."""

    def to_sentences(self, text: str) -> list[str]:
        return text.split("\n")

    def to_words(self, text: str) -> list[str]:
        return re.findall(r"\w+", text)


def _ranked(sentences: Sequence[str]) -> list[str]:
    """The sentences, the most central first."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.summarizers.lex_rank import LexRankSummarizer

    class Ranking(LexRankSummarizer):
        def _get_best_sentences(self, sentences: Any, _count: int, rating: Any) -> Any:
            return sorted(sentences, key=rating.get, reverse=True)

    document = ObjectDocumentModel([Paragraph([Sentence(text, _Words()) for text in sentences])])
    return [str(sentence) for sentence in Ranking()(document, len(sentences))]


def _fill(sentences: Sequence[str], room: float) -> list[str]:
    taken = []
    for sentence in sentences:
        tokens = count(sentence) + 1
        if tokens <= room:
            taken.append(sentence)
            room -= tokens
    return taken


if __name__ == "__main__":
    main()
