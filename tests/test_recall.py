"""What a digest dropped can be looked up again; and a database that fails costs nothing else."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recall import LANGUAGES, planted, session
from summarizer import Record, Section, Settings
from summarizer.prepare import Unit, combined_fingerprint, fingerprint
from summarizer.recall import Recall, expand, open_recall, search, tables
from summarizer.secrecy import Cipher
from summarizer_providers.database import FILE, Database

SPEECH = ["the harbour office moved", "the ledger is at Arden", "nobody answered", "港の事務所は移転した"]


def units_of(texts: Sequence[str], first: int = 0) -> list[Unit]:
    return [Unit(i, Record(role="user", text=text), 10) for i, text in enumerate(texts, first)]


def section(units: Sequence[Unit], method: Any = "model", text: str = "shorter") -> Section:
    places = (units[0].position, units[-1].position)
    return Section(text, 1, *places, "m", method, 0, fingerprint(units), "p")


def merged(*parts: Section) -> Section:
    found = combined_fingerprint((part.fingerprint, part.last - part.first + 1) for part in parts)
    return Section("shortest", 1, parts[0].first, parts[-1].last, "m", "merged", 1, found, "p")


def opened(folder: Path, **more: Any) -> Recall:
    return Recall(Database(folder / FILE), **more)


def texts(found: Any) -> list[str]:
    return [passage.text for passage in found.passages]


@pytest.fixture
def recall(tmp_path: Path) -> Recall:
    return opened(tmp_path)


# Keeping ---------------------------------------------------------------------------------------------------


def test_the_records_behind_a_section(recall: Recall, tmp_path: Path) -> None:
    """In order and with their positions, also in another process; a record is kept once."""
    units = units_of([*SPEECH, SPEECH[0]])
    first, second = section(units[:2]), section(units[2:])
    assert recall.keep(units, [first, second]) is None
    again = opened(tmp_path)
    assert texts(again.expand([second])) == [SPEECH[2], SPEECH[3], SPEECH[0]]
    assert [passage.position for passage in again.expand([second, first]).passages] == [0, 1, 2, 3, 4]
    assert again.size()[0] == 4


def test_thirty_compactions_keep_a_record_once(recall: Recall) -> None:
    """Sections that are merged again and again lead to all the records behind them."""
    digest: list[Section] = []
    for step in range(30):
        units = units_of([f"note {step}.{i}" for i in range(3)], 3 * step)
        after = [merged(*digest, section(units))] if digest else [section(units)]
        assert recall.keep(units, after, digest) is None
        digest = after
    found = recall.expand(digest, 10_000)
    assert texts(found) == [f"note {step}.{i}" for step in range(30) for i in range(3)]
    assert (recall.size()[0], found.notice) == (90, None)


def test_records_in_gaps_are_not_kept(recall: Recall) -> None:
    """Nothing stands for them yet; they are still the caller's."""
    units = units_of(SPEECH)
    recall.keep(units, [section(units[:1])])
    assert recall.size()[0] == 1
    assert texts(recall.search("ledger")) == []


def test_what_is_there_as_it_is_needs_nothing(recall: Recall, tmp_path: Path) -> None:
    """A verbatim result opens no database; what is made of it later leads back to its text."""
    units = units_of(SPEECH[:2])
    verbatim = section(units, "verbatim", "\n\n".join(SPEECH[:2]))
    assert recall.keep(units, [verbatim]) is None
    assert not (tmp_path / FILE).exists()
    assert texts(recall.expand([verbatim])) == [verbatim.text]
    more = units_of(SPEECH[2:], 2)
    recall.keep(more, [merged(verbatim, section(more))], [verbatim])
    found = recall.expand([merged(verbatim, section(more))])
    assert texts(found) == [verbatim.text, *SPEECH[2:]]
    assert found.notice is None


def test_what_is_not_known_is_told(recall: Recall) -> None:
    """A section of another machine's, alone or merged with one of ours."""
    assert recall.expand([section(units_of(SPEECH))]).notice == "nothing is kept of these records"
    foreign, units = section(units_of(SPEECH)), units_of(["here"], 4)
    recall.keep(units, [merged(foreign, section(units))], [foreign])
    found = recall.expand([merged(foreign, section(units))])
    assert texts(found) == ["here"]
    assert str(found.notice).startswith("4 records are not kept any more")


