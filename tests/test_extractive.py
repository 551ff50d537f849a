"""The offline model keeps what a reader needs, in the records' own words, within the length asked for."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer_providers.extractive import extract
from summarizer_providers.extractive.speakers import Speaker, speakers
from summarizer_providers.extractive.terms import Kind, terms
from summarizer_providers.tokens import get_counter
from summarizer_providers.types import Passage
from tests.strategies import dirty_text

count = get_counter().count
CHATTER = "Let me have another look at it, and then we will see how things go from there."
WORK = [
    ("user", "Find out why the nightly export fails and fix it, but do not touch the schema."),
    ("assistant", "I will look at the logs first."),
    ("tool", "drwxr-xr-x 2 root root 4096 export\n-rw-r--r-- 1 root root 812 run.log\n" * 20),
    ("assistant", f"{CHATTER}\nThe log says that job 4711 ran out of memory in src/export/writer.py."),
    ("tool", "def write(rows):\n    buffer = []\n    for row in rows:\n        buffer.append(row)\n" * 20),
    *[("assistant", CHATTER), ("tool", "ok\n" * 30)] * 8,
    ("user", "Only option B please."),
    ("assistant", "Done: writer.py now streams its rows, and all 38 tests pass. The schema is as it was."),
]


def passages(*turns: tuple[str, str]) -> tuple[Passage, ...]:
    return tuple(Passage(position, role, text) for position, (role, text) in enumerate(turns))


def summary(turns: Sequence[tuple[str, str]], target: int, focus: str | None = None) -> str:
    return extract(passages(*turns), target, len(turns), count=count, focus=focus)


@pytest.mark.parametrize(
    "kept",
    [
        "Find out why the nightly export fails and fix it, but do not touch the schema.",
        "The log says that job 4711 ran out of memory in src/export/writer.py.",
        "Only option B please.",
        "Done: writer.py now streams its rows, and all 38 tests pass.",
    ],
)
def test_wishes_findings_decisions_and_the_final_state_are_kept(kept: str) -> None:
    """Out of much output and chatter, with room for a few lines."""
    assert kept in summary(WORK, 120)


def test_the_request_stands_first_and_under_its_speaker() -> None:
    """A reader sees at once who wanted what."""
    assert summary(WORK, 120).startswith("User:\nFind out why")


def test_chatter_is_told_once_at_most() -> None:
    """Repeats add nothing."""
    assert summary(WORK, 300).count(CHATTER) <= 1


def test_code_gives_way_to_prose() -> None:
    """No walls of code while there is anything to say."""
    assert "buffer" not in summary(WORK, 100)


@pytest.mark.parametrize(
    "output",
    [
        "<returncode>0</returncode>\n<output>\nfile {0}.py\n</output>",
        "OBSERVATION:\nfile {0}.py",
        "[exit 0]\nfile {0}.py",
    ],
)
def test_output_in_the_users_name_is_no_wish(output: str) -> None:
    """Agents without tool messages answer in the user's name."""
    turns = [("user", "<task>\nRename the module.\n</task>"), ("assistant", "I look.")]
    turns += [
        turn for n in range(9) for turn in (("user", output.format(n)), ("assistant", f"Step {n} is done."))
    ]
    who = speakers(passages(*turns))
    assert who[0] is Speaker.PERSON
    assert set(who[2::2]) == {Speaker.TOOL}


def test_short_answers_of_a_person_are_wishes() -> None:
    """Whoever says "ok" five times is still a person."""
    turns = [
        turn for _ in range(5) for turn in (("user", "ok, go on"), ("assistant", "I did the next step."))
    ]
    assert Speaker.TOOL not in speakers(passages(*turns))


def test_the_last_word_before_a_person_answers_is_a_report() -> None:
    """An assistant between two calls of tools is at work; at the end of its turn it reports."""
    turns = [
        ("user", "Go."),
        ("assistant", "I list.\n[tool call: ls]\npath: ."),
        ("tool", "a.py"),
        ("assistant", "There is a.py."),
    ]
    expected = [Speaker.PERSON, Speaker.WORKER, Speaker.TOOL, Speaker.REPORT]
    assert speakers(passages(*turns)) == expected


