"""Shortening: whole lines and sentences, or a beginning with a mark that tells how much is missing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.fitting import cut_line, fitter
from summarizer_providers.segmentation import grapheme_floor
from summarizer_providers.tokens import get_counter
from tests.strategies import dirty_text

COUNTER = get_counter()
MARKED = re.compile(r"(.*)… \[(\d+) more characters\]", re.DOTALL)
SNIPPETS = [
    *(
        "A sentence of six words here. ",
        "部署已经完成。",
        "x" * 90,
        "\n",
        "\n\n",
        "e\u0301",
        "👨‍👩‍👧‍👦",
        "\r",
        "🇩🇪",
    ),
    *("src/app.py:42: error: no such name\n", "… [9 more characters]", "\u0301" * 5, "   ", "\u200d"),
]
texts = st.lists(st.sampled_from(SNIPPETS) | dirty_text, max_size=30).map("".join)
encodings = st.sampled_from(["o200k_base", "cl100k_base", "p50k_base"])


@given(texts, st.integers(1, 120), encodings, st.none() | st.sampled_from(["error", "部署"]))
def test_a_text_is_within_its_tokens_by_the_real_counter(
    text: str, tokens: int, encoding: str, focus: str | None
) -> None:
    """For any text, any length, any encoding; and what fits already is not touched."""
    counter = get_counter(encoding)
    found = fitter(encoding, focus)(text, tokens)
    assert counter.count(found) <= tokens
    if counter.count(text) <= tokens:
        assert found == text


@given(texts, st.integers(-1, 120), encodings)
def test_a_cut_line_tells_how_much_is_missing(text: str, tokens: int, encoding: str) -> None:
    """It is a beginning that ends with a grapheme, and the number is right; without room, it has no mark."""
    counter = get_counter(encoding)
    found = cut_line(text, tokens, counter)
    assert counter.count(found) <= max(tokens, 0)
    if counter.count(text) <= tokens:
        assert found == text
        return
    marked = MARKED.fullmatch(found)
    if marked and text.startswith(marked[1]) and int(marked[2]) == len(text) - len(marked[1]):
        head = marked[1]
    else:
        head = found
        assert tokens <= counter.count(f"xx… [{len(text)} more characters]") + 260
    assert text.startswith(head)
    assert grapheme_floor(text, len(head)) == len(head)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (50, r"word word .*… \[\d+ more characters\]"),
        (12, r"word.*… \[\d+ more characters\]"),
        (3, "word word word"),
        (1, "word"),
        (0, ""),
    ],
)
def test_a_single_long_line_is_cut_and_marked(tokens: int, expected: str) -> None:
    assert re.fullmatch(expected, cut_line("word " * 500, tokens, COUNTER).rstrip())


def test_the_cut_uses_the_room_that_there_is() -> None:
    for tokens in (20, 100, 1_000):
        assert COUNTER.count(cut_line("word " * 5_000, tokens, COUNTER)) >= tokens - 3


@pytest.mark.parametrize("tokens", [20, 60, 200])
def test_what_is_left_are_whole_sentences_in_their_order(tokens: int) -> None:
    sentences = [f"In step {i} the build of part {i} ended well." for i in range(40)]
    found = fitter("o200k_base", None)(" ".join(sentences), tokens)
    kept = [sentence for sentence in sentences if sentence in found]
    assert kept
    assert "".join(found.split()) == "".join("".join(kept).split())


def test_the_focus_is_kept_before_all_else() -> None:
    sentences = [f"In step {i} the build of part {i} ended well." for i in range(40)]
    sentences[23] = "The invoice of Ms Okafor is still open."
    assert "Okafor" in fitter("o200k_base", "the invoice of Okafor")(" ".join(sentences), 40)


def test_blank_text_becomes_nothing() -> None:
    assert fitter("o200k_base", None)(" \n" * 5_000, 10) == ""
