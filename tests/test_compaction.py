"""Compaction of a growing log: whatever is in it, nothing is lost, nothing is summarized twice, and what the
model is sent is a list that chat APIs accept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer import (
    Complete,
    Coverage,
    Gap,
    InvalidBudget,
    InvalidRecords,
    Partial,
    Reason,
    Record,
    Section,
    Usage,
)
from summarizer.compaction import HEADING, due, shortened
from summarizer.messages import as_records

Message = dict[str, Any]


def said(role: str, text: str = "x", **more: Any) -> Message:
    return {"role": role, "content": text, **more}


def calls(*ids: str) -> Message:
    function = {"name": "read", "arguments": "{}"}
    return said(
        "assistant", "", tool_calls=[{"id": i, "type": "function", "function": function} for i in ids]
    )


def answer(call: str, text: str = "x") -> Message:
    return said("tool", text, tool_call_id=call)


def item(kind: str, call: str = "", text: str = "x") -> Message:
    """An item of the Responses API."""
    if kind == "reasoning":
        return {"type": "reasoning", "summary": []}
    if kind == "function_call":
        return {"type": kind, "call_id": call, "name": "read", "arguments": "{}"}
    return {"type": "function_call_output", "call_id": call, "output": text}


def note(text: str) -> Message:
    return said("user", text)


def digest_of(total: int, missing: tuple[int, ...] = (), text: str = "In short.") -> Complete | Partial:
    """A result that stands for so many messages, but for those that it lacks."""
    section = Section(text, 3, 0, 0, None, "model", 0, "", "")
    sections = tuple(replace(section, first=i, last=i) for i in range(total) if i not in missing)
    coverage = Coverage(total - len(missing), len(missing), total)
    if not missing:
        return Complete(text, 3, 1_000, sections, coverage, Usage())
    gaps = tuple(Gap(i, i, Reason.UNAVAILABLE, "") for i in missing)
    return Partial(text, 3, 1_000, sections, coverage, Usage(), gaps=gaps)


def sent(log: list[Message], digest: Complete | Partial | None) -> list[int]:
    """Positions of the messages that are sent, without the digest's own."""
    ours = {id(message): i for i, message in enumerate(log)}
    return [ours[id(message)] for message in shortened(log, digest, note) if id(message) in ours]


# What is sent ----------------------------------------------------------------------------------------------

CHAT = [said("system"), said("user"), calls("a", "b"), answer("a"), answer("b"), said("assistant")]
ITEMS = [
    *(said("user"), item("reasoning"), item("function_call", "a"), item("function_call", "b")),
    *(item("output", "a"), item("output", "b"), item("reasoning"), said("assistant")),
]


@pytest.mark.parametrize(
    ("log", "digest", "expected"),
    [
        ([], None, []),
        (CHAT, None, [0, 1, 2, 3, 4, 5]),
        pytest.param(CHAT, digest_of(5), [0, 1, 5], id="the system, the last user's, the last"),
        pytest.param(CHAT, digest_of(6), [0, 1, 5], id="also where all of it is in the digest"),
        pytest.param([*CHAT, said("user")], digest_of(6), [0, 6], id="a newer question"),
        pytest.param(CHAT, digest_of(5, (1,)), [0, 1, 5], id="what is missing"),
        pytest.param([*CHAT, said("user")], digest_of(6, (4,)), [0, 2, 3, 4, 6], id="a result with its call"),
        pytest.param(
            [*CHAT, said("user")], digest_of(6, (2,)), [0, 2, 3, 4, 6], id="a call with its results"
        ),
        pytest.param(CHAT[:5], digest_of(4), [0, 1, 2, 3, 4], id="a call that was torn from a result"),
        pytest.param([*ITEMS, said("user")], digest_of(8, (5,)), [1, 2, 3, 4, 5, 8], id="items and thoughts"),
        pytest.param([*ITEMS, said("user")], digest_of(8, (7,)), [6, 7, 8], id="a thought and its answer"),
        pytest.param(
            [calls("a"), answer("a"), calls("a"), answer("a"), said("user")],
            digest_of(4, (3,)),
            [2, 3, 4],
            id="an id that repeats",
        ),
        pytest.param([answer("z"), said("user")], digest_of(1, (0,)), [0, 1], id="a result without a call"),
        pytest.param([calls("a"), said("user")], digest_of(1, (0,)), [0, 1], id="a call without a result"),
    ],
)
def test_messages_that_a_digest_does_not_replace(log: Any, digest: Any, expected: list[int]) -> None:
    """What is missing or recent, the task and the system's word, and each call with its results."""
    assert sent(log, digest) == expected