def test_focus_comes_first() -> None:
    """What is wanted above all else is kept where it would not have been."""
    turns = [
        ("user", f"Item {n} of the list is about the number {n * 7919} in file_{n}.py.") for n in range(200)
    ]
    turns[77] = ("user", "The zebra was seen near the river.")
    assert "zebra" not in summary(turns, 40)
    assert "The zebra was seen near the river." in summary(turns, 40, focus="Where was the zebra?")


@pytest.mark.parametrize(
    "text",
    [
        "会议决定预算为三百万元，由王工负责。" * 3,
        "実装戦略はリファクタリングに決まりました。",
        "ประเทศไทยรวมเลือดเนื้อชาติเชื้อไทย เป็นประชารัฐ",
        "Решение принято: выпуск 5 мая.",
        "다음 주 금요일에 배포합니다.",
        "תוכנית העבודה אושרה.",
    ],
)
def test_any_language_is_kept_whole_where_it_fits(text: str) -> None:
    """Nothing is dropped for its script."""
    assert summary([("user", text)], 200) in (text, text.replace("。", "。\n").strip())


def test_a_line_that_does_not_fit_is_cut_and_marked() -> None:
    """The last resort says how much is missing, and is never longer than asked for."""
    text = summary([("tool", "x1y2z3" * 20_000)], 40)
    kept, more = re.fullmatch(r"(x1y2[x1y2z3]*)… \[(\d+) more characters\]", text).groups()  # type: ignore[union-attr]
    assert len(kept) + int(more) == 120_000
    assert count(text) <= 40


def test_minified_code_is_never_kept_whole() -> None:
    """A line of a megabyte cannot push everything else out."""
    turns = [
        ("tool", "!function(e,t){var n=e.a.b;return n(t)};" * 30_000),
        ("assistant", "The bundle holds d3 5.16."),
    ]
    assert summary(turns, 2_000) == "The bundle holds d3 5.16."


def test_earlier_summaries_are_shortened_like_anything_else() -> None:
    """Merging asks for the weightiest lines of both."""
    lines = [f"Step {n} changed module_{n}.py and left {n} failures." for n in range(60)]
    text = summary([("summary", "\n".join(lines[:30])), ("summary", "\n".join(lines[30:]))], 300)
    assert set(text.splitlines()) <= set(lines)
    assert 270 <= count(text) <= 300


def test_a_line_of_which_all_is_kept_stays_one_line() -> None:
    """Sentences that were written together are read together."""
    line = "The first sentence says what was decided about it. The second one says why it was decided."
    assert summary([("user", line)], 100) == line


@pytest.mark.parametrize("empty", [[], [("user", "")], [("user", " \n\t ")]])
def test_nothing_to_read_gives_nothing(empty: list[tuple[str, str]]) -> None:
    """No text is made up."""
    assert summary(empty, 100) == ""


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "tool", "summary", ""]), dirty_text), max_size=8
    ),
    st.integers(12, 400),
)
def test_any_text_gives_its_own_lines_in_order_within_the_target(
    turns: list[tuple[str, str]], target: int
) -> None:
    """Whatever the input: never too long, never invented, empty only if there is nothing to read."""
    text = summary(turns, target)
    assert count(text) <= target
    source = " ".join(" ".join(text for _, text in turns).split())
    at = 0
    for line in text.split("\n"):
        line = " ".join(line.split())
        if line and line not in ("User:", "Assistant:") and "more characters]" not in line:
            at = source.index(line, at)
    assert bool(text) == any(text.strip() for _, text in turns)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/app/main.py", [("src/app/main.py", Kind.IDENTIFIER), ("main.py", Kind.IDENTIFIER)]),
        ("it costs $23,553", [("costs", Kind.WORD), ("23,553", Kind.NUMBER)]),
        ("with --debug-raw", [("with", Kind.WORD), ("debug-raw", Kind.IDENTIFIER)]),
        ("so AgentSession", [("agentsession", Kind.IDENTIFIER)]),
        ("ask Ada", [("ask", Kind.WORD), ("ada", Kind.NAME)]),
        ("Ask Ada", [("ask", Kind.OPENING), ("ada", Kind.NAME)]),
        ("STOP SHOUTING", [("stop", Kind.WORD), ("shouting", Kind.WORD)]),
        ("预算三百万", [("预算", Kind.PAIR), ("算三", Kind.PAIR), ("三百", Kind.PAIR), ("百万", Kind.PAIR)]),
        ("テストを実行", [("テスト", Kind.WORD), ("実行", Kind.PAIR)]),
    ],
)  # fmt: skip
def test_terms_are_what_a_text_speaks_of(text: str, expected: list[tuple[str, Kind]]) -> None:
    """Paths, numbers, options, names and words, in any script."""
    assert terms(text) == expected


