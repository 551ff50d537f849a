"""What an answer's text gives away, and the good summaries that look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.understanding.texts import (
    breaks_off,
    embedded_error,
    ends_whole,
    is_refusal,
    repeats,
    without_reasoning,
)

# ---- reasoning ----


@pytest.mark.parametrize(
    ("text", "answer", "unclosed"),
    [
        ("<think>Let me see.</think>\n\nThe answer.", "The answer.", False),
        ("\n<Thinking>a\nb</thinking>The answer.", "The answer.", False),
        ("[THINK]hm[/THINK] The answer.", "The answer.", False),
        ("◁think▷hm◁/think▷The answer.", "The answer.", False),
        ("<|channel|>analysis<|message|>hm<|channel|>final<|message|>The answer.", "The answer.", False),
        ("I read it first. </think>The answer.", "The answer.", False),
        ("<think>I read and read", "", True),
        ("<think>", "", True),
        ("The answer.", "The answer.", False),
        ("The parser lost the tag `</think>` and was mended.", None, False),
        ("Models write <think> before they answer.", None, False),
        ("", "", False),
    ],
)
def test_reasoning_before_an_answer_is_no_part_of_it(text: str, answer: str | None, unclosed: bool) -> None:
    assert without_reasoning(text) == (text if answer is None else answer, unclosed)


# ---- repetition ----

LINES = "\n".join(f"- Point {i}: the reader for part {i} was tested with {i * i} cases." for i in range(80))


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("The same line again.\n" * 40, True),
        ("A start.\n" + "one\ntwo\nthree\n" * 30, True),
        ("A start. " + "and again the same thing " * 60, True),
        ("A start. " + "哈" * 400, True),
        ("Hello! I am a model. " * 5, False),
        (LINES, False),
        ("| a | b |\n|---|---|\n" * 3, False),
        ("=" * 60, False),
        ("-" * 400, False),
        ("", False),
        ("A short text.", False),
    ],
)
def test_a_loop_is_told_from_lists_and_rulers(text: str, loops: bool) -> None:
    assert repeats(text) is loops


# ---- how it ends ----


@pytest.mark.parametrize(
    ("text", "whole", "broken"),
    [
        ("It was settled.", True, False),
        ('She said "it was settled."', True, False),
        ("決まりました。", True, False),
        ("- first point\n- second point", True, False),
        ("## Open questions", True, False),
        ("| a | b |", True, False),
        ("Revenue rose by", False, True),
        ("Three areas: sales, costs,", False, True),
        ("The team agreed on the", False, True),
        ("- first point\n- the second of", False, True),
        ("The report covers three areas and then stops in some pl", False, False),
        ("", True, False),
    ],
)
def test_an_answer_that_stops_in_mid_sentence_is_noticed(text: str, whole: bool, broken: bool) -> None:
    assert ends_whole(text) is whole
    assert breaks_off(text) is broken


# ---- errors in the place of an answer, and their twins ----


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Error: 429 Too Many Requests", 429),
        ("error code: 524 (gateway timeout)", 524),
        ("[ERROR] upstream connect error or disconnect/reset before headers", None),
        ("502 Bad Gateway", 502),
        ("Internal Server Error, please try again later", None),
        ("The model is currently overloaded. Please try again later.", None),
        ('{"error": {"message": "Rate limit reached", "code": 429}}', 429),
        ('{"detail": "Service unavailable"}', None),
        ("<html><head><title>503 Service Temporarily Unavailable</title></head></html>", 503),
        ("openai.RateLimitError: Error code: 429 - quota exceeded", 429),
        ("请求失败，请稍后重试", None),
        ("No available channel for model kite-3, please retry", None),
        ("Request timed out. Retry later.", None),
    ],
)
def test_a_gateways_error_is_no_answer(text: str, status: int | None) -> None:
    found = embedded_error(text)
    assert found is not None
    assert found[1] == status


@pytest.mark.parametrize(
    "text",
    [
        "The session was about a 502 Bad Gateway: the user restarted the proxy, and the error went away.",
        "Error handling was rewritten; timeouts are retried twice now.",
        "- `Error: 429 Too Many Requests` came up in the nightly run\n- it was fixed by a lower rate",
        "Errors: the team found three, among them a rate limit that was exceeded at night.",
        "Rate limit exceeded errors were traced to a loop in the client.",
        "Request timed out twice, then the assistant raised the limit and the build passed.",
        "The gateway returned 'upstream connect error' until the certificate was replaced.",
        '{"decision": "use SQLite", "open": ["error codes", "429"]}',
        "ERROR lines of the log, by number:\n" + LINES,
        "",
    ],
)
def test_a_summary_that_quotes_errors_is_an_answer(text: str) -> None:
    assert embedded_error(text) is None


# ---- refusals, and summaries that tell of them ----


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with this request.",
        "I’m unable to summarize this content as it violates our guidelines.",
        "As an AI language model, I can't provide a summary of that.",
        "Sorry, the model cannot answer this question.",
        "抱歉，我无法提供该内容的总结。",
        "申し訳ありませんが、その要約はできません。",
        "Lo siento, pero no puedo ayudar con eso.",
    ],
)
def test_a_refusal_that_is_the_whole_answer_is_one(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "The assistant said: I'm sorry, but I can't help with that. The user asked another model.",
        "I can't help but notice how often the plan was changed.",
        "Sorry was said on both sides, and the deadline moved to May.",
        "I cannot assist with this request, said the bot first. "
        + "Then it was asked again, and wrote. " * 12,
        "Unfortunately, the build failed; the team rolled back.",
        "用户要求总结会议，助手先拒绝，后来完成。",
        "",
    ],
)
def test_a_summary_that_tells_of_a_refusal_is_none(text: str) -> None:
    assert not is_refusal(text)


@given(st.text(max_size=3_000))
def test_any_text_can_be_looked_at(text: str) -> None:
    answer, unclosed = without_reasoning(text)
    assert text.endswith(answer) or answer == answer.lstrip()
    assert not (unclosed and answer)
    repeats(text), ends_whole(text), breaks_off(text), embedded_error(text), is_refusal(text)
