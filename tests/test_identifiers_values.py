"""Which value replaced which: the last one holds, earlier ones are history."""

from __future__ import annotations

import pytest

from summarizer.identifiers import assignments, values
from summarizer.records import Record

STATED = [
    ("The port is 8080.", "port", None, "8080"),
    ("port is now 9090", "port", None, "9090"),
    ("PORT=8080", "port", None, "8080"),
    ("export API_URL=http://x.y:80/a", "api url", None, "http://x.y:80/a"),
    ("- **Version**: 1.2.3", "version", None, "1.2.3"),
    ("maxTokens = 4000", "max tokens", None, "4000"),
    ("I changed the timeout from 30 to 60 seconds.", "timeout", "30", "60 seconds"),
    ("Bumped lodash from 4.17.20 to 4.17.21.", "lodash", "4.17.20", "4.17.21"),
    ("the API port was changed to 7070", "api port", None, "7070"),
    ("the release date moved from 2024-01-02 to 2024-02-03", "release date", "2024-01-02", "2024-02-03"),
    ("version: 1.2.3 → 1.2.4", "version", "1.2.3", "1.2.4"),
    ("FACT-123456: alpha, 1", "FACT-123456", None, "alpha, 1"),
    ("端口改为9090。", "端口", None, "9090"),
    ("将超时从30改为60", "超时", "30", "60"),
    ("ポートを9090に変更しました。", "ポート", None, "9090"),
    ("タイムアウトを30から60に変更", "タイムアウト", "30", "60"),
]


@pytest.mark.parametrize(("text", "key", "before", "value"), STATED)
def test_statements_are_read(text: str, key: str, before: str | None, value: str) -> None:
    """People, configurations and programs say it in their own way, in three languages."""
    assert [(each.key, each.before, each.value) for each in assignments(text)] == [(key, before, value)]


@pytest.mark.parametrize(
    "text",
    ["The answer is good. That is 42.", "It is late.", "I moved the chair to the window.", "x = y.z", ""],
)
def test_prose_states_nothing(text: str) -> None:
    """Sentences without a value, or without a name for it, are left alone."""
    assert list(assignments(text)) == []


def history(*texts: str) -> dict[str, tuple[str, ...]]:
    return values([Record(text=text) for text in texts]).changed()


CHANGED = [
    (
        ["The port is 8080.", "We set the port to 9090.", "port is now 7070", "good"],
        "port",
        ("8080", "9090", "7070"),
    ),
    (["FACT-123456: 1", "x\nFACT-123456: 2\ny", "FACT-123456: 3"], "FACT-123456", ("1", "2", "3")),
    (["PORT=1000", "changed the port from 1000 to 2000", "PORT=2000"], "port", ("1000", "2000")),
    (["端口是8080。", "端口改为9090。", "端口改为7070。"], "端口", ("8080", "9090", "7070")),
]


@pytest.mark.parametrize(("texts", "key", "expected"), CHANGED)
def test_the_last_value_holds(texts: list[str], key: str, expected: tuple[str, ...]) -> None:
    """A value that is changed three times has a history, whose end is current."""
    assert history(*texts)[key] == expected
    assert values([Record(text=text) for text in texts]).current(key) == expected[-1]


def test_a_label_of_many_things_is_no_change() -> None:
    """Two lines with one label and two values do not replace each other."""
    assert history("id: 1000", "id: 2000") == {}
    assert values([]).current("port") is None


def test_stale_values_of_a_text_are_found() -> None:
    """A summary that gives the old value alone is told the new one; history is no offence."""
    known = values([Record(text="The port is 8080."), Record(text="The port is now 9090.")])
    (stale,) = known.stale("They work on it. The port is 8080.")
    assert (stale.key, stale.value, stale.current) == ("port", "8080", "9090")
    assert known.stale("The port is 9090 (before: 8080).") == []