@pytest.mark.parametrize(
    ("digest", "expected"),
    [
        (None, ["You help.", "Mind the tests.", "Go."]),
        (digest_of(2, text=""), ["You help.", "Mind the tests.", "Go."]),
        (digest_of(2), ["You help.", "Mind the tests.", f"{HEADING}\n\nIn short.", "Go."]),
    ],
)
def test_the_digest_stands_after_the_systems_messages(digest: Any, expected: list[str]) -> None:
    log = [said("system", "You help."), said("developer", "Mind the tests."), said("user", "Go.")]
    assert [message["content"] for message in shortened(log, digest, note)] == expected


# What is due -----------------------------------------------------------------------------------------------

LONG = "word " * 100


@pytest.mark.parametrize(
    ("log", "digest", "limit", "keep", "expected"),
    [
        pytest.param([LONG] * 5, None, 600, 200, 0, id="it fits"),
        pytest.param([LONG] * 9, None, 600, 250, 7, id="all but the last that fit in keep"),
        pytest.param([LONG] * 9, None, 600, 0, 8, id="the last stays"),
        pytest.param([LONG] * 9, digest_of(3), 600, 250, 4, id="only what is new"),
        pytest.param([LONG] * 9, digest_of(3, (1,)), 600, 250, 5, id="what is missing, too"),
        pytest.param([LONG] * 9, digest_of(8), 600, 250, 0, id="it fits with the digest"),
        pytest.param([LONG] * 6, digest_of(6, (0, 1, 2, 3, 4)), 300, 250, 5, id="only what is missing"),
        pytest.param([LONG, LONG * 9], None, 300, 200, 1, id="a last message that is too long itself"),
        pytest.param([LONG, calls("a"), answer("a", LONG), LONG], None, 300, 210, 3, id="a pair is not torn"),
        pytest.param(
            [LONG, LONG, calls("a", "b", "c"), *(answer(i, LONG) for i in "abc")],
            *(None, 300, 250, 2),
            id="the last pair stays whole, and may be longer",
        ),
    ],
)
def test_what_is_due(log: Any, digest: Any, limit: int, keep: int, expected: int) -> None:
    """Nothing while it fits; then what the digest lacks and all that is new, but for the last."""
    assert len(due(log, digest, limit=limit, keep=keep)) == expected


def test_one_old_open_call_does_not_hold_up_the_rest() -> None:
    """Its result comes last; the call is sent with it, and all between can go."""
    log = [calls("a"), *(said("user", LONG) for _ in range(20)), answer("a")]
    records = due(log, limit=500, keep=200)
    assert len(records) > 15
    assert sent(log, digest_of(len(records)))[0] == 0


def test_what_is_due_can_be_read_whatever_it_was() -> None:
    """Strings, records, and objects of an SDK."""

    class Said:
        def model_dump(self) -> Message:
            return {"type": "ai", "content": LONG, "tool_calls": [{"name": "go", "args": {}, "id": "a"}]}

    log = [LONG, Record(role="assistant", text=LONG), Said(), "end"]
    records = due(log, limit=100, keep=50)
    assert [record.role for record in records] == ["user", "assistant", "assistant"]
    assert records[2].calls == ("a",)
    assert shortened(log, digest_of(3), str)[1:] == ["end"]


def test_an_image_counts_as_more_than_its_name() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    log = [{"role": "user", "content": [image]}] * 5
    assert due(log, limit=4_000, keep=1_500)


