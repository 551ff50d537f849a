"""The journal's benchmark measures what it says: calls in flight at a kill, real kills, and its marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.journal_kills import killed
from benchmarks.journal_marks import Row, at_least, at_most, told
from benchmarks.journal_runs import Job, finished, session_of, start
from benchmarks.journal_server import Entry, awaited, begin, booked, serving
from summarizer import Complete

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.mark.parametrize(
    ("ended", "kills", "cut_off"),
    [
        (2.0, [], False),
        (2.0, [0.5], False),
        (2.0, [1.5], True),
        (2.0, [2.5], False),
        (2.0, [0.5, 1.0], True),
        (None, [], True),
    ],
)
def test_a_call_was_in_flight_at_a_kill_between_its_ends(
    ended: float | None, kills: list[float], cut_off: bool
) -> None:
    """It began at 1; one that nobody was there for any more was in flight as well."""
    assert Entry(1.0, ended).was_cut_off(kills) is cut_off


def test_rows_say_whether_their_mark_was_reached() -> None:
    """A measure without a mark is neither good nor short."""
    assert at_most("case", "calls", 3, 3) == Row("case", "calls", 3, "≤ 3", True)
    assert at_least("case", "sections", 9, 10).good is False
    assert told("case", "seconds", 1.23456) == Row("case", "seconds", 1.235)


def test_a_session_is_the_beginning_of_a_longer_one() -> None:
    """Growth adds messages and changes none."""
    assert session_of(30, 100, 1_000) == session_of(40, 100, 1_000)[:30]


@pytest.fixture
def root() -> Iterator[str]:
    with serving(least=0.02, most=0.05, ceiling=16_384, verbosity=0.9) as root:
        yield root


@pytest.fixture
def job(root: str, tmp_path: Path) -> Job:
    return Job(session_of(60, 100, 500), 1_800, root, str(tmp_path / "data"), 700)


def test_a_killed_job_is_counted_by_the_server(job: Job) -> None:
    """What was answered before the kill is paid, the rest was in flight, and the next run completes."""
    whole = finished(replace(job, journal="off"))
    read = sum(call.read for call in booked(job.root))
    found = killed(job, [(4, 0.0)])
    assert isinstance(found.last.result, Complete)
    assert isinstance(whole.result, Complete)
    assert found.kills + found.late == 1
    book = booked(job.root)
    assert found.paid + found.lost == sum(call.read for call in book)
    assert 0 < found.paid <= 2 * read


def test_a_run_dies_behind_the_answers_that_it_was_told(job: Job) -> None:
    """It gives nothing, and the server's book has at least those calls."""
    assert start(replace(job, dies_after=3)).finished() is None
    assert awaited(job.root, 3) >= 3
    begin(job.root)
    assert booked(job.root) == []
