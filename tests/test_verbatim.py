"""Records that fit come back as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.prepare import Unit, fingerprint, prepare
from summarizer.records import Record
from summarizer.verbatim import rendered, verbatim_section
from summarizer_providers.tokens import get_counter
from tests.strategies import records

count = get_counter().count


def units(*items: Record, start: int = 0) -> list[Unit]:
    return prepare(items, range(start, start + len(items)), count)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], ""),
        ([Record(text="a")], "a"),
        ([Record(text="a"), Record(text=" \n"), Record(text="b")], "a\n\nb"),
        ([Record(text="a"), Record(role="assistant", text="b")], "user: a\n\nassistant: b"),
        ([Record(role="tool", name="ls", text="a"), Record(text="b")], "tool ls: a\n\nuser: b"),
        ([Record(text="a"), Record(text="a2"), Record(role="system", text="")], "a\n\na2"),
    ],
)
def test_a_reader_sees_who_speaks_where_more_than_one_does(items: list[Record], expected: str) -> None:
    """Blank records are left out, and who says nothing does not speak."""
    assert rendered(units(*items)) == expected


def test_a_section_stands_for_all_its_records() -> None:
    made = units(Record(text="hello"), Record(text=""), start=4)
    section = verbatim_section(made, 100, count)
    assert section is not None
    assert (section.text, section.tokens, section.first, section.last) == ("hello", 1, 4, 5)
    assert (section.method, section.model, section.level) == ("verbatim", None, 0)
    assert section.fingerprint == fingerprint(made)
    assert section.source_tokens == sum(unit.tokens for unit in made)


def test_blank_records_fit_any_budget() -> None:
    section = verbatim_section(units(Record(), Record(text=" " * 10_000)), 0, count)
    assert section is not None
    assert (section.text, section.tokens) == ("", 0)


NAMED = Record(name="somebody with quite a long name " * 3, text="yes")


@given(
    st.lists(records | st.just(NAMED) | st.just(Record(text="<|a|><|b|>" * 9)), min_size=1, max_size=8),
    st.integers(0, 400),
)
def test_whatever_fits_rendered_comes_back(items: list[Record], room: int) -> None:
    """Neither long names nor control tokens in the texts, which prompts need more for, stand in the way."""
    made = units(*items)
    tokens = count(rendered(made))
    for size in (room, tokens, tokens - 1):
        section = verbatim_section(made, size, count)
        assert (section is not None) == (tokens <= size or not rendered(made))
        assert section is None or (section.text, section.tokens) == (rendered(made), tokens)


def test_a_large_input_is_not_counted_twice() -> None:
    made = units(*[Record(text="some words that take their time " * 100)] * 50)
    seen: list[int] = []

    def counting(text: str) -> int:
        seen.append(len(text))
        return count(text)

    assert verbatim_section(made, 1_000, counting) is None
    assert sum(seen) < 100
