"""Following: how far a cut answer had come in its material, and what of it may be kept."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer.following import follow

NAMES = [f"{a}{b}{c}" for a in "bdfklmnprst" for b in "aeiou" for c in ("rik", "lund", "sten", "vald")]
FILLER = "the boat went on in the rain and the others waited for it at the bridge as they had agreed. "


def records(number: int = 40, seed: int = 1) -> list[str]:
    """Records in each of which someone of a name of his own pays a sum of his own."""
    names = random.Random(seed).sample(NAMES, number)
    return [f"{FILLER * 3}{name} paid {1_000 + 7 * i} crowns.\n{FILLER}" for i, name in enumerate(names)]


def told(material: list[str]) -> list[str]:
    """A line about each record."""
    return [f"- {text.split('agreed. ')[3].splitlines()[0]}" for text in material]


def test_an_answer_in_order_is_kept_up_to_the_record_in_which_it_was_cut() -> None:
    material = records()
    lines = told(material)
    found = follow("\n".join(lines[:20])[:-4], material)
    assert found is not None
    assert found.record == 18
    assert found.text == "\n".join(lines[:18])
    assert found.progress == pytest.approx(19 / 40, abs=0.03)


def test_prose_is_followed_sentence_by_sentence() -> None:
    material = records()
    prose = " ".join(line.removeprefix("- ") for line in told(material)[:20])
    found = follow(prose[:-9], material)
    assert found is not None
    assert 16 <= found.record <= 19


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Nothing that names anything.\n" * 20,
        "\n".join(told(records())[:5]),  # too few to prove an order
        "\n".join(reversed(told(records()))),
        "\n".join(sorted(told(records()))),
        "\n".join(f"{line}\nAnd then they all went home." for line in told(records())),
        "\n".join(told(records(seed=2))),  # of something else
    ],
    ids=["empty", "vague", "short", "backwards", "by name", "half of it vague", "another material"],
)
def test_what_does_not_follow_its_material_is_not_kept(answer: str) -> None:
    """By topic, by weight, of nothing: then the end of what it covers cannot be known."""
    assert follow(answer, records()) is None


def test_an_overview_at_the_end_or_a_start_at_the_end_is_not_taken_for_order() -> None:
    lines = told(records())
    assert follow("\n".join([*lines[30:], *lines[:30]]), records()) is None


def test_one_large_record_shows_how_far_the_answer_came_but_keeps_nothing() -> None:
    """Its end was not read for the summary, so nothing stands for it."""
    material = ["\n".join(records())]
    found = follow("\n".join(told(records())[:20])[:-4], material)
    assert found is not None
    assert (found.record, found.text) == (0, "")
    assert found.progress == pytest.approx(0.5, abs=0.06)


@settings(max_examples=50)
@given(
    st.lists(st.text(max_size=80), max_size=30),
    st.text(max_size=400) | st.lists(st.sampled_from(told(records())), max_size=40).map("\n".join),
)
def test_any_text_is_followed_or_not(material: list[str], answer: str) -> None:
    found = follow(answer, material)
    if found is not None:
        assert 0 <= found.progress <= 1
        assert 0 <= found.record < len(material)
