"""What a text lost and what it made up: its identifiers against those that it should hold, and may."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from summarizer.identifiers.finding import find, scan
from summarizer.identifiers.kinds import Identifier, Kind
from summarizer.identifiers.places import folded, stands
from summarizer.identifiers.spellings import said, told

__all__ = ["Known", "Named", "invented", "is_claim", "missing_from"]


class Named(Protocol):
    """An identifier, or an entry of a ledger."""

    @property
    def kind(self) -> Kind: ...
    @property
    def text(self) -> str: ...
    @property
    def normal(self) -> str: ...


N = TypeVar("N", bound=Named)


def missing_from(text: str, identifiers: Iterable[N]) -> list[N]:
    """Those that ``text`` does not hold to the letter, in their order.

    Held is what it has in any spelling of the same normal form. A number inside another number, and a name
    inside another name, is not held; the end of a path is held by the path.
    """
    forms: set[str] = set()
    space = folded(text, case=False)
    for start, end, _, form in scan(text):
        forms.update((form, text[start:end]))
    lower = space.lower()

    def is_held(each: N) -> bool:
        if each.normal in forms or each.text in forms:
            return True
        within = lower if each.kind in (Kind.HASH, Kind.ADDRESS) else space
        return stands(within, folded(each.normal, case=False)) or stands(
            within, folded(each.text, case=False)
        )

    return [each for each in identifiers if not is_held(each)]


def invented(text: str, *sources: str) -> list[Identifier]:
    """The identifiers of ``text`` that none of its sources has, in order; see ``Known``."""
    return Known(*sources).invented(text)


class Known:
    """What sources hold, asked about as often as there are texts made of them.

    A thing is known that a source names, and that it names in another spelling: the end of a path or its
    place in a folder that is named, a version with or without ``v``, the beginning of a hash or of a
    version, a number with other separators or in another unit of the same measure, a date in another form,
    the parts of a dotted name, a plural. Plain words are never asked about; marks make them a claim, see
    ``is_claim``. Time is linear in the sources for each identifier that is not found at first sight.
    """

    def __init__(self, *sources: str) -> None:
        self._sources = sources
        self._text = folded("\n".join(sources))
        self._words: str | None = None
        self._said: frozenset[str] | None = None

    def invented(self, text: str) -> list[Identifier]:
        """The identifiers of a text that are not known, in order."""
        answers: dict[tuple[Kind, str], bool] = {}
        found = []
        for each in find(text):
            key = (each.kind, each.text)
            if key not in answers:
                answers[key] = self.holds(each)
            if not answers[key]:
                found.append(each)
        return found

    def holds(self, each: Named) -> bool:
        """Whether this is known, or claims nothing."""
        if not is_claim(each):
            return True
        if any(self._stands(form) for form in {each.normal, each.text}):
            return True
        again = _ELSE.get(each.kind)
        return again is not None and again(self, each)

    def _stands(self, part: str) -> bool:
        return stands(self._text, folded(part).strip())

    def _says(self, each: Named) -> bool:
        """A number, a date, a version: what it says is said."""
        claims = told(each.kind, each.normal)
        return bool(claims) and all(not claim.isdisjoint(self._all_said()) for claim in claims)

    def _all_said(self) -> frozenset[str]:
        if self._said is None:
            found = {(kind, form) for text in self._sources for _, _, kind, form in scan(text)}
            self._said = frozenset(key for kind, form in found for key in said(kind, form))
        return self._said

    def _path(self, each: Named) -> bool:
        names = each.normal.strip("/~").split("/")
        for at in range(1, len(names)):
            if self._stands("/".join(names[:at])) and self._stands("/".join(names[at:])):
                return True
        return self._stands(each.normal.lstrip("./@~"))

    def _url(self, each: Named) -> bool:
        bare = each.normal.partition("://")[2].removeprefix("www.")
        return any(
            self._stands(part)
            for part in (bare, bare.rstrip("/").removesuffix(".git"), bare.partition("#")[0])
        )

    def _hash(self, each: Named) -> bool:
        return stands(self._text, each.normal, open_end=True)

    def _symbol(self, each: Named) -> bool:
        bare = each.normal.lstrip("-.@#")
        singular = re.sub(r"(?<=\w)(?:'s|s)$", "", bare)
        if self._stands(bare) or self._stands(singular):
            return True
        names = [name for name in _NAMES.split(bare) if name]
        if len(names) < 2 or min(map(len, names)) < _SHORTEST or not any(map(_MADE.search, names)):
            return False
        return all(map(self._stands, names))

    def _address(self, each: Named) -> bool:
        host, _, port = each.normal.rpartition(":")
        return bool(host) and self._stands(host) and self._stands(port)

    def _ticket(self, each: Named) -> bool:
        """``#12`` where a source has ``issue 12``, ``PR-12`` or ``/pull/12``."""
        number = each.normal[1:]
        if each.normal[0] != "#" or not number.isdigit():
            return False
        return re.search(rf"{_TICKETS}{number}(?!\d)", self._text) is not None

    def _handle(self, each: Named) -> bool:
        return self._stands(each.normal.lstrip("@"))

    def _fact(self, each: Named) -> bool:
        """A value may go on as a sentence of the text, or be cut at a word."""
        number, _, value = each.normal.partition(":")
        at = self._text.find(number.casefold())
        while at >= 0:
            theirs = self._text[at + len(number) + 1 :].lstrip()
            mine = folded(value).strip(" .;,")
            shared = _shared(mine, theirs)
            if shared == len(mine) or (shared and self._is_value(number, mine[:shared])):
                return True
            at = self._text.find(number.casefold(), at + 1)
        return False

    def _is_value(self, number: str, beginning: str) -> bool:
        """Whether a source's fact of this number ends here."""
        pattern = rf"{number}: ?{re.escape(beginning.strip())}[ \t.]*$"
        return any(re.search(pattern, text, re.MULTILINE | re.IGNORECASE) for text in self._sources)

    def _message(self, each: Named) -> bool:
        """An error's name and the first words of its message: what follows may be the text's own.

        It is not where the source's words go on behind one that is another.
        """
        name, _, message = each.normal.partition(":")
        mine = folded(message).strip(" .,;").split()
        if not self._stands(name.strip()):
            return False
        head = " ".join(mine[:_HEAD]).rstrip(" .,;:")
        at = self._text.find(head)
        while head and at >= 0:
            theirs = self._text[at : at + 2 * len(message)].split()
            if not _is_altered(mine, theirs):
                return True
            at = self._text.find(head, at + 1)
        return not head

    def _quotation(self, each: Named) -> bool:
        """The words are there, whatever stands between them; an ellipsis may stand for some."""
        if self._words is None:
            self._words = _wordy(self._text)
        passages = (_wordy(folded(part)) for part in _ELLIPSIS.split(each.normal))
        return all(stands(self._words, passage) for passage in passages if passage)

    def _code(self, each: Named) -> bool:
        pieces = _PIECES.findall(folded(each.normal))
        is_loose = max(map(len, pieces), default=0) >= _SHORTEST and len(pieces) > 1
        return self._quotation(each) or (is_loose and all(map(self._stands, pieces)))


