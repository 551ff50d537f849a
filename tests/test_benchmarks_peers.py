"""The comparison with other products measures all alike: what is kept, what was cut, how a run ended."""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.peers.__main__ import SIZES, main
from benchmarks.peers.environments import built
from benchmarks.peers.job import Done, conversation
from benchmarks.peers.measuring import Ended, Row, Task, kept, row_of, tells_of_a_cut
from benchmarks.peers.products import OURS, PRODUCTS, requirements_of
from benchmarks.peers.report import ahead
from benchmarks.peers.runs import outcome
from benchmarks.peers.server import MODEL, Limits, Served, answer_to, remarks_in, serving
from benchmarks.planted import Session, session

FACTS = {"100001": "north gate shut at 51", "100002": "mill pond low at 7"}
LINES = [f"FACT-{number}: {value}" for number, value in FACTS.items()]
TASK = Task("50k", Session([], FACTS, 40), 40, Limits(1_000))
ROW = row_of(OURS, TASK, Ended("returned", Done(LINES[0])), ())


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", 0),
        ("\n".join(LINES), 2),
        ("\n".join(LINES * 3), 2),
        (f"- {LINES[0]}, as was said", 1),
        (LINES[1][:-1], 0),
        (f"{LINES[1]}4", 0),
        ("FACT-100001: mill pond low at 7", 0),
        ("FACT-999999: north gate shut at 51", 0),
        (f'{{"note": "{LINES[0]}\\n{LINES[1]}"}}', 2),
    ],
)
def test_a_fact_is_kept_if_its_number_and_its_whole_value_are(text: str, facts: int) -> None:
    """Neither half a value nor a value under another number counts."""
    assert kept(text, FACTS) == facts


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        ("call 3 ended: CutAtOutput", True),
        ("finish_reason: length", True),
        ("The summary was truncated by the provider", True),
        ("the answer was cut off at the output limit", True),
        ("context_length_exceeded", False),
        ("Summarizing 30 messages, max_tokens 4000", False),
        ("a shortcut offers a cutlass", False),
    ],
)
def test_what_tells_of_a_cut(line: str, tells: bool) -> None:
    """A product is taken to have told of it only if its words are about an answer that was cut."""
    assert tells_of_a_cut([line]) is tells


def call(number: int, written: int, finish: str = "stop", repeats: tuple[int, ...] = ()) -> Served:
    return Served(number, 200, 100, written, finish, repeats)


def test_a_row_counts_what_the_server_saw_and_what_was_left() -> None:
    """An answer that neither a later prompt nor the end repeats was written in vain."""
    text = f"{LINES[0]}\nRemark 3-0 says so.\n" + "word " * 60 + LINES[1]
    calls = [call(1, 10, "length"), call(2, 20), call(3, 30, repeats=(2,))]
    row = row_of("any", TASK, Ended("returned", Done(text), ("cut off",), 2.5, 90.0), calls)
    assert (row.calls, row.cuts, row.input_tokens, row.output_tokens, row.wasted) == (3, 1, 300, 60, 10)
    assert (row.kept, row.in_budget, row.told) == (2, 1, True)
    assert row.size > row.budget


def test_where_nothing_was_cut_there_is_nothing_to_tell() -> None:
    """Silence counts against a product only if there was a cut."""
    assert ROW.told is None
    assert row_of("any", TASK, Ended("returned", Done()), [call(1, 9, "length")]).told is False


def test_who_keeps_more_is_named() -> None:
    """The comparison says itself where another product is ahead."""
    more, less = (replace(ROW, product="any", in_budget=n) for n in (2, 1))
    assert ahead([ROW, less]) == []
    assert [line.split(": ")[1] for line in ahead([ROW, more])] == [f"any keeps 2, {OURS} 1"]
    assert ahead([ROW, replace(more, ceiling=7)]) == []


# The server ------------------------------------------------------------------------------------------------


