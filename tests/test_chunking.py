"""Chunks: every record is read once, in order, no call is too large, and texts part where they read best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import overload

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.chunking import SMALLEST, Chunk, chunks, halves, pieces, split
from summarizer.prepare import Unit, prepare
from summarizer.prompts import framed
from summarizer.records import Record
from summarizer_providers.segmentation import grapheme_floor, grapheme_length
from tests.runs import count, units_of

SNIPPETS = [
    *("word ", "\n", "\n\n", "A sentence. ", "部署完成。", "x" * 300, "." * 50, "\r\n", " ", '." '),
    *("e\u0301", "👨‍👩‍👧‍👦", "\u0301" * 9, "\t"),
]
long_text = st.lists(st.sampled_from(SNIPPETS), max_size=60).map("".join)


@st.composite
def units(draw: st.DrawFn) -> list[Unit]:
    """Units of all sizes; some positions are missing, and some units answer the one before them."""
    texts = draw(st.lists(long_text | st.sampled_from(["", "short", "tiny "]), max_size=12))
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 2, 9]), min_size=len(texts), max_size=len(texts)))
    positions = [sum(steps[: i + 1]) for i in range(len(texts))]
    roles = st.sampled_from(["user", "assistant", "tool"])
    records = [Record(role=draw(roles), text=text, calls=("c",), answers="c") for text in texts]
    return prepare(records, positions, count)


def plain(sizes: Sequence[int], tied: Sequence[int] = (), users: Sequence[int] = ()) -> list[Unit]:
    """Units of so many tokens each."""
    return [
        Unit(i, Record(role="user" if i in users else "assistant", text="x"), size, i in tied)
        for i, size in enumerate(sizes)
    ]


def stretch(units: Sequence[Unit], chunk: Chunk) -> str:
    """What a chunk reads, with a mark before each unit that begins in it."""
    if chunk.end is not None:
        return ("\0" if chunk.start == 0 else "") + units[chunk.first].text[chunk.start : chunk.end]
    return "".join("\0" + unit.text for unit in units[chunk.first : chunk.last + 1])


def check_cover(units: Sequence[Unit], found: Sequence[Chunk], whole: Sequence[Chunk] = ()) -> None:
    """Together the chunks read everything (or what the chunks in ``whole`` read) once, in order."""
    expected = [stretch(units, c) for c in whole] if whole else ["\0" + unit.text for unit in units]
    assert "".join(stretch(units, chunk) for chunk in found) == "".join(expected)


def check_sizes(units: Sequence[Unit], found: Sequence[Chunk], size: int) -> None:
    for chunk in found:
        unit = units[chunk.first]
        if chunk.is_piece:
            text = unit.text[chunk.start : chunk.end]
            framed_text = framed(unit.record.role, unit.record.name, text)
            frame = count(framed(unit.record.role, unit.record.name, ""))
            assert chunk.tokens == count(framed_text)
            assert chunk.tokens <= max(size, SMALLEST + frame) or grapheme_length(text) == 1
        else:
            assert chunk.tokens == sum(u.tokens for u in units[chunk.first : chunk.last + 1])
            frame = count(framed(unit.record.role, unit.record.name, ""))
            assert chunk.tokens <= size or (chunk.first == chunk.last and chunk.tokens <= SMALLEST + frame)


@given(units(), st.sampled_from([1, 20, 64, 100, 500, 10_000]), st.integers(1, 9))
def test_everything_is_read_once_in_order_and_nothing_above_its_size(
    given_units: list[Unit], size: int, at_least: int
) -> None:
    """Records that do not follow each other are never read together, and no grapheme is parted."""
    found = chunks(given_units, size, count, at_least)
    check_cover(given_units, found)
    check_sizes(given_units, found, size)
    for chunk in found:
        positions = [unit.position for unit in given_units[chunk.first : chunk.last + 1]]
        assert positions == list(range(positions[0], positions[0] + len(positions)))
        if chunk.is_piece:
            assert grapheme_floor(given_units[chunk.first].text, chunk.start) == chunk.start


@pytest.mark.parametrize(
    ("sizes", "size", "at_least", "expected"),
    [
        ([], 100, 1, []),
        ([10], 100, 1, [10]),
        ([10] * 10, 100, 1, [100]),
        ([10] * 20, 100, 1, [100, 100]),
        ([10] * 21, 100, 1, [70, 70, 70]),
        ([10] * 10, 100, 4, [30, 20, 30, 20]),
        ([10] * 3, 100, 9, [10, 10, 10]),
        ([60, 60, 60], 100, 1, [60, 60, 60]),
        ([90, 10, 90, 10], 100, 1, [100, 100]),
        ([1, 99, 99, 1], 100, 1, [100, 100]),
    ],
)
def test_chunks_are_even_and_as_few_as_they_can_be(
    sizes: list[int], size: int, at_least: int, expected: list[int]
) -> None:
    assert [chunk.tokens for chunk in chunks(plain(sizes), size, count, at_least)] == expected


@given(st.lists(st.integers(1, 100), min_size=1, max_size=200), st.integers(100, 2_000))
def test_no_more_than_half_of_the_calls_are_wasted_on_borders(sizes: list[int], size: int) -> None:
    """Records are not parted for evenness, and still two neighbours never fit into one chunk on average."""
    found = chunks(plain(sizes), size, count)
    assert len(found) <= 2 * -(-sum(sizes) // size)


@pytest.mark.parametrize(
    ("tied", "expected"),
    [
        ([], [(0, 4), (5, 9)]),
        ([5], [(0, 5), (6, 9)]),
        ([5, 6], [(0, 3), (4, 9)]),
        ([4, 5], [(0, 5), (6, 9)]),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], [(0, 4), (5, 9)]),
    ],
)
def test_a_result_stays_with_its_call_where_that_is_possible(
    tied: list[int], expected: list[tuple[int, int]]
) -> None:
    """The border moves; where everything is tied, the chunks are even as ever."""
    found = chunks(plain([10] * 10, tied), 70, count)
    assert [(chunk.first, chunk.last) for chunk in found] == expected


def test_a_chunk_rather_begins_with_a_turn_of_the_user() -> None:
    found = chunks(plain([1] * 100, users=[0, 52]), 60, count)
    assert [(chunk.first, chunk.last) for chunk in found] == [(0, 51), (52, 99)]


@pytest.mark.parametrize(
    ("text", "parts", "expected"),
    [
        ("one two\n\nbut three\nfour", 2, ["one two\n\n", "but three\nfour"]),
        ("aaaa\nbbbb cccc. dddd", 2, ["aaaa\nbbbb ", "cccc. dddd"]),
        ("A first one. Then a second.", 2, ["A first one. ", "Then a second."]),
        ("他走了。她来了。雨停了。", 3, ["他走了。", "她来了。", "雨停了。"]),
        ("abcdefgh", 4, ["ab", "cd", "ef", "gh"]),
        ("ab", 9, ["a", "b"]),
        ("👨‍👩‍👧‍👦ab", 2, ["👨‍👩‍👧‍👦", "ab"]),
        ("👨‍👩‍👧‍👦", 3, ["👨‍👩‍👧‍👦"]),
        ("x", 2, ["x"]),
        ("", 2, [""]),
    ],
)
def test_a_record_is_parted_where_it_reads_best(text: str, parts: int, expected: list[str]) -> None:
    """At a blank line, a line, a sentence, a word, and at last between graphemes."""
    [unit] = units_of([text])
    found = pieces(unit, Chunk(0, 0, unit.tokens), parts, count)
    assert [text[chunk.start : chunk.end] for chunk in found] == expected


@given(long_text, st.integers(1, 50), st.data())
def test_pieces_of_a_piece_cover_it(text: str, parts: int, data: st.DataObject) -> None:
    [unit] = units_of([text])
    ends = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    chunk = Chunk(0, 0, 99, *ends)
    found = pieces(unit, chunk, parts, count)
    assert (found[0].start, found[-1].end) == (ends[0], ends[1])
    assert all(a.end == b.start for a, b in pairwise(found))
    assert len(found) <= parts


@given(units(), st.sampled_from([64, 300, 5_000]))
def test_halving_ends(given_units: list[Unit], size: int) -> None:
    """Each half is smaller, nothing is lost, and what cannot be halved says so by itself."""
    todo = chunks(given_units, size, count)
    smallest = []
    while todo:
        chunk = todo.pop()
        parts = halves(given_units, chunk, count)
        if len(parts) == 1:
            assert parts == [chunk]
            assert chunk.first == chunk.last
            smallest.append(chunk)
            continue
        check_cover(given_units, parts, [chunk])
        assert len(parts) == 2
        todo += parts
    check_cover(given_units, sorted(smallest, key=lambda chunk: (chunk.first, chunk.start)))
    assert len(smallest) <= len(given_units) + sum(unit.tokens for unit in given_units) // (SMALLEST // 4)


def test_halves_keep_a_result_with_its_call() -> None:
    parts = halves(plain([10] * 10, [5]), Chunk(0, 9, 100), count)
    assert [(chunk.first, chunk.last, chunk.tokens) for chunk in parts] in (
        [(0, 3, 40), (4, 9, 60)],
        [(0, 5, 60), (6, 9, 40)],
    )


def test_a_long_name_does_not_part_a_record_into_letters() -> None:
    """Its line stands above every piece, so that pieces are given room beside it."""
    [unit] = prepare([Record(name="n" * 80, text="some words " * 100)], [0], count)
    found = split(unit, Chunk(0, 0, unit.tokens), 30, count)
    assert 3 <= len(found) <= 10


class Counted(Sequence[Unit]):
    """Units that count how often one of them is looked at."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = units
        self.looks = 0

    def __len__(self) -> int:
        return len(self.units)

    @overload
    def __getitem__(self, at: int) -> Unit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Unit]: ...
    def __getitem__(self, at: int | slice) -> Unit | Sequence[Unit]:
        found = self.units[at]
        self.looks += len(found) if isinstance(found, Sequence) else 1
        return found


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("size", [100, 5_000, 10**6])
def test_the_work_is_linear_in_the_number_of_records(size: int, tied: bool) -> None:
    """50,000 tiny records: each is looked at a few times, however large the chunks are."""
    many = Counted(plain([3] * 50_000, range(1, 50_000) if tied else ()))
    found = chunks(many, size, count)
    check_cover(many.units, found)
    assert many.looks <= 20 * len(many)


@pytest.mark.parametrize(
    "text", ["x", ".", " ", "\n", '."', "。", "\u0301", "\n ", "!?)\"'", "a b\n\n", "\r\n"]
)
def test_the_work_is_linear_in_the_length_of_a_record(text: str) -> None:
    """1.5 million characters with or without a break: all is counted a few times, and the pieces are few."""
    [unit] = units_of([text * (1_500_000 // len(text))])
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return count(text)

    found = chunks([unit], 8_000, counting)
    check_cover([unit], found)
    assert sum(counted) <= 4 * len(unit.text) + 100 * len(counted)
    assert -(-unit.tokens // 8_000) <= len(found) <= 100