def test_old_records_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the days of the setting, with what the index held of them; those that were met again stay."""
    recall, now = opened(tmp_path, days=10), time.time()
    units = units_of(SPEECH)
    for day, some in ((0, units), (8, units[:2]), (12, units[:1])):
        monkeypatch.setattr(time, "time", lambda day=day: now + day * 86_400)
        opened(tmp_path, days=10).keep(some, [section(some)])
        recall.search("the")
    assert recall.size()[0] == 2
    assert texts(recall.search("harbour ledger nobody 港")) == [SPEECH[0], SPEECH[1]]
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM recall_passages").fetchone() == (2,)
        assert connection.execute("SELECT COUNT(*) FROM recall_index('nobody')").fetchone() == (0,)


def test_the_oldest_give_way(tmp_path: Path) -> None:
    """When all of it is larger than it may be."""
    recall = opened(tmp_path)
    for i in range(10):
        units = units_of([f"{i}" * 1_000])
        recall.keep(units, [section(units)])
    with recall.database.writing() as connection:
        assert tables.tidy(connection, 0.0, 3_500, 100) == 7
    assert recall.size() == (3, 3_000)
    assert texts(recall.search("9" * 100))


# Searching -------------------------------------------------------------------------------------------------


def test_two_hundred_facts_in_three_languages(recall: Recall) -> None:
    """Found by questions that share some words with them, among remarks that do too: at least 95 % within
    the first 1,000 tokens.
    """
    rng, facts, spoken = random.Random(3), [], []
    for language, share in zip(LANGUAGES.values(), (67, 67, 66), strict=True):
        some = planted(language, share, rng)
        facts += some
        spoken += list(session(language, some, 40_000, rng))
    units = units_of(spoken)
    assert recall.keep(units, [section(units)]) is None
    answers = [(fact, recall.search(fact.question)) for fact in facts]
    assert all(answer.tokens <= 1_000 for _, answer in answers)
    assert sum(fact.value in answer.text for fact, answer in answers) >= 0.95 * len(facts)
    assert all(fact.value in recall.search(f"FACT-{fact.number}").text for fact in facts[::10])


def test_quotes_ask_for_the_phrase(recall: Recall) -> None:
    """Only what holds it is shown, where anything does; else the words are looked for."""
    units = units_of(["the office of the harbour", "the harbour office", "the office"])
    recall.keep(units, [section(units)])
    assert texts(recall.search('"harbour office"')) == ["the harbour office"]
    assert "the harbour office" in texts(recall.search('"office harbour"'))


def test_signs_are_found_too(recall: Recall) -> None:
    """What no index holds is looked for letter by letter."""
    units = units_of(["done 🎉", "done"])
    recall.keep(units, [section(units)])
    assert texts(recall.search("🎉")) == ["done 🎉"]
    assert texts(recall.search("!?")) == texts(recall.search("")) == []


def test_nothing_is_searched_where_nothing_is_kept(recall: Recall, tmp_path: Path) -> None:
    """And no database is made for it."""
    assert recall.search("harbour").notice == "nothing is kept yet"
    assert not (tmp_path / FILE).exists()


def test_without_fts5_everything_is_read(recall: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some builds of SQLite, and other databases, have no such index: it takes longer, and finds the same."""
    units = units_of(SPEECH)
    recall.keep(units, [section(units)])
    monkeypatch.setattr(tables, "_CREATE", "CREATE VIRTUAL TABLE recall_index USING missing(text)")
    assert texts(recall.search("事務所")) == [SPEECH[3]]
    monkeypatch.undo()
    assert texts(recall.search("事務所")) == [SPEECH[3]]


# Keys ------------------------------------------------------------------------------------------------------


def test_with_a_key_nothing_can_be_read_in_the_file(tmp_path: Path) -> None:
    """Neither texts nor speakers nor an index of words; with it everything is found, without it nothing."""
    pytest.importorskip("cryptography")
    key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    with_key = opened(tmp_path, cipher=Cipher.of(key))
    units = units_of(SPEECH)
    assert with_key.keep(units, [section(units)]) is None
    assert texts(with_key.search("harbour")) == [SPEECH[0]]
    assert texts(with_key.expand([section(units)])) == SPEECH
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"harbour" not in raw
    assert "事務所".encode() not in raw
    assert fingerprint(units).encode() not in raw
    without = opened(tmp_path)
    assert without.search("harbour").text == ""
    assert "encrypted" in str(without.search("harbour").notice)


