"""Results: to JSON and back without loss, and one clear error for anything that is no result."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.errors import InvalidRecords, InvalidResult
from summarizer.result import (
    VERSION,
    Complete,
    Coverage,
    Gap,
    ModelUsage,
    Notice,
    Partial,
    Reason,
    Section,
    Usage,
    load_result,
)
from tests.strategies import json_values

numbers = st.integers(0, 2**70)
texts = st.text(max_size=20)
usages = {
    "calls": numbers,
    "input_tokens": numbers,
    "output_tokens": numbers,
    "wasted_output_tokens": numbers,
    "cached_calls": numbers,
    "cost": st.none() | st.floats(0, allow_infinity=False),
}
zones = st.integers(-1_000, 1_000).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.none() | st.datetimes() | st.datetimes(timezones=zones)


@st.composite
def results(draw: st.DrawFn) -> Complete | Partial:
    """Any result in which each record is in exactly one section or gap."""
    entries: list[Section | Gap] = []
    at = 0
    for size, is_gap in draw(st.lists(st.tuples(st.integers(1, 9), st.booleans()), max_size=6)):
        if is_gap:
            entries.append(Gap(at, at + size - 1, draw(st.sampled_from(Reason)), draw(texts)))
        else:
            entries.append(
                Section(
                    draw(texts),
                    draw(numbers),
                    at,
                    at + size - 1,
                    draw(st.none() | texts),
                    draw(st.sampled_from(["verbatim", "model", "merged", "extractive"])),
                    draw(st.integers(0, 9)),
                    draw(texts),
                    draw(texts),
                    draw(numbers),
                )
            )
        at += size
    gaps = tuple(entry for entry in entries if isinstance(entry, Gap))
    missing = sum(gap.last - gap.first + 1 for gap in gaps)
    by_model = st.dictionaries(texts, st.builds(ModelUsage, **usages), max_size=2)
    shared: dict[str, Any] = {
        "text": draw(texts),
        "tokens": draw(numbers),
        "budget": draw(numbers),
        "sections": tuple(entry for entry in entries if isinstance(entry, Section)),
        "coverage": Coverage(at - missing, missing, at),
        "usage": draw(st.builds(Usage, **usages, by_model=by_model)),
        "degraded": draw(st.booleans()),
        "notices": tuple(draw(st.lists(st.builds(Notice, texts, texts), max_size=2))),
    }
    if not gaps:
        return Complete(**shared)
    return Partial(**shared, gaps=gaps, reason=gaps[0].reason, retry_at=draw(times))


def section(text: str, first: int, last: int) -> Section:
    return Section(text, 3, first, last, "m", "model", 0, "f", "p", 9)


WHOLE = Complete("a", 1, 16, (section("a", 0, 3),), Coverage(4, 0, 4), Usage(by_model={"m": ModelUsage(1)}))
BROKEN = Partial(
    "a",
    1,
    16,
    (section("a", 0, 0), section("b", 3, 3)),
    Coverage(2, 3, 5),
    Usage(cost=None),
    notices=(Notice("code", "A sentence."),),
    gaps=(Gap(1, 2, Reason.BLOCKED, "refused"), Gap(4, 4, Reason.COST, "")),
    reason=Reason.BLOCKED,
    retry_at=datetime(2030, 1, 31, 12, tzinfo=UTC),
)


@given(results())
def test_every_result_survives_json(result: Complete | Partial) -> None:
    """Also None costs, times with and without a zone, and any text; and from what the JSON parses to."""
    text = result.to_json()
    assert load_result(text) == load_result(text.encode()) == load_result(json.loads(text)) == result
    assert type(result).from_json(result.to_json(indent=2)) == result


def test_the_json_says_its_version_and_its_status() -> None:
    body = json.loads(BROKEN.to_json())
    assert (body["version"], body["status"]) == (VERSION, "partial")
    assert body["gaps"][0] == {"first": 1, "last": 2, "reason": "blocked", "detail": "refused"}
    assert body["retry_at"] == "2030-01-31T12:00:00+00:00"


@given(st.text(st.characters(codec=None), max_size=9))
def test_json_can_always_be_written_to_a_file(text: str) -> None:
    """A lone half of a surrogate pair is escaped, and read back as valid text."""
    result = Complete(text, 1, 16, (), Coverage(0, 0, 0), Usage(), notices=(Notice("code", text),))
    again = Complete.from_json(result.to_json().encode())
    assert again.text == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert Complete.from_json(again.to_json()) == again


def test_the_wrong_kind_of_result_is_told() -> None:
    with pytest.raises(InvalidResult, match="status: expected 'complete', got 'partial'"):
        Complete.from_json(BROKEN.to_json())


def changed(result: Complete | Partial, path: str, value: object) -> dict[str, Any]:
    """The result's JSON with one value put in the place of another."""
    body: dict[str, Any] = json.loads(result.to_json())
    *way, last = path.split(".")
    at: Any = body
    for step in way:
        at = at[int(step) if step.isdigit() else step]
    at[int(last) if last.isdigit() else last] = value
    return body


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("version", 2, "version: this result is newer"),
        ("version", "1", "version: expected a whole number"),
        ("version", True, "version: expected a whole number"),
        ("version", 0, "version: expected a whole number"),
        ("status", "done", "status: expected complete, partial; got the string 'done'"),
        ("status", None, "status: .*null"),
        ("text", 3, "text: expected a string, got a value of type int"),
        ("tokens", "12", "tokens: expected a whole number, got the string '12'"),
        ("tokens", 1.5, "tokens: expected a whole number"),
        ("tokens", True, "tokens: expected a whole number"),
        ("budget", -1, "budget: expected a whole number of at least 0"),
        ("degraded", "no", "degraded: expected true or false"),
        ("sections", {}, "sections: expected a list"),
        ("sections.1", "x", r"sections\[1\]: expected an object"),
        ("sections.1.method", "magic", r"sections\[1\].method: expected verbatim, model, .*'magic'"),
        ("sections.0.model", 5, r"sections\[0\].model: expected a string"),
        ("sections.0.first", None, r"sections\[0\].first: expected a whole number, got null"),
        ("coverage", [], "coverage: expected an object"),
        ("coverage.covered", 3, "coverage: expected what sections and gaps add up to"),
        ("usage.cost", "free", "usage.cost: expected a number"),
        ("usage.cost", 10**400, "usage.cost: expected a finite number"),
        ("usage.by_model", {"m": 1}, r"usage.by_model\['m'\]: expected an object"),
        ("gaps.0.reason", "mood", r"gaps\[0\].reason: expected deadline, cost"),
        ("gaps.0.last", 1, "sections, gaps: expected record 2 in exactly one"),
        ("gaps.0.last", 3, "sections, gaps: expected record 4 in exactly one"),
        ("gaps.1.last", 10**15, "coverage: expected"),
        ("gaps", [], "sections, gaps: expected record 1"),
        ("reason", None, "reason: expected deadline"),
        ("retry_at", "soon", "retry_at: expected a time such as .* got the string 'soon'"),
        ("retry_at", 5, "retry_at: expected a time"),
        ("notices.0.code", [], r"notices\[0\].code: expected a string"),
    ],
)
def test_a_wrong_value_is_told_with_its_place(path: str, value: object, told: str) -> None:
    """A result that is not whole is never half-read: what goes on from it relies on every field."""
    with pytest.raises(InvalidResult, match=told) as caught:
        load_result(changed(BROKEN, path, value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("", "expected the JSON of a result"),
        ("{", "expected the JSON of a result"),
        (b"\xff\xfe\xff", "expected the JSON of a result"),
        ("[" * 100_000, "expected the JSON of a result"),
        ("9" * 5_000, "expected the JSON of a result"),
        ("[]", "expected a JSON object, got a list"),
        ("null", "expected a JSON object, got a NoneType"),
        (7, "expected a JSON object, got a int"),
        ("{}", "version: expected a whole number; this is not the JSON of a result"),
        ('{"version": 1}', "status: expected complete, partial; got null"),
        ('{"version": 1, "status": "complete"}', "text: is missing"),
    ],
)
def test_what_is_no_result_is_told_so(data: Any, told: str) -> None:
    with pytest.raises(InvalidResult, match=told):
        load_result(data)


