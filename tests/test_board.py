"""Board and work: leaves are split, moved on and given up, and every record ends in one section or gap."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.board import Board
from summarizer.chunking import SMALLEST, Chunk
from summarizer.prepare import fingerprint, prepare
from summarizer.records import Record
from summarizer.result import Gap, Reason, Section
from summarizer.work import Leaf, MergeTask, State, entries_of, merged_section, passages
from tests.runs import count, units_of

WHY = (Reason.CANCELLED, "it was not reached")
texts = st.lists(
    st.sampled_from(["", " \n", "short", "word " * 60, "word " * 700, "a line\n" * 200, " " * 3_000]),
    max_size=9,
)


def board(items: list[str], size: int = 200, budget: int = 300, output: int = 1_000) -> Board:
    made = Board(units_of(items), count)
    made.plan(size, size, budget, output)
    return made


def entries(made: Board) -> list[Section | Gap]:
    return entries_of(made.leaves, made.units, count, "p", WHY)


def read(made: Board, *, from_leaves: list[Leaf] | None = None) -> str:
    """Everything that the leaves give to read, and what blank ones stand for."""
    found = []
    for leaf in made.leaves if from_leaves is None else from_leaves:
        chunk = leaf.chunk
        if chunk.is_piece:
            found.append(made.units[chunk.first].text[chunk.start : chunk.end])
        else:
            found += [unit.text for unit in made.units[chunk.first : chunk.last + 1]]
    return "".join(found)


def check_whole(made: Board) -> None:
    """Each record is read once, in order, and stands in exactly one entry."""
    assert read(made) == "".join(unit.text for unit in made.units)
    seen = [i for entry in entries(made) for i in range(entry.first, entry.last + 1)]
    assert seen == list(range(len(made.units)))
    for leaf in made.leaves:
        assert leaf.target >= 16
        assert bool(passages(made.units, leaf.chunk)) == (leaf.state is not State.DONE or bool(leaf.text))


@given(texts, st.sampled_from([64, 200, 5_000]), st.integers(0, 2**32), st.integers(0, 30))
def test_whatever_happens_to_leaves_nothing_is_lost_or_read_twice(
    items: list[str], size: int, seed: int, steps: int
) -> None:
    """Halved, parted, made smaller, given up, in any order."""
    made = board(items, size)
    check_whole(made)
    for step in range(steps):
        waiting = made.open()
        if not waiting:
            break
        leaf = waiting[(seed >> step) % len(waiting)]
        before = len(made.leaves)
        match (seed >> (step * 2)) % 8:
            case 0:
                changed = made.halve(leaf, rung=1)
            case 1:
                changed = made.bisect(leaf)
            case 2 | 3:
                changed = made.resize(leaf, leaf.chunk.tokens // 3)
            case 4:
                made.give_up(leaf, Reason.BLOCKED, "refused")
                changed = False
            case 5:
                changed = made.cut(leaf, leaf.chunk.tokens // 3)
            case 6:
                at = made.units[(leaf.chunk.first + leaf.chunk.last + 1) // 2].position
                changed = made.keep(leaf, at, "what it said", "a/b") is not None
            case _:
                made.replan(0, max(1, leaf.chunk.tokens // (1 + seed % 3)), size, 1_000)
                check_whole(made)
                continue
        assert changed == (len(made.leaves) > before)
        assert len(made.leaves) == before or leaf not in made.leaves
        check_whole(made)


@given(texts)
def test_making_leaves_smaller_ends(items: list[str]) -> None:
    """An endpoint that can write next to nothing does not turn a record into a call a word."""
    made = board(items, 5_000)
    for _ in range(20):
        changed = [made.resize(leaf, 1) for leaf in made.open()]
        if not any(changed):
            break
    else:
        pytest.fail("it does not end")
    check_whole(made)
    assert len(made.open()) <= len(items) + sum(unit.tokens for unit in made.units) // (SMALLEST // 2)


def test_a_plan_asks_for_the_budget_in_all() -> None:
    made = board(["word " * 400] * 10, size=1_100, budget=2_000)
    assert len(made.leaves) == 5
    assert sum(leaf.target for leaf in made.leaves) == pytest.approx(2_000, abs=5)
    assert made.open() == made.leaves


def test_no_units_make_no_leaves() -> None:
    assert board([]).leaves == board([]).open() == []


def test_halves_share_the_target_and_go_where_they_are_sent() -> None:
    made = board(["word " * 60] * 4, size=10_000, budget=200)
    [leaf] = made.leaves
    assert made.halve(leaf, rung=2)
    assert [(new.chunk.first, new.chunk.last, new.rung) for new in made.leaves] == [(0, 1, 2), (2, 3, 2)]
    assert sum(new.target for new in made.leaves) == leaf.target


def test_blank_halves_and_blank_pieces_are_not_sent_to_a_model() -> None:
    """It would answer with whatever comes to its mind, or with nothing, which would leave a gap."""
    made = board(["", "", "", "word " * 60], size=10_000)
    assert made.halve(made.leaves[0], rung=0)
    assert [leaf.state for leaf in made.leaves] == [State.DONE, State.WAITING]
    spaced = board(["start" + " " * 8_000 + "end"], size=200)
    assert len(spaced.leaves) > 5
    assert len(spaced.open()) == 2


def test_a_refused_leaf_is_parted_down_to_one_record() -> None:
    made = board(["word " * 60] * 8, size=10_000)
    steps = 0
    while made.bisect(made.leaves[0]):
        steps += 1
    assert steps == 3
    assert (made.leaves[0].chunk.first, made.leaves[0].chunk.last) == (0, 0)
    assert not board(["word " * 600], size=10_000).bisect(Leaf(chunk=Chunk(0, 0, 900), target=16))


def test_a_record_that_lost_a_piece_is_not_read_any_further() -> None:
    """It cannot become whole; other records go on."""
    made = board(["word " * 60, "word " * 700, "word " * 60])
    pieces = [leaf for leaf in made.leaves if leaf.chunk.is_piece]
    assert len(pieces) > 3
    pieces[0].finish("done", "m", "model")
    made.give_up(pieces[1], Reason.BLOCKED, "refused")
    assert {leaf.state for leaf in pieces[1:]} == {State.FAILED}
    assert [leaf.chunk.first for leaf in made.open()] == [0, 2]
    assert entries(made)[1] == Gap(1, 1, Reason.BLOCKED, "refused")


# ---- from leaves to sections ----


def test_pieces_come_together_in_one_section() -> None:
    made = board(["first " * 30, "word " * 700])
    for i, leaf in enumerate(made.leaves):
        leaf.finish(f"part {i}", "m", "model")
    first, second = entries(made)
    assert isinstance(first, Section)
    assert isinstance(second, Section)
    assert second.text == "\n".join(f"part {i}" for i in range(1, len(made.leaves)))
    assert (second.first, second.last, second.tokens) == (1, 1, count(second.text))
    assert second.fingerprint == fingerprint(made.units[1:])
    assert second.source_tokens == made.units[1].tokens
    assert (second.model, second.method, second.level, second.prompt_id) == ("m", "model", 0, "p")


@pytest.mark.parametrize(
    ("writers", "model", "method"),
    [
        ([("a", "model"), ("b", "model")], "b", "model"),
        ([("off", "extractive"), ("b", "model")], "off", "extractive"),
        ([("a", "model"), ("off", "extractive")], "off", "extractive"),
    ],
)
def test_a_section_of_several_writers_names_the_one_that_matters(
    writers: list[tuple[str, str]], model: str, method: str
) -> None:
    """That a piece was only extracted must show, since it makes the result a degraded one."""
    made = board(["a" + "word " * 120 + "b"], size=100)
    made.leaves = made.leaves[:2]
    for leaf, (name, how) in zip(made.leaves, writers, strict=True):
        leaf.finish("text", name, how)  # type: ignore[arg-type]
    [section] = entries(made)
    assert isinstance(section, Section)
    assert (section.model, section.method) == (model, method)


def test_a_blank_last_piece_does_not_hide_who_wrote() -> None:
    made = board(["word " * 300 + " " * 4_000], size=200)
    for leaf in made.open():
        leaf.finish("text", "m", "model")
    [section] = entries(made)
    assert isinstance(section, Section)
    assert (section.model, section.method) == ("m", "model")


def test_blank_records_are_a_section_that_nobody_wrote() -> None:
    [section] = entries(board(["", " "]))
    assert isinstance(section, Section)
    assert (section.text, section.tokens, section.model, section.method) == ("", 0, None, "verbatim")


def test_what_was_not_reached_is_a_gap_that_says_so() -> None:
    made = board(["word " * 200] * 3, size=270)
    made.leaves[1].fail(Reason.UNAVAILABLE, "m: no key")
    assert entries(made) == [
        Gap(0, 0, *WHY),
        Gap(1, 1, Reason.UNAVAILABLE, "m: no key"),
        Gap(2, 2, *WHY),
    ]


def test_positions_are_those_in_the_whole_input() -> None:
    """Records that a run goes on with keep the places that they had."""
    units = prepare([Record(text="word " * 60)] * 4, [3, 4, 9, 10], count)
    made = Board(units, count)
    made.plan(10_000, 10_000, 300, 1_000)
    assert [(entry.first, entry.last) for entry in entries(made)] == [(3, 4), (9, 10)]
    assert [p.position for leaf in made.leaves for p in passages(units, leaf.chunk)] == [3, 4, 9, 10]


def test_a_model_reads_who_speaks_and_no_blank_records() -> None:
    records = [Record(role="tool", name="ls", text="a"), Record(text=" "), Record(text="b")]
    found = passages(prepare(records, range(3), count), Chunk(0, 2, 30))
    assert [(p.position, p.role, p.name, p.text) for p in found] == [
        (0, "tool", "ls", "a"),
        (2, "user", None, "b"),
    ]


PART = Section("text", 1, 0, 0, "m", "model", 0, "f0", "p", 100)


def test_a_merged_section_stands_for_all_that_its_parts_stood_for() -> None:
    units = units_of(["a", "b", "c", "d"])
    task = MergeTask(first=0, last=1, target=50)
    task.finish("both", "m2", "merged")
    prints = [fingerprint(units[:1]), fingerprint(units[1:])]
    parts = [
        replace(PART, level=2, fingerprint=prints[0]),
        replace(PART, first=1, last=3, fingerprint=prints[1]),
    ]
    section = merged_section(task, parts, count)
    assert (section.first, section.last, section.level, section.source_tokens) == (0, 3, 3, 200)
    assert (section.text, section.tokens, section.model, section.method) == ("both", 1, "m2", "merged")
    assert section.fingerprint == fingerprint(units)


# ---- laying out anew ----


def sizes(made: Board) -> list[int]:
    return [leaf.chunk.tokens for leaf in made.leaves]


def test_what_was_not_sent_is_laid_out_anew_together() -> None:
    """Halving each chunk by itself would make twice the calls where a third more are needed."""
    made = board(["word " * 60] * 60, size=1_600, budget=2_000)
    before = len(made.leaves)
    assert made.replan(0, 1_200, 1_600, 500)
    assert before < len(made.leaves) <= -(-sum(sizes(made)) // 1_200)
    assert max(sizes(made)) <= 1_500
    assert sum(leaf.target for leaf in made.leaves) == pytest.approx(2_000, abs=10)
    check_whole(made)


def test_fewer_and_larger_chunks_where_the_limit_was_too_low() -> None:
    made = board(["word " * 60] * 60, size=400)
    before = len(made.leaves)
    assert made.replan(0, 1_600, 1_600, 500)
    assert len(made.leaves) < before / 3
    check_whole(made)


def test_what_was_sent_or_tried_stays_as_it_is() -> None:
    """And so does what is for another model."""
    made = board(["word " * 60] * 60, size=400)
    flying, tried, other = made.leaves[0], made.leaves[2], made.leaves[4]
    flying.state, tried.tries, other.rung = State.FLYING, 1, 1
    assert made.replan(0, 5_000, 5_000, 500)
    assert all(any(leaf is kept for leaf in made.leaves) for kept in (flying, tried, other))
    check_whole(made)


def test_parts_of_what_was_cut_are_not_read_together_again() -> None:
    """Or it would be cut again."""
    made = board(["word " * 60] * 20, size=10_000)
    assert made.cut(made.leaves[0], 10_000)
    limit = made.leaves[0].most
    assert len(made.leaves) == 2
    made.replan(0, 10_000, 10_000, 1_000)
    assert all(leaf.chunk.tokens <= limit for leaf in made.leaves)
    check_whole(made)


def test_a_plan_that_fits_keeps_its_borders() -> None:
    made = board(["word " * 60] * 20, size=400)
    before = list(made.leaves)
    assert not made.replan(0, 400, 400, 1_000)
    assert made.leaves == before


def test_the_beginning_of_a_cut_answer_stands_for_the_records_before_its_end() -> None:
    made = board(["word " * 60] * 8, size=10_000)
    parts = made.keep(made.leaves[0], 5, "what it said of five records", "a/b")
    assert parts == (made.leaves[0], made.leaves[1])
    done, rest = made.leaves
    assert (done.chunk.first, done.chunk.last, done.state, done.text) == (
        *(0, 4),
        *(State.DONE, "what it said of five records"),
    )
    assert (rest.chunk.first, rest.chunk.last, rest.state) == (5, 7, State.WAITING)
    assert made.keep(rest, 5, "nothing before it", "a/b") is None
    assert made.keep(rest, 6, "", "a/b") is None
    check_whole(made)
