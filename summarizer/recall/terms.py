"""What is searched for and in what: text as a full-text index reads it, queries as terms, passages' scores.

Chinese, Japanese, Korean and Thai are written without spaces that divide words: there every two neighbouring
characters are a term (bigrams, as Lucene's CJKAnalyzer has them), and longer words are phrases of these.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log

import regex

__all__ = ["Query", "Scorer", "Term", "indexed", "parsed"]

_RUN = re.compile(
    "["
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u103f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
    "\uac00-\ud7a3"  # Hangul
    "]+"
)
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30ff\u31f0-\u31ff"
_SCRIPT = re.compile(f"[{_HIRAGANA}]+|[{_KATAKANA}]+|[^{_HIRAGANA}{_KATAKANA}]+")
_GRAMMAR = re.compile(f"[{_HIRAGANA}]{{1,2}}")
_START = rf"(?:(?<![^\W_])|(?<={_RUN.pattern[:-1]}))"
"""Where a word may begin: not behind a letter or digit, unless that belongs to a run."""
_WORD = regex.compile(r"[\p{L}\p{N}\p{M}\p{Co}]+")
_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|「([^」]*)」|『([^』]*)』|«([^»]*)»')
_MARKS = re.compile("[\u0300-\u036f]")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ations?|ings?|ed|ies|es|ers?|ly|y|e|s)$")
_HASH = re.compile(r"(?=.*\d)[0-9a-z]{6,}$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON = _words(
    "a about an and any are as at be been but by can did do does for from had has have how i if in "
    "into is it its me my of on or our said s so t than that the their them then there these they "
    "this to us was we were what when where which who whose why will with you your"
)
"""Words that nearly every English passage holds: they are searched for only where there are no others."""
_MOST_TERMS = 64
_SATURATION = 1.2
"""The k1 of BM25 that SQLite's FTS5 uses: further mentions in one passage weigh less and less."""


@dataclass(frozen=True, slots=True)
class Term:
    """Words (or runs of characters without spaces) that follow each other; ``prefix``: the last may go on."""

    pieces: tuple[str, ...]
    prefix: bool = False

    @property
    def expression(self) -> str:
        """The term for FTS5: a quoted phrase of letters and digits alone, so that it is never an error."""
        *firsts, last = self.pieces
        tokens = [token for piece in firsts for token in _tokens(piece)]
        tokens += _tokens(last)[:-1] if _is_run(last) and len(last) > 1 else [last]
        is_open = self.prefix or (_is_run(last) and len(last) == 1)
        return f'"{" ".join(tokens)}"{" *" if is_open else ""}'

    @property
    def pattern(self) -> str:
        """The term as a regular expression over folded text; endings of single English words may differ."""
        start = "" if _is_run(self.pieces[0]) else _START
        return start + r"[\W_]*".join(map(re.escape, (self.stem, *self.pieces[1:])))

    @property
    def stem(self) -> str:
        """What every text with the term has in it."""
        single = len(self.pieces) == 1 and not _is_run(self.pieces[0])
        return _ENDING.sub("", self.pieces[0]) if single else self.pieces[0]

    @property
    def worth(self) -> float:
        """What it weighs beside others that are as rare: two hiragana are mostly grammar."""
        return 0.3 if len(self.pieces) == 1 and _GRAMMAR.fullmatch(self.pieces[0]) else 1.0


@dataclass(frozen=True, slots=True)
class Query:
    """``terms`` of which any may occur, and those that were quoted, which must (``required``); or signs
    alone, which no index holds (``literal``).
    """

    terms: tuple[Term, ...] = ()
    required: tuple[Term, ...] = ()
    literal: str = ""

    @property
    def expression(self) -> str:
        """The query for FTS5; empty if there is nothing in it that an index holds."""
        wanted = " OR ".join(term.expression for term in (*self.required, *self.terms))
        return " AND ".join([*(term.expression for term in self.required), f"({wanted})"]) if wanted else ""

    @property
    def relaxed(self) -> Query:
        """The same with nothing required: what is quoted may have been said in other words."""
        parts = (Term((piece,)) for term in self.required for piece in term.pieces)
        return Query(tuple(dict.fromkeys((*self.required, *parts, *self.terms)))[:_MOST_TERMS])


def folded(text: str) -> str:
    """``text`` without differences of case, width and accents."""
    if text.isascii():
        return text.lower()
    plain = _MARKS.sub("", unicodedata.normalize("NFD", text)) if _WESTERN.search(text) else text
    return unicodedata.normalize("NFKC", plain).casefold()