def test_a_result_with_more_or_fewer_fields_is_read() -> None:
    """A later release may add fields; an earlier one did not have those that have a default."""
    body = json.loads(BROKEN.to_json())
    body["mood"] = body["sections"][0]["mood"] = body["usage"]["mood"] = body["gaps"][0]["mood"] = {"a": 1}
    for part in body["sections"]:
        del part["source_tokens"]
    del body["degraded"], body["retry_at"], body["usage"]["cached_calls"]
    found = load_result(body)
    assert isinstance(found, Partial)
    assert (found.degraded, found.retry_at, found.sections[0].source_tokens) == (False, None, 0)
    assert found.gaps == BROKEN.gaps


@given(json_values)
def test_no_json_value_raises_anything_else(value: object) -> None:
    with pytest.raises(InvalidResult):
        load_result(json.dumps(value))


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside a JSON value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


@given(result=st.sampled_from([WHOLE, BROKEN]) | results(), data=st.data())
def test_a_damaged_result_is_refused_or_is_a_result(result: Complete | Partial, data: st.DataObject) -> None:
    """Whatever is replaced or removed: ``InvalidResult``, or something that can be used as any result."""
    body = copy.deepcopy(json.loads(result.to_json()))
    container, key = data.draw(st.sampled_from(places(body)))
    if data.draw(st.booleans()):
        container[key] = data.draw(json_values)
    else:
        del container[key]
    try:
        found = load_result(body)
    except InvalidResult:
        return
    assert load_result(found.to_json()) == found
    if isinstance(found, Partial):
        assert len(found.missing(range(found.coverage.total))) == found.coverage.missing


def test_missing_picks_the_records_of_the_gaps() -> None:
    """Ready to be passed on with ``previous``; new records at the end do not disturb."""
    assert BROKEN.missing("abcde") == BROKEN.missing("abcdefg") == ["b", "c", "e"]
    assert load_result(BROKEN.to_json()).missing(list("abcde")) == ["b", "c", "e"]  # type: ignore[union-attr]


def test_missing_wants_the_whole_list() -> None:
    with pytest.raises(InvalidRecords, match="expected the full list of 5 records, got 3"):
        BROKEN.missing(["b", "c", "e"])


def test_results_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        WHOLE.text = "other"  # type: ignore[misc]
