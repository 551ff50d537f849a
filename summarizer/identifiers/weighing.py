"""How much each identifier of a ledger matters, by a rule that was fixed before anything was measured.

    weight = kind · Σ over voices (voice · s(mentions)) · (1 + recent · 2^(-age / half)) / common
    s(n)   = n · (k + 1) / (n + k), and 0 for none
    common = 1 + ln(1 + listed / (10 · said))

Sources of the constants:

- **Voices.** A user 2, a report 1.6, an assistant at work 1, text 1, a tool 0.4, a system prompt 0.2: the
  factors by which the offline model ranks speakers. What a call changes counts as a report of it does
  (1.6); what it writes, what a call only asks, and what a user pastes lie between the assistant's words
  and a tool's output (0.6). A listing, a log or a file as a whole counts a tenth of a short answer (0.04).
- **Beside them.** A mention near a decision, or in an error, counts as one by the assistant more (1, 0.8).
- **s** is the saturation of BM25 with the usual k = 1.2: the second mention adds 0.4, all others 0.8.
- **Recent.** Up to half as much again for what is named at the end, half of that a tenth of the records
  earlier: the last things are those that the work goes on with.
- **Common.** What files and listings are full of beside the times that anybody speaks of it is a library's
  name (``fmt.Errorf``): ten mentions there for one elsewhere take off two fifths. The logarithm is that of
  a term's rarity, as in the offline model.
- **Kinds.** 1 for what can only be looked up (a path, a URL, a hash, a version, a ticket, a variable,
  a name); more for addresses and errors (1.2), which are short and whose loss costs a search, and for
  facts that were planted (4); less for what is common and repeats by chance: dates (0.6), words in quotes
  or backticks (0.5, 0.4), numbers (0.7 with a unit or a fraction, 0.3 of three digits and more, 0.1 of
  two), names of three characters and fewer (0.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import log

from summarizer.identifiers.kinds import Kind
from summarizer.identifiers.ledger import Entry, Ledger
from summarizer.identifiers.voices import Voice

__all__ = ["RULE", "Rule", "Weighed", "weight", "weightiest"]

_KINDS = {
    Kind.FACT: 4.0,
    Kind.ADDRESS: 1.2,
    Kind.ERROR: 1.2,
    Kind.DATE: 0.6,
    Kind.QUOTED: 0.5,
    Kind.CODE: 0.4,
    Kind.NUMBER: 0.3,
}
_VOICES = {
    Voice.USER: 2.0,
    Voice.PASTED: 0.6,
    Voice.REPORT: 1.6,
    Voice.WORKER: 1.0,
    Voice.CHANGED: 1.6,
    Voice.WRITTEN: 0.6,
    Voice.CALLED: 0.6,
    Voice.TOOL: 0.4,
    Voice.LISTING: 0.04,
    Voice.SYSTEM: 0.2,
    Voice.TEXT: 1.0,
    Voice.FAILING: 0.8,
    Voice.DECIDING: 1.0,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """The constants of the formula; ``half`` is a share of the records."""

    kinds: Mapping[Kind, float] = field(default_factory=lambda: _KINDS)
    voices: Mapping[Voice, float] = field(default_factory=lambda: _VOICES)
    measure: float = 0.7
    pair: float = 0.1
    short: float = 0.3
    saturation: float = 1.2
    recent: float = 0.5
    half: float = 0.1
    listed: float = 10.0


RULE = Rule()
"""The rule that is used where none is given."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """An identifier and its weight, which only means something beside others of the same ledger."""

    entry: Entry
    weight: float


def weight(entry: Entry, last: int, rule: Rule = RULE) -> float:
    """The weight of an identifier in a stretch of which ``last`` is the last position."""
    k = rule.saturation
    said = sum(
        rule.voices[voice] * count * (k + 1) / (count + k)
        for voice, count in zip(Voice, entry.counts, strict=True)
        if count
    )
    age = (last - entry.last) / max(1, last)
    return _kind(entry, rule) * said * (1 + rule.recent * 2 ** (-age / rule.half)) / _common(entry, rule)


def _common(entry: Entry, rule: Rule) -> float:
    listed = entry.counts[Voice.LISTING] + entry.counts[Voice.WRITTEN]
    return 1 + log(1 + listed / (rule.listed * max(1, entry.mentions - listed)))


def _kind(entry: Entry, rule: Rule) -> float:
    if entry.kind is Kind.NUMBER:
        if not entry.normal.isdigit():
            return rule.measure
        return rule.pair if len(entry.normal) < 3 else rule.kinds[Kind.NUMBER]
    if entry.kind is Kind.SYMBOL and len(entry.normal) < 4:
        return rule.short
    return rule.kinds.get(entry.kind, 1.0)


def weightiest(ledger: Ledger, number: int, rule: Rule = RULE) -> list[Weighed]:
    """The ``number`` weightiest, the heaviest first; one that a heavier one holds as a part is left out.

    The same ledger gives the same list: what weighs the same is in the order of its first mention.
    """
    ranked = sorted(
        (Weighed(entry, weight(entry, ledger.last, rule)) for entry in ledger),
        key=lambda each: (-each.weight, each.entry.first, each.entry.key),
    )
    return list(_without_parts(ranked, number))


def _without_parts(ranked: list[Weighed], number: int) -> Iterator[Weighed]:
    held: set[str] = set()
    left = number
    for each in ranked:
        if not left:
            return
        if each.entry.normal not in held:
            left -= 1
            held.update(_parts(each.entry))
            yield each


def _parts(entry: Entry) -> Iterator[str]:
    """The identifier itself, and the ends of a path, by which it is named as well."""
    yield entry.normal
    if entry.kind in (Kind.PATH, Kind.URL):
        names = entry.normal.split("/")
        yield from ("/".join(names[at:]) for at in range(1, min(len(names), 40)))