_WESTERN = re.compile("[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]")


def indexed(text: str) -> str:
    """``text`` as it is given to the index, whose tokenizer divides and folds the rest."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return _RUN.sub(lambda run: f" {' '.join(_tokens(run[0]))} ", text)


def parsed(query: str) -> Query:
    """What somebody typed: words, "quoted phrases", identifiers with any punctuation. Never an error."""
    if not _WORD.search(query):
        return Query(literal=folded("".join(query.split())))
    quoted = [next(filter(None, groups), "") for groups in _QUOTED.findall(query)]
    required = [Term(pieces) for text in quoted if (pieces := tuple(_pieces(text)))]
    words = _QUOTED.sub(" ", query).split()
    terms = list(dict.fromkeys(term for word in words for term in _terms(word)))
    rare = [term for term in terms if len(term.pieces) > 1 or term.pieces[0] not in _COMMON]
    return Query(tuple(rare or terms)[:_MOST_TERMS], tuple(dict.fromkeys(required))[:_MOST_TERMS])


def _terms(word: str) -> Iterator[Term]:
    """A word as it is, as a phrase, and its parts: another may name the same thing a little differently."""
    pieces = list(_pieces(word))
    if len(pieces) > 1:
        yield Term(tuple(pieces[:12]))
    for piece in pieces:
        if _is_run(piece):
            yield from _terms_of_run(piece)
        elif len(piece) > 1 or len(pieces) == 1:
            yield Term((piece,), prefix=bool(_HASH.match(piece)))


def _terms_of_run(run: str) -> Iterator[Term]:
    """Japanese changes its script where a word ends: what stands between two words is no term."""
    for word in _SCRIPT.findall(run):
        if len(word) > 2:
            yield Term((word,))
        yield from (Term((bigram,)) for bigram in (_tokens(word)[:-1] or [word]))


def _pieces(text: str) -> Iterator[str]:
    """Words and runs, folded, in order."""
    for word in _WORD.findall(folded(text)):
        at = 0
        for run in _RUN.finditer(word):
            yield from filter(None, (word[at : run.start()], run[0]))
            at = run.end()
        yield from filter(None, (word[at:],))


def _tokens(piece: str) -> list[str]:
    """A run's bigrams and its last character, so that each character begins a token; a word is one."""
    if not _is_run(piece):
        return [piece]
    return [*(piece[i : i + 2] for i in range(len(piece) - 1)), piece[-1]]


def _is_run(piece: str) -> bool:
    return bool(_RUN.match(piece))


def _counter(pattern: str, stem: str) -> Callable[[str], int]:
    """Counts in folded text; most texts do not have it, and that is seen at once."""
    if pattern == re.escape(stem):
        return lambda text: text.count(stem)
    find = re.compile(pattern).findall
    return lambda text: len(find(text)) if stem in text else 0


class Scorer:
    """How well texts answer a query: BM25 for texts of about the same length.

    ``weigh`` says how rare each term is; before that, all weigh the same.
    """

    def __init__(self, query: Query) -> None:
        terms = (*query.required, *query.terms)
        self._count = [_counter(term.pattern, term.stem) for term in terms]
        if query.literal:
            self._count.append(_counter(re.escape(query.literal), query.literal))
        self._worth = [*(term.worth for term in terms), *([1.0] if query.literal else [])]
        self._required = len(query.required)
        self._weights = self._worth

    def counts(self, text: str) -> list[int]:
        """How often each term occurs; those that are required first."""
        plain = folded(text)
        return [count(plain) for count in self._count]

    def weigh(self, having: Sequence[int], number: int) -> None:
        """Let each term weigh by how many texts have it, of so many: the rarer it is, the more it tells."""
        rarity = [max(0.01, log(1 + (number - n + 0.5) / (n + 0.5))) for n in having]
        self._weights = [worth * rare for worth, rare in zip(self._worth, rarity, strict=True)]

    def fits(self, counts: Sequence[int]) -> bool:
        """Whether a text with these counts answers the query at all."""
        return any(counts) and all(counts[: self._required])

    def score(self, counts: Sequence[int]) -> float:
        """The score of a text with these counts."""
        return sum(w * n / (n + _SATURATION) for w, n in zip(self._weights, counts, strict=True) if n)
