"""Counting tokens offline, in linear time, on any text whatever."""

from __future__ import annotations

import os
import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["ENCODINGS", "Counter", "get_counter"]

# Encodings and the names that tiktoken's cache gives to their tables (a hash of the table's address).
_TABLES = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "o200k_harmony": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "p50k_base": "ec7223a39ce59f226a68acc30dc1af2788490e15",
    "p50k_edit": "ec7223a39ce59f226a68acc30dc1af2788490e15",
}
ENCODINGS = tuple(_TABLES)
"""Names of the encodings whose tables litellm's wheel carries, so that none is ever downloaded."""

_PIECE = 32_768
"""Characters of one call into tiktoken: about 2 to 10 ms, so that no other thread waits for longer."""
_RUN = 16_384
"""Characters without a certain token boundary that are encoded whole; longer runs are cut, since tiktoken
needs quadratic time (before 0.14) or a deep stack for them. Only such runs may be counted inexactly."""

# A cut is exact where, in every encoding, a pre-token must end and does not look at what follows.
# Letters and digits are those of scripts on whose properties all versions of Unicode agree.
_LETTER = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0391-\u03a1\u03a3-\u03c9\u0410-\u044f\u05d0-\u05ea"
    "\u0620-\u063f\u0641-\u064a\u0905-\u0939\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3"
)
_MARK = r"!-&(-/:-@\[-`{-~\u2013\u2014\u201c\u201d\u2026\u3001-\u3003\u3008-\u3011\uff01-\uff0f\uff1a-\uff20"
_CUT = re.compile(
    r"(?<=\S)(?= )"  # a space starts a token wherever it follows something else
    rf"|(?<=[{_LETTER}])(?=[0-9\n{_MARK}])"  # an apostrophe may belong to the word before it, no other does
    rf"|(?<=[0-9])(?=[\n{_LETTER}{_MARK}])"
    rf"|(?<=[{_MARK}])(?=[0-9])"  # before a letter, a single mark belongs to the word
    r"|(?<=\S\n)(?=[^\s/])"  # several line ends are divided by what follows them in the oldest encodings
)

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""
_NEAR = 2_048
"""Characters around a cut among which the longest prefix is looked for."""

_lock = threading.Lock()
_counters: dict[str, Counter] = {}


