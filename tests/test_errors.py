"""An error's JSON is read in every form: words, codes, the wrong argument, numbers; never our input."""

from __future__ import annotations

from typing import Any

import pytest

from summarizer_providers.transports.errors import (
    all_codes,
    all_words,
    code_of,
    fields_of,
    is_verdict,
    param_of,
    words_of,
)

LLAMA = {"code": 400, "message": "too large", "type": "exceed_context_size_error", "n_ctx": 8_192}
WRAPPED = {
    "message": "Provider returned error",
    "metadata": {"raw": '{"error": {"message": "at most 9 tokens"}}'},
}
ECHO = {"detail": [{"type": "missing", "msg": "Field required", "input": {"messages": "our own words here"}}]}
GOOGLE = {
    "error": {"status": "RESOURCE_EXHAUSTED", "details": [{"violations": [{"quotaId": "PerDay-Free"}]}]}
}


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        (LLAMA, "too large", "exceed_context_size_error"),
        ({"message": "m", "code": "400", "type": "bad_request"}, "m", "bad_request"),
        (WRAPPED, 'Provider returned error: {"error": {"message": "at most 9 tokens"}}', None),
        (ECHO, "Field required", None),
        ("no luck", "no luck", None),
        ({"error": "no luck"}, "no luck", None),
        ({"errorMessage": "m"}, "m", None),
        (None, "", None),
        ([], "", None),
    ],
)
def test_words_and_code(error: Any, words: str, code: str | None) -> None:
    assert (words_of(error), code_of(error)) == (words, code)


def test_other_codes_and_numbers_are_found_where_they_lie() -> None:
    assert "PerDay-Free" in all_codes(GOOGLE, "RESOURCE_EXHAUSTED")
    assert fields_of({"error": LLAMA}) == (("n_ctx", 8_192),)
    assert param_of({"param": "max_tokens"}) == "max_tokens"
    assert param_of({"param": "None"}) is param_of({}) is None


def test_all_words_hold_nested_errors_and_nothing_that_we_sent() -> None:
    assert "at most 9 tokens" in all_words(WRAPPED, "Provider returned error")
    assert "our own words" not in all_words(ECHO, "Field required")


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        ({"code": "invalid_parameter_error"}, True),
        ({"type": "BadRequestError"}, True),
        ({"type": "overloaded_error"}, False),
        ({}, False),
        ("text", False),
    ],
)
def test_an_error_in_a_good_status_is_the_requests_fault_where_its_code_says_so(
    error: Any, verdict: bool
) -> None:
    assert is_verdict(error) is verdict
