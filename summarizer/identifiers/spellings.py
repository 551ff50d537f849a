"""What a number, a date or a version says, as keys: two that say the same in other words share one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from summarizer.identifiers.kinds import Kind
from summarizer.identifiers.vocabulary import MONTHS

__all__ = ["said", "told"]

_NUMBER = re.compile(r"([$€£¥]?)[+-]?(\d*\.?\d+)(.*)", re.DOTALL)
_SMALL = re.compile(r"[$€£¥]?\d{1,2}(?!(?:[nm]?s|us|min|h|d)$)\D*")
"""Numbers that stand about everywhere without a unit; only times are usually noted without theirs."""
_SCALES = {"k": 10**3, "m": 10**6, "bn": 10**9, "万": 10**4, "亿": 10**8}
_SECONDS = {"ns": "1e-9", "us": "1e-6", "ms": "1e-3", "s": "1", "min": "60", "h": "3600", "d": "86400"}
_BYTES = {unit: 1000**power for power, unit in enumerate(("b", "kb", "mb", "gb", "tb"))}
_BINARY = {"b": 1} | {unit: 1024**power for power, unit in enumerate(("kb", "mb", "gb", "tb"), 1)}
_BINARY |= {unit: 1024**power for power, unit in enumerate(("kib", "mib", "gib", "tib"), 1)}

_TIME = re.compile(
    r"(?<!\d)(\d{1,2}):(\d\d)(?::(\d\d))?(?:[.,]\d+)?\s*([AaPp])?|(?<!\d)(\d{1,2})[点點時时](\d{1,2})分"
)
_ISO = re.compile(r"((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})")
_LAST_YEAR = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.]((?:19|20)\d\d)")
_EAST_ASIAN = re.compile(r"(?:(\d{2,4})年)?(?:(\d{1,2})月)?(?:(\d{1,2})[日号號])?")
_NAMED = re.compile(r"[^\W\d_]{3,}")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?=\D|$)")


def said(kind: Kind, normal: str) -> frozenset[str]:
    """All that a source tells with this identifier."""
    if kind is Kind.NUMBER:
        return frozenset(_of_number(normal, is_source=True))
    if kind is Kind.DATE:
        return frozenset(key for keys in _of_date(normal) for key in keys)
    if kind in (Kind.VERSION, Kind.ADDRESS):
        numbers = normal.split(".")
        return frozenset(f"version {'.'.join(numbers[:end])}" for end in range(2, min(8, len(numbers) + 1)))
    return frozenset()


def told(kind: Kind, normal: str) -> list[frozenset[str]]:
    """What a text claims with this identifier: of each set a source has to say one."""
    if kind is Kind.NUMBER:
        found = frozenset(_of_number(normal, is_source=False))
        if _SMALL.fullmatch(normal) and len(found) > 1:
            found = frozenset(key for key in found if not key.startswith("bare "))
        return [found | {f"version {normal}"}] if found else []
    if kind is Kind.DATE:
        return [frozenset(keys[:1]) for keys in _of_date(normal)]
    if kind is Kind.VERSION:
        return [frozenset({f"version {normal}", f"value {_shown(normal)}"})]
    return []


def _of_number(normal: str, *, is_source: bool) -> Iterator[str]:
    """A value with its unit; of a source also the value alone, which a text may give without the unit."""
    found = _NUMBER.fullmatch(normal)
    if not found:
        return
    currency, digits, unit = found.groups()
    unit = unit.strip() or currency
    if digits[0] == "0" and digits[1:2].isdigit():
        return  # a code rather than a number
    yield f"{'value' if is_source else 'bare'} {_shown(digits)}"
    if not unit:
        yield f"{'bare' if is_source else 'value'} {_shown(digits)}"
    elif unit in _SCALES:
        yield f"{'bare' if is_source else 'value'} {_shown(digits, Decimal(_SCALES[unit]))}"
    elif unit in _SECONDS:
        yield f"seconds {_shown(digits, Decimal(_SECONDS[unit]))}"
    elif unit in _BYTES or unit in _BINARY:
        yield from (
            f"bytes {_shown(digits, Decimal(table[unit]))}" for table in (_BYTES, _BINARY) if unit in table
        )
    else:
        yield f"{unit} {_shown(digits)}"


def _shown(digits: str, scale: Decimal = Decimal(1)) -> str:
    try:
        return str((Decimal(digits.replace(",", "")) * scale).normalize())
    except InvalidOperation:
        return digits


def _of_date(normal: str) -> list[list[str]]:
    """For the day and for the time of day: the keys, the one that says all of it first."""
    found = [_day(*day) for day in _days(normal)][:2]
    keys = [list(dict.fromkeys(key for keys in found for key in keys))] if found else []
    if len(found) == 2 and keys:
        keys = [keys[0]]
    time = _TIME.search(normal)
    return [*keys, _clock(time)] if time else keys


def _days(normal: str) -> Iterator[tuple[int, int, int]]:
    """Year, month and day, 0 for what is not said; both where month and day could be either."""
    if iso := _ISO.match(normal):
        yield int(iso[1]), int(iso[2]), int(iso[3])
    elif last := _LAST_YEAR.match(normal):
        first, second, year = map(int, last.groups())
        if second <= 12:
            yield year, second, first
        if first <= 12 and first != second:
            yield year, first, second
    elif "年" in normal or "月" in normal:
        if found := _EAST_ASIAN.match(normal):
            year, month, day = (int(each or 0) for each in found.groups())
            yield year + 2000 if 0 < year < 100 else year, month, day
    elif month := next(
        (MONTHS[word] for m in _NAMED.finditer(normal) if (word := m[0].lower()) in MONTHS), 0
    ):
        year_found = _YEAR.search(normal)
        rest = normal.replace(year_found[0], " ") if year_found else normal
        day_found = _DAY.search(rest.partition(":")[0])
        yield int(year_found[0]) if year_found else 0, month, int(day_found[0]) if day_found else 0


def _day(year: int, month: int, day: int) -> list[str]:
    whole = f"day {year:04}-{month:02}-{day:02}"
    parts = [f"day 0000-{month:02}-{day:02}", f"day {year:04}-{month:02}-00", f"day {year:04}-00-00"]
    return [whole, *(part for part in parts if part != whole)]


def _clock(time: re.Match[str]) -> list[str]:
    hour, minute, second = int(time[1] or time[5]), int(time[2] or time[6]), time[3]
    if time[4]:
        hour = hour % 12 + (12 if time[4] in "Pp" else 0)
    short = f"time {hour:02}:{minute:02}"
    return [f"{short}:{second}", short] if second and second != "00" else [short, f"{short}:00"]
