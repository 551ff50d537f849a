"""Which numbers of an error are limits of tokens, which are ours, and which are neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.outcome import Role
from summarizer_providers.types import Call, Hints, Model
from summarizer_providers.understanding.lexicon import Lexicon, left_out
from summarizer_providers.understanding.limits import find
from summarizer_providers.understanding.numerals import normalized, numerals, sentences


def a_call(max_tokens: int = 16_384, prompt_tokens: int = 90_000) -> Call:
    return Call(1, Model("openai/m"), (), Hints((), 500, 1), max_tokens, prompt_tokens)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("at most 1,048,576 tokens", [1_048_576]),
        ("at most 131.072 tokens", [131_072]),
        ("at most 131'072, or 8_192", [131_072, 8_192]),
        ("at most 4 096 tokens", [4_096]),
        ("at most 128k, 12.5K, 1M or 12.8万 tokens", [128_000, 12_500, 1_000_000, 128_000]),
        ("最多８１９２个token", [8_192]),
        ("1..8192", [1, 8_192]),
        ("model gpt-4-32k-0613 v1.25.3 at https://x.y/4096", []),
        ("on 2026-01-03 at 07:28:00, request #4711, req_8192", []),
        ("error code: 524, status 413, <400>", []),
        ("$4096, 8192 credits, 512 bytes, 4096 characters, 30 seconds, 5%", []),
        ("100000 tokens per minute (TPM)", []),
        ("a quota of 500000 tokens", []),
        ("temperature 0.2", []),
    ],
)
def test_numbers_that_may_count_tokens(text: str, values: list[int]) -> None:
    assert [each.value for each in numerals(normalized(text))] == values


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("prompt 6000 + output 4000 > 8192", {Role.PROMPT: 6_000, Role.OUTPUT: 4_000, Role.WINDOW: 8_192}),
        ("a prompt of 90000 tokens is 1000 tokens too long", {Role.PROMPT: 90_000, Role.EXCESS: 1_000}),
        ("max_tokens must be in [16, 4096]", {Role.MINIMUM: 16, Role.OUTPUT_LIMIT: 4_096}),
        ("1192 tokens of context remain, max_tokens is 16384", {}),
        ("the prompt exceeds the limit by 4096 tokens", {Role.EXCESS: 4_096}),
        ("max_tokens > 4096 must be streamed", {}),
    ],
)
def test_every_number_has_its_role(text: str, roles: dict[Role, int]) -> None:
    found = {each.role: each.value for each in find(a_call(), text).numbers}
    assert {role: found.get(role) for role in roles} == roles
    if Role.WINDOW not in roles and Role.OUTPUT_LIMIT not in roles:
        assert find(a_call(), text).window is find(a_call(), text).output is None


def test_fields_go_before_words_and_say_where_they_were_read() -> None:
    found = find(
        a_call(), "context size (4096 tokens) is too small", [("n_prompt_tokens", 90_001), ("n_ctx", 8_192)]
    )
    assert (found.window, found.output) == (8_192, None)
    assert [(each.role, each.where) for each in found.numbers[:2]] == [
        (Role.PROMPT, "n_prompt_tokens"),
        (Role.WINDOW, "n_ctx"),
    ]


def test_a_key_in_the_words_is_masked() -> None:
    words = "key sk-abcdefghijklmnopqrstuvwx: the context length is 8192 tokens"
    assert all("sk-abc" not in each.where for each in find(a_call(), words).numbers)


@given(st.text(max_size=400), st.integers(0, 100_000), st.integers(0, 1_000_000))
def test_any_words_can_be_read(text: str, sent: int, prompt: int) -> None:
    found = find(a_call(sent, prompt), text)
    if found.output is not None:
        assert found.output < (sent or found.output + 1)
    assert all(len(each.where) <= 80 for each in found.numbers)
    assert "".join(sentences(text)).split() is not None


def test_a_phrase_can_be_left_out_and_is_back_afterwards() -> None:
    words = Lexicon("test", "one|(?:two|three)", "four[|]")
    assert words.phrases == ("one", "(?:two|three)", "four[|]")
    assert words.matched("one four|") == {("test", "one"), ("test", "four[|]")}
    with left_out(frozenset({("test", "one")})):
        assert words.search("one") is None
        assert words.search("three")
    assert words.search("ONE")
    assert words.among(("two",))
    assert not words.among(("one two",))
