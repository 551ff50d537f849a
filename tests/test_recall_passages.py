"""Answers are bounded, show what was asked for, and lose nothing on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.recall.passages import Passage, answer, lines_of, spans, window
from summarizer_providers.tokens import get_counter

COUNTER = get_counter("o200k_base")


def passage(text: str, position: int = 3) -> Passage:
    return Passage(role="tool", name="read_file", text=text, record="a", position=position)


@given(st.text(alphabet="ab 。.\n", max_size=3_000))
def test_passages_and_lines_are_the_text(text: str) -> None:
    """Put together again they are the record, and none of them is long."""
    cut = spans(text)
    assert "".join(text[a:b] for a, b in cut) == text
    assert all(b - a <= 600 for a, b in cut)
    assert "".join(lines_of(text)) == text
    assert all(len(line) <= 161 for line in lines_of(text))


def test_passages_end_at_lines() -> None:
    """Where there are lines; then at sentences; a text without either is cut all the same."""
    lines = "A line of some words.\n" * 100
    assert all(lines[b - 1] == "\n" for _, b in spans(lines))
    sentences = "一句话。" * 400
    assert all(sentences[b - 1] == "。" for _, b in spans(sentences))
    assert len(spans("x" * 1_000)) == 2


def test_the_window_is_around_the_best_line() -> None:
    """With as much before and after as there is room for, and marks where something was left out."""
    text = "".join(f"line {i}\n" for i in range(50))
    shown = window(text, lambda line: float("line 25\n" in line), lambda part: len(part) <= 40)
    assert "line 25" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 42
    assert window("short\n", lambda _: 0.0, lambda _: True) == "short"


@pytest.mark.parametrize("tokens", [1, 10, 40, 100, 1_000])
def test_an_answer_has_at_most_so_many_tokens(tokens: int) -> None:
    """Whatever stands in it; what found no room is told."""
    found = answer([passage("the harbour office moved. " * 9, i) for i in range(9)], tokens, COUNTER)
    assert found.tokens == COUNTER.count(found.text) <= tokens
    found = answer(
        [passage("港の事務所は移転した。" * 9, i) for i in range(9)], tokens, COUNTER, "{} shown".format
    )
    assert found.tokens <= tokens
    assert found.text.endswith("shown") or tokens not in (40, 100)


def test_an_answer_says_who_spoke_and_where() -> None:
    """A line before each passage."""
    found = answer([passage("It moved.")], 100, COUNTER)
    assert str(found) == "[tool read_file, record 3]\nIt moved."
    searched = Passage(role="user", name=None, text="It moved.", record="a", added_at=86_400.0)
    assert answer([searched], 100, COUNTER).text == "[user, kept 1970-01-02]\nIt moved."
