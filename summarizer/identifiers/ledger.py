"""Where identifiers occur: counted by who says them, for any stretch of records, and put together again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from summarizer.identifiers.finding import scan
from summarizer.identifiers.kinds import Kind
from summarizer.identifiers.voices import VOICES, Voice, stretches, voices
from summarizer.records import Record

__all__ = ["Entry", "Key", "Ledger", "ledger"]

Key = tuple[Kind, str]
"""Kind and normal form."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One identifier in a stretch of records.

    ``text`` is its first spelling, ``first`` where that stands (a record's position, a character of its
    text), ``last`` the position of the last record that names it, ``counts`` the mentions by ``Voice``.
    """

    kind: Kind
    normal: str
    text: str
    first: tuple[int, int]
    last: int
    counts: tuple[int, ...]

    @property
    def key(self) -> Key:
        """By which two mentions are of the same thing."""
        return self.kind, self.normal

    @property
    def mentions(self) -> int:
        """How often it is named."""
        return sum(self.counts[: Voice.FAILING])

    def merged(self, other: Entry) -> Entry:
        """The same identifier in both stretches."""
        early = self if (self.first, self.text) <= (other.first, other.text) else other
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Entry(self.kind, self.normal, early.text, early.first, max(self.last, other.last), counts)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The identifiers of a stretch of records; ``last`` is the last position of the stretch (-1: none)."""

    entries: Mapping[Key, Entry] = field(default_factory=lambda: MappingProxyType({}))
    last: int = -1

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def merged(self, *others: Ledger) -> Ledger:
        """One for all these stretches, in whatever order and however they are put together."""
        entries = dict(self.entries)
        for other in others:
            for key, entry in other.entries.items():
                entries[key] = entries[key].merged(entry) if key in entries else entry
        return Ledger(MappingProxyType(entries), max([self.last, *(other.last for other in others)]))

    def only(self, keys: Iterable[Key]) -> Ledger:
        """The same with these identifiers alone: what is carried along where all would be too many."""
        kept = {key: self.entries[key] for key in keys if key in self.entries}
        return Ledger(MappingProxyType(kept), self.last)


def ledger(
    records: Sequence[Record],
    positions: Iterable[int] | None = None,
    spoken: Sequence[Voice] | None = None,
) -> Ledger:
    """The ledger of these records, at these positions (0, 1, … if None).

    ``spoken`` are the records' voices; a stretch of a session is given those that ``voices`` tells of the
    whole. Time is linear in the text.
    """
    tally: dict[Key, _Tally] = {}
    last = -1
    at = range(len(records)) if positions is None else positions
    for record, position, voice in zip(
        records, at, voices(records) if spoken is None else spoken, strict=True
    ):
        _read(record.text, position, voice, tally)
        last = max(last, position)
    return Ledger(MappingProxyType({key: each.entry(*key) for key, each in tally.items()}), last)


