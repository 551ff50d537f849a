"""Where a text may be parted: at lines, at sentences, and, when nothing else is left, between graphemes.

Lines come first: logs, code and chats are lines, and a short line is never parted again. Lines of one
hard-wrapped paragraph are read as one, and long lines are parted into sentences. All work is linear in
the text, and no single call into a library sees more than a few thousand characters.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex
import sentencex

__all__ = ["SHORT_LINE", "Span", "grapheme_floor", "grapheme_length", "paragraphs", "sentences", "spans"]

Span = tuple[int, int]
"""Where a stretch of a text starts and where it ends (exclusive), in characters."""

SHORT_LINE = 60
"""Lines of at most so many characters stay whole; about one written sentence."""

# sentencex is linear on ordinary text but quadratic on runs of unpaired quotes: 4,000 characters of
# those take 12 ms, 64,000 take seconds.
_PIECE = 4_000
# Wrapped prose has lines of like length; longer ones were not wrapped by an editor or a mailer.
_WRAP = range(44, 110)
_FULL = 60
_ENDS = ".!?:;"
_AROUND = ".,;:!?'\"()*_`’“”"
_CLOSERS = frozenset(")]}»”’』」）】")
_MARK = regex.compile(r"(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_NOT_PROSE = regex.compile(r"[-*+•#>|={\[~_]|<(?!http)|\d{1,3}[.)]\s|\w{1,12}[:=(]")
_NAMED_VALUE = regex.compile(r"(?=\S*[\d_-])[\w./-]{2,40}[:=]\s")
"""``ticket-17: …``: a value that stands on a line of its own."""
_SURROGATE = regex.compile(r"[\ud800-\udfff]")
# The library takes a byte for a character in front of any space that is not ASCII, and fails on it.
_SPACE = regex.compile(r"\s")
_GRAPHEME = regex.compile(r"\X")
# Marks that sentencex does not know as ends (Khmer, Tibetan), and scripts that write spaces between
# clauses, and nothing at the end of a sentence (Thai, Lao).
_MORE_ENDS = regex.compile(r"(?<=[\u17d4\u17d5\u0f0d\u0f0e])\s+")
_SPACED_CLAUSES = regex.compile(r"[\u0e00-\u0eff]{8}")
_CLAUSE = 60
# "No. 5", "рис. 3", "Am 3. Mai", "2. Second": full stops that end no sentence.
_ABBREVIATION = regex.compile(r"[(\[*_]*\w{1,4}[.)]$")
_ORDINAL = regex.compile(r"\s\d{1,2}\.\s*$")


def spans(text: str) -> list[Span]:
    """The text's lines and sentences as (start, end) in characters: not blank, in order, apart.

    A span carries no white space at its ends, but can hold line ends where a sentence runs over the lines
    of a wrapped paragraph. Whatever lies between spans is white space.
    """
    return [sentence for start, end in paragraphs(text) for sentence in sentences(text, start, end)]


def paragraphs(text: str) -> list[Span]:
    """The lines that are not blank, those of a hard-wrapped paragraph as one; (start, end) in characters."""
    found: list[Span] = []
    wrapped: list[Span] = []
    for line in _lines(text):
        if wrapped and not _continues(text, wrapped[-1], line):
            found.append((wrapped[0][0], wrapped[-1][1]))
            wrapped = []
        wrapped.append(line)
    if wrapped:
        found.append((wrapped[0][0], wrapped[-1][1]))
    return found


def sentences(text: str, start: int, end: int) -> list[Span]:
    """The sentences of one line or paragraph, as (start, end) in characters of ``text``.

    A short line is one span, and so is a long one where no sentence can be told from the next.
    """
    if end - start <= SHORT_LINE:
        return [(start, end)]
    found: list[Span] = []
    for cut in _cuts(text, start, end):
        first, last = _trimmed(text, start, cut)
        if first < last:
            found.append((first, last))
        start = cut
    return found


def grapheme_floor(text: str, at: int) -> int:
    """The largest grapheme boundary of the text that is at most ``at`` (characters, 0 to its length).

    Looks back at most a few hundred characters: one grapheme that is longer is parted.
    """
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    start = _anchor(text, at)
    floor = start
    for match in _GRAPHEME.finditer(text, start, min(len(text), at + 64)):
        if match.end() > at:
            break
        floor = match.end()
    return at if floor == start and not _is_boundary(text, start) else floor


def grapheme_length(text: str) -> int:
    """How many graphemes (what a reader calls characters) the text has."""
    return len(text) if text.isascii() else sum(1 for _ in _GRAPHEME.finditer(text))


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield from _visual_lines(text, start, end)
        start = end + 1


def _visual_lines(text: str, start: int, end: int) -> Iterator[Span]:
    """A progress bar rewrites its line with carriage returns: each state of it is a line."""
    while start < end:
        stop = text.find("\r", start, end)
        stop = end if stop < 0 else stop
        first, last = _trimmed(text, start, stop)
        if first < last:
            yield first, last
        start = stop + 1


def _trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends; looks only at what it drops."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _continues(text: str, above: Span, below: Span) -> bool:
    """Whether the line below goes on with the paragraph that the line above belongs to."""
    if above[1] - above[0] not in _WRAP or below[1] - below[0] >= _WRAP.stop:
        return False
    if text.count("\n", above[1], below[0]) != 1 or not _aligned(text, above[0], below[0]):
        return False
    return _wraps(text[above[0] : above[1]], text[below[0] : below[1]])


def _aligned(text: str, above: int, below: int) -> bool:
    """Whether both lines start in one column, or the lower one under the text of a list item."""
    columns = [start - 1 - text.rfind("\n", max(0, start - 200), start) for start in (above, below)]
    mark = _MARK.match(text, above)
    return columns[1] in (columns[0], columns[0] + (len(mark[0]) if mark else 0))


def _wraps(above: str, below: str) -> bool:
    if above.count(" ") < 5 or not _is_prose(above) or _NOT_PROSE.match(below):
        return False
    if _NAMED_VALUE.match(above) or _NAMED_VALUE.match(below):
        return False
    if len(above) + 1 + len(below.split(maxsplit=1)[0]) <= len(below):
        return False  # the word would have fitted on the line above: that line was ended on purpose
    return below[0].islower() or (
        len(above) >= _FULL if above[-1] not in _ENDS else len(below) >= _WRAP.start
    )


def _is_prose(line: str) -> bool:
    words = line.split()
    return sum(word.strip(_AROUND).isalpha() for word in words) >= 0.7 * len(words)


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """The ends of the sentences, the last one included."""
    begin = start
    for cut in _raw_cuts(text, start, end):
        if _is_end(text, begin, cut):
            yield from _clause_cuts(text, begin, cut)
            begin = cut
    if begin < end:
        yield from _clause_cuts(text, begin, end)


def _raw_cuts(text: str, start: int, end: int) -> Iterator[int]:
    """The library's cuts, asked for in pieces; the last sentence of a piece is read again with the next."""
    while start < end:
        stop = min(start + _PIECE, end)
        cuts = _segment(text, start, stop)
        yield from cuts
        # A piece without a cut is one long run: it is not read again, or the work would be quadratic.
        start = cuts[-1] if cuts and stop < end else stop


