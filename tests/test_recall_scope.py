"""Recall within sections: nothing of another session comes out, and only what is asked for is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer import Complete, InvalidSettings, Partial, Section, Settings, Summarizer
from summarizer.recall import Recall, expand, open_recall, search, tables
from summarizer.secrecy import Cipher
from summarizer_providers.database import FILE, Database
from tests.shell import session
from tests.test_recall import locked, merged, section, texts, units_of

MINE = [
    "the harbour office moved to Arden",
    "the ledger is kept at Arden",
    "港の事務所は青田へ移転した",
    "ok",
]
THEIRS = ["the harbour office moved to Kelso", "the ledger is kept at Kelso", "港の事務所は桑名へ移った"]
QUERIES = ['"harbour office"', "where is the ledger kept?", "事務所", "port office ledger moved", "→", "!"]


def without_index(recall: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a build of SQLite that has no FTS5."""
    monkeypatch.setattr(tables, "_CREATE", "CREATE VIRTUAL TABLE recall_index USING missing(text)")


def with_index(recall: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is in the index before it is asked."""
    recall.search("harbour")


def with_half_an_index(recall: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of it is, and no more can be added."""
    with recall.database.writing() as connection:
        tables.index_some(connection, 2)
    monkeypatch.setattr(tables, "index_some", lambda *_: 0)


def as_it_comes(recall: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search makes the index that it needs."""


PATHS = [as_it_comes, with_index, with_half_an_index, without_index]


@pytest.fixture(params=["plain", "sealed"])
def recall(request: pytest.FixtureRequest, tmp_path: Path) -> Recall:
    if request.param == "plain":
        return Recall(Database(tmp_path / FILE))
    pytest.importorskip("cryptography")
    return Recall(Database(tmp_path / FILE), Cipher.of("a passphrase"))


def kept(recall: Recall, spoken: Sequence[str], first: int = 0) -> Section:
    units = units_of(spoken, first)
    assert recall.keep(units, [section(units)]) is None
    return section(units)


# Searching -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("query", QUERIES)
def test_nothing_of_another_session_comes_out(
    recall: Recall, path: Callable[..., None], query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever words are asked for, by each way in which records are found."""
    mine, theirs = kept(recall, [*MINE, "so → there!"]), kept(recall, [*THEIRS, "so → here!"])
    path(recall, monkeypatch)
    for own, others in ((mine, [*THEIRS, "so → here!"]), (theirs, [*MINE, "so → there!"])):
        found = recall.search(query, within=own)
        assert found.passages
        assert not {*texts(found)} & {*others}
        assert found.notice is None
    assert {*texts(recall.search(query, within=[mine, theirs]))} == {*texts(recall.search(query))}


@given(st.text("harbour ledger港の事\"' *()-:^", max_size=20))
def test_whatever_is_asked_stays_within(query: str) -> None:
    """Signs that mean something to an index mean nothing here."""
    recall = Recall(Database("sqlite://"))
    mine, _ = kept(recall, MINE), kept(recall, THEIRS)
    assert not {*texts(recall.search(query, 10_000, mine))} & {*THEIRS}


@pytest.mark.parametrize("path", PATHS)
def test_others_do_not_crowd_it_out(
    recall: Recall, path: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record is found however many of other sessions' fit the query better."""
    mine = kept(recall, ["somewhere in a long remark about tides and barges there is the harbour, too"])
    kept(recall, [f"harbour harbour {i}" for i in range(400)])
    path(recall, monkeypatch)
    assert [passage.position for passage in recall.search("harbour", within=mine).passages] == [0]


def test_the_answer_says_where(recall: Recall) -> None:
    """At which positions in the result, also in a section that was merged of others; the last one counts."""
    first = kept(recall, MINE)
    more = units_of(["nothing new", MINE[0], "the barge is late"], 4)
    recall.keep(more, [merged(first, section(more))], [first])
    digest = merged(first, section(more))
    assert [p.position for p in recall.search("ledger", within=digest).passages] == [1]
    assert "[user, record 5]\nthe harbour office" in recall.search("harbour office", within=digest).text
    assert "record 6" in recall.search("barge", within=digest).text


def test_another_position_in_another_session(recall: Recall) -> None:
    """The same record stands elsewhere there."""
    first, second = kept(recall, MINE), kept(recall, ["hello", *MINE], 30)
    assert [p.position for p in recall.search("ledger", within=first).passages] == [1]
    assert [p.position for p in recall.search("ledger", within=second).passages] == [32]


def test_sections_that_are_their_records(recall: Recall, tmp_path: Path) -> None:
    """They are searched as they stand, without a database."""
    units = units_of(MINE, 3)
    verbatim = section(units, "verbatim", "\n".join(MINE))
    found = recall.search("ledger", within=verbatim)
    assert "Arden" in found.text
    assert (found.passages[0].position, found.notice) == (3, None)
    assert not (tmp_path / FILE).exists()
    theirs = kept(recall, THEIRS, 7)
    both = recall.search("ledger", within=[verbatim, theirs])
    assert [passage.position for passage in both.passages] == [8, 3]
    with locked(tmp_path):
        assert texts(recall.search("ledger", within=verbatim)) == [verbatim.text]


def test_nothing_is_not_everything(recall: Recall) -> None:
    """No sections, or sections of which nothing is kept, find nothing, and it is said why."""
    kept(recall, THEIRS)
    none = recall.search("harbour", within=[])
    assert (none.text, none.notice) == ("", "there are no sections, and so no records behind them")
    foreign = recall.search("harbour", within=section(units_of(MINE)))
    assert (foreign.text, foreign.notice) == ("", "nothing is kept of these records")
    half = recall.search("harbour", within=[section(units_of(MINE)), kept(recall, ["my harbour"], 4)])
    assert texts(half) == ["my harbour"]
    assert str(half.notice).startswith("4 records are not kept any more")


def test_with_another_key_there_is_nothing(tmp_path: Path) -> None:
    """Not even how much there is."""
    pytest.importorskip("cryptography")
    mine = kept(Recall(Database(tmp_path / FILE), Cipher.of("a passphrase")), MINE)
    other = Recall(Database(tmp_path / FILE), Cipher.of("another"))
    assert other.search("harbour", within=mine).notice == "nothing is kept of these records"


# Expanding -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        (None, None, range(10)),
        (3, None, range(3, 10)),
        (None, 2, range(3)),
        (4, 6, (4, 5, 6)),
        (9, 9, (9,)),
        (8, 10**9, (8, 9)),
        (12, 20, ()),
    ],
)
def test_some_records(recall: Recall, first: int | None, last: int | None, shown: Sequence[int]) -> None:
    """By position, across sections; the rest is left alone."""
    notes = [f"note {i}" for i in range(10)]
    spans = [kept(recall, notes[:5]), kept(recall, notes[5:], 5)]
    found = recall.expand(spans, 10_000, first, last)
    assert [passage.position for passage in found.passages] == [*shown]
    assert texts(found) == [notes[i] for i in shown]
    none = "no section stands for records 12 to 20: these sections stand for records 0 to 9"
    assert found.notice == (None if shown else none)


def test_only_they_are_read(recall: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three records of a long session cost three."""
    mine = kept(recall, [f"note {i}" for i in range(900)])
    read: list[int] = []
    records = tables.records

    def counting(connection: Any, ids: Any) -> Any:
        read.append(len(ids))
        return records(connection, ids)

    monkeypatch.setattr(tables, "records", counting)
    assert len(recall.expand(mine, 1_000, 400, 402).passages) == 3
    assert read == [3]


def test_what_one_entry_holds_is_shown_whole(recall: Recall) -> None:
    """A section that was its records stands for all of them, whichever are asked for."""
    verbatim = section(units_of(MINE), "verbatim", "\n".join(MINE))
    more = units_of(["later"], 4)
    recall.keep(more, [merged(verbatim, section(more))], [verbatim])
    digest = merged(verbatim, section(more))
    assert texts(recall.expand(digest, 1_000, 2, 3)) == [verbatim.text]
    assert texts(recall.expand(digest, 1_000, 2, 4)) == [verbatim.text, "later"]
    assert texts(recall.expand(verbatim, 1_000, 1, 1)) == [verbatim.text]


def test_where_it_goes_on(recall: Recall) -> None:
    """An answer that was cut says with which record; followed, all are seen."""
    mine = kept(recall, [f"note {i} " + "barge " * 30 for i in range(12)])
    seen: list[int | None] = []
    first: int | None = 0
    while first is not None:
        found = recall.expand(mine, 150, first)
        seen += [p.position for p in found.passages if not p.text.endswith("…")]
        assert found.is_cut == (found.following is not None)
        first = found.following
    assert seen == [*range(12)]
    assert recall.expand([section(units_of(MINE))], 100, 1, 2).notice == "nothing is kept of these records"


# The public calls ------------------------------------------------------------------------------------------


def test_of_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A section, some, or the result itself, by method and by function."""
    settings = Settings(data_dir=tmp_path)
    with Summarizer(settings) as summarizer:
        mine = summarizer.summarize(session(30), 300)
        theirs = summarizer.summarize(session(30, 50), 300)
        for within in (mine, mine.sections, mine.sections[0], iter(mine.sections)):
            found = summarizer.search("FACT-100007", 200, within)
            assert "record 7]" in found.text
            assert not summarizer.search("FACT-100057", within=mine).text.count("barge 57")
        assert "record 7]" in summarizer.search("FACT-100057", within=theirs).text
        assert texts(summarizer.expand(mine, 1_000, 4, 5)) == session(2, 4)
    assert "record 7]" in search("FACT-100007", settings=settings, within=mine).text
    assert texts(expand(mine, 1_000, settings, first=4, last=5)) == session(2, 4)
    monkeypatch.setenv("SUMMARIZER_DATA_DIR", str(tmp_path))
    assert texts(mine.expand(first=4, last=5)) == session(2, 4)
    assert [*map(type, (mine, theirs))] in ([Complete, Complete], [Partial, Partial])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tokens": "a"}, "tokens: expected a whole number from 1 to 10,000,000, got str 'a'"),
        ({"tokens": 0}, "tokens: expected a whole number from 1 to 10,000,000, got 0"),
        ({"tokens": 1.5}, "tokens: expected a whole number from 1 to 10,000,000, got float 1.5"),
        ({"tokens": True}, "got bool True"),
        ({"tokens": 10**5_000}, "got a far larger number"),
        ({"tokens": None}, "got NoneType None"),
        ({"query": None}, "query: expected a string, got NoneType"),
        ({"query": b"x"}, "query: expected a string, got bytes"),
        ({"within": "sections"}, "within: expected a section, sections or a result, got str"),
        ({"within": 7}, "within: expected a section, sections or a result, got int"),
        ({"within": [None]}, "within: expected sections, got NoneType among them"),
        ({"section": None}, "sections: expected a section, sections or a result, got NoneType"),
        ({"section": ["x"]}, "sections: expected sections, got str among them"),
        ({"section": [], "tokens": -1}, "tokens: expected a whole number from 1 to 10,000,000, got -1"),
        ({"section": [], "first": -1}, "first: expected a whole number of 0 or more, got -1"),
        ({"section": [], "last": "3"}, "last: expected a whole number of 0 or more, got str '3'"),
        ({"section": [], "first": 5, "last": 4}, "last: expected 5 (the first record) or more, got 4"),
    ],
)
def test_a_mistake_is_one_line(given: dict[str, Any], told: str) -> None:
    """It names the argument and what was expected, before anything is read."""
    call: Callable[..., Any] = Summarizer().expand if "section" in given else Summarizer().search
    with pytest.raises(InvalidSettings) as raised:
        call(**({} if "section" in given else {"query": "x"}) | given)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_edited_result_reads_nothing_else(tmp_path: Path) -> None:
    """Whatever a file claims of its sections: what is shown are the records that were kept for them."""
    recall = open_recall(Settings(data_dir=tmp_path))
    mine, _ = kept(recall, MINE), kept(recall, THEIRS)
    wide = replace(mine, first=0, last=10**12)
    assert texts(recall.expand(wide, 1_000)) == MINE
    assert texts(recall.expand(wide, 1_000, 3, 10**11)) == MINE[3:]
    assert {*texts(recall.search("harbour ledger", within=wide))} <= {*MINE}
    assert recall.search("harbour", within=replace(mine, fingerprint="%")).text == ""
