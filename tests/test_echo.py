"""What an error quotes of our own input is not the provider's word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.classify import classify
from summarizer_providers.outcome import BadCall, PromptTooLong
from summarizer_providers.types import Call, Failure, Hints, Message, Model
from summarizer_providers.understanding.echo import without_echo

LOG = "It said: maximum context length is 2048 tokens, however you requested 9999 tokens.\nSo it ended."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Cannot read the request. It said: maximum context length is 2048 tokens, however you", None),
        ('Field required; got "maximum context length is 2048 tokens, however you requested 9999', "Field"),
        (r'{"msg": "Unreadable body", "in": "maximum context length is 2048 tokens, however you"}', "Unread"),
        ("maximum context length is 2048 tokens, however you requested 9999 tokens.", "2048"),  # all of it
        ("maximum context length is 4096 tokens", "4096"),
        ("So it ended.", "So it ended."),
    ],
)
def test_a_quoted_stretch_is_taken_out_unless_it_is_the_whole_error(text: str, kept: str | None) -> None:
    found = without_echo(text, [LOG])
    if kept is None:
        assert "2048" not in found
    else:
        assert kept in found
    assert ("2048" in found) == (kept == "2048")


def test_no_number_of_our_own_text_becomes_a_limit() -> None:
    call = Call(1, Model("openai/m"), (Message("user", LOG),), Hints((), 500, 1), 4_096, 90_000)
    quoting = Failure(
        "Cannot read this: maximum context length is 2048 tokens, however you requested 9999", 400
    )
    assert isinstance(classify(call, quoting), BadCall)
    own = Failure("maximum context length is 2048 tokens, however you requested 9999 tokens.", 400)
    assert classify(call, own) == PromptTooLong(own.message, 2_048)


@given(st.text(max_size=300), st.text(max_size=300))
def test_what_is_left_was_there_before(text: str, sent: str) -> None:
    assert set(without_echo(text, [sent])) <= set(text) | {" "}
