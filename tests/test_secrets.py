"""Keys never come out in a text that people read; everything else stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.secrets import MASK, masked, one_line, without_keys

ENVIRON = {
    "MY_API_KEY": "plain-as-can-be",
    "my_token": "tok tok tok",
    "DB_PASSWORD": "p&ss w/rd?",
    "GOOGLE_CREDENTIALS": '{"private": "thing"}',
    "LONGER_SECRET": "plain-as-can-be-longer",
    "SHORT_KEY": "abc",
    "CHUNK_TOKENS": "131072",
    "HOME": "/srv/someone",
}


@pytest.mark.parametrize(
    "text",
    [
        "sent plain-as-can-be to it",
        "sent plain-as-can-be-longer to it",
        "tok tok tok!",
        "?p=p%26ss%20w%2Frd%3F",
        'body: {"private": "thing"}',
        "Incorrect API key provided: sk-proj-abc*********xyz.",
        "Authorization: Bearer abcdef0123456789",
        "Basic dXNlcjpwYXNz",
        "key AIzaSyA-1234567890abcdef",
        "gsk_abcdefghijklmnop and hf_abcdefghijklmnop",
        "POST https://user:hunter22@host.example/v1",
        "POST https://hunter22@host.example/v1",
        "https://host.example/v1?api_key=hunter22&x=1",
        "https://host.example/v1?x=1&key=hunter22",
        "api_key: 'hunter22'",
        'x-api-key="hunter22"',
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "AKIAIOSFODNN7EXAMPLE",
    ],
)
def test_what_is_secret_is_masked(text: str) -> None:
    found = masked(text, ENVIRON)
    assert MASK in found
    secrets = ("plain", "longer", "tok tok", "p%26", "private", "sk-", "abcdef", "dXN", "AIza", "gsk_", "hf_")
    for secret in (*secrets, "hunter", "eyJ", "AKIA"):
        assert secret not in found


@pytest.mark.parametrize(
    "text",
    [
        "This model's maximum context length is 131072 tokens.",
        "scikit-learn, sk-learn, task-oriented, risk-averse",
        "a key point: the token limit; basic facts; the bearer of news",
        "abc /srv/someone https://host.example/v1?page=2 mail@host.example",
        "max_tokens: 10000 > 8192",
    ],
)
def test_what_is_not_secret_stays(text: str) -> None:
    assert masked(text, ENVIRON) == text


def test_one_line_keeps_both_ends_of_a_long_error_and_masks_before_it_cuts() -> None:
    text = "it began\n\twith this " + "x " * 400 + " and the limit is 8192. " + "plain-as-can-be " * 3
    line = one_line(text, ENVIRON)
    assert len(line) <= 500
    assert "\n" not in line
    assert line.startswith("it began with this x")
    assert line.endswith(f"the limit is 8192. {MASK} {MASK} {MASK}")


@given(st.text(max_size=300), st.text(alphabet=st.characters(codec="ascii"), min_size=6, max_size=30))
def test_the_value_of_a_secret_variable_never_comes_out(text: str, secret: str) -> None:
    line = one_line(f"{text}{secret}{text}", {"A_SECRET": secret}, limit=400)
    bare = secret.strip()
    assert len(line) <= 400
    if len(bare) >= 6 and not set(bare) <= set("0123456789_,. *") and bare not in (MASK, *text.split()):
        assert bare not in line


def test_a_key_that_a_model_wrote_is_masked_letter_for_letter() -> None:
    """A server that echoes the key it was sent does not put it into a summary; other words stay."""
    environ = {"SOME_API_KEY": "k" * 20, "SHORT_TOKEN": "harbour"}
    assert without_keys(f"I got {'k' * 20} in the harbour", environ) == "I got *** in the harbour"
