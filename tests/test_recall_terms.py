"""Queries are what people type, in any language, and never an error; texts are told apart."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.recall.terms import Scorer, indexed, parsed

TOKENIZE = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"


def found_by(text: str, query: str) -> bool:
    """Whether an index that holds a text finds it."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(text, content='', tokenize=\"{TOKENIZE}\")")
    connection.execute("INSERT INTO t (rowid, text) VALUES (1, ?)", (indexed(text),))
    expression = parsed(query).expression
    return bool(connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (expression,)).fetchall())


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The relay was deployed on Monday.", "deploying"),
        ("The relay was deployed on Monday.", '"relay was deployed"'),
        ("FACT-123456: gate 7", "FACT-123456"),
        ("FACT-123456: gate 7", "what is fact 123456?"),
        ("see src/app/main_loop.py:42", "src/app/main_loop.py"),
        ("see src/app/main_loop.py:42", "main_loop"),
        ("commit 4f2a9c81d03be7", "4f2a9c8"),
        ("Zürich and CAFÉ", "zurich cafe"),
        ("数据库的端口改为 5544。", "端口"),
        ("数据库的端口改为 5544。", "库"),
        ("数据库的端口改为 5544。", "数据库的端口是多少？"),
        ("数据库的端口改为5544号", "5544"),
        ("数据库v2.1已上线", '"数据库v2.1"'),
        ("サーバーのポート番号は八千です", "ポート番号"),
        ("堰は閉じられた", "古い堰の番号"),
        ("ﾎﾟｰﾄ ＦＡＣＴ－１２３", "ポート FACT-123"),
        ("서버 포트를 변경했습니다", "포트"),
        ("เซิร์ฟเวอร์ใช้พอร์ต", "พอร์ต"),
        ("порт сервера изменён", "ПОРТ"),
        ("सर्वर का पोर्ट", "पोर्ट"),
        ("to be or not to be", "to be"),
    ],
)
def test_what_was_said_is_found(text: str, query: str) -> None:
    """Words in other forms, identifiers with punctuation and their parts, and languages without spaces."""
    assert found_by(text, query)
    scorer = Scorer(parsed(query))
    assert scorer.fits(scorer.counts(text))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The relay was deployed on Monday.", '"deployed relay"'),
        ("数据在库里", '"数据库"'),
        ("the port", "report"),
        ("FACT-123456", "654321"),
    ],
)
def test_what_was_not_said_is_not_found(text: str, query: str) -> None:
    """A phrase in quotes is one as it stands."""
    assert not found_by(text, query)
    scorer = Scorer(parsed(query))
    assert not scorer.fits(scorer.counts(text))


@pytest.mark.parametrize(
    "query", ["", " ", '"', "()*:^-", "AND", "NEAR(a, b)", "a OR", "text: x", "🎉", '""']
)
def test_no_query_is_an_error(query: str) -> None:
    """What FTS5 would take for its own signs and words are signs and words like others."""
    if parsed(query).expression:
        found_by("some text", query)


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_query_is_ever_an_error(text: str, query: str) -> None:
    """Neither for FTS5 nor for the scoring, on any text whatever."""
    text = text.encode("utf-8", "replace").decode()
    if parsed(query).expression:
        found_by(text, query)
    scorer = Scorer(parsed(query))
    assert scorer.score(scorer.counts(text)) >= 0


def test_the_rarer_word_tells_more() -> None:
    """A text with the one rare word stands before one with a common word said often."""
    scorer = Scorer(parsed("harbour code"))
    scorer.weigh([90, 1], 100)
    rare, common = scorer.counts("the code"), scorer.counts("harbour " * 20)
    assert scorer.score(rare) > scorer.score(common) > 0
