"""Text → the identifiers in it, in a few passes that each take time in proportion to the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from summarizer.identifiers.kinds import Identifier, Kind
from summarizer.identifiers.normal import normal, plain
from summarizer.identifiers.shapes import LETTERS, LONGEST, RUN, Part, parts
from summarizer.identifiers.vocabulary import SPOKEN_UNITS

__all__ = ["Found", "find", "scan"]

Found = tuple[int, int, Kind, str]
"""Start and end in the text, kind, normal form."""

_MESSAGE = 160
"""Characters: what an error message is kept of; the rest of its line is a dump."""
_LONGEST_URL = 2_000

_FACT = re.compile(r"FACT-\d{6}: ?[^\n]{1,400}")
_URL = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.-]{{0,20}}://[^\s<>\"'`(){{}}|\\\[\]（）。，、；：「」『』“”]{{2,{_LONGEST_URL}}}"
)
_WINDOWS = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[^\s\"'`<>|*?:;,()\[\]]{2,200}")
_DAY_BEFORE = re.compile(r"(?<![\d.])(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\.? (?:of |de )?$")
_DAY_AFTER = re.compile(r"\.? \d{1,2}(?:st|nd|rd|th)?(?!\d)(?:,? (?:19|20)\d\d(?!\d))?")
_YEAR_AFTER = re.compile(r"\.?,? (?:de )?(?:19|20)\d\d(?!\d)")
_VERBS = frozenset({"may", "march", "mar", "mars"})
"""Names of months that are words too, where they are written small."""
_EAST_ASIAN_DATE = re.compile(
    r"(?<!\d)(?:\d{2,4}年(?:\d{1,2}月(?:\d{1,2}[日号號])?)?|\d{1,2}月\d{1,2}[日号號])(?!間)"
    r"|(?<!\d)\d{1,2}[点點時时]\d{1,2}分"
)
_MERIDIEM = re.compile(r"(?::[0-5]\d)? ?[AaPp]\.?[Mm]\b\.?")
_UNIT = re.compile(
    rf"[ \u00a0]?(?:{'|'.join(sorted(map(re.escape, SPOKEN_UNITS), key=len, reverse=True))})(?![{LETTERS}])"
)
_GOES_ON = frozenset({" ", "\u00a0", ":", *(unit[0] for unit in SPOKEN_UNITS), *"AaPp"})
"""What a unit or a half of the day behind a number begins with."""
_QUOTED = re.compile(
    r"`(?<!``)`*([^`\n]{2,160})`|\"([^\"\n]{4,120})\"|'(?<![\w']')([^'\n]{4,120})'(?![\w'])|“([^”\n]{2,80})”"
    r"|‘([^’\n]{4,80})’|「([^」\n]{2,60})」|『([^』\n]{2,60})』|«([^»\n]{2,80})»|《([^》\n]{2,60})》"
    r"|„([^“”\n]{2,80})[“”]"
)
"""Each begins with its mark, whatever must stand before it: the search is one for these marks."""
_CODE_GROUP = 1
_SPACED_GROUPS = frozenset({2, 3, 5})
"""Marks that are all over code: only words with a space between them are taken from there."""
_SYNTAX = re.compile(r"[{}\[\]<>=;|\\$]|%[a-z]|, ?$|^[,:)]")
_WORDY = re.compile(r"\w\W* \W*\w")
_REST = re.compile(r"(?:\[[\w-]{1,20}\])?[:：] *([^\n]{3,200})")
_MESSAGE_ENDS = " \t\r.,;"
_CODE_ENDS = "{};,([=>"
_TEMPLATE = re.compile(r"%[a-z+]|\$\{|\", ?\w|\\n|^[\"(%]|\)\)")
"""In a message that a program is to write, not one that it wrote."""
_SIGNS = (
    "ommand not found",
    "No such file or directory",
    "ermission denied",
    "onnection refused",
    "onnection reset",
    "Segmentation fault",
    "core dumped",
    "ut of memory",
    "odule not found",
    "拒绝",
    "找不到",
)
"""What messages of shells and systems end with. A regular expression for all takes ten times as long."""
_TROUBLE = re.compile("|".join(_SIGNS))
_EAST_ASIAN_ERROR = re.compile(r"(?:错误|錯誤|失败|失敗|异常|異常|エラー|例外|오류)[:：] ?[^\n。]{3,120}")


def find(text: str) -> Iterator[Identifier]:
    """The identifiers of a text in order; those within a quotation or an error message follow it.

    Time and memory are linear in the text, whatever is in it.
    """
    for start, end, kind, form in scan(text):
        yield Identifier(kind, text[start:end], form, start, end)


def scan(text: str) -> list[Found]:
    """The same as plain tuples, for whoever reads millions of them."""
    read = plain(text)
    covers = _covers(read)
    found = [*covers, *_trouble(read)]
    unmarked = len(found)
    _quotations(read, found)
    marked = len(found) - unmarked
    _runs(read, covers, found)
    found.sort(key=_order)
    return _once(found) if marked else found


def _once(found: list[Found]) -> list[Found]:
    """Without quotations that hold one identifier and nothing else."""
    others = {each[:2] for each in found if each[2] is not Kind.QUOTED and each[2] is not Kind.CODE}
    return [each for each in found if each[2] not in _MARKED or each[:2] not in others]


_MARKED = frozenset({Kind.QUOTED, Kind.CODE})


def _order(found: Found) -> tuple[int, int]:
    return found[0], -found[1]


def _covers(text: str) -> list[Found]:
    """Those that hold no others: facts, East Asian dates, Windows paths; apart from each other, in order."""
    found: list[Found] = []
    if "FACT-" in text:
        found += (_trimmed(m, Kind.FACT) for m in _FACT.finditer(text))
    if ":\\" in text:
        found += (_trimmed(m, Kind.PATH) for m in _WINDOWS.finditer(text))
    if not text.isascii():
        found += (_trimmed(m, Kind.DATE) for m in _EAST_ASIAN_DATE.finditer(text))
    return _apart(sorted(found, key=_order)) if len(found) > 1 else found


def _trimmed(match: re.Match[str], kind: Kind) -> Found:
    text = match[0].rstrip(" \t\r" if kind is Kind.FACT else " \t\r.,\\")
    return match.start(), match.start() + len(text), kind, normal(kind, text)


def _apart(found: list[Found]) -> list[Found]:
    kept: list[Found] = []
    for each in found:
        if not kept or each[0] >= kept[-1][1]:
            kept.append(each)
    return kept


def _trouble(text: str) -> Iterator[Found]:
    """Messages that are known by their last words, from the start of their line; East Asian ones."""
    last = 0
    for match in _TROUBLE.finditer(text) if any(sign in text for sign in _SIGNS) else ():
        end = match.end()
        start = max(last, text.rfind("\n", max(last, end - _MESSAGE), end) + 1, end - _MESSAGE)
        line = text[start:end].lstrip(" \t>$#*-")
        start, last = end - len(line), end
        if line.count(" ") and ":" in line:
            yield start, end, Kind.ERROR, normal(Kind.ERROR, line)
    if not text.isascii():
        for match in _EAST_ASIAN_ERROR.finditer(text):
            yield _trimmed(match, Kind.ERROR)


def _quotations(text: str, found: list[Found]) -> None:
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        start, end = match.span(group)
        inner = text[start:end]
        if inner[0].isspace() or inner[-1].isspace() or not any(map(str.isalnum, inner)):
            continue
        if group == _CODE_GROUP:
            if not _is_one(inner):
                found.append((start, end, Kind.CODE, normal(Kind.CODE, inner)))
        elif group not in _SPACED_GROUPS or (_WORDY.search(inner) and not _SYNTAX.search(inner)):
            found.append((start, end, Kind.QUOTED, normal(Kind.QUOTED, inner)))


def _is_one(text: str) -> bool:
    """Whether a text is an identifier of its own as a whole."""
    run = RUN.fullmatch(text)
    met = parts(text) if run else ()
    return len(met) == 1 and bool(met[0][3]) and met[0][1] - met[0][0] >= len(text) - 1


def _runs(text: str, covers: list[Found], found: list[Found]) -> None:
    """The identifiers that have no spaces in them, but for their units."""
    escaped = "\\" in text
    ends = iter(covers)
    cover = next(ends, None)
    until = 0
    for match in RUN.finditer(text):
        run = match[0]
        met = parts(run) if len(run) <= LONGEST else _LONG
        if not met and not run.isdigit():
            continue
        start = match.start()
        while cover is not None and cover[1] <= start:
            cover = next(ends, None)
        if start < until or (cover is not None and cover[0] < match.end()):
            continue
        if escaped and start and text[start - 1] == "\\" and run[0] in "nrt" and len(run) <= LONGEST:
            run, start = run[1:], start + 1
            met = parts(run)
        if len(met) == 1 and met[0][2] not in _GOING_ON:
            a, b, kind, form = met[0]
            found.append((start + a, start + b, kind, form))
        else:
            limit = len(text) if cover is None else cover[0]
            until = _with_context(text, start, run, met, found, limit) or until


_LONG: tuple[Part, ...] = ((0, 0, Kind.URL, ""),)
"""What is too long for anything but a URL."""
_GOING_ON = frozenset({Kind.NUMBER, Kind.DATE, Kind.ERROR, Kind.URL})
"""Kinds that reach beyond a run, into what stands around it."""


def _with_context(
    text: str, start: int, run: str, met: Sequence[Part], found: list[Found], limit: int
) -> int:
    """Adds what is in a run, with what belongs to it around it, up to ``limit``; where that ends, if nothing
    else is in there.
    """
    end = start + len(run)
    for a, b, kind, form in met:
        if kind is Kind.URL:
            url = _url(text, start, run, limit)
            found += [url] if url else []
            return url[1] if url else 0
        if form:
            found.append((start + a, start + b, kind, form))
        elif kind is Kind.DATE and (day := _spoken_day(text, start, start + b, limit)):
            while found and found[-1][0] >= day[0]:
                found.pop()
            found.append(day)
            return day[1]
        if kind is Kind.ERROR:
            _message(text, start + a, start + b, found)
    if not met:
        _small_number(text, start, end, found, limit)
    elif met[-1][2] is Kind.NUMBER or met[-1][2] is Kind.DATE:
        _continued(text, start, end, met[-1], found, limit)
    return 0


def _small_number(text: str, start: int, end: int, found: list[Found], limit: int) -> None:
    """One digit, which is an identifier only with its unit."""
    if unit := _UNIT.match(text, end, limit):
        form = normal(Kind.NUMBER, text[start : unit.end()])
        found.append((start, unit.end(), Kind.NUMBER, form))


def _url(text: str, start: int, run: str, limit: int) -> Found | None:
    match = _URL.search(text, start, min(limit, start + len(run) + _LONGEST_URL))
    if not match or match.start() >= start + len(run):
        return None
    url = match[0].rstrip(".,;:!?*_~")
    return match.start(), match.start() + len(url), Kind.URL, normal(Kind.URL, url)


def _spoken_day(text: str, start: int, end: int, limit: int) -> Found | None:
    """The date around the name of a month: ``June 23, 2026``, ``23 June``, ``June 2026``."""
    small = text[start].islower()
    if small and text[start:end] in _VERBS:
        return None
    after = None if small else _DAY_AFTER.match(text, end, limit)
    before = None if after else _DAY_BEFORE.search(text, max(0, start - 10), start)
    after = after or _YEAR_AFTER.match(text, end, limit)
    if not before and (small or not after):
        return None
    first, last = before.start() if before else start, after.end() if after else end
    return first, last, Kind.DATE, normal(Kind.DATE, text[first:last])


def _continued(text: str, start: int, end: int, last: Part, found: list[Found], limit: int) -> None:
    """A number with the unit behind it, a time with its half of the day."""
    _, stop, kind, form = last
    if start + stop != end or not form or text[end : end + 1] not in _GOES_ON:
        return
    more = (_UNIT if kind is Kind.NUMBER else _MERIDIEM).match(text, end, limit)
    if more and (kind is Kind.DATE or text[end - 1].isdigit()):
        first = found.pop()[0]
        found.append((first, more.end(), kind, normal(kind, text[first : more.end()])))


def _message(text: str, start: int, end: int, found: list[Found]) -> None:
    """The message behind an error's name or label, to the end of its line."""
    rest = _REST.match(text, end)
    if not rest or " " not in rest[1] or rest[1].rstrip()[-1:] in _CODE_ENDS or _TEMPLATE.search(rest[1]):
        return
    stop = rest.end()
    if stop - start > _MESSAGE:
        space = text.rfind(" ", start, start + _MESSAGE)
        stop = space if space > end else start + _MESSAGE
    message = text[start:stop].rstrip(_MESSAGE_ENDS)
    if message[-1] in "\"'`" and message.count(message[-1]) % 2:
        message = message[:-1].rstrip(_MESSAGE_ENDS)
    found.append((start, start + len(message), Kind.ERROR, normal(Kind.ERROR, message)))
