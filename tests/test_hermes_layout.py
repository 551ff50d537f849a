"""What leaves a session and what stays, in sessions of every shape: nothing is lost, pairs stay whole."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.hermes.digests import Digest, Digests
from summarizer.hermes.layout import Item, arranged, key_of, work_for
from summarizer.hermes.messages import Reader, prior_of, request_of
from summarizer.hermes.session import Measure, Session
from summarizer.records import Record
from summarizer.result import Complete, Coverage, Gap, Partial, Reason, Section, Usage

Message = dict[str, Any]


@st.composite
def sessions(draw: st.DrawFn) -> list[Message]:
    """Turns of user and assistant in any order, calls with their results, some without."""
    messages: list[Message] = []
    for i in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["user", "assistant", "calls"]))
        if kind != "calls":
            messages.append({"role": kind, "content": f"{kind} {i}"})
            continue
        calls = [{"id": f"c{i}.{k}", "type": "function"} for k in range(draw(st.integers(1, 3)))]
        messages.append({"role": "assistant", "content": f"calls {i}", "tool_calls": calls})
        answered = calls[: draw(st.integers(1, len(calls)))]
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": c["id"]} for c in answered]
    return messages


@given(sessions(), st.data())
def test_a_message_is_in_exactly_one_place(messages: list[Message], data: st.DataObject) -> None:
    """Only what is covered goes, all else stays in order; a call goes or stays with its results."""
    places = st.integers(0, len(messages) - 1)
    covered = data.draw(st.sets(places))
    row = data.draw(st.none() | places)
    laid = arranged(messages, covered - {row}, row, None)
    if laid is None:
        return
    numbers = {id(message): i for i, message in enumerate(messages)}
    left, block, right = ([numbers[id(m)] for m in part] for part in (laid.left, laid.block, laid.right))
    assert sorted([*left, *block, *right]) == list(range(len(messages)))
    assert set(block) <= covered | {row}
    assert [*left, *right] == sorted([*left, *right])
    for i, message in enumerate(messages):
        if message["role"] == "tool":
            caller = max(k for k in range(i) if messages[k]["role"] != "tool")
            if row not in (i, caller):
                assert (i in block) == (caller in block)


@given(sessions(), st.data())
def test_speakers_take_turns_where_stretches_meet(messages: list[Message], data: st.DataObject) -> None:
    """Where what stood between two messages goes, the two are not the same speaker's."""
    covered = data.draw(st.sets(st.integers(0, len(messages) - 1)))
    laid = arranged(messages, covered, None, None)
    if laid is None:
        return
    numbers = {id(message): i for i, message in enumerate(messages)}
    for part in (laid.left, laid.right):
        for one, two in pairwise(part):
            if numbers[id(two)] > numbers[id(one)] + 1:
                assert one["role"] != two["role"] or two["role"] == "tool"


def test_the_newest_request_follows_the_digest() -> None:
    """It stays word for word although all that was done for it goes."""
    roles = ("user", "assistant", "user", "assistant", "assistant", "assistant", "assistant")
    messages = [{"role": role, "content": str(i)} for i, role in enumerate(roles)]
    laid = arranged(messages, range(1, 6), None, 2)
    assert laid is not None
    parts = [[message["content"] for message in part] for part in (laid.left, laid.block, laid.right)]
    assert parts == [["0"], ["1", "3", "4", "5"], ["2", "6"]]


def test_the_newest_request_stays_behind_older_ones() -> None:
    """What was not covered of the older past does not come after it, or the agent would answer that."""
    messages = [{"role": role, "content": str(i)} for i, role in enumerate(["user", "assistant"] * 5)]
    laid = arranged(messages, [2, 3, 6, 7, 9], None, 8)
    assert laid is not None
    users = [message["content"] for message in laid.right if message["role"] == "user"]
    assert users == ["4", "8"]


# ---- going on from a digest ----


def items(*texts: str) -> list[Item]:
    return [Item(i, {"role": "user", "content": t}, Record(text=t)) for i, t in enumerate(texts)]


def key(text: str) -> str:
    return key_of(Record(text=text))


def section(first: int, last: int) -> Section:
    return Section("s", 1, first, last, "m", "model", 0, "0" * 32, "p")


def result(total: int, *gaps: tuple[int, int]) -> Complete | Partial:
    """A result that lacks these stretches of records."""
    lacking = {i for first, last in gaps for i in range(first, last + 1)}
    sections = tuple(section(i, i) for i in range(total) if i not in lacking)
    coverage = Coverage(total - len(lacking), len(lacking), total)
    shared = {
        "text": "s",
        "tokens": 1,
        "budget": 100,
        "sections": sections,
        "usage": Usage(),
        "coverage": coverage,
    }
    if not gaps:
        return Complete(**shared)
    found = tuple(Gap(first, last, Reason.DEADLINE, "") for first, last in gaps)
    return Partial(**shared, gaps=found, reason=Reason.DEADLINE)


def test_what_a_digest_lacks_is_given_first_then_what_is_new() -> None:
    """As ``previous`` wants it: the gaps' records in order, those that are gone as blanks, and new ones."""
    work = work_for(
        items("b", "kept", "new", "d"),
        result(5, (1, 1), (3, 4)),
        [key("b"), key("d"), key("gone")],
        [key("kept")],
    )
    assert [record.text for record in work.records] == ["b", "d", "", "new"]
    assert [item.record.text for item in work.known] == ["kept"]


