"""What a summary lost, and what it made up: other spellings are no offence, other values are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.identifiers import Known, find, invented, missing_from
from summarizer.messages import as_records
from summarizer_providers.extractive import extract
from summarizer_providers.types import Passage

HELD = [
    ("port 8080", "it is on 8080.", True),
    ("port 8080", "it is on 18080.", False),
    ("port 8080", "it is on 8080.5", False),
    ("port 8080", "it costs 8,080", True),
    ("端口8080", "端口为8080号", True),
    ("src/a.py", "in repo/src/a.py,", True),
    ("src/a.py", "in a.py", False),
    ("./src/a/", "in `src/a`", True),
    ("agent_id", "the agent_ids", False),
    ("v1.2.3", "version 1.2.3", True),
    ("v1.2.3", "version 1.2.30", False),
    ("3F2A9C1", "3f2a9c1", True),
    ('"the  big plan"', "the big plan", True),
    ("FACT-123456: a b", "so FACT-123456: a b", True),
    ("FACT-123456: a b", "so FACT-123456: a c", False),
]


@pytest.mark.parametrize(("source", "text", "is_held"), HELD)
def test_a_summary_holds_an_identifier_or_not(source: str, text: str, is_held: bool) -> None:
    """To the letter or in its normal form, also within Chinese, but never inside something longer."""
    first = next(find(source))
    assert missing_from(text, [first]) == ([] if is_held else [first])


FINE = [
    ("v1.2 is out", "Version 1.2 ist da"),
    ("version 1.2", "now v1.2"),
    ("Python 3.9.20", "Python 3.9"),
    ("23553.0", "$23,553"),
    ("1,234 lines", "1234 lines"),
    ("took 1500ms", "took 1.5 s"),
    ("19.3MB", "19.3 MB"),
    ("timeout: 30", "30 seconds"),
    ("on 2026-06-23", "on June 23, 2026; 23 June; 2026/6/23; 2026年6月23日"),
    ("at 2026-06-23T14:05:00Z", "2:05 pm on 23 June 2026"),
    ("repo/src/a.py", "src/a.py and a.py"),
    ("cd /srv/x; ls src/a.py", "/srv/x/src/a.py"),
    ("class AgentSession: def run_all", "AgentSession.run_all()"),
    ("agent_session", "agent_session() and agent_sessions"),
    ("0a4b8c9717db00ecf62ef7d8c312eb67", "commit 0a4b8c97"),
    ("/pull/244", "#244"),
    ("http://www.x.com/a/", "https://x.com/a"),
    ("AGENT_HOME=1", "$AGENT_HOME"),
    ("KeyError: 'foo' not found", "It failed with KeyError: 'foo' not found, which was mended."),
    ("FACT-123456: alpha beta", "FACT-123456: alpha beta, as they said."),
    ("the plan is good", "They spoke of a “big rewrite” and “progress”."),
    ("git commit and push", "Error: this was my own remark on GitHub."),
    ("请修改src/main.py", "`src/main.py`を変更"),
    ("“one” FACT-123456: a `x y`", "FACT-123456: a `x y`"),
]


@pytest.mark.parametrize(("source", "text"), FINE)
def test_other_spellings_are_not_accused(source: str, text: str) -> None:
    """Numbers, dates, paths, names and quotations may be written in another way."""
    assert invented(text, source) == []


MADE_UP = [
    ("src/main.py", "src/mian.py", "src/mian.py"),
    ("src/main.py", "scr/main.py", "scr/main.py"),
    ("port 8080", "port 8081", "8081"),
    ("port 18080", "port 8080", "8080"),
    ("v1.2.3", "v1.2.4", "v1.2.4"),
    ("2026-06-23", "June 24, 2026", "June 24, 2026"),
    ("at 14:05", "at 14:06", "14:06"),
    ("3f2a9c1d", "3f2a9c2", "3f2a9c2"),
    ("19.3 MB", "19.3 GB", "19.3 GB"),
    ("agent_session", "agent_sesion", "agent_sesion"),
    ("#244 and 255 lines", "#255", "#255"),
    ("https://x.com/a", "https://x.com/b", "https://x.com/b"),
    ("API_KEY", "API_KEYS_2", "API_KEYS_2"),
    ("FACT-123456: alpha", "FACT-123456: alphb", "FACT-123456: alphb"),
    ("FACT-123456: alpha", "FACT-123457: alpha", "FACT-123457: alpha"),
    ("he said: the plan is good", "“the plan is bad”", "the plan is bad"),
    ("KeyError: 'foo' not found", "KeyError: 'bar' not found", "KeyError: 'bar' not found"),
    ("run `main`", "run `mian`", "mian"),
    ("端口8080", "端口8090", "8090"),
]


@pytest.mark.parametrize(("source", "text", "offence"), MADE_UP)
def test_made_up_identifiers_are_found(source: str, text: str, offence: str) -> None:
    """One other character or number is enough, in every kind."""
    assert offence in [each.text for each in invented(text, source)]


def test_any_source_will_do() -> None:
    """What is in the chunk, the previous summary, the focus or the instructions is not made up."""
    assert invented("src/a.py and port 8080", "src/a.py", "", "port 8080") == []
    known = Known("src/a.py")
    assert [each.text for each in known.invented("b.py, b.py")] == ["b.py", "b.py"]


WORDS = (
    *(
        "src/a.py",
        "8080",
        "19.3 MB",
        "v1.2.3",
        "2026-06-23",
        "a_b",
        "f()",
        "#12",
        "“one two three”",
        "请",
        "and",
    ),
    *("`x y`", "KeyError: no such key", "FACT-123456: a b c", "\n", "U.S.", "https://x.com/a."),
)
pieces = st.sampled_from(WORDS)


@given(st.lists(pieces, max_size=12).map(" ".join), st.data())
def test_what_is_copied_is_never_accused(source: str, data: st.DataObject) -> None:
    """Whole lines of a source are neither made up, nor missing."""
    lines = source.split("\n")
    text = "\n".join(data.draw(st.lists(st.sampled_from(lines), max_size=4)))
    assert invented(text, source) == []
    assert missing_from(text, find(text)) == []


def agent_sessions(shared: Path) -> list[Path]:
    return sorted((shared / "sessions").glob("agent-*.jsonl.gz"), key=lambda path: path.stat().st_size)[:12]


def test_the_offline_model_is_never_accused(shared: Path) -> None:
    """A summary of a real session in its own lines has no identifier that the session has not."""
    for path in agent_sessions(shared):
        records = as_records(json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines())
        passages = [Passage(at, each.role, each.text, each.name) for at, each in enumerate(records)]
        text = extract(passages, 2_000, len(passages), count=lambda text: len(text) // 4)
        assert invented(text, *(each.text for each in records)) == [], path.name
