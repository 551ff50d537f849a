"""Text and Markdown are cut where a reader would pause, and nothing is lost between the cuts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.cleaning import clean_text
from summarizer.documents import BLOCK_CHARS, markdown_blocks, text_blocks
from tests.strategies import dirty_text


def test_long_paragraphs_are_cut_at_line_ends() -> None:
    """A log without blank lines gets positions finer than the whole of it; one long line is never cut."""
    log = "\n".join(f"line {number}" for number in range(5_000))
    found = list(text_blocks(log))
    assert "\n".join(found) == log
    assert max(map(len, found)) <= BLOCK_CHARS < sum(map(len, found))
    line = "x" * 3 * BLOCK_CHARS
    assert list(text_blocks(f"short\n{line}\nshort")) == ["short", line, "short"]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("# A\n\ntext\nmore\n\nnext\n## B\nb", ["# A\n\ntext\nmore", "next", "## B\nb"]),
        ("# A\n## B\n\nb", ["# A\n## B\n\nb"]),
        ("Title\n=====\n\ntext", ["Title\n=====\n\ntext"]),
        ("a\n\n```py\n# no heading\n\nx\n```\n\nb", ["a", "```py\n# no heading\n\nx\n```", "b"]),
        ("````\n```\n\n```\n````\n\nb", ["````\n```\n\n```\n````", "b"]),
        ("```\nnever closed\n\nb\n# C", ["```\nnever closed", "b", "# C"]),
        ("#hashtag\n#!shebang", ["#hashtag\n#!shebang"]),
        ("- a\n- b\n\n| x | y |\n|---|---|", ["- a\n- b", "| x | y |\n|---|---|"]),
    ],
)
def test_markdown_keeps_headings_with_their_text_and_fences_whole(text: str, blocks: list[str]) -> None:
    assert list(markdown_blocks(text)) == blocks


def test_a_fenced_block_is_whole_however_long() -> None:
    code = "```\n" + "x = 1\n\n" * BLOCK_CHARS + "```"
    assert list(markdown_blocks(f"a\n\n{code}\n")) == ["a", code]


@pytest.mark.parametrize(
    "text",
    [
        "```py\n" * 100_000,
        "# a\n\n" * 100_000,
        "\n \t " * 100_000 + "x",
        "para\n\n" * 100_000,
        "\n" + " " * 1_000_000,
    ],
)
def test_long_documents_are_read_in_linear_time(text: str) -> None:
    """Each would take hours if it were not."""
    assert "".join("".join(list(markdown_blocks(text))).split()) == "".join(text.split())


@given(st.lists(dirty_text, max_size=8).map("\n".join))
def test_nothing_but_white_space_is_lost_between_records(text: str) -> None:
    cleaned = clean_text(text)
    for blocks in (text_blocks, markdown_blocks):
        found = list(blocks(cleaned))
        assert "".join("".join(found).split()) == "".join(cleaned.split())
        assert all(block.strip() for block in found)