def test_only_what_a_result_stands_for_is_covered() -> None:
    """A record in a gap of the new result stays, one that was covered before may go."""
    work = work_for(items("b", "kept", "new", "newer"), result(3, (1, 1)), [key("b")], [key("kept")])
    after = result(5, (1, 1), (4, 4))
    assert [item.record.text for item in work.covered(after)] == ["kept", "new"]
    assert [item.record.text for item in work.missed(after) if item] == ["b", "newer"]
    assert work.progress(after) == 1


@given(
    st.lists(st.sampled_from("abc"), max_size=8),
    st.lists(st.sampled_from("abc"), max_size=4),
    st.lists(st.sampled_from("abc"), max_size=4),
)
def test_every_message_is_new_known_or_missing(texts: list[str], gaps: list[str], kept: list[str]) -> None:
    """Repeated messages are counted: none is dropped because another says the same."""
    previous = result(len(gaps) + 1, *((i, i) for i in range(1, len(gaps) + 1)))
    work = work_for(items(*texts), previous, [key(t) for t in gaps], [key(t) for t in kept])
    places = [item.at for item in (*work.known, *work.items) if item is not None]
    assert sorted(places) == list(range(len(texts)))
    assert len(work.known) <= len(kept)
    assert len(work.items) >= len(gaps)


def test_a_digest_survives_being_written_down() -> None:
    """It is the same after a restart; a text of somebody else has none."""
    kept = Digests(None)
    digest = Digest(result(3, (1, 1)), ("k",), ("h",), {"role": "user", "content": "q"})
    kept.keep("  body\n", digest)
    assert kept.find("body") == digest
    assert kept.find("another") is None


# ---- reading a session ----

READER = Reader(
    lambda text: text.replace("hunter2", "***"), lambda text: text.replace("<think>x</think>", "")
)


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ({"role": "user", "content": "the password is hunter2"}, "the password is ***"),
        ({"role": "assistant", "content": "<think>x</think>done"}, "done"),
        ({"role": "user", "content": "<think>x</think> is what I typed"}, "<think>x</think> is what I typed"),
        ({"role": "assistant", "content": "here: MEDIA:/tmp/a.png"}, "here: [media attachment]"),
    ],
)
def test_secrets_thoughts_and_orders_are_not_read(message: Message, read: str) -> None:
    """Nothing of them reaches a model that summarizes, or comes back in a digest."""
    assert READER.record(message).text == read


CALLS = [{"id": "c1", "type": "function", "function": {"name": "write", "arguments": "a whole file"}}]
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


@pytest.mark.parametrize(
    ("row", "before"),
    [
        (
            {"role": "user", "content": "HEAD\nthe old question\n\nCUT\n\nPREFIX\nthe digest"},
            {"role": "user", "content": "the old question"},
        ),
        (
            {
                "role": "assistant",
                "content": "HEAD\n\nCUT\nPREFIX",
                "tool_calls": CALLS,
                "_compressed_summary": True,
            },
            {"role": "assistant", "content": "", "tool_calls": CALLS},
        ),
        (
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "HEAD\n"},
                    IMAGE,
                    {"type": "text", "text": "look\nCUT\nPREFIX"},
                ],
            },
            {"role": "user", "content": [IMAGE, {"type": "text", "text": "look"}]},
        ),
        ({"role": "user", "content": "PREFIX\nthe digest"}, None),
        ({"role": "user", "content": [7, None]}, None),
    ],
)
def test_what_a_merged_row_was_before_is_a_message_again(row: Message, before: Message | None) -> None:
    """hermes drops it at the next compaction, with its calls; here it is summarized like the rest."""
    assert prior_of(row, "HEAD", "CUT") == before


def test_a_message_that_a_digest_was_merged_into_stands_before_its_results() -> None:
    """So that its calls keep them."""
    messages = [{"role": "user", "content": "a"}, {"role": "assistant"}, {"role": "tool"}]
    seen = Session(messages, 1, "the digest", 0, 2, 0).with_prior({"role": "assistant", "content": "b"})
    assert (seen.row, seen.start, seen.end) == (1, 0, 3)
    assert [message.get("content") for message in seen.messages] == ["a", None, "b", None]


@pytest.mark.parametrize(
    ("rough", "counted", "current", "beside", "all_of_it"),
    [
        ([100, 100], [90, 80], 50_200, 50_000, 200),
        ([100, 100], [90, 80], 0, 0, 200),
        ([100, 100], [270, 230], 550, 0, 550),
        ([100, 100], [270, 230], 0, 0, 500),
        ([], [], 100, 100, 0),
    ],
)
def test_tokens_are_the_models_also_where_four_characters_are_more_than_one(
    rough: list[int], counted: list[int], current: int, beside: int, all_of_it: int
) -> None:
    """What a Chinese prompt has more than the host thinks is its text, not a huge system prompt."""
    measure = Measure(rough, counted, current)
    assert measure.beside == beside
    assert measure.of(0, len(rough)) == all_of_it


def test_a_request_is_quoted_without_its_secrets() -> None:
    """It is kept with the digest."""
    assert request_of({"role": "user", "content": "use hunter2"}, READER.redact)["content"] == "use ***"