class Counter:
    """Counts tokens of one encoding; safe to share between threads. The tables are loaded at first use.

    For text without a run of more than 16,384 characters of one class (letters, marks, white space, …) a
    count equals ``len(tiktoken.get_encoding(name).encode_ordinary(text))``. Longer runs are counted in
    pieces and may come out a few tokens higher. Lone surrogates count as U+FFFD.
    """

    __slots__ = ("_encode", "_encoding", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._encoding: Encoding | None = None
        self._encode: Callable[[str], list[int]] = self._first

    def __repr__(self) -> str:
        return f"Counter({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], Counter], tuple[str]]:
        return get_counter, (self.name,)

    def count(self, text: str) -> int:
        """Number of tokens of ``text``.

        Raises OSError where the tables are not at hand and cannot be fetched either.
        """
        if len(text) <= _RUN:
            return len(self._encode(text))
        return sum(len(self._encode(text[start:end])) for start, end in _pieces(text))

    def head(self, text: str, tokens: int) -> str:
        """The longest prefix of ``text`` that has at most ``tokens`` tokens and ends with a grapheme.

        Raises OSError as ``count`` does.
        """
        left = max(tokens, 0)
        for start, end in _pieces(text):
            piece = text[start:end]
            ids = self._encode(piece)
            if len(ids) > left:
                return self._prefix(text, start, start + self._reach(piece, ids[:left]), left, max(tokens, 0))
            left -= len(ids)
        return text

    def _reach(self, piece: str, ids: list[int]) -> int:
        """How many characters of ``piece`` its first tokens ``ids`` cover, give or take a character."""
        assert self._encoding is not None  # noqa: S101 - loaded by the call that gave the ids
        size = len(self._encoding.decode_bytes(ids))
        return len(piece.encode("utf-8", "surrogatepass")[:size].translate(None, _CONTINUATION))

    def _prefix(self, text: str, start: int, near: int, left: int, tokens: int) -> str:
        """The longest prefix that ends about ``near``: ``left`` tokens from ``start``, ``tokens`` in all."""
        base = _last_cut(text, max(near - _NEAR, start), near)
        left -= self.count(text[start:base])

        def too_long(size: int) -> bool:
            return self.count(text[base : base + size]) > left

        size = bisect_left(range(min(_NEAR, len(text) - base)), True, key=too_long) - 1
        # A longer text can have fewer tokens: a word that is whole, white space that is not divided.
        size = next((more for more in range(size + 8, size, -1) if not too_long(more)), size)
        end = _grapheme_floor(text, base + size)
        while end > 0 and self.count(text[:end]) > tokens:
            end = _grapheme_floor(text, end - 1)
        return text[:end]

    def _first(self, text: str) -> list[int]:
        """Load the tables, then encode; stands in for the encoding's own method until then."""
        with _lock:
            if self._encoding is None:
                self._encoding = _load(self.name)
                self._encode = self._encoding.encode_ordinary
        return self._encode(text)


def get_counter(name: str = "o200k_base") -> Counter:
    """The counter of the encoding ``name``, one for the whole process; loads nothing yet.

    Raises ValueError for a name that is not in ``ENCODINGS``.
    """
    if name not in ENCODINGS:
        raise ValueError(f"unknown encoding {name!r}; known are {', '.join(ENCODINGS)}")
    with _lock:
        return _counters.setdefault(name, Counter(name))


def _pieces(text: str, size: int = _PIECE, run: int = _RUN) -> Iterator[tuple[int, int]]:
    """Spans of ``text``, in order, of ``size`` characters or little more, none of them with a long run.

    One search for a cut every ``run`` characters is enough to know that no run is longer than twice that.
    """
    start = known = 0  # known: the last certain boundary that was found
    while len(text) - known > run:
        found = _CUT.search(text, known + run, known + 2 * run)
        if found is not None:
            known = found.start()
            if known - start >= size:
                yield start, known
                start = known
            continue
        known = _last_cut(text, known, known + run)
        if start < known:
            yield start, known
        yield known, known + run
        start = known = known + run
    if start < len(text):
        yield start, len(text)


def _last_cut(text: str, low: int, high: int) -> int:
    """The last exact cut from ``low`` to ``high``; ``low`` where there is none."""
    last = low
    for found in _CUT.finditer(text, low, min(high + 1, len(text))):
        if found.start() <= high:
            last = found.start()
    return last


def _grapheme_floor(text: str, at: int) -> int:
    """The last end of a grapheme up to ``at``; a grapheme of more than 256 characters may be parted."""
    import regex

    if at >= len(text):
        return len(text)
    far = max(at - 256, 0)
    floor = text.rfind("\n", far, max(at, 0)) + 1 or far  # after a line end there is always a boundary
    for grapheme in regex.finditer(r"\X", text, pos=floor, endpos=at + 256):
        if grapheme.end() > at:
            break
        floor = grapheme.end()
    return at if 0 < far == floor else floor


def _load(name: str) -> Encoding:
    """The encoding, from a table on this machine where there is one: the user's own cache or litellm's."""
    import tiktoken

    table = _TABLES[name]
    own = [os.environ.get(variable) for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")]
    folders = (Path(folder) for folder in (*own, _wheel()) if folder)
    folder = next((folder for folder in folders if (folder / table).is_file()), None)
    if folder is None:
        return tiktoken.get_encoding(name)
    # tiktoken takes its folder from the environment alone: it is set for the moment of loading.
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        return tiktoken.get_encoding(name)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def _wheel() -> str | None:
    """The folder with tiktoken's tables inside litellm, which is found without being imported."""
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return None
    return str(Path(spec.submodule_search_locations[0], "litellm_core_utils", "tokenizers"))