@pytest.mark.parametrize(("target", "least"), [(1_500, 0.50), (4_000, 0.72)])
def test_answers_are_kept_in_real_sessions(shared: Path, target: int, least: float) -> None:
    """Half of what a reader asks for is in 1,500 tokens, three quarters in 4,000."""
    files = sorted((shared / "probes").glob("*.json"))
    shares = [_share(file, shared / "sessions" / f"{file.stem}.jsonl.gz", target) for file in files]
    assert sum(shares) / len(shares) >= least


def _share(file: Path, session: Path, target: int) -> float:
    with gzip.open(session, "rt", encoding="utf-8") as lines:
        messages = [json.loads(line) for line in lines]
    text = summary([(message["role"], message["content"] or "") for message in messages], target)
    probes = json.loads(file.read_text(encoding="utf-8"))
    found = [any(_stands(answer, text) for answer in (p["answer"], *p["aliases"])) for p in probes]
    return sum(found) / len(found)


def _stands(answer: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) is not None


def test_of_a_log_what_is_unlike_the_rest_is_kept() -> None:
    """One failure and one refusal among hundreds of lines of the same form, however plain they look."""
    lines = [
        f'10.0.{n % 7}.{n % 251} - - [17/May/2025:10:{n % 60:02}:03 +0000] "GET /{n}.html HTTP/1.1" 200 {n}'
        for n in range(600)
    ]
    lines[301] = lines[301].replace(" 200 ", " 500 ")
    lines[420] = lines[420].replace("GET", "POST")
    text = summary([("user", line) for line in lines], 400)
    assert lines[301] in text
    assert lines[420] in text


def test_people_are_called_by_their_names() -> None:
    """Where several write to an assistant, a reader sees who wants what."""
    said = [
        ("user", "ada", "The export must be ready on Friday."),
        ("assistant", None, "I start at once."),
        ("user", "Lin_Yue", "The total of Shanghai is 412 too high."),
        ("assistant", None, "The cause was the time zone of the tenant in v4.5."),
    ]
    found = tuple(Passage(at, role, text, name) for at, (role, name, text) in enumerate(said))
    text = extract(found, 200, 4, count=count)
    assert text.startswith("Ada:\nThe export")
    assert "\n\nLin Yue:\nThe total" in text


def test_the_name_of_a_file_is_no_speaker() -> None:
    """A document has no labels."""
    one = Passage(0, "user", "The first release is due in May.", "plan.md")
    assert extract((one,), 100, 1, count=count) == one.text


def test_focus_finds_the_answer_and_not_only_the_question() -> None:
    """The values that follow a question are what was wanted, though they do not repeat its words."""
    turns = [("user", f"Step {n} of the plan concerns module_{n}.py and its tests.") for n in range(100)]
    turns[50:52] = [("user", "Which colors do the themes have?"), ("user", "night: #3781DE\nday: #F6F6F3")]
    text = summary(turns, 60, focus="color of the themes")
    assert "#3781DE" in text
    assert "#F6F6F3" in text