class _Tally:
    """An entry in the making."""

    __slots__ = ("counts", "first", "last", "text")

    def __init__(self, text: str, first: tuple[int, int]) -> None:
        self.text = text
        self.first = first
        self.last = first[0]
        self.counts = [0] * VOICES

    def entry(self, kind: Kind, form: str) -> Entry:
        return Entry(kind, form, self.text, self.first, self.last, tuple(self.counts))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FAILURE = re.compile(
    r"(?:[Ee]rror|ERROR|FAIL(?:ED|URE)?|[Ff]ailed|[Ff]atal|FATAL|[Pp]anic|[Tt]raceback|[Ee]xception)"
    r"(?:[:(\[]| [-—:]|$)|npm ERR!|exit (?:code|status):? [1-9]|command not found|No such file"
    r"|错误|錯誤|失败|失敗|エラー|오류|Fehler|ошибк",
    re.MULTILINE,
)
_DECISION = re.compile(
    r"\b(?:[Dd]ecid|[Dd]ecision|[Aa]gree|[Ii]nstead\b|[Nn]o longer\b|[Rr]ather than\b"
    r"|[Ss]witch(?:ed|ing)? to\b"
    r"|[Cc]hanged? (?:it )?(?:to|from)\b|[Rr]evert|[Rr]enamed?\b|[Rr]eplac|[Dd]eprecat|[Mm]ust\b|[Dd]on't\b"
    r"|[Nn]ever\b|[Ll]et's (?:use|keep|go)|[Ww]e(?:'ll| will) (?:use|keep|go)|[Ee]ntschied|[Ss]tattdessen"
    r"|nicht mehr\b|[Dd]écid|au lieu\b|en lugar\b|ya no\b|вместо|решил)"
    r"|决定|決定|改为|改成|改用|换成|不再|取消|必须|同意|变更|変更|代わりに|やめ|ことにし|廃止|判定|결정|대신"
)
_FAILURE_SIGNS = (
    *_words("rror ERROR FAIL ailed atal FATAL anic raceback xception ERR! exit ound such Fehler ошибк"),
    *_words("错误 錯誤 失败 失敗 エラー 오류"),
)
_DECISION_SIGNS = (
    *_words("ecid ecisi gree nstead longer ather witch hange evert ename eplac eprecat Must must on't"),
    *_words(
        "ever et's e'll ill entschied Entschied stattdessen Stattdessen nicht écid lieu lugar ya вместо решил"
    ),
    *_words(
        "决定 決定 改为 改成 改用 换成 不再 取消 必须 同意 变更 変更 代わりに やめ ことにし 廃止"
        " 判定 결정 대신"
    ),
)
"""Without one of these a text needs no closer look, and most have none."""
_FAR = 400
"""Characters of a line, on either side of such a word, for which it counts."""
_LABEL_ENDS = ('":', "':", '\\"')
_DATA = frozenset({Voice.CHANGED, Voice.WRITTEN, Voice.CALLED, Voice.TOOL})
_SAID = frozenset({Voice.USER, Voice.PASTED, Voice.REPORT, Voice.WORKER, Voice.TEXT})


def _read(text: str, position: int, voice: Voice, tally: dict[Key, _Tally]) -> None:
    found = scan(text)
    if not found:
        return
    failing = _Lines(text, _FAILURE, _FAILURE_SIGNS)
    deciding = _Lines(text, _DECISION, _DECISION_SIGNS) if voice in _SAID else None
    borders = iter(stretches(text, voice))
    _, now = next(borders)
    border = next(borders, None)
    for start, end, kind, form in found:
        while border is not None and border[0] <= start:
            now, border = border[1], next(borders, None)
        key = (kind, form)
        each = tally.get(key)
        if each is None:
            each = tally[key] = _Tally(text[start:end], (position, start))
        each.last = position if position > each.last else each.last
        counts = each.counts
        counts[
            Voice.LISTING if kind is Kind.SYMBOL and now in _DATA and _is_label(text, start, end) else now
        ] += 1
        if failing.holds(start):
            counts[Voice.FAILING] += 1
        if deciding is not None and now in _SAID and deciding.holds(start):
            counts[Voice.DECIDING] += 1


def _is_label(text: str, start: int, end: int) -> bool:
    """Whether a name is one of a field or an argument, which says more of the form than of the matter."""
    behind = text[end : end + 2]
    return behind in _LABEL_ENDS or (behind[:1] == ":" and (not start or text[start - 1] == "\n"))


class _Lines:
    """Whether places that are asked for in order lie on a line that holds a word of a kind."""

    __slots__ = ("_end", "_matches", "_start", "_text")

    def __init__(self, text: str, pattern: re.Pattern[str], signs: Iterable[str]) -> None:
        self._text = text
        self._matches = pattern.finditer(text) if any(sign in text for sign in signs) else iter(())
        self._start = self._end = -1
        self._go_on()

    def holds(self, at: int) -> bool:
        """Whether the line at ``at`` does."""
        while self._end <= at:
            self._go_on()
        return self._start <= at

    def _go_on(self) -> None:
        match = next(self._matches, None)
        if match is None:
            self._start = self._end = len(self._text) + 1
            return
        start, end = match.span()
        self._start = max(start - _FAR, self._text.rfind("\n", max(0, start - _FAR), start) + 1)
        stop = self._text.find("\n", end, end + _FAR)
        self._end = stop if stop >= 0 else min(len(self._text), end + _FAR) + 1
