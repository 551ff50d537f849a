"""Preparing records: what is counted, what stays together, and by what a record is known again."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer.prepare import combined_fingerprint, fingerprint, prepare
from summarizer.prompts import framed
from summarizer.records import Record
from tests.runs import count
from tests.strategies import records


def call(*ids: str) -> Record:
    return Record(role="assistant", text="calling", calls=ids)


def answer(to: str | None) -> Record:
    return Record(role="tool", text="result", answers=to)


SAID = Record(role="user", text="hello")


@pytest.mark.parametrize(
    ("items", "tied"),
    [
        ([], []),
        ([SAID, SAID], [0, 0]),
        ([call("a"), answer("a")], [0, 1]),
        ([call("a", "b"), answer("a"), answer("b")], [0, 1, 1]),
        ([call("a"), answer("a"), answer("a")], [0, 1, 1]),
        ([call("a"), answer("other")], [0, 0]),
        ([answer("a"), call("a")], [0, 0]),
        ([call("a"), SAID, answer("a")], [0, 0, 0]),
        ([call("a"), answer("a"), SAID, call("a"), answer("a")], [0, 1, 0, 0, 1]),
        ([call("a"), answer(None)], [0, 0]),
        ([call("a"), call("b"), answer("a"), answer("b")], [0, 0, 0, 1]),
    ],
)
def test_a_result_is_tied_to_its_call(items: list[Record], tied: list[int]) -> None:
    """Ids repeat in real sessions: only the nearest calls before a result count."""
    assert [unit.tied for unit in prepare(items, range(len(items)), count)] == [bool(t) for t in tied]


@settings(max_examples=50)
@given(st.lists(records, max_size=5), st.integers(0, 1_000))
def test_each_text_is_counted_once_and_the_heading_that_it_will_have(items: list[Record], start: int) -> None:
    """A record counts as what a model reads of it, a few tokens more or less where heading and text meet."""
    seen: list[str] = []

    def counting(text: str) -> int:
        seen.append(text)
        return count(text)

    units = prepare(items, range(start, start + len(items)), counting)
    speakers = dict.fromkeys((r.role, r.name) for r in items)
    assert Counter(seen) == Counter([r.text for r in items] + [framed(*speaker, "") for speaker in speakers])
    for unit, r in zip(units, items, strict=True):
        assert unit.tokens == count(framed(r.role, r.name, "")) + count(r.text)
        assert abs(unit.tokens - count(framed(r.role, r.name, r.text))) <= 4
    assert [(unit.position, unit.record, unit.text) for unit in units] == [
        (start + i, record, record.text) for i, record in enumerate(items)
    ]


def test_positions_that_do_not_match_the_records_are_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="shorter"):
        prepare([SAID, SAID], [0], count)


def of(*items: Record, start: int = 0) -> str:
    return fingerprint(prepare(items, range(start, start + len(items)), count))


def test_a_fingerprint_knows_what_was_said_and_by_whom() -> None:
    """Where a record stands and what id it has do not count: the same content is known again."""
    assert of(SAID) == of(SAID, start=7) == of(Record(id="x", role="user", text="hello"))
    different = [
        of(),
        of(SAID),
        of(SAID, SAID),
        of(Record(role="user", text="hello", name="n")),
        of(Record(role="assistant", text="hello")),
        of(Record(role="user", text="hell"), Record(role="user", text="o")),
        of(Record(role="user", text="", name="hello")),
        of(Record(role="userhello", text="")),
    ]
    assert len(set(different)) == len(different)


@settings(max_examples=50)
@given(st.lists(records, max_size=3), st.lists(records, max_size=3))
def test_fingerprints_agree_only_where_the_records_do(a: list[Record], b: list[Record]) -> None:
    """Also for texts that are no valid Unicode."""
    said = [[(r.role, r.name or "", r.text) for r in items] for items in (a, b)]
    assert (of(*a) == of(*b)) == (said[0] == said[1])


@settings(max_examples=50)
@given(st.lists(records, max_size=6), st.integers(0, 6))
def test_fingerprints_of_neighbours_make_that_of_both(items: list[Record], cut: int) -> None:
    """So a section that was merged from others is known again by its records alone."""
    parts = (items[:cut], items[cut:])
    assert combined_fingerprint((of(*part), len(part)) for part in parts) == of(*items)


def test_a_fingerprint_of_another_making_breaks_nothing() -> None:
    assert combined_fingerprint([("no number", 2), ("ff", 1)]) != combined_fingerprint([("ff", 1)])
