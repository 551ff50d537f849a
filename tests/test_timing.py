"""How long a call may take, and whether it is streamed, follow from the tokens that it reads and asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from summarizer_providers import timing
from summarizer_providers.streaming import other_way
from summarizer_providers.types import Call, Failure, Hints, Model, Reply


def a_call(prompt: int = 1_000, target: int = 500, limit: int = 16_384, timeout: float | None = None) -> Call:
    return Call(1, Model("openai/m"), (), Hints((), target, 1), limit, prompt, timeout)


def test_longer_prompts_and_answers_may_take_longer() -> None:
    limits = [
        timing.limit(a_call(prompt, target)) for prompt, target in ((0, 16), (10**5, 16), (10**5, 8_000))
    ]
    assert limits == sorted(set(limits))
    assert limits[0] > timing.BASE


def test_the_callers_own_limit_is_never_passed() -> None:
    assert timing.limit(a_call(timeout=5.0)) == 5.0


def test_a_long_answer_of_a_slow_endpoint_has_the_time_that_it_takes() -> None:
    """64,000 tokens at ten a second; a call whose maker says nothing of time has no fixed limit."""
    assert Call(1, Model("openai/m"), (), Hints((), 64_000, 1), 64_000, 1_000).timeout is None
    assert timing.limit(a_call(target=64_000, limit=64_000)) > 6_400


def test_no_more_is_waited_for_than_can_be_written() -> None:
    assert timing.limit(a_call(target=10**6, limit=100)) == timing.limit(a_call(target=10**5, limit=100))


def test_a_stream_may_be_silent_longer_while_a_prompt_is_read() -> None:
    call = a_call(prompt=100_000)
    assert timing.patience(call, begun=True) == call.silence == 120.0
    assert timing.patience(call, begun=False) > call.silence


@pytest.mark.parametrize(("target", "streams"), [(16, False), (200, False), (1_000, True), (8_000, True)])
def test_long_answers_are_streamed(target: int, streams: bool) -> None:
    assert timing.streams(a_call(target=target)) is streams


@pytest.mark.parametrize(
    ("stream", "result", "expected"),
    [
        (True, Failure("Unknown parameter: stream_options", 400), (True, False)),
        (True, Failure("no", 422, param="stream_options"), (True, False)),
        (True, Failure("Your organization must be verified to stream this model.", 400), (False, True)),
        (True, Failure("Streaming is not supported", 501), (False, True)),
        (True, Failure("the answer holds no text", 502, kind="EmptyResponse"), (False, True)),
        (False, Failure("Streaming is required for long requests", 400), (True, True)),
        (False, Failure("this model only supports streaming", 400), (True, True)),
        (True, Failure("the upstream is down", 503), None),
        (True, Failure("upstream says no", 400), None),
        (True, Failure("Streaming is slow today", 429), None),
        (False, Failure("no", 400), None),
        (True, Reply("A summary.", "stop"), None),
    ],
)
def test_a_refused_way_of_asking_has_another(
    stream: bool, result: Reply | Failure, expected: tuple[bool, bool] | None
) -> None:
    other = other_way(replace(a_call(), stream=stream), result)
    assert (other and (other.stream, other.stream_usage)) == expected
