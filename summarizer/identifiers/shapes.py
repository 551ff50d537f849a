"""What identifiers look like: one run without spaces → the identifiers in it.

Every pattern here is tried against a run of bounded length, or has a bounded length itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from summarizer.identifiers.kinds import Kind
from summarizer.identifiers.normal import normal
from summarizer.identifiers.vocabulary import (
    BRANDS,
    DIRECTORIES,
    DOMAINS,
    ERROR_NAMES,
    EXTENSIONS,
    LABELS,
    MONTHS,
    NO_TICKETS,
    PROSE,
    UNITS,
)

__all__ = ["LETTERS", "LONGEST", "RUN", "Part", "parts"]

LONGEST = 400
"""Characters: a longer run is encoded data or minified code, which nobody looks for in a summary."""

Part = tuple[int, int, Kind, str]
"""Start and end in the run, kind, normal form."""

LETTERS = r"A-Za-z0-9_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u052f"
"""What a run is made of, within a character class: scripts that put spaces between words."""
_CJK = r"\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_MONTHLY = r"Jan|F[eé][bv]|M[aä][riy]|A[pvb]r|A[ou][gû]|Ju[nil]|Sep|O[ck]t|Nov|D[eéi][cz]|Ene"
_PLAIN = rf"(?<!\d )(?<!\d\. )(?<! de )[a-z]+|(?!{_MONTHLY})[A-Z][a-z]+"
RUN = re.compile(
    rf"(?<![{LETTERS}])(?!(?<=<)/)(?!(?:{_PLAIN})(?:[.,;]?[\s\"')\]}}>]|=|\((?!\))|\Z))"
    rf"(?:[$€£¥#@~./+-]{{1,4}}(?=[{LETTERS}/]))?[{LETTERS}](?:[{LETTERS}.:/@#+%-]|,(?=\d\d\d(?!\d))"
    rf"|(?<=[/_-])[{_CJK}]{{1,40}}(?=[/.][A-Za-z]))*(?:\(\))?"
)
"""Letters, digits and what joins the parts of paths, names, versions and numbers. Plain words, of which there
are more than of all else, are passed over, unless they could be the month of a date."""

_ENDS = ".:/-+@#"
_TIME = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?"
_DAY = r"(?:\d{4}-\d\d-\d\d|(?:19|20)\d\d(?P<in>[-/.])(?:0?[1-9]|1[0-2])(?P=in)(?:0?[1-9]|[12]\d|3[01]))"
_ZONE = r"(?:Z|[+-]\d\d(?::?\d\d)?)?"
_PRE = r"(?:[-.+]?(?:alpha|beta|rc|dev|post|pre|preview|canary|next|snapshot|SNAPSHOT|final|a|b)[-.]?\d*)"
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))


def _table(*rows: tuple[Kind, str]) -> tuple[re.Pattern[str], tuple[Kind, ...]]:
    """One pattern for all rows, the first that fits a run as a whole, and the kinds of its named groups."""
    pattern = "|".join(f"(?P<k{number}>{pattern})" for number, (_, pattern) in enumerate(rows))
    return re.compile(pattern), tuple(kind for kind, _ in rows)


_UUID = (Kind.HASH, r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = (
    Kind.HASH,
    r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}|(?=[A-F]*\d)(?=\d*[A-F])[0-9A-F]{7,64}|0x[0-9a-fA-F]{2,64}",
)
_MAIL = (Kind.HANDLE, r"[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,24}")
_BUILD = r"(?:[-+][\w.+-]{1,40})?"
_NUMERIC = _table(
    (Kind.NUMBER, rf"[$€£¥]?[+-]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?:{_UNIT}|%)?"),
    _UUID,
    _HEX,
    (Kind.DATE, rf"{_DAY}(?:[T_-]{_TIME}{_ZONE})?|{_TIME}{_ZONE}"),
    (Kind.DATE, r"(?:0?[1-9]|[12]\d|3[01])(?P<by>[-/.])(?:0?[1-9]|[12]\d|3[01])(?P=by)(?:19|20)\d\d"),
    (Kind.ADDRESS, r"(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5}|/\d{1,2})?"),
    (Kind.VERSION, rf"\d{{1,5}}(?:\.\d{{1,8}}){{2,4}}{_PRE}?{_BUILD}|\d{{1,4}}\.\d{{1,4}}{_PRE}"),
    (Kind.TICKET, r"#\d{1,7}"),
    _MAIL,
)
_NAMED = _table(
    _UUID,
    _HEX,
    (Kind.VERSION, rf"[vV]\d{{1,5}}(?:\.\d{{1,8}}){{1,4}}{_PRE}?{_BUILD}"),
    (
        Kind.ERROR,
        r"(?:TS|CS|E|C|W|F|SC|ORA-|LNK|MSB|PLW|PLR|RUF|PGRST|SQLSTATE)\d{3,5}|ERR_[A-Z_]{3,40}|SIG[A-Z]{3,5}"
        rf"|(?:[A-Za-z_][\w.]{{0,120}}\.)?(?:[A-Z]\w{{0,80}})?(?:Error|Exception)|{'|'.join(sorted(ERROR_NAMES))}",
    ),
    (Kind.TICKET, r"[A-Z][A-Z0-9]{1,9}-\d{1,7}|CVE-\d{4}-\d{4,7}"),
    (Kind.VARIABLE, r"\$?[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,12}|\$[A-Z_][A-Z0-9_]{1,60}"),
    (Kind.SYMBOL, r"--?[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*"),
    (Kind.HANDLE, r"@[A-Za-z][\w-]{2,38}"),
    _MAIL,
)
_NUMERAL = re.compile(r"[$€£¥#+-]{0,2}\d")
_HOST = re.compile(r"(?:(?:[a-z0-9-]{1,63}\.){1,6}([a-z]{2,8})|localhost)(:\d{1,5})?", re.IGNORECASE)
_WORD = re.compile(rf"[{LETTERS}](?<![\d_])[a-z\u00df-\u00f6\u00f8-\u00ff]*(?:-[a-z]+)*|[A-Z]+")
_FILE = re.compile(rf"[^/]*[^./]\.(?:{'|'.join(sorted(EXTENSIONS))})")
_DOTFILE = re.compile(r"\.(?:env|git|docker|npm|yarn|[a-z]{2,20}(?=rc|ignore))[\w.-]{0,30}")
_DOTTED_PATH = re.compile(rf"{_DOTFILE.pattern}|\.[a-z][\w-]*/")
_PATHLIKE = re.compile(rf"(?:~|\.{{1,2}}|@?[{LETTERS}.+%-]*)(?:/[{LETTERS}{_CJK}.@+%-]*)+")
_SNAKE = re.compile(r"_{0,2}[^\W_]+(?:_+[^\W_]+)+_{0,2}|__?[^\W_]{2,}(?:__)?")
_CAMEL = re.compile(
    r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}[A-Z]*|[A-Z]{2,}[a-z0-9]+[A-Z]\w*"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+")
_MIXED = re.compile(r"(?=[^\d]*\d)(?=[\W\d_]*[^\W\d_])\w+(?:[.-]\w+)*")
_NAMED_FILE = re.compile(r"[a-z]\w*(?:-\w+)+\.[a-z][a-z0-9]{1,5}")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|-?[a-z]{3,}s?)", re.IGNORECASE)
_ABBREVIATION = re.compile(r"(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,2}|etc\.[a-z]*|vs\.[a-z]*")
_MODE = re.compile(r"[-dlrwxsStT]{9,10}")
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_CUTS = (
    re.compile(r"::|[:#]|@(?=v?\d)"),
    re.compile(r"[/+%@]|-(?=\d)|(?<=\d)-|\.\.+|(?<=[a-z]{3})\.(?=[A-Z][a-z]+$)"),
)
"""Where a run is cut that is nothing as a whole: the first that occur."""


@lru_cache(maxsize=1 << 16)
def parts(run: str) -> tuple[Part, ...]:
    """The identifiers in a run that ``RUN`` found, in order and apart from each other.

    A label of an error, the name of a month and the beginning of a URL have an empty normal form: they are
    part of something.
    """
    if run.isdigit() and run[0] != "0":
        return ((0, len(run), Kind.NUMBER, run),) if len(run) > 1 else ()
    if (
        run[:1].isdigit()
        and (run[-1].isdigit() or not _ORDINAL.fullmatch(run))
        and (numeric := _NUMERIC[0].fullmatch(run))
    ):
        kind = _NUMERIC[1][int((numeric.lastgroup or "k0")[1:])]
        return () if _is_too_plain(kind, run, run) else ((0, len(run), kind, normal(kind, run)),)
    if "://" in run:
        return ((0, len(run), Kind.URL, ""),)
    word = run.rstrip(_ENDS)
    if _WORD.fullmatch(word) and word not in ERROR_NAMES:
        lower = word.lower()
        if lower in LABELS:
            return ((0, len(word), Kind.ERROR, ""),)
        return ((0, len(word), Kind.DATE, ""),) if lower in MONTHS else ()
    return tuple(_parts(run, 0, 3)) if len(run) <= LONGEST else ()


def _parts(run: str, at: int, depth: int) -> list[Part]:
    """The same for a part of a run that begins ``at``; ``depth`` times it may be cut further."""
    start, end = _bare(run)
    bare = run[start:end]
    if len(bare) < 2:
        return []
    kind = _kind(bare)
    if kind is not None:
        if kind is Kind.PATH and run[end : end + 1] == "/":
            end += 1
        return [(at + start, at + end, kind, normal(kind, run[start:end]))]
    if bare.lower() in LABELS:
        return [(at + start, at + end, Kind.ERROR, "")]
    if not depth:
        return []
    cuts = next(
        (cuts for pattern in _CUTS if (cuts := [i for m in pattern.finditer(bare) for i in m.span()])), []
    )
    borders = [0, *cuts, len(bare)]
    pieces = [(a, b) for a, b in list(pairwise(borders))[::2] if 1 < b - a < len(bare)]
    return [part for a, b in pieces for part in _parts(bare[a:b], at + start + a, depth - 1)]


def _bare(run: str) -> tuple[int, int]:
    """Where a run begins and ends without what only surrounds it."""
    end = len(run.rstrip(_ENDS)) if not run.endswith("()") else len(run)
    start = 0
    while start < end and run[start] in "./+-#@~$€£¥":
        rest = run[start:end]
        if rest[0] in "$€£¥" or rest.startswith(("/", "./", "../", "~/")) or _DOTTED_PATH.match(rest):
            break
        if rest[0] == "#" and (rest[1:2].isdigit() or _COLOUR.fullmatch(rest)):
            break
        if rest[0] == "@" and rest[1:2].isalpha() and not _FILE.fullmatch(rest[1:]):
            break
        if rest[0] == "-" and start == 0 and rest.lstrip("-")[:1].isalpha():
            break
        start += 1
    return start, end


def _kind(bare: str) -> Kind | None:
    """What a run is as a whole; None if it is none, or several."""
    if bare.endswith("()"):
        return Kind.SYMBOL
    if bare[0] == "#" and _COLOUR.fullmatch(bare):
        return Kind.SYMBOL
    lower = bare.lower()
    if lower in PROSE or bare in BRANDS or (bare[0].isdigit() and _ORDINAL.fullmatch(bare)):
        return None
    pattern, kinds = _NUMERIC if _NUMERAL.match(bare) else _NAMED
    if found := pattern.fullmatch(bare):
        kind = kinds[int((found.lastgroup or "k0")[1:])]
        return None if _is_too_plain(kind, bare, lower) else kind
    if "." in bare or "/" in bare or ":" in bare:
        if _is_host(bare, lower):
            return Kind.ADDRESS
        if _is_path(bare, lower):
            return Kind.PATH
    if "/" in bare or "@" in bare or ":" in bare.replace("::", ""):
        return None
    return Kind.SYMBOL if _is_symbol(bare) else None


def _is_too_plain(kind: Kind, bare: str, lower: str) -> bool:
    if kind is Kind.NUMBER:
        return len(bare) < 2 or (bare.isdigit() and bare.startswith("00"))
    if kind is Kind.TICKET:
        return lower.partition("-")[0] in NO_TICKETS
    return kind is Kind.SYMBOL and len(bare.lstrip("-")) < 3


def _is_host(bare: str, lower: str) -> bool:
    found = _HOST.fullmatch(lower)
    if not found or "." + bare.rpartition(".")[2] in (".py", ".rs"):
        return False
    return bool(found[2]) if found[1] is None else found[1] in DOMAINS


def _is_path(bare: str, lower: str) -> bool:
    bare = bare.removeprefix("@")
    if "..." in bare or "::" in bare or ":" in bare:
        return False
    if "/" not in bare:
        named = _FILE.fullmatch(lower if bare.isupper() else bare)
        return bool(named and not bare[0].isdigit()) or bool(_DOTFILE.fullmatch(bare))
    if not _PATHLIKE.fullmatch(bare) or not any(map(str.isalpha, bare)):
        return False
    if bare.startswith(("/", "./", "../", "~/")):
        return len(bare) > 3
    if bare.isupper():
        return False
    if _FILE.fullmatch(bare.rpartition("/")[2]) or lower.partition("/")[0] in DIRECTORIES:
        return True
    if bare == lower and (bare.count("/") > 2 or "_" in bare or ("-" in bare and not bare[0].isdigit())):
        return True
    return bool(re.fullmatch(r"[\w.-]*[._-][\w.-]*/[\w./-]+", bare))


def _is_symbol(bare: str) -> bool:
    if not bare.isidentifier() and (_ABBREVIATION.fullmatch(bare) or _MODE.fullmatch(bare)):
        return False
    if _SNAKE.fullmatch(bare) or _CAMEL.fullmatch(bare):
        return not bare.isupper() and not (bare.endswith("s") and bare[:-1].isupper())
    if _DOTTED.fullmatch(bare):
        names = re.split(r"\.|::", bare)
        return "::" in bare or (len(bare) > 4 and max(map(len, names)) > 2)
    return bool(_MIXED.fullmatch(bare) or _NAMED_FILE.fullmatch(bare))