@pytest.mark.parametrize(("minutes", "is_due"), [(5, False), (-5, True)])
def test_after_a_failure_nothing_is_due_before_the_time_to_try_again(minutes: int, is_due: bool) -> None:
    """So an agent does not wait for a provider that is down in each of its turns."""
    before = digest_of(3, (1,))
    assert isinstance(before, Partial)
    before = replace(before, retry_at=datetime.now(UTC) + timedelta(minutes=minutes))
    assert bool(due([LONG] * 9, before, limit=600, keep=250)) == is_due


@pytest.mark.parametrize(("limit", "keep"), [(100, 100), (100, 200), (0, 0), (100, -1)])
def test_keep_is_below_the_limit(limit: int, keep: int) -> None:
    with pytest.raises(InvalidBudget, match=r"^keep: expected 0 to -?\d+ tokens, fewer than limit, got"):
        due(["x"], limit=limit, keep=keep)


@pytest.mark.parametrize("ask", [lambda log, d: due(log, d, limit=9, keep=1), lambda log, d: sent(log, d)])
def test_a_digest_of_more_than_there_is_belongs_to_another_log(ask: Callable[..., Any]) -> None:
    with pytest.raises(
        InvalidRecords, match="log: expected the 3 messages that the digest stands for, got 1"
    ):
        ask([said("user")], digest_of(3))


def test_what_is_no_message_is_named() -> None:
    with pytest.raises(InvalidRecords, match="record 1: expected a Record, a chat message"):
        due(["x", 7], limit=9, keep=1)


# Whatever comes --------------------------------------------------------------------------------------------

steps = st.one_of(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True).map(
        lambda ids: [calls(*ids), *(answer(i, LONG) for i in ids)]
    ),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True).map(
        lambda ids: [
            item("reasoning"),
            *(item("function_call", i) for i in ids),
            *(item("output", i, LONG) for i in ids),
        ]
    ),
    st.sampled_from(["user", "assistant", "system", "tool", "narrator"]).map(lambda role: [said(role, LONG)]),
    st.sampled_from("abc").map(lambda i: [answer(i, LONG)]),
    st.sampled_from("abc").map(lambda i: [calls(i)]),
    st.just([said("assistant", "")]),
)


def pairs(log: list[Message]) -> list[set[int]]:
    """Each call that has results, with all of them."""
    latest: dict[str, int] = {}
    found: dict[int, set[int]] = {}
    for i, record in enumerate(as_records(log)):
        if record.answers in latest:
            found.setdefault(latest[record.answers], {latest[record.answers]}).add(i)
        latest |= dict.fromkeys(record.calls, i)
    return list(found.values())


@given(st.lists(st.lists(steps, min_size=1, max_size=4), min_size=1, max_size=8), st.data())
def test_nothing_is_lost_or_summarized_twice(turns: list[list[list[Message]]], data: st.DataObject) -> None:
    """A log grows and is compacted now and then, by runs of which some lack something."""
    log: list[Message] = []
    digest: Complete | Partial | None = None
    covered: set[int] = set()
    for turn in turns:
        log += [dict(message, id=str(len(log) + i)) for i, message in enumerate(chain(*turn))]
        given = [
            int(record.id) for record in due(log, digest, limit=400, keep=data.draw(st.integers(0, 399)))
        ]
        assert covered.isdisjoint(given)
        if given:
            gaps = digest.gaps if isinstance(digest, Partial) else ()
            total = max(digest.coverage.total if digest else 0, given[-1] + 1)
            assert given == sorted({gap.first for gap in gaps} | {*range(len(covered) + len(gaps), total)})
            missing = data.draw(st.sets(st.sampled_from(given)))
            covered |= set(given) - missing
            digest = digest_of(total, tuple(sorted(missing)))
        stand = sent(log, digest)
        assert stand == sorted(set(stand))
        assert covered | set(stand) == set(range(len(log)))
        assert len(log) - 1 in stand
        users = [i for i, record in enumerate(as_records(log)) if record.role == "user"]
        assert set(users[-1:]) <= set(stand)
        assert all(i in stand for i, message in enumerate(log) if message.get("role") == "system")
        assert all(pair <= set(stand) or pair.isdisjoint(stand) for pair in pairs(log))