def _segment(text: str, start: int, stop: int) -> list[int]:
    piece = _SPACE.sub(" ", text[start:stop])
    lengths = _lengths(piece)
    if sum(lengths) != len(piece):
        return []
    cuts = {match.end() + start for match in _MORE_ENDS.finditer(piece)}
    at = start
    for length in lengths[:-1]:
        at += length
        cuts.add(at)
    return sorted(cuts)


def _lengths(piece: str) -> list[int]:
    """The library's sentences as lengths; none where it fails on the piece, which then is one sentence."""
    try:
        return [len(sentence) for sentence in sentencex.segment("en", piece)]
    except UnicodeEncodeError:
        return _lengths(_SURROGATE.sub("\ufffd", piece))
    except BaseException as error:  # a panic of the library's is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
            raise
        return []


def _is_end(text: str, begin: int, cut: int) -> bool:
    if text[cut - 1].isascii() and not text[cut - 1].isspace():
        return False  # "`./sub`", "a.b": only full-width marks end a sentence without a space
    if text[cut : cut + 1] in _CLOSERS or _ORDINAL.search(text[max(begin, cut - 8) : cut]):
        return False
    return cut - begin > 6 or not _ABBREVIATION.match(text[begin:cut].strip())


def _clause_cuts(text: str, begin: int, end: int) -> Iterator[int]:
    """The end of a sentence and, in scripts that mark none, the spaces between clauses before it."""
    if end - begin > 2 * _CLAUSE and _SPACED_CLAUSES.search(text, begin, end):
        at = text.find(" ", begin + _CLAUSE, end)
        while at >= 0:
            yield at
            at = text.find(" ", at + _CLAUSE, end)
    yield end


def _anchor(text: str, at: int) -> int:
    """A place shortly before ``at`` where a grapheme surely starts, or the farthest that is looked back."""
    first = max(0, at - 256)
    return next((start for start in range(at, first, -1) if _is_boundary(text, start)), first)


def _is_boundary(text: str, at: int) -> bool:
    """Whether a grapheme surely starts here: at the start, or between two plain characters."""
    return at == 0 or (text[at - 1] < "\x7f" and text[at] < "\x7f" and text[at - 1] != "\r")