def is_claim(each: Named) -> bool:
    """Whether an identifier claims to be in its sources to the letter: a few quoted words, and a message
    under a plain label (``Error: …``), may be the writer's own.
    """
    if each.kind is Kind.QUOTED:
        is_east_asian = not each.normal.isascii() and len(each.normal.encode()) >= _CLAIM * 8
        return is_east_asian or len(each.normal.split()) >= _CLAIM
    if each.kind is Kind.ERROR:
        return " " not in each.normal or bool(_CLASS.match(each.normal))
    return True


_CLAIM = 3
"""Words: fewer in quotation marks are a way of speaking. East Asian words have about eight bytes."""
_HEAD = 3
_CLASS = re.compile(r"[\w.]*\w(?:Error|Exception):|[A-Z]{1,10}\d{3,5}:")
_TICKETS = (
    r"(?:issues?|pulls?|prs?|mrs?|merge_requests|bugs?|tickets?|gh|no\.?|number|nr\.?|番号|号|编号|問題|问题)"
    r"[\s/#:*_：-]{1,4}"
)
_SHORTEST = 3
"""Characters: with shorter parts a dotted name could be made of anything."""
_MADE = re.compile(r"[A-Z_\d]")
"""What a name in code has and a plain word has not."""
_NAMES = re.compile(r"\.|::|--?|@|/|\(\)")
_PIECES = re.compile(r"[\w./-]*\w")
_ELLIPSIS = re.compile(r"\[?(?:\.\.\.|…)\]?")
_NO_WORD = re.compile(r"[\W_]+")


def _wordy(text: str) -> str:
    return _NO_WORD.sub(" ", text).strip()


def _is_altered(mine: list[str], theirs: list[str]) -> bool:
    """Whether the first word that differs is followed by the words that should follow."""
    at = next((at for at, (a, b) in enumerate(zip(mine, theirs, strict=False)) if not _same(a, b)), len(mine))
    rest = mine[at + 1 : at + 3]
    return bool(rest) and rest == theirs[at + 1 : at + 1 + len(rest)]


def _same(mine: str, theirs: str) -> bool:
    return mine == theirs or mine.strip(".,;:") == theirs.strip(".,;:")


def _shared(a: str, b: str) -> int:
    """The characters that both begin with."""
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


_ELSE: dict[Kind, Callable[[Known, Named], bool]] = {
    Kind.NUMBER: Known._says,
    Kind.DATE: Known._says,
    Kind.VERSION: Known._says,
    Kind.PATH: Known._path,
    Kind.URL: Known._url,
    Kind.HASH: Known._hash,
    Kind.SYMBOL: Known._symbol,
    Kind.ADDRESS: Known._address,
    Kind.TICKET: Known._ticket,
    Kind.HANDLE: Known._handle,
    Kind.FACT: Known._fact,
    Kind.ERROR: Known._message,
    Kind.QUOTED: Known._quotation,
    Kind.CODE: Known._code,
}
