"""Masks secrets in records, before anything is sent or stored: keys, tokens, passwords, private keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from summarizer.records import Record
from summarizer.scanning import matches
from summarizer.secret_labels import labelled
from summarizer.secret_shapes import Shape, shapes

__all__ = ["redact_records", "redacted"]


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


_MASK = re.compile(r"\[redacted (?P<kind>[a-z0-9-]{1,40})(?: (?P<number>[0-9]{1,6}))?\]")
_REST = re.compile(r"[A-Za-z0-9_\-]*")
_LEAST = 8
"""Characters: a shorter secret is masked where it was found, and not wherever else its letters stand."""
_MOST = 500
"""So many different secrets of a run are looked for in all of its records."""


def redacted(text: str) -> tuple[str, int]:
    """The text with ``[redacted KIND]`` for each secret, and how many places were masked.

    The same secret has the same mask throughout the text; of several of a kind, the second is
    ``[redacted KIND 2]``. Masks tell nothing of what they stand for, and are not masked again. The result
    depends on the text alone, and takes time in proportion to its length. Raises nothing.
    """
    return _settled(text, _found(text, shapes()), {})


def redact_records(records: Iterable[Record]) -> tuple[list[Record], int]:
    """The records with secrets in their texts and names masked, and how many places were. Raises nothing.

    A secret that one record gives away is masked in all of them. Of records that have none, the same
    objects are returned.
    """
    records = list(records)
    worth = _worth_looking_for("\n".join(record.text for record in records))
    found = [_found(record.text, worth) for record in records]
    names = [_found(record.name, shapes()) if record.name else [] for record in records]
    known: dict[str, str] = {}
    for record, spans in zip(records, found, strict=True):
        if spans:
            known = _words(record.text, spans) | known
    return _redact(records, found, names, dict(list(known.items())[:_MOST]))


def _redact(
    records: Sequence[Record],
    found: Sequence[list[_Span]],
    names: Sequence[list[_Span]],
    known: dict[str, str],
) -> tuple[list[Record], int]:
    count = 0
    done = []
    for record, spans, in_name in zip(records, found, names, strict=True):
        text, masked = _settled(record.text, spans, known)
        name, named = _settled(record.name, in_name, {}) if record.name else (record.name, 0)
        done.append(replace(record, text=text, name=name) if masked or named else record)
        count += masked + named
    return done, count


_ROUNDS = 8


def _settled(text: str, spans: list[_Span], known: dict[str, str]) -> tuple[str, int]:
    """The masked text, looked through again: what stood right behind a secret may begin a word only now."""
    spans = _everywhere(text, known | _words(text, spans), spans)
    count = 0
    for _ in range(_ROUNDS):
        if not spans:
            break
        text, masked = _masked(text, spans)
        count += masked
        spans = _found(text, shapes())
    return text, count


# ---- what is masked ----


def _worth_looking_for(text: str) -> list[Shape]:
    """The shapes of which a text has a sign; asking once for all records is faster than for each."""
    return [shape for shape in shapes() if not shape.signs or any(sign in text for sign in shape.signs)]


def _found(text: str, worth: Sequence[Shape]) -> list[_Span]:
    """Where secrets are: in order, apart from each other, and outside of masks."""
    if len(text) < _LEAST:
        return []
    spans = [*_key_blocks(text), *_shaped(text, worth)]
    spans += (_Span(each.start, each.end, each.kind) for each in labelled(text))
    return _apart(text, spans) if spans else []


def _shaped(text: str, worth: Sequence[Shape]) -> Iterator[_Span]:
    for shape in worth:
        if not shape.signs or any(sign in text for sign in shape.signs):
            yield from _matches(text, shape)


def _matches(text: str, shape: Shape) -> Iterator[_Span]:
    group = "secret" if "secret" in shape.pattern.groupindex else 0
    end = 0
    for match in matches(shape.pattern, text):
        start, stop = match.span(group)
        if start < end or _is_template(text[start:stop]):
            continue
        rest = _REST.match(text, stop) if shape.open else None
        end = rest.end() if rest else stop
        yield _Span(start, end, shape.kind)


def _is_template(value: str) -> bool:
    return value.startswith(("$", "{", "<", "%(")) or set(value) <= set("*x.X")


_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d{1,3}")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LINES = re.compile(
    r"(?:(?:\s|\\[nr]|[\"'+,>|])*"
    r"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{3,20}: [^\n\\]{0,200}|=?[A-Za-z0-9+/]{1,80}={0,2}(?=\s|\\|$)))*"
)
_LONGEST_KEY = 20_000
"""Characters: a private key of 16,384 bits has 12,700."""
_BASE64 = re.compile(r"[A-Za-z0-9+/=]+")


def _key_blocks(text: str) -> Iterator[_Span]:
    """Private keys from their first line to their last; cut ones as far as they look like one."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    end = 0
    for begin in matches(_BEGIN, text):
        if begin.start() < end:
            continue
        last = _END.search(text, begin.end(), begin.end() + _LONGEST_KEY)
        lines = _LINES.match(text, begin.end(), begin.end() + _LONGEST_KEY)
        end = last.end() if last else lines.end() if lines else begin.end()
        yield _Span(begin.start(), end, "private-key")
    first = _END.search(text)
    if first and _is_rest_of_key(text[: first.start()]):
        yield _Span(0, first.end(), "private-key")


