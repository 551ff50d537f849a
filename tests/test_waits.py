"""How long to wait is read in every form in which providers say it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.waits import stated_wait

NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
RETRY_INFO = {"error": {"details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "37s"}]}}
PASSED_ON = {"error": {"metadata": {"headers": {"X-RateLimit-Reset": str(int((NOW + 9) * 1_000))}}}}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1m30s"}, 90.0),
        ({"retry-after": "9", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:31 GMT"}, 31.0),
        ({"retry-after": "2026-01-01T00:00:31Z"}, 31.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": str(int(NOW) + 12)}, 12.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-reset-requests": "20ms"}, 0.02),
        (
            {
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "6m0s",
                "x-ratelimit-remaining-requests": "10",
                "x-ratelimit-reset-requests": "20ms",
            },
            360.0,
        ),
        ({"x-ratelimit-remaining-tokens": "900", "x-ratelimit-reset-tokens": "6m0s"}, None),
        ({"x-ratelimit-reset": str(int(NOW) + 5)}, 5.0),
        ({"anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:31Z"}, 31.0),
        ({}, None),
    ],
)
def test_headers_say_it_in_seconds_milliseconds_lengths_and_dates(
    headers: dict[str, str], seconds: float | None
) -> None:
    found = stated_wait(headers, None, "", NOW)
    assert found == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        (RETRY_INFO, 37.0),
        ([RETRY_INFO], 37.0),
        ({"error": "Model m is currently loading", "estimated_time": 20.0}, 20.0),
        ({"retry_after": 3}, 3.0),
        ({"error": {"retryAfterMs": 250}}, 0.25),
        (PASSED_ON, 9.0),
        ({"error": {"retry_after": True}}, None),
        ({"error": {}}, None),
        (None, None),
    ],
)
def test_bodies_say_it_in_fields(body: Any, seconds: float | None) -> None:
    found = stated_wait({}, body, "", NOW)
    assert found == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. Need more tokens?", 4.77),
        ("Please retry after 22 seconds.", 22.0),
        ("Please try again in 1m30s.", 90.0),
        ("Try again in 1 hour and 5 minutes", 3_900.0),
        ("Try again in 60 seconds. Passed model=m", 60.0),
        ("Please try again in 250ms", 0.25),
        ("Please retry in 37.5s.", 37.5),
        ("retry_after: 12", 12.0),
        ("请在 30 秒后重试", 30.0),
        ("Your limit of 30,000 tokens per minute was exceeded. Please try again later.", None),
        ("Too many tokens, please wait before trying again.", None),
        ("Reduce the input token count and try again. 32825 tokens are too many", None),
    ],
)
def test_words_say_it(words: str, seconds: float | None) -> None:
    found = stated_wait({}, None, words, NOW)
    assert found == (seconds if seconds is None else pytest.approx(seconds))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "retry_after", "details", "metadata", "headers"]), inner)
    ),
    max_leaves=10,
)


HEADERS = st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset"]), st.text())


@given(HEADERS, JSON, st.text())
def test_whatever_is_sent_the_wait_is_none_or_a_number_of_seconds(
    headers: dict[str, str], body: Any, words: str
) -> None:
    found = stated_wait(headers, body, words, NOW)
    assert found is None or 0 <= found <= 366 * 86_400
