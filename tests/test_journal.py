"""The journal: what was finished is found again, by its records alone, and never read twice."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from summarizer import Budget, Complete, Model, Settings, Summarizer
from summarizer.chain import Candidate, chosen
from summarizer.journal import Journal, Pages
from summarizer.leases import Lease
from summarizer.prepare import Unit, prepare
from summarizer.records import Record
from summarizer.result import Section
from summarizer.secrecy import Cipher
from summarizer.work import Finished
from summarizer_providers.database import Database

MODEL = Model("scripted/m", extra={"ceiling": 4_000, "obey": True})
WORDS = "the boat went on in the rain and the others waited for it at the bridge"


def messages(number: int, start: int = 0) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"{WORDS * 6}\nFACT-{100_000 + i}: value {i}"}
        for i in range(start, start + number)
    ]


@pytest.fixture
def summarizer(tmp_path: Path) -> Summarizer:
    return Summarizer(Settings(data_dir=tmp_path, models=[MODEL], chunk_tokens=1_000))


# ---- what a user gets ----


def test_the_same_run_again_costs_nothing(summarizer: Summarizer, tmp_path: Path) -> None:
    """Also in another process: no call, the same text, and `cached_calls` says how much was found."""
    first = summarizer.summarize(messages(60), 1_500)
    again = summarizer.summarize(messages(60), 1_500)
    assert isinstance(again, Complete)
    assert first.usage.calls > 5
    assert (again.usage.calls, again.usage.cached_calls) == (0, len(first.sections))
    assert again.text == first.text
    elsewhere = Summarizer(Settings(data_dir=tmp_path, models=[MODEL]))
    assert elsewhere.summarize(messages(60), 1_500).usage.calls == 0


@pytest.mark.parametrize("shape", ["auto", "one"])
@pytest.mark.parametrize(
    ("records", "obey"),
    [(messages(60), False), (messages(20) * 3, False), (messages(20) * 3, True), (messages(1) * 60, True)],
    ids=["does not shorten", "repeated", "repeated, obeys", "one record"],
)
def test_whatever_a_run_came_to_is_found_again(
    tmp_path: Path, records: list[dict[str, str]], obey: bool, shape: str
) -> None:
    """Also where a merge was tried in vain, or records stand there several times."""
    model = Model("scripted/m", extra={"ceiling": 600, "obey": obey})
    summarizer = Summarizer(Settings(data_dir=tmp_path, models=[model], chunk_tokens=1_000))
    first = summarizer.summarize(records, Budget(500, shape))  # type: ignore[arg-type]
    again = summarizer.summarize(records, Budget(500, shape))  # type: ignore[arg-type]
    assert isinstance(first, Complete)
    assert isinstance(again, Complete)
    assert (again.usage.calls, again.text, again.sections) == (0, first.text, first.sections)


def test_a_session_that_grew_is_read_from_where_it_ended(summarizer: Summarizer) -> None:
    """Without `previous`: the records themselves say what is known. Records before them do not matter."""
    whole = summarizer.summarize(messages(60), 1_500)
    grown = summarizer.summarize(messages(63), 1_500)
    assert grown.usage.cached_calls == len(whole.sections)
    assert grown.usage.input_tokens < whole.usage.input_tokens / 5
    assert grown.coverage.covered == 63
    later = summarizer.summarize([{"role": "user", "content": "Another beginning."}, *messages(60)], 1_500)
    assert later.usage.cached_calls >= len(whole.sections)


@pytest.mark.parametrize(
    "change",
    [
        {"focus": "the bridge"},
        {"instructions": "Be brief."},
        {"models": [Model("scripted/other", extra={"ceiling": 4_000})]},
        {"settings": {"journal": "off"}},
        {"settings": {"encoding": "cl100k_base"}},
    ],
    ids=str,
)
def test_what_was_made_otherwise_is_made_again(
    summarizer: Summarizer, tmp_path: Path, change: dict[str, object]
) -> None:
    """For another wish, by a model that is not on the ladder, counted otherwise, or with the journal off."""
    summarizer.summarize(messages(30), 800)
    settings = {"data_dir": tmp_path, "models": [MODEL], **change.pop("settings", {})}  # type: ignore[dict-item]
    result = Summarizer(Settings(**settings)).summarize(messages(30), 800, **change)  # type: ignore[arg-type]
    assert result.usage.cached_calls == 0
    assert result.usage.calls > 0


def test_much_more_room_is_not_filled_with_what_was_made_for_little(summarizer: Summarizer) -> None:
    """And what was made for much is merged for little: summaries are read instead of the session."""
    summarizer.summarize(messages(60), 400)
    assert summarizer.summarize(messages(60), 4_500).usage.cached_calls == 0
    small = summarizer.summarize(messages(60), 1_000)
    assert small.usage.cached_calls > 0
    assert small.tokens <= 1_000


def test_a_changed_record_is_read_again(summarizer: Summarizer) -> None:
    """With its section, and no more than that."""
    whole = summarizer.summarize(messages(60), 1_500)
    changed = messages(60)
    changed[30] = {"role": "user", "content": "It was all different."}
    result = summarizer.summarize(changed, 1_500)
    assert result.usage.cached_calls >= len(whole.sections) - 1
    assert result.usage.input_tokens < whole.usage.input_tokens / 3
    assert result.coverage.covered == 60


# ---- the journal itself ----


def units(*texts: str) -> list[Unit]:
    return prepare([Record(text=text) for text in texts], range(len(texts)), len)


def section(first: int, last: int, text: str = "a summary", **more: object) -> Section:
    return replace(
        Section(text, 3, first, last, "scripted/m", "model", 0, "", "p", 10),
        **more,  # type: ignore[arg-type]
    )


def pages(journal: Journal, found: list[Unit], **more: object) -> Pages:
    given: dict[str, object] = {"wishes": ("p",), "endpoints": {"m": "key of m"}, **more}
    return Pages(journal, found, **given)  # type: ignore[arg-type]


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(Database(tmp_path / "s.db"))


def test_sections_are_found_where_their_records_stand_now(journal: Journal) -> None:
    pages(journal, units("a", "b", "c", "d")).keep([Finished(section(1, 2), 20, "m")])
    moved = pages(journal, units("x", "y", "b", "c", "z", "b", "c"))
    found = moved.find(lambda _: 20)
    assert [(each.first, each.last) for each in found] == [(2, 3), (5, 6)]
    assert [(each.section.first, each.section.text) for each in found] == [(2, "a summary"), (5, "a summary")]
    assert pages(journal, units("b", "x", "c")).find(lambda _: 20) == []


def test_records_that_do_not_follow_each_other_are_no_section(journal: Journal) -> None:
    """What lies between two gaps of an earlier result was not read with them."""
    pages(journal, units("a", "b")).keep([Finished(section(0, 1), 20, "m")])
    apart = prepare([Record(text="a"), Record(text="b")], [0, 7], len)
    assert pages(journal, apart).find(lambda _: 20) == []


def test_an_extract_is_used_only_where_extracts_are_the_first_choice(journal: Journal) -> None:
    """An outage that made the offline model stand in is over some time."""
    pages(journal, units("a")).keep([Finished(section(0, 0, method="extractive"), 20, "m")])
    assert pages(journal, units("a")).find(lambda _: 20) == []
    assert len(pages(journal, units("a"), offline=True).find(lambda _: 20)) == 1


def test_a_section_that_this_key_does_not_open_is_not_there(journal: Journal) -> None:
    pages(journal, units("a")).keep([Finished(section(0, 0), 20, "m")])
    journal.sealing = Cipher.of("another key")
    assert pages(journal, units("a")).find(lambda _: 20) == []


def test_what_is_old_or_too_much_goes(tmp_path: Path) -> None:
    """The least recently used first."""
    journal = Journal(Database(tmp_path / "s.db"), most=3_000)
    texts = [f"record {i}" for i in range(40)]
    pages(journal, units(*texts)).keep([Finished(section(i, i, "x" * 300), 20, "m") for i in range(40)])
    journal.tidy()
    assert 1 <= journal.stats().sections < 12
    old = Journal(Database(tmp_path / "s.db"), days=1e-9)
    time.sleep(0.01)
    pages(old, units("new")).keep([Finished(section(0, 0), 20, "m")])
    old.tidy()
    assert old.stats().sections <= 1


def test_stats_and_clear(journal: Journal) -> None:
    assert journal.stats().sections == 0
    made = pages(journal, units("a", "b"))
    made.keep([Finished(section(i, i), 20, "m") for i in range(2)])
    stats = journal.stats()
    assert (stats.sections, stats.tokens, stats.used) == (2, 6, 0)
    made.find(lambda _: 20)
    assert journal.stats().used == 2
    assert journal.clear(before=1.0) == 0
    assert journal.clear() == 2
    assert journal.stats().sections == 0


def test_a_newer_file_is_left_alone_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    journal = Journal(Database(path))
    pages(journal, units("a")).keep([Finished(section(0, 0), 20, "m")])
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO migrations (name, applied_at) VALUES ('journal/9-future', 0)")
    newer = Journal(Database(path))
    assert pages(newer, units("a")).find(lambda _: 20) == []
    assert newer.trouble is not None
    assert "newer version" in newer.trouble


# ---- the chain ----


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 9), (0, 4), (5, 9)], [(0, 9)]),
        ([(0, 4), (5, 9), (0, 9)], [(0, 4), (5, 9)]),
        ([(3, 5), (0, 4), (6, 9)], [(3, 5), (6, 9)]),
        ([(5, 5), (0, 0)], [(0, 0), (5, 5)]),
        ([], []),
    ],
)
def test_the_newest_that_fit_are_taken(spans: list[tuple[int, int]], expected: list[tuple[int, int]]) -> None:
    """So the merged sections at a run's end stand, not the parts that they were made of."""
    candidates = [Candidate(str(i), first, last, 100, 50) for i, (first, last) in enumerate(spans)]
    assert [(each.first, each.last) for each in chosen(candidates, lambda _: 50)] == expected


