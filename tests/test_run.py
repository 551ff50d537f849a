"""One run from a caller's arguments: budgets, what needs no call, and going on from an earlier result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from summarizer import (
    Budget,
    Complete,
    Coverage,
    Gap,
    InvalidBudget,
    InvalidRecords,
    InvalidSettings,
    Model,
    Partial,
    Reason,
    Section,
    Settings,
    Summarizer,
    Usage,
    asummarize,
    load_result,
    summarize,
)
from summarizer_providers.client import Client
from summarizer_providers.tokens import get_counter
from summarizer_providers.transports.scripted import ScriptedTransport
from tests.shell import MODEL, outcome, session

POISON = "scripted/poison=POISON"
count = get_counter().count


def check(result: Complete | Partial, total: int, budget: int) -> None:
    """What every result is: within budget, each record in one section or gap, the same after JSON."""
    assert count(result.text) == result.tokens <= budget == result.budget
    entries: list[Section | Gap] = [*result.sections, *getattr(result, "gaps", ())]
    seen = [i for e in sorted(entries, key=lambda e: e.first) for i in range(e.first, e.last + 1)]
    assert seen == list(range(total))
    assert result.coverage.total == total
    assert load_result(result.to_json()) == result


@pytest.fixture
def transport() -> ScriptedTransport:
    return ScriptedTransport()


@pytest.fixture
def run(transport: ScriptedTransport) -> Any:
    """``summarize`` on scripted models, whose calls the fixture ``transport`` counts."""
    return Summarizer(Settings(), client=Client({"scripted": transport})).summarize


# Budgets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "budget", [0, 15, -5, 10_000_001, 10**12, 10**400, 2.5, 100.0, True, "many", "100", None, [100], b"1"]
)
def test_a_wrong_budget_is_named_before_anything_is_sent(
    run: Any, transport: ScriptedTransport, budget: Any
) -> None:
    """One line: what was expected, and what was given."""
    for given in (lambda: run(session(9), budget, models=[MODEL]), lambda: Budget(budget)):
        with pytest.raises(InvalidBudget) as caught:
            given()
        assert str(caught.value).startswith("budget: expected ")
        assert len(str(caught.value)) < 200
    assert transport.count == 0


def test_a_wrong_shape_is_named() -> None:
    """There are three."""
    with pytest.raises(InvalidBudget, match="budget: shape: expected auto, sections, one, got two"):
        Budget(100, "two")  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", [16, 10_000_000, Budget(16), Budget(10_000_000, "one")])
def test_the_bounds_themselves_are_budgets(run: Any, budget: Any) -> None:
    """16 and 10,000,000 are allowed."""
    result = run(session(9), budget, models=[MODEL])
    check(result, 9, Budget.of(budget).tokens)


# No call ---------------------------------------------------------------------------------------------------


def test_what_fits_comes_back_as_it_is(run: Any, transport: ScriptedTransport) -> None:
    """No call and no cost; one section that says so."""
    texts = session(5)
    result = run(texts, 2_000, models=[MODEL])
    check(result, 5, 2_000)
    assert result.text == "\n\n".join(texts)
    assert [(s.method, s.model) for s in result.sections] == [("verbatim", None)]
    assert (transport.count, result.usage) == (0, Usage())


def test_what_fits_exactly_fits(run: Any) -> None:
    """The budget is the most that the text may have, and it may have that."""
    texts = session(5)
    size = count("\n\n".join(texts))
    assert run(texts, size, models=[MODEL]).sections[0].method == "verbatim"
    assert run(texts, size - 1, models=[MODEL]).sections[0].method == "model"


def test_who_speaks_is_told_where_more_than_one_does(run: Any) -> None:
    """A conversation stays one."""
    result = run([{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}], 100)
    assert result.text == "user: Why?\n\nassistant: So."


@pytest.mark.parametrize("more", [{"focus": "barges"}, {"instructions": "in verse"}])
def test_a_wish_is_not_fulfilled_by_the_records_themselves(
    run: Any, transport: ScriptedTransport, more: dict[str, str]
) -> None:
    """Focus and instructions ask for more than the records as they are."""
    run(session(5), 2_000, models=[MODEL], **more)
    assert transport.count == 1


def test_one_text_is_not_a_list_of_records(run: Any, transport: ScriptedTransport) -> None:
    """``shape="one"`` asks for a text that reads as one."""
    run(session(5), Budget(2_000, "one"), models=[MODEL])
    assert transport.count == 1


@pytest.mark.parametrize("more", [{}, {"focus": "barges"}, {"budget": Budget(16, "one")}])
@pytest.mark.parametrize(
    "records", [[], (), [""], ["", " \n\t", "\u3000"], [{"role": "user", "content": None}], [{}]]
)
def test_nothing_gives_an_empty_text(
    run: Any, transport: ScriptedTransport, records: Any, more: dict[str, Any]
) -> None:
    """Complete, without a call; blank records are covered like any other."""
    given = {"budget": 16, "models": [MODEL], **more}
    if records == [{}]:
        given["budget"] = 100
    result = run(records, **given)
    if records != [{}]:
        assert (result.text, transport.count) == ("", 0)
    assert isinstance(result, Complete)
    assert result.coverage == Coverage(len(records), 0, len(records))


def test_blank_records_beside_others_are_in_sections(run: Any) -> None:
    """Nothing is lost from the count because it is empty."""
    texts = ["", *session(20), " ", "", *session(20, 20), ""]
    result = run(texts, 900, models=[MODEL])
    check(result, 44, 900)
    assert isinstance(result, Complete)


# Limits ----------------------------------------------------------------------------------------------------


def test_a_cost_that_cannot_be_bounded_is_refused(run: Any) -> None:
    """``max_cost`` with a model of unknown price names the model."""
    with pytest.raises(InvalidSettings, match=r"max_cost: models\[1\] \(openai/nobody-knows\) has no known"):
        run(session(9), 100, models=[MODEL, "openai/nobody-knows"], max_cost=1.0)


def test_a_cost_ends_the_run_before_it_is_passed(run: Any, transport: ScriptedTransport) -> None:
    """A call that could cost more than is left is not sent."""
    priced = Model("scripted/priced", extra={"input_cost_per_token": 1.0, "output_cost_per_token": 1.0})
    result = run(session(30), 900, models=[priced], max_cost=0.5)
    check(result, 30, 900)
    assert (result.reason, transport.count) == (Reason.COST, 0)


@pytest.mark.parametrize("chunk", [256, 700])
def test_the_settings_bound_chunks_and_calls(transport: ScriptedTransport, chunk: int) -> None:
    """``chunk_tokens`` and ``max_calls`` hold for every call and the whole run."""
    settings = Settings(chunk_tokens=chunk, max_calls=3)
    summarizer = Summarizer(settings, client=Client({"scripted": transport}))
    result = summarizer.summarize(session(60), 1_000, models=[MODEL])
    check(result, 60, 1_000)
    assert isinstance(result, Partial)
    assert (result.reason, transport.count) == (Reason.CALL_LIMIT, 3)


def test_a_window_without_room_for_records_is_refused(run: Any, transport: ScriptedTransport) -> None:
    """Not a plan of one call for every few words."""
    tiny = Model("scripted/tiny", context_window=500)
    with pytest.raises(InvalidSettings, match=r"models\[1\]: context_window: scripted/tiny has 500 tokens"):
        run(session(30), 900, models=[MODEL, tiny])
    assert transport.count == 0


@pytest.mark.parametrize("name", ["focus", "instructions"])
def test_a_wish_that_leaves_no_room_for_records_is_refused(
    run: Any, transport: ScriptedTransport, name: str
) -> None:
    """It is read again with every call."""
    with pytest.raises(InvalidSettings, match=r"focus and instructions: expected fewer than .* models\[0\]"):
        run(session(30), 900, models=[MODEL], **{name: "word " * 150_000})
    assert transport.count == 0


# Mistakes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ({"settings": {"max_calls": 3}}, "settings: expected Settings, got dict"),
        ({"on_event": "print"}, "on_event: expected a function, got str"),
        ({"cancel": True}, "cancel: expected a threading.Event, got bool"),
        ({"deadline": 0}, "deadline: expected a number above 0, got 0"),
        ({"deadline": "5"}, "deadline: expected a number above 0, got '5'"),
        ({"deadline": float("nan")}, "deadline: expected a number above 0, got nan"),
        ({"max_cost": -1}, "max_cost: expected a number above 0, got -1"),
        ({"max_cost": True}, "max_cost: expected a number above 0, got True"),
        ({"focus": 5}, "focus: expected a string, got int"),
        ({"instructions": ["a"]}, "instructions: expected a string, got list"),
        ({"models": []}, "models: expected at least one model, got an empty list"),
        ({"models": MODEL}, "models: expected a list of models, got one str"),
    ],
)
@pytest.mark.parametrize("form", [summarize, asummarize])
def test_a_wrong_argument_is_named(form: Callable[..., Any], argument: dict[str, Any], told: str) -> None:
    """In one line, before anything is sent."""
    with pytest.raises(InvalidSettings) as caught:
        outcome(lambda: form(session(), 900, **argument))
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (None, "got None"),
        ("one text", "for one text pass [text]"),
        (b"bytes", "decode them and pass [text]"),
        (bytearray(b"bytes"), "decode them and pass [text]"),
        ({"role": "user", "content": "x"}, "for one message pass [message]"),
        ({"messages": []}, 'pass its "messages"'),
        (5, "got an int"),
        (["a", "b", "c", 7], "record 3: "),
        (["a", None], "record 1: "),
        (("a", b"b"), "record 1: "),
    ],
)
@pytest.mark.parametrize("form", [summarize, asummarize])
def test_what_is_no_list_of_records_is_named(form: Callable[..., Any], records: Any, told: str) -> None:
    """The record, what it is, and what to pass instead."""
    with pytest.raises(InvalidRecords) as caught:
        outcome(lambda: form(records, 900))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