def post(root: str, content: str, **more: Any) -> dict[str, Any]:
    body = {"model": MODEL, "messages": [{"role": "user", "content": content}], **more}
    request = urllib.request.Request(f"{root}/v1/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def test_the_model_repeats_every_fact_once_and_signs_its_prose() -> None:
    """So what a product loses was not lost by the model, and an answer can be found again."""
    answer = answer_to("\n".join([*LINES, "and more", LINES[0]]), 12)
    assert [line for line in answer.splitlines() if line.startswith("FACT")] == LINES
    assert remarks_in(answer) == {12}


@pytest.mark.parametrize(("more", "most", "finish"), [({}, 60, "length"), ({"max_tokens": 20}, 20, "length")])
def test_answers_are_cut_at_what_is_least(more: dict[str, Any], most: int, finish: str) -> None:
    """The ceiling holds whatever is asked for, and a smaller wish holds too."""
    with serving(Limits(60)) as root:
        reply = post(root, "\n".join(LINES * 2), **more)
        whole = post(root, "no facts")
    assert (reply["usage"]["completion_tokens"] <= most, reply["choices"][0]["finish_reason"]) == (
        True,
        finish,
    )
    assert whole["choices"][0]["finish_reason"] == "stop"


def test_a_prompt_above_the_window_is_refused_and_counted() -> None:
    """As OpenAI does it, by status and code."""
    with serving(Limits(60, window=50)) as root:
        with pytest.raises(urllib.error.HTTPError, match="400") as refused:
            post(root, "word " * 100)
        error = json.load(refused.value)["error"]
        with urllib.request.urlopen(f"{root}/calls") as reply:
            calls = json.load(reply)
    assert error["code"] == "context_length_exceeded"
    assert [(each["status"], each["completion_tokens"]) for each in calls] == [(400, 0)]


# Runs ------------------------------------------------------------------------------------------------------


def test_this_project_keeps_every_fact_of_a_small_session() -> None:
    """Our own product, through the same server, in a process of its own."""
    task = Task("tiny", session(4_000, 24, 1, 100), 800, Limits(300))
    row = outcome(PRODUCTS[0], Path(sys.executable), task, 90.0)
    assert (row.status, row.in_budget, row.told) == ("returned", row.facts, True)
    assert row.facts > 20
    assert row.size <= row.budget
    assert row.peak > 20


def script(folder: Path, text: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("echo no such module; exit 4", "crashed (exit 4): no such module"),
        ("sleep 60", "no end within 0.3 s"),
    ],
)
def test_a_product_that_crashes_or_hangs_is_a_row(tmp_path: Path, text: str, status: str) -> None:
    """And not the end of the comparison."""
    row = outcome(PRODUCTS[1], script(tmp_path, text), TASK, 0.3)
    assert (row.status, row.kept, row.calls) == (status, 0, 0)


def test_what_cannot_be_built_says_why(tmp_path: Path) -> None:
    """One line, with the remedy where there is one."""
    with pytest.raises(RuntimeError, match=re.escape("needs Python 9.0, found none (--python PATH)")):
        built(replace(PRODUCTS[1], python=(9, 0)), tmp_path, ["no-such-python"])


def test_rows_that_are_kept_are_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison that was interrupted goes on where it was."""
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row_fields(replace(ROW, told=False))) + "\n", "utf-8")
    wanted = ["--only", OURS, "--sizes", "50k", "--ceilings", "1000", "--results", str(path)]
    assert main([*wanted, "--envs", str(tmp_path / "none")]) == 0
    assert f"Nobody keeps more facts than {OURS}" in capsys.readouterr().out
    assert main([*wanted, "--json"]) == 0
    assert Row(**json.loads(capsys.readouterr().out)).in_budget == 1


def row_fields(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in Row.__slots__}


# Fairness --------------------------------------------------------------------------------------------------


def pinned(path: Path) -> Sequence[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.name)
def test_every_version_is_pinned(product: Any) -> None:
    """The same comparison tomorrow, and the version that is shown is the one that is used."""
    lines = pinned(requirements_of(product))
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+", line) for line in lines)
    assert product.name == OURS or any(line.startswith(f"{product.package}==") for line in lines)


def test_documents_hold_what_messages_say() -> None:
    """A product that reads text is given all that one that reads messages is given, calls included."""
    made = session(2_000, 12, 1, 100)
    assert kept(conversation(made.messages), made.facts) == len(made.facts) > 8


def test_budgets_have_room_for_the_facts_and_not_for_much_more() -> None:
    """A product that keeps every fact can fit the budget; one that keeps everything cannot."""
    for size in SIZES.values():
        assert 0.4 * size.budget < 14 * size.facts < 0.8 * size.budget < 0.4 * size.tokens
