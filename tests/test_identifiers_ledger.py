"""Where identifiers occur, who says them, and what they weigh; stretches are put together in any way."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.identifiers import Kind, Ledger, Voice, ledger, values, voices, weight, weightiest
from summarizer.messages import as_records
from summarizer.records import Record

WORDS = [
    "src/a.py",
    "v1.2.3",
    "port is 8080",
    "ValueError: no such thing",
    "we decided: a_b",
    "\n",
    " and ",
    "#12",
]
some_records = st.lists(
    st.builds(
        Record,
        role=st.sampled_from(["user", "assistant", "tool", "system"]),
        text=st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    ),
    max_size=9,
)
cuts = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)


def said(*messages: tuple[str, str]) -> Ledger:
    return ledger([Record(role=role, text=text) for role, text in messages])


def of(made: Ledger, kind: Kind, form: str) -> tuple[int, ...]:
    return made.entries[kind, form].counts


@given(some_records, cuts)
def test_stretches_make_the_whole(records: list[Record], at: list[int]) -> None:
    """Three stretches, put together in either way or order, are what is read at once."""
    spoken, (a, b) = voices(records), at
    parts = [slice(0, a), slice(a, b), slice(b, None)]
    x, y, z = (ledger(records[p], range(len(records))[p], spoken[p]) for p in parts)
    whole = ledger(records, None, spoken)
    assert x.merged(y).merged(z) == x.merged(y.merged(z)) == z.merged(x, y) == whole == whole.merged(Ledger())
    u, v, w = (values(records[p], range(len(records))[p], spoken[p]) for p in parts)
    assert u.merged(v).merged(w) == u.merged(v.merged(w)) == w.merged(u, v) == values(records, None, spoken)


@given(some_records)
def test_the_same_records_weigh_the_same(records: list[Record]) -> None:
    """The list is deterministic, in order of weight, without repeats."""
    made = ledger(records)
    found = weightiest(made, 20)
    assert found == weightiest(made.merged(Ledger()), 20)
    assert [each.weight for each in found] == sorted((each.weight for each in found), reverse=True)
    assert len({each.entry.key for each in found}) == len(found)


VOICES = [
    ([("user", "use v1.2.3"), ("assistant", "ok")], Kind.VERSION, "1.2.3", Voice.USER),
    ([("user", "go"), ("assistant", "it is v1.2.3")], Kind.VERSION, "1.2.3", Voice.REPORT),
    (
        [("user", "go"), ("assistant", "[tool call: edit_file]\npath: src/a.py")],
        Kind.PATH,
        "src/a.py",
        Voice.CHANGED,
    ),
    (
        [("user", "go"), ("assistant", "[tool call: read]\npath: src/a.py")],
        Kind.PATH,
        "src/a.py",
        Voice.CALLED,
    ),
    (
        [("user", "go"), ("assistant", "[tool call: bash]\nsed -i s/a/b/ src/a.py")],
        Kind.PATH,
        "src/a.py",
        Voice.CHANGED,
    ),
    ([("user", "go"), ("tool", "wrote src/a.py")], Kind.PATH, "src/a.py", Voice.TOOL),
    (
        [("user", "go"), ("assistant", "x"), ("tool", "-rw-r--r-- 1 a b 9 src/a.py\n" * 30)],
        Kind.PATH,
        "src/a.py",
        Voice.LISTING,
    ),
    ([("user", "go"), ("tool", "Error: src/a.py is gone")], Kind.PATH, "src/a.py", Voice.FAILING),
    ([("user", "use src/a.py instead"), ("assistant", "ok")], Kind.PATH, "src/a.py", Voice.DECIDING),
    ([("user", "端口改为8080。"), ("assistant", "好")], Kind.NUMBER, "8080", Voice.DECIDING),
    ([("system", "keep src/a.py")], Kind.PATH, "src/a.py", Voice.SYSTEM),
]


@pytest.mark.parametrize(("messages", "kind", "form", "voice"), VOICES)
def test_mentions_are_counted_by_who_says_them(
    messages: list[tuple[str, str]], kind: Kind, form: str, voice: Voice
) -> None:
    """A user's wish, a changed file, an error and a line of a listing are told apart."""
    assert of(said(*messages), kind, form)[voice] >= 1


def test_what_people_say_outweighs_what_a_listing_repeats() -> None:
    """One mention by the user counts for more than a hundred in a tool's listing."""
    listing = "\n".join(f"{n}: src/noise.py" for n in range(100))
    made = said(
        ("user", "mend src/wish.py"), ("assistant", "on it"), ("tool", listing), ("assistant", "done")
    )
    order = [each.entry.normal for each in weightiest(made, 5)]
    assert order.index("src/wish.py") < order.index("src/noise.py")


def test_repeats_saturate_and_the_end_counts_more() -> None:
    """Twice is more than once and less than twice as much; what was named last weighs more."""
    made = said(
        *[("user", "a_a b_b c_c c_c")], *[("assistant", "well")] * 50, ("user", "b_b"), ("assistant", "yes")
    )
    a, b, c = (weight(made.entries[Kind.SYMBOL, name], made.last) for name in ("a_a", "b_b", "c_c"))
    assert a < c < 2 * a
    assert b > c


def test_a_part_of_a_heavier_path_is_not_listed_again() -> None:
    """``a.py`` is not named beside ``src/a.py``."""
    made = said(("user", "src/a.py src/a.py and a.py"), ("assistant", "ok"))
    assert [each.entry.normal for each in weightiest(made, 9)] == ["src/a.py"]


def test_only_carries_a_few_along() -> None:
    """A ledger can be cut to what is carried along, and still be merged."""
    made = said(("user", "a_a b_b"), ("assistant", "ok"))
    small = made.only([(Kind.SYMBOL, "a_a")])
    assert [each.text for each in small] == ["a_a"]
    assert len(small.merged(made)) == 2


def test_real_sessions_name_what_was_worked_on(shared: Path) -> None:
    """The weightiest of a real session are the files, names and versions that it was about."""
    path = shared / "sessions" / "agent-miniswe-pytest-6197.jsonl.gz"
    records = as_records(json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines())
    found = {each.entry.text for each in weightiest(ledger(records), 50)}
    assert {"src/_pytest/python.py", "__init__.py", "pytest_collect_file", "5.2.3"} <= found
