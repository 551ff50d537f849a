"""Finds the numbers in an error that may be counts of tokens, and passes over all the others."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import islice

from summarizer_providers.understanding.lexicon import Lexicon

__all__ = ["LEXICONS", "Numeral", "normalized", "numerals", "sentences"]

LEAST = 16
"""Tokens: smaller numbers are versions, counts of something else, or lower ends of ranges."""

_MOST, _LONGEST = 40, 800

_NAMES = re.compile(
    r"https?://\S+"
    r"|(?<![A-Z0-9_])[A-Z_][\w]*(?:[-.][\w]+)*"  # whole words; those without a digit are kept below
    r"|\d+(?:-\d+){2,}|\d+:\d\d(?::\d\d)?|\d+(?:\.\d+){2,}(?!\d)|#\d+",
    re.IGNORECASE | re.ASCII,
)
_GROUPS = r"\d{1,3}(?:[,._'’]\d{3})+(?!\d)|\d{1,3}(?: \d{3})+(?= ?(?:tok|out|inp|compl|cont))"
_NUMERAL = re.compile(
    rf"(?<![A-Z0-9_.,])(?P<digits>{_GROUPS}|\d+(?:\.\d+)?)"
    r"(?: ?(?P<times>[km](?:i\b)?|thousand|million|万|千))?(?![A-Z0-9_]|[.,]\d)",
    re.IGNORECASE | re.ASCII,
)
_TIMES = {"k": 1_000, "ki": 1_024, "thousand": 1_000, "m": 1_000_000, "mi": 1_048_576, "million": 1_000_000}
_TIMES |= {"万": 10_000, "千": 1_000}
_END = re.compile(r"(?:(?<=[.!?])(?=\s)|[\n;。])")

UNITS = Lexicon(
    "units of something else",
    *("%", "bytes?", r"[kmgt]i?b\b", "characters?", r"chars?\b", "letters?", "words?", "pages?"),
    *("seconds?", r"secs?\b", r"s\b", r"ms\b", "milliseconds?", "minutes?", r"mins?\b", "hours?", "days?"),
    *("requests?", "calls?", "images?", "files?", "messages?", "items?", "times", "retries", "attempts"),
    *("usd", "dollars?", "cents?", "credits?", "units?", "字节", "个?字符", "秒", "分钟", "小时", "天", "次"),
    *("元", "条", "张", "文字", "バイト", "分", "件", "円", "回", "個の"),
)
MONEY = Lexicon("currency signs", r"\$", "€", "£", "¥", r"us\$")
RATES = Lexicon(
    "rates and money",
    r"(?:per|a|each|every|for this|/) ?(?:minute|min\b|hour|day|second|month|week)",
    *(r"\b[ir]?[tr]p[mdhs]\b", r"\bitpm\b", r"\botpm\b", r"rate.?limit", r"quota", r"\bdaily\b", "monthly"),
    *(
        r"\bafford\b",
        r"\bcosts?\b",
        r"\bbalance\b",
        r"\bcredits?\b",
        "每分钟",
        "每天",
        "每日",
        "配额",
        "余额",
    ),
    *("毎分", "1分あたり", "残高"),
)
OTHER_THINGS = Lexicon(
    "limits of other things",
    r"\bbytes\b",
    r"\bcharacters\b",
    "字节",
    "字符",
    r"too (?:many|large|big) (?:an? )?(?:messages?|images?|files?|tools?|functions?|requests?|stop)",
    *(
        r"\bstop sequences?\b",
        r"\bstring\b",
        r"\bpayload\b",
        r"\bbody\b(?!\.)",
        r"\bport\b",
        r"\btools? (?:count|list)",
    ),
)
LEXICONS = (UNITS, MONEY, RATES, OTHER_THINGS)
"""All lists of this module, for measurements."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A whole number (16 or more, or the lower end of a range) at ``start`` to ``end`` of the text."""

    value: int
    start: int
    end: int


def normalized(text: str) -> str:
    """The text with full-width signs made plain, escapes and markup signs taken out, ids and names masked.

    Whatever holds letters and digits in one word (``gpt-4-32k``, ``req_02…``, dates) is masked by ``#``.
    """
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"\\+[nrt]", "\n", text)
    text = re.sub(r"[`*\"\\]|(?<!\w)'|'(?!\w)", "", text)
    text = re.sub(r"(\d) ?\.\. ?(\d)", r"\1 to \2", text)
    return _NAMES.sub(lambda match: match.group() if _is_word(match.group()) else "#", text)


def _is_word(name: str) -> bool:
    return not any(char.isdigit() for char in name)


def sentences(text: str) -> list[str]:
    """The parts of a text that end at a full stop, a semicolon or a line's end: the first 40, and of each the
    first 800 characters.
    """
    return [part.strip()[:_LONGEST] for part in _END.split(text) if part.strip()][:_MOST]


def numerals(sentence: str) -> list[Numeral]:
    """The first 40 numbers of one normalized sentence that may count tokens, from the left."""
    if RATES.search(sentence) or ("tok" not in sentence.lower() and OTHER_THINGS.search(sentence)):
        return []
    found = []
    for match in islice(_NUMERAL.finditer(sentence), _MOST):
        value = _value(match)
        before, after = sentence[: match.start()].rstrip(), sentence[match.end() :].lstrip(" -")
        unit = UNITS.search(after[:12])
        if value is None or (unit and unit.start() == 0) or _follows(before):
            continue
        found.append(Numeral(value, match.start(), match.end()))
    return found


def _follows(before: str) -> bool:
    """Whether what stands before a number makes it money or a code."""
    money = MONEY.search(before[-3:])
    code = re.search(r"(?:\b(?:code|status|http|errno|error)\b ?[:=(\[<]?|<)$", before, re.IGNORECASE)
    return bool(money and money.end() == len(before[-3:])) or code is not None


def _value(match: re.Match[str]) -> int | None:
    digits, times = match.group("digits"), (match.group("times") or "").lower()
    if re.fullmatch(_GROUPS, digits) or re.fullmatch(r"\d{1,3}(?: \d{3})+", digits):
        digits = re.sub(r"\D", "", digits)
    if times:
        return round(float(digits) * _TIMES[times])
    return int(digits) if digits.isdigit() and len(digits) <= 10 else None