def test_a_key_that_comes_later(tmp_path: Path) -> None:
    """What was kept before it is still found, beside what is sealed."""
    pytest.importorskip("cryptography")
    units = units_of(SPEECH[:2])
    opened(tmp_path).keep(units, [section(units)])
    recall = opened(tmp_path, cipher=Cipher.of("a passphrase"))
    more = units_of(["another harbour"], 2)
    recall.keep(more, [merged(section(units), section(more))], [section(units)])
    assert set(texts(recall.search("harbour"))) == {SPEECH[0], "another harbour"}
    found = recall.expand([merged(section(units), section(more))])
    assert texts(found) == [*SPEECH[:2], "another harbour"]


# Trouble ---------------------------------------------------------------------------------------------------


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def test_a_locked_file_is_told(recall: Recall, tmp_path: Path) -> None:
    """Nothing is kept of this run; what was kept before can still be read, in the index or not."""
    units = units_of(SPEECH)
    recall.keep(units[:1], [section(units[:1])])
    with locked(tmp_path):
        told = recall.keep(units, [section(units)])
        assert "is locked by another process; the records" in str(told)
        assert texts(recall.search("harbour")) == [SPEECH[0]]
    assert recall.keep(units, [section(units)]) is None


def test_a_damaged_file_is_begun_anew(recall: Recall, tmp_path: Path) -> None:
    """And kept beside the new one."""
    units = units_of(SPEECH)
    recall.keep(units, [section(units)])
    for tail in ("-wal", "-shm"):
        (tmp_path / (FILE + tail)).unlink(missing_ok=True)
    (tmp_path / FILE).write_bytes(b"no database at all" * 100)
    assert recall.search("harbour").text == ""
    assert recall.keep(units, [section(units)]) is None
    assert texts(recall.search("harbour")) == [SPEECH[0]]
    assert list(tmp_path.glob("*damaged*"))


def test_a_full_disk_is_told(recall: Recall, tmp_path: Path) -> None:
    """In one sentence, and what was kept before is still there."""
    units = units_of(SPEECH)
    recall.keep(units, [section(units)])
    with recall.database.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    limit_pages(recall.database, pages)
    more = units_of(["x" * 500_000], 4)
    told = recall.keep(more, [section(more)])
    assert "the disk is full; the records behind this result cannot be recalled" in str(told)
    assert texts(recall.expand([section(units)])) == SPEECH


def limit_pages(database: Database, pages: int) -> None:
    from sqlalchemy import event

    engine = database._engine_there()
    event.listen(engine, "connect", lambda raw, _: raw.execute(f"PRAGMA max_page_count = {pages}"))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """One sentence that names it."""
    tmp_path.chmod(0o500)
    units = units_of(SPEECH)
    told = opened(tmp_path / "below").keep(units, [section(units)])
    assert str(tmp_path) in str(told)


def test_clearing(recall: Recall) -> None:
    """Everything is gone, and keeping begins anew."""
    assert recall.clear() == (0, None)
    units = units_of(SPEECH)
    recall.keep(units, [section(units)])
    recall.search("harbour")
    assert recall.clear() == (4, None)
    assert (recall.size(), recall.search("harbour").text) == ((0, 0), "")
    recall.keep(units, [section(units)])
    assert texts(recall.search("harbour")) == [SPEECH[0]]


# The settings' store ---------------------------------------------------------------------------------------


def test_the_settings_say_where(tmp_path: Path) -> None:
    """The functions of the module look where runs with the same settings keep."""
    settings = Settings(data_dir=tmp_path)
    units = units_of(SPEECH)
    open_recall(settings).keep(units, [section(units)])
    assert texts(search("harbour", settings=settings)) == [SPEECH[0]]
    assert texts(expand(section(units), settings=settings)) == SPEECH
    assert texts(expand([section(units)], 30, settings)) != SPEECH
    assert search("harbour").notice == "nothing is kept yet"
