"""The conformance benchmark: a corpus of its own, through the real client and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import quirks
from benchmarks.requests_of import call_of, presumed_size

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SHARED = Path(__file__).resolve().parents[2] / "shared" / "quirks.jsonl"


def answer(text: str | None, reason: str | None, read: int = 900, written: int = 40) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def a_case(name: str, wire: Any, expect: dict[str, Any], **more: Any) -> dict[str, Any]:
    call = {
        "litellm_model": "openai/m",
        "stream": False,
        "kwargs": {"max_tokens": 4_096},
        **more.pop("call", {}),
    }
    case = {"id": name, "provider": name, "kind": "x", "wire": wire, "call": call, "expect": expect}
    return {**case, **more}


def event(text: str, reason: str | None = None) -> dict[str, Any]:
    return {"id": "x", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}


CASES = [
    a_case("whole", {"json": answer("A summary.", "stop")}, {"reactions": ["accept"]}),
    a_case(
        "cut",
        {"json": answer("A summ", "length", 900, 512)},
        {"reactions": ["treat_as_truncated"], "output_ceiling": 512},
    ),
    a_case(
        "long",
        {"status": 400, "json": {"error": {"message": "The prompt has 9000 tokens, of at most 8192."}}},
        {"reactions": ["shrink_chunk"], "context_window": 8_192},
        learn={"prompt_tokens": 9_000},
    ),
    a_case(
        "silent",
        {"json": answer("The end only.", "stop", 4_096)},
        {"reactions": ["shrink_chunk"], "context_window": 4_096},
        kind="silent_truncation",
    ),
    a_case(
        "stream",
        {"sse": [event("A summary."), event("", "stop"), "data: [DONE]\n\n"]},
        {"reactions": ["accept"]},
        call={"stream": True},
    ),
    a_case("reset", {"reset_before": True}, {"reactions": ["retry_later"]}),
    a_case("short", {"text": '{"choices": [', "drop_body": True}, {"reactions": ["retry_later"]}),
    a_case("bytes", {"text": {"$bytes": "\xff\xfe"}, "status": 502}, {"reactions": ["retry_later"]}),
    a_case(
        "wait",
        {"status": 429, "json": {"error": "slow"}, "headers": {"retry_after": 7}},
        {"reactions": ["retry_later"], "retry_after_s": 7},
    ),
    a_case("unsent", None, {"reactions": ["retry_later"]}),
    a_case(
        "wrong",
        {"json": answer("A summ", "length", 900, 512)},
        {"reactions": ["accept"], "learns_no_ceiling": True},
    ),
]


def test_every_case_is_replayed_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, CASES)), "utf-8")
    assert quirks.main(["--corpus", str(corpus), "--json"]) == 0
    found = {each["id"]: each for each in map(json.loads, capsys.readouterr().out.splitlines())}
    assert list(found) == [case["id"] for case in CASES]
    assert {name for name, each in found.items() if not each["agrees"]} == {"wrong"}
    assert set(found["cut"]) == {"id", "reaction", "output_ceiling", "context_window", "agrees"}


def test_the_report_counts_by_kind_and_names_wrong_lessons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(CASES[-1]) + "\n", "utf-8")
    assert quirks.main(["--corpus", str(corpus), "--leave-out"]) == 0
    assert "1 cases of corpus.jsonl" in capsys.readouterr().out
    assert quirks.main(["--corpus", str(corpus)]) == 0
    assert "wrong lesson: wrong: output_ceiling 512" in capsys.readouterr().out


def test_a_corpus_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("{", "utf-8")
    with pytest.raises(SystemExit) as ended:
        quirks.main(["--corpus", str(corpus)])
    assert ended.value.code == 2
    assert "corpus.jsonl: expected a JSON object" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"learn": {"our_count": 20_000}}, 20_000),
        ({"call": {"litellm_model": "openai/m", "kwargs": {"messages": "a long one (~8.5k tokens)"}}}, 8_500),
        ({"learn": {"prompt_tokens": 7_000}}, 7_000),
        ({"wire": {"json": answer("x", "stop", 777)}}, 777),
        ({"wire": {"json": answer("x", "stop", 777)}, "kind": "silent_input"}, 3_108),
        ({"learn": {"total_requested": 10_096}}, 6_000),
        ({"expect": {"context_window": 8_192, "reactions": ["shrink_chunk"]}}, 9_011),
        ({"expect": {"context_window": 8_192, "reactions": ["lower_max_tokens"]}}, 6_144),
        ({}, 1_000),
    ],
)
def test_a_prompt_has_the_size_that_its_case_presumes(fields: dict[str, Any], size: int) -> None:
    case = {**a_case("x", {"status": 400}, {}), **fields}
    assert presumed_size(case) == size
    assert call_of(0, case, "http://x").prompt_tokens == size


@pytest.mark.skipif(not SHARED.exists(), reason="the corpus beside the repository is absent")
def test_the_corpus_is_understood(capsys: pytest.CaptureFixture[str]) -> None:
    """98 % of the reactions, 95 % of the numbers, and no wrong lesson."""
    assert quirks.main([]) == 0
    printed = capsys.readouterr().out
    assert "wrong lesson:" not in printed
    right, stated = (
        printed.splitlines()[-1].split("(")[0].split(),
        printed.splitlines()[-1].split(")")[1].split(),
    )
    assert int(right[2]) >= 0.98 * int(right[1])
    assert int(stated[0]) >= 0.95 * int(stated[2])