def test_what_was_made_for_much_less_room_is_not_taken() -> None:
    candidates = [Candidate("short", 0, 9, 1_000, 40), Candidate("long", 0, 9, 1_000, 400)]
    assert [each.id for each in chosen(candidates, lambda tokens: tokens // 9)] == ["long"]
    assert [each.id for each in chosen(candidates, lambda tokens: tokens // 25)] == ["short"]


# ---- leases ----


def test_of_two_runs_of_one_job_one_works(journal: Journal) -> None:
    now = [1_000.0]
    first, second = (Lease(journal, "job", clock=lambda: now[0]) for _ in range(2))
    assert first.take()
    assert first.take()
    assert not second.take()
    assert Lease(journal, "another job").take()
    first.give_back()
    assert second.take()
    assert not first.take()


def test_a_lease_of_the_dead_is_taken_over(journal: Journal) -> None:
    """Where it was not renewed, or at once where its process is gone from this machine."""
    now = [1_000.0]
    first, second = (Lease(journal, "job", clock=lambda: now[0]) for _ in range(2))
    assert first.take()
    now[0] += 10
    first.renew()
    now[0] += 10
    assert not second.take()
    now[0] += 10
    assert second.take()
    with sqlite3.connect(str(journal.database.where)) as connection:
        connection.execute("UPDATE journal_leases SET pid = 4194304")
    assert first.take()


def test_where_nothing_can_be_reserved_everybody_works(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = Journal(Database(tmp_path / "file" / "s.db"))
    assert Lease(nowhere, "job").take()
    assert nowhere.trouble is not None