def _is_rest_of_key(text: str) -> bool:
    """Whether a text is the lines of a key of which the first ones are in another record."""
    lines = text[-_LONGEST_KEY:].replace("\\n", " ").split()
    return (
        bool(lines)
        and all(map(_BASE64.fullmatch, lines))
        and all(len(line) >= 16 for line in lines[:-1] or lines)
    )


def _apart(text: str, spans: Iterable[_Span]) -> list[_Span]:
    """Spans that meet become one, of the first one's kind; what is a mask already is left out."""
    merged: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return [part for span in merged for part in _outside_masks(text, span)]


def _outside_masks(text: str, span: _Span) -> Iterator[_Span]:
    start = span.start
    around = max(0, start - 64)
    for mask in _MASK.finditer(text, around, min(len(text), span.end + 64)):
        if mask.end() <= start:
            continue
        if mask.start() >= span.end:
            break
        if mask.start() > start:
            yield span._replace(start=start, end=mask.start())
        start = mask.end()
    if start < span.end:
        yield span._replace(start=start)


# ---- the same secret elsewhere ----


def _words(text: str, spans: Iterable[_Span]) -> dict[str, str]:
    """The secrets that nobody writes by chance, with their kinds."""
    found = {text[span.start : span.end]: span.kind for span in reversed(list(spans))}
    return {secret: kind for secret, kind in found.items() if _is_rare(secret)}


def _is_rare(secret: str) -> bool:
    return (
        _LEAST <= len(secret) <= 512
        and not secret.isalpha()
        and not secret.isdigit()
        and not _MASK.search(secret)
    )


def _everywhere(text: str, known: dict[str, str], spans: list[_Span]) -> list[_Span]:
    """The spans, and wherever else in the text these secrets stand as words of their own."""
    here = sorted((secret for secret in known if secret in text), key=len, reverse=True)
    if not here:
        return spans
    pattern = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, here))})(?![A-Za-z0-9_])")
    more = [_Span(*match.span(), known[match[0]]) for match in matches(pattern, text)]
    return _apart(text, [*spans, *more])


# ---- masks ----


def _masked(text: str, spans: Sequence[_Span]) -> tuple[str, int]:
    numbers = _taken(text)
    masks: dict[tuple[str, str], str] = {}
    parts, position = [], 0
    for start, end, kind in spans:
        secret = (kind, text[start:end])
        if secret not in masks:
            numbers[kind] = numbers.get(kind, 0) + 1
            masks[secret] = (
                f"[redacted {kind}]" if numbers[kind] == 1 else f"[redacted {kind} {numbers[kind]}]"
            )
        parts += [text[position:start], masks[secret]]
        position = end
    return "".join([*parts, text[position:]]), len(spans)


def _taken(text: str) -> dict[str, int]:
    """The highest number of each kind that stands in a text already."""
    taken: dict[str, int] = {}
    if "[redacted " in text:
        for mask in _MASK.finditer(text):
            taken[mask["kind"]] = max(taken.get(mask["kind"], 0), int(mask["number"] or 1))
    return taken
