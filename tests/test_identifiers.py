"""Identifiers are found by kind, in any language, to the letter, and each spelling has one normal form."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.identifiers import Kind, find
from summarizer.identifiers.normal import normal
from tests.strategies import dirty_text

FOUND = [
    # paths
    ("see src/main.py.", [(Kind.PATH, "src/main.py")]),
    ("in ./scripts/run-all/ and ../x/y", [(Kind.PATH, "./scripts/run-all/"), (Kind.PATH, "../x/y")]),
    ("src/a.py:42: broken", [(Kind.PATH, "src/a.py"), (Kind.NUMBER, "42")]),
    (r"C:\Users\x\y.txt is open", [(Kind.PATH, r"C:\Users\x\y.txt")]),
    (
        "README.md, package.json and .env",
        [(Kind.PATH, each) for each in ("README.md", "package.json", ".env")],
    ),
    ("the branch feature/login-page", [(Kind.PATH, "feature/login-page")]),
    # addresses of things
    ("(https://x.com/a?b=1&c=2).", [(Kind.URL, "https://x.com/a?b=1&c=2")]),
    ("at 10.0.0.1:8080, localhost:3000", [(Kind.ADDRESS, "10.0.0.1:8080"), (Kind.ADDRESS, "localhost:3000")]),
    ("db.example.com is down", [(Kind.ADDRESS, "db.example.com")]),
    (
        "mail ann.lee@example.org or @bob-smith",
        [(Kind.HANDLE, "ann.lee@example.org"), (Kind.HANDLE, "@bob-smith")],
    ),
    # hashes, versions, tickets
    ("commit 3f2a9c1 and 0x7fff2a", [(Kind.HASH, "3f2a9c1"), (Kind.HASH, "0x7fff2a")]),
    ("id 01ac6550-2827-44a9-ac78-32d92adf5c13", [(Kind.HASH, "01ac6550-2827-44a9-ac78-32d92adf5c13")]),
    ("v1.2, 3.11.4 and 2.0.0-rc.1", [(Kind.VERSION, each) for each in ("v1.2", "3.11.4", "2.0.0-rc.1")]),
    ("react@18.2.0", [(Kind.VERSION, "18.2.0")]),
    ("ABC-123 and #244", [(Kind.TICKET, "ABC-123"), (Kind.TICKET, "#244")]),
    # names in code
    ("API_KEY=abc $HOME", [(Kind.VARIABLE, "API_KEY"), (Kind.VARIABLE, "$HOME")]),
    ("snake_case and camelCase", [(Kind.SYMBOL, "snake_case"), (Kind.SYMBOL, "camelCase")]),
    (
        "AgentSession, os.path, A1::b2",
        [(Kind.SYMBOL, each) for each in ("AgentSession", "os.path", "A1::b2")],
    ),
    ("flatten() with --dry-run", [(Kind.SYMBOL, "flatten()"), (Kind.SYMBOL, "--dry-run")]),
    ("flight HAT170", [(Kind.SYMBOL, "HAT170")]),
    # numbers, dates
    ("$23,553.20 or 19.3 MB", [(Kind.NUMBER, "$23,553.20"), (Kind.NUMBER, "19.3 MB")]),
    ("5 minutes, 250ms, 87%", [(Kind.NUMBER, each) for each in ("5 minutes", "250ms", "87%")]),
    ("June 23, 2026 at 2:05 pm", [(Kind.DATE, "June 23, 2026"), (Kind.DATE, "2:05 pm")]),
    ("23 June, le 3 juin 2026", [(Kind.DATE, "23 June"), (Kind.DATE, "3 juin 2026")]),
    ("2026-06-23T14:05:00Z", [(Kind.DATE, "2026-06-23T14:05:00Z")]),
    # errors
    (
        "ValueError: bad input here",
        [(Kind.ERROR, "ValueError: bad input here"), (Kind.ERROR, "ValueError")],
    ),
    ("bash: ed: command not found", [(Kind.ERROR, "bash: ed: command not found")]),
    ("ENOENT, TS2304", [(Kind.ERROR, "ENOENT"), (Kind.ERROR, "TS2304")]),
    # facts end with their line and hold nothing else
    ("a FACT-123456: 8.14.2 on v3 \nb", [(Kind.FACT, "FACT-123456: 8.14.2 on v3")]),
    # quotations hold others
    ('he said "the big rewrite"', [(Kind.QUOTED, "the big rewrite")]),
    ("`git rm -rf a/b.py`", [(Kind.CODE, "git rm -rf a/b.py"), (Kind.PATH, "a/b.py")]),
    ("`main`", [(Kind.CODE, "main")]),
    ("`src/main.py`", [(Kind.PATH, "src/main.py")]),
    # Chinese and Japanese put no spaces around them
    (
        "请修改src/main.py文件，端口：8080改为9090。",
        [(Kind.PATH, "src/main.py"), (Kind.NUMBER, "8080"), (Kind.NUMBER, "9090")],
    ),
    (
        "版本v1.2.3，2026年6月23日，耗时3秒",
        [(Kind.VERSION, "v1.2.3"), (Kind.DATE, "2026年6月23日"), (Kind.NUMBER, "3秒")],
    ),
    ("ポート８０８０と「削除 計画」", [(Kind.NUMBER, "８０８０"), (Kind.QUOTED, "削除 計画")]),
    ("错误：端口被占用了", [(Kind.ERROR, "错误：端口被占用了")]),
]

PROSE = [
    "The quick brown fox, and/or a well-known end-to-end test; e.g. this one.",
    "We moved from JavaScript to TypeScript on GitHub, for the 1st time in the 1990s.",
    "He said: nothing is ever as easy as 1 or 2 words... I/O and N/A.",
    "Das ist ein ganz normaler Satz ohne jede Kennung.",
    "今天我们讨论了下一步的计划。",
    "</div></output>",
    "",
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_identifiers_are_found_by_kind(text: str, expected: list[tuple[Kind, str]]) -> None:
    """Every kind, with what only surrounds it left off."""
    assert [(each.kind, each.text) for each in find(text)] == expected


@pytest.mark.parametrize("text", PROSE)
def test_prose_has_none(text: str) -> None:
    """Plain words, names of products, ordinals and abbreviations are no identifiers."""
    assert list(find(text)) == []


SAME = [
    (Kind.PATH, ["./src/a.py", "src/a.py", "src//a.py", "a/src/a.py", "`src/a.py`"]),
    (Kind.PATH, ["scripts/ai", "scripts/ai/", "./scripts/ai/"]),
    (Kind.NUMBER, ["23553", "23,553", "２３５５３"]),
    (Kind.NUMBER, ["19.3 MB", "19.3MB", "19.3 megabytes"]),
    (Kind.NUMBER, ["5 minutes", "5min", "5分钟"]),
    (Kind.VERSION, ["v1.2", "1.2", "V1.2"]),
    (Kind.HASH, ["3F2A9C1", "3f2a9c1"]),
    (Kind.URL, ["https://X.com/a/", "HTTPS://x.com/a", "https://x.com/a."]),
    (Kind.SYMBOL, ["flatten()", "flatten", "self.flatten"]),
    (Kind.VARIABLE, ["$HOME", "${HOME}", "HOME"]),
    (Kind.QUOTED, ["“the  plan”", "the plan", "「the plan」"]),
]


@pytest.mark.parametrize(("kind", "spellings"), SAME)
def test_spellings_have_one_normal_form(kind: Kind, spellings: list[str]) -> None:
    """Slashes, quotation marks, separators, widths and units do not make two things of one."""
    assert len({normal(kind, text) for text in spellings}) == 1


tricky = st.lists(
    st.sampled_from(
        [
            *"aZ_09.:/-@#$%`'\"“”「」\\ \n,()请点",
            "FACT-123456: ",
            "Error: ",
            "https://",
            "v1.2",
            "C:\\",
            "June ",
            "\\n",
        ]
    ),
    max_size=40,
).map("".join)


@given(dirty_text | tricky)
def test_mentions_are_verbatim_and_in_order(text: str) -> None:
    """Each mention is a part of the text, where it says; none is empty; the normal form is a fixed point."""
    last = 0
    for each in find(text):
        assert text[each.start : each.end] == each.text != ""
        assert each.start >= last
        assert each.normal
        assert normal(each.kind, each.normal) == each.normal
        last = each.start


@given(dirty_text | tricky)
def test_only_quotations_and_messages_hold_others(text: str) -> None:
    """All other kinds stand apart from each other."""
    plain = [each for each in find(text) if each.kind not in (Kind.QUOTED, Kind.CODE, Kind.ERROR)]
    assert all(a.end <= b.start for a, b in pairwise(plain))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "1",
        "a/",
        '"',
        "`a",
        "a.b-",
        "$",
        "Error: ",
        "1,",
        "请",
        "http://",
        "'a b",
        "/请",
        "FACT-123456:",
        "C:\\",
        "_",
        "::",
    ],
)
def test_a_line_of_a_million_characters_is_read(unit: str) -> None:
    """Nothing in a long line makes a search start over and over."""
    text = unit * (1_000_000 // len(unit))
    assert all(len(each.text) <= 2_100 for each in find(text))
