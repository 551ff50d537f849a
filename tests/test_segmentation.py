"""Texts are parted at lines and sentences in any language, never inside what a reader calls a character."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.segmentation import grapheme_floor, grapheme_length, spans

FAMILY = "👨‍👩‍👧"
FLAGS = "🇩🇪🇫🇷"
LONG = "This is the first of some sentences that do not fit into one short line. "

PARTED = {
    "lines": ("one line\nanother line\n", ["one line", "another line"]),
    "blank lines and white space": ("\n  a  \n\n\t\n b\n", ["a", "b"]),
    "Windows line ends": ("one\r\ntwo\r\n", ["one", "two"]),
    "a progress bar": ("10 %\r50 %\rdone\n", ["10 %", "50 %", "done"]),
    "a short line stays whole": ("Yes. No. Maybe.", ["Yes. No. Maybe."]),
    "English": (
        LONG + "Dr. Smith wrote the second, e.g. in v1.2.3 of a.b.",
        [
            LONG.strip(),
            "Dr. Smith wrote the second, e.g. in v1.2.3 of a.b.",
        ],
    ),
    "a path in a sentence": (
        LONG + "Then `./sub` was the parent of src/main.py itself. It was fine.",
        [LONG.strip(), "Then `./sub` was the parent of src/main.py itself.", "It was fine."],
    ),
    "numbers with a full stop": (
        "Am 3. Mai kam er nach Berlin und blieb dort bis zum Ende des Jahres. Dann ging er wieder fort.",
        ["Am 3. Mai kam er nach Berlin und blieb dort bis zum Ende des Jahres.", "Dann ging er wieder fort."],
    ),
    "Chinese": (
        "今天我们讨论了三个问题，第一个是预算，第二个是时间，第三个是人员。" * 2 + "大家都同意！下一步呢？",
        [
            *["今天我们讨论了三个问题，第一个是预算，第二个是时间，第三个是人员。"] * 2,
            "大家都同意！",
            "下一步呢？",
        ],
    ),
    "Japanese": (
        "実装戦略はリファクタリングに決まりました。テストは既存のものを拡張します。「大丈夫ですか？」と聞かれました。見積もりは四時間です。",
        [
            "実装戦略はリファクタリングに決まりました。",
            "テストは既存のものを拡張します。",
            "「大丈夫ですか？」",
            "と聞かれました。",
            "見積もりは四時間です。",
        ],
    ),
    "Hindi": (
        "मैं घर गया और वहाँ मैंने अपने भाई को देखा जो बहुत दिनों के बाद आया था। वह बहुत खुश था।",
        ["मैं घर गया और वहाँ मैंने अपने भाई को देखा जो बहुत दिनों के बाद आया था।", "वह बहुत खुश था।"],
    ),
    "Arabic": (
        "ذهبت إلى المدرسة في الصباح الباكر مع أخي الصغير وأصدقائي الجدد. كيف حالك؟ أنا بخير.",
        ["ذهبت إلى المدرسة في الصباح الباكر مع أخي الصغير وأصدقائي الجدد.", "كيف حالك؟", "أنا بخير."],
    ),
    "a wrapped paragraph": (
        "The quick brown fox jumps over the lazy dog near the bank of the\n"
        "river. It then runs away from all of the hunters that are in the\nwood.\n",
        [
            "The quick brown fox jumps over the lazy dog near the bank of the\nriver.",
            "It then runs away from all of the hunters that are in the\nwood.",
        ],
    ),
    "a wrapped list": (
        " * See if the issue that you are dealing with qualifies as a really bad\n   regression.\n"
        " * Back up.\n",
        [
            "* See if the issue that you are dealing with qualifies as a really bad\n   regression.",
            "* Back up.",
        ],
    ),
    "code is lines": (
        "def f(x):\n    x = round(sum(x * y for y in self.weights), digits=2) or [{}, {}]\n    pass\n",
        ["def f(x):", "x = round(sum(x * y for y in self.weights), digits=2) or [{}, {}]", "pass"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), PARTED.values(), ids=PARTED)
def test_texts_are_parted_where_a_reader_would(text: str, expected: list[str]) -> None:
    """Lines stay lines, long ones become sentences, wrapped paragraphs are read as one."""
    assert [text[start:end] for start, end in spans(text)] == expected


def test_thai_is_parted_at_the_spaces_between_its_clauses() -> None:
    """Thai marks no end of a sentence."""
    text = "ประเทศไทยรวมเลือดเนื้อชาติเชื้อไทย เป็นประชารัฐไผทของไทยทุกส่วน " * 10
    assert all(20 < end - start < 160 for start, end in spans(text))


@pytest.mark.parametrize(
    "text",
    [" " * 1_000_000, "x" * 1_500_000, "a,b;" * 100_000, "“" * 100_000, ". " * 200_000, "\n\r" * 200_000,
     "\ud800" * 50_000, "(a" * 200_000, "1." * 200_000, "e\u0301" * 200_000, "今天开会。" * 20_000],
    ids=lambda text: repr(text[:4]),
)  # fmt: skip
def test_hostile_texts_are_parted_too(text: str) -> None:
    """Megabytes without a line end, quotes without a pair, lone surrogates: nothing hangs or is lost."""
    _check(text, spans(text))


@given(st.text(alphabet=st.sampled_from(list("aB1.!? \n\r\t。、「」\"'()-*ก้\u0301\ud800👍")), max_size=400))
def test_spans_are_in_order_and_leave_only_white_space(text: str) -> None:
    """Whatever the text: no span is blank, none overlaps another, nothing readable is left out."""
    _check(text, spans(text))


def _check(text: str, found: list[tuple[int, int]]) -> None:
    last = 0
    for start, end in found:
        assert last <= start < end
        assert not text[last:start].strip()
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        last = end
    assert not text[last:].strip()


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("abc", 2, 2),
        ("abc", 9, 3),
        ("abc", -1, 0),
        ("e\u0301x", 1, 0),
        ("ab" + FAMILY, 4, 2),
        (FLAGS, 1, 0),
        (FLAGS, 3, 2),
        ("a\r\nb", 2, 1),
        ("กำ", 1, 0),
        ("\u1100\u1161\u11a8", 2, 0),
    ],
)
def test_a_cut_never_parts_a_grapheme(text: str, at: int, expected: int) -> None:
    """Accents, families of emoji, flags and jamo stay whole."""
    assert grapheme_floor(text, at) == expected


@given(
    st.text(alphabet=st.sampled_from(list("ab \r\n\u0301\u200d👩👧🇩🇫각ก้")), max_size=60), st.integers(0, 70)
)
def test_floor_is_the_last_boundary(text: str, at: int) -> None:
    """The same as counting graphemes from the start."""
    boundaries = [0, *(match.end() for match in regex.finditer(r"\X", text))]
    assert grapheme_floor(text, at) == max(end for end in boundaries if end <= at)


def test_graphemes_are_counted_as_readers_count() -> None:
    """One family, two flags, one accented letter."""
    assert grapheme_length(FAMILY + FLAGS + "e\u0301") == 4


@pytest.mark.parametrize("space", ["\u00a0", "\u2009", "\u202f", "\u2028"])
def test_an_initial_before_a_space_that_is_not_ascii_breaks_nothing(space: str) -> None:
    """French typography and text from PDFs hold such spaces in front of marks."""
    text = f"We met J{space}. Smith there. Then we left the old harbour before it was dark again."
    assert [text[start:end] for start, end in spans(text)][-1].endswith("dark again.")
