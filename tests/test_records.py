"""Records as callers pass them: what is accepted, what is cleaned, and what a mistake is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.errors import InvalidRecords
from summarizer.messages import as_records
from summarizer.records import Record
from tests.strategies import dirty_text, messages, records


def is_clean(record: Record) -> bool:
    fields = [record.id, record.role, record.text, record.name or "", record.answers or "", *record.calls]
    return all(text.encode().decode() == text and "\0" not in text and "\r\n" not in text for text in fields)


def test_every_kind_of_item_may_stand_beside_the_others() -> None:
    items: list[Any] = [
        "hello",
        {"role": "assistant", "content": "hi"},
        Record(id="r", role="tool", text="ok"),
    ]
    assert as_records(items) == [
        Record(text="hello"),
        Record(role="assistant", text="hi"),
        Record(id="r", role="tool", text="ok"),
    ]


def test_a_lazy_iterator_is_read_once_and_its_own_error_passes_through() -> None:
    def lines() -> Iterator[str]:
        yield "one"
        raise RuntimeError("the caller's own")

    assert as_records(text for text in ("a", "b")) == [Record(text="a"), Record(text="b")]
    with pytest.raises(RuntimeError, match="the caller's own"):
        as_records(lines())


def test_duplicate_ids_are_kept() -> None:
    assert [record.id for record in as_records([{"id": "a", "content": ""}, {"id": "a", "content": ""}])] == [
        "a",
        "a",
    ]


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("one text", r"records: expected an iterable of records, got a str; for one text pass \[text\]"),
        (b"bytes", "got a bytes; decode them"),
        ({"role": "user", "content": "x"}, r"got a dict; for one message pass \[message\]"),
        ({"messages": []}, 'got a dict; pass its "messages"'),
        (Record(text="x"), r"got a Record; for one record pass \[record\]"),
        (None, "got None; each of them a Record, a chat message"),
        (7, "got an int"),
        (["ok", 3], r"record 1: expected a Record, a chat message \(a mapping\) or a str, got an int"),
        ([None], "record 0: .* got None"),
        ([b"x"], "record 0: .* got a bytes"),
        ([["nested"]], "record 0: .* got a list"),
        ([Record(text=None)], "record 0: expected text to be a str, got None"),  # type: ignore[arg-type]
        ([Record(calls="abc")], "record 0: expected calls to be a tuple of str, got a str"),  # type: ignore[arg-type]
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_was_expected(items: Any, told: str) -> None:
    with pytest.raises(InvalidRecords, match=told) as caught:
        as_records(items)
    assert "\n" not in str(caught.value)


def test_a_sdk_object_is_told_how_to_become_a_message() -> None:
    class Reply:
        def model_dump(self) -> dict[str, str]:
            return {}

    with pytest.raises(InvalidRecords, match=r"got a Reply; pass its model_dump\(\)"):
        as_records([Reply()])  # type: ignore[list-item]


@given(st.lists(dirty_text | messages | records, max_size=6))
def test_whatever_is_passed_becomes_as_many_clean_records(items: list[Any]) -> None:
    found = as_records(items)
    assert len(found) == len(items)
    assert all(map(is_clean, found))
    assert as_records(found) == found
