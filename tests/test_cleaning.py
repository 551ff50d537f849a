"""Dirty text becomes text that can be encoded, counted and read, and loses nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given

from summarizer.cleaning import clean_line, clean_text
from tests.strategies import dirty_text


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("high \ud83d, low \ude00, swapped \ude00\ud83d", "high \ufffd, low \ufffd, swapped \ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("a\r\nb\rc\r\r\nd", "a\nb\rc\nd"),
        ("NUL \0, bell \a, DEL \x7f, \x1b[31mred", "NUL , bell \a, DEL , \x1b[31mred"),
        ("page\x0cpage\x0bpage, unit\x1funit", "page\npage\npage, unit unit"),
        ("tab\tnewline\n\u2028\u0085\ufeff\ufffe", "tab\tnewline\n\u2028\u0085\ufeff\ufffe"),
        (
            f"see ![x](data:image/png;base64,{'A' * 60_000}) here",
            "see ![x]([data: image/png, 45,000 bytes]) here",
        ),
        (f"data:text/css;charset=utf-8;base64,{'QUJD' * 20}QQ==;", "[data: text/css, 61 bytes];"),
        ("data:image/gif;base64,R0lGODlhAQABAAAAACw=", "data:image/gif;base64,R0lGODlhAQABAAAAACw="),
    ],
)
def test_text_is_cleaned(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean


@pytest.mark.parametrize(
    "text", ["\r" * 1_000_000 + "x\r\n", " " * 1_000_000, "data:" * 200_000 + ";base64,"]
)
def test_cleaning_long_runs_is_linear(text: str) -> None:
    """Each would take hours if it were not."""
    assert len(clean_text(text)) >= len(text) - 1


@given(dirty_text)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
    assert clean_line(clean_line(text)) == clean_line(text)
