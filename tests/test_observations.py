"""What a call shows of its endpoint is kept as it was; what teaches nothing is dropped, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from summarizer_providers import catalog
from summarizer_providers.observations import (
    MAX_SOURCE,
    Kind,
    Nothing,
    Observation,
    chosen,
    endpoint_key,
    observe,
    reasoning_mode,
    teaches_nothing,
)
from summarizer_providers.outcome import (
    BadCall,
    BlockCause,
    Blocked,
    Completed,
    CutAtOutput,
    Outcome,
    OutputLimitRejected,
    PromptTooLong,
    ReasoningExhausted,
    Transient,
    WindowFull,
)
from summarizer_providers.types import Call, Hints, Model, Reply

MODEL = Model("openai/gpt-4o-mini")
CALL = Call(1, MODEL, (), Hints((), 900, 10), max_tokens=16_384, prompt_tokens=10_000)
UNSENT = replace(CALL, max_tokens=0)
REPLY = Reply("A summary.", "stop", input_tokens=11_000, output_tokens=1_000, reasoning_tokens=200)
CUT = replace(REPLY, finish_reason="length", output_tokens=4_096)
LOOP = replace(CUT, text="The same line again.\n" * 400)

NOTHING: list[tuple[Nothing, Outcome]] = [
    (Nothing.MONEY, Blocked("insufficient quota: you have 4096 credits", BlockCause.CREDIT)),
    (Nothing.FILTER, Blocked("flagged", BlockCause.FILTER)),
    (Nothing.RATE_LIMIT, Transient("limit 30000 tokens per minute", 7.0, rate_limited=True)),
    (Nothing.TIMEOUT, Transient("no answer within 600 seconds")),
    (Nothing.FAULT, Transient("overloaded")),
    (Nothing.BYTES, PromptTooLong("413: request body larger than 20971520 bytes")),
    (Nothing.BYTES, OutputLimitRejected("payload too large: 32 MB")),
    (Nothing.BAD_CALL, BadCall("unsupported parameter: temperature")),
    (Nothing.ABORT, CutAtOutput(replace(CUT, finish_reason="abort"), 4_096)),
    (Nothing.ABORT, CutAtOutput(replace(CUT, finish_reason=None), 4_096)),
    (Nothing.LOOP, CutAtOutput(LOOP, 4_096)),
    (Nothing.NO_COUNT, Completed(replace(REPLY, output_tokens=None))),
    (Nothing.NO_COUNT, Completed(replace(REPLY, output_tokens=0))),
    (Nothing.NO_COUNT, CutAtOutput(replace(CUT, output_tokens=None))),
    (Nothing.NO_COUNT, ReasoningExhausted(Reply("", "length"))),
]


@pytest.mark.parametrize(("why", "outcome"), NOTHING, ids=lambda case: type(case).__name__)
def test_what_teaches_nothing_is_dropped_by_name(why: Nothing, outcome: Outcome) -> None:
    """No such answer ever moves a bound."""
    assert teaches_nothing(CALL, outcome) is why
    assert observe("e", CALL, outcome, 1.0) is None


def test_every_name_of_nothing_has_a_case() -> None:
    """The list above leaves none out."""
    assert {why for why, _ in NOTHING} | {Nothing.LOCAL} == set(Nothing)


def test_the_offline_model_has_nothing_to_learn() -> None:
    """Its limits are ours."""
    call = replace(CALL, model=Model("offline/extractive"))
    assert teaches_nothing(call, Completed(REPLY)) is Nothing.LOCAL


SEEN: list[tuple[str, Call, Outcome, dict[str, Any]]] = [
    ("completed", CALL, Completed(REPLY), {"output_tokens": 1_000, "reasoning_tokens": 200}),
    ("cut", CALL, CutAtOutput(CUT, 4_096), {"output_tokens": 4_096, "max_tokens": 16_384}),
    ("default_seen", UNSENT, CutAtOutput(CUT, 4_096), {"output_tokens": 4_096, "max_tokens": None}),
    ("window_full", CALL, WindowFull(CUT, 15_096), {"stated_window": 15_096}),
    ("prompt_too_long", CALL, PromptTooLong("at most 8192 tokens", 8_192), {"stated_window": 8_192}),
    ("prompt_too_long", CALL, PromptTooLong("context_length_exceeded"), {"stated_window": None}),
    ("output_rejected", CALL, OutputLimitRejected("<= 8192", 8_192), {"stated_ceiling": 8_192}),
    ("output_rejected", CALL, OutputLimitRejected("too large"), {"stated_ceiling": None}),
    (
        "reasoning_exhausted",
        CALL,
        ReasoningExhausted(Reply("", "length", 11_000, 512, 512)),
        {"output_tokens": 512, "reasoning_tokens": 512},
    ),
    ("input_truncated", CALL, Completed(replace(REPLY, input_tokens=4_096)), {"input_tokens": 4_096}),
    # reasoning that is counted beside the answer, not within it
    (
        "cut",
        CALL,
        CutAtOutput(replace(CUT, output_tokens=100, reasoning_tokens=4_000), 100),
        {"output_tokens": 4_100, "reasoning_tokens": 4_000},
    ),
]


@pytest.mark.parametrize(("kind", "call", "outcome", "expected"), SEEN)
def test_observe_keeps_the_numbers_with_their_owners(
    kind: str, call: Call, outcome: Outcome, expected: dict[str, Any]
) -> None:
    """Ours (asked, prompt), the provider's (read, written, hidden), and what it stated."""
    seen = observe("e", call, outcome, 5.0)
    assert seen is not None
    assert (seen.endpoint, seen.at, seen.kind) == ("e", 5.0, Kind(kind))
    assert (seen.target, seen.prompt_tokens) == (900, 10_000)
    assert {name: getattr(seen, name) for name in expected} == expected


def test_visible_and_reasoning_tokens_are_two_numbers() -> None:
    """What was written for the reader is less than what was counted."""
    seen = observe("e", CALL, Completed(REPLY), 5.0)
    assert seen is not None
    assert (seen.visible_tokens, seen.reasoning_tokens, seen.total_tokens) == (800, 200, 12_000)


def test_the_source_is_short_and_without_keys() -> None:
    """An error that quotes the key leaves no key in the store."""
    detail = f"max_tokens must be <= 8192 (key sk-{'a1B2' * 8}) " + "and so on " * 90
    seen = observe("e", CALL, OutputLimitRejected(detail, 8_192), 5.0)
    assert seen is not None
    assert "8192" in seen.source
    assert "a1B2" not in seen.source
    assert len(seen.source) <= MAX_SOURCE


@pytest.mark.parametrize(
    ("changes", "streaming", "reasoning"),
    [
        ({"api_base": "http://localhost:1"}, False, None),
        ({"name": "openai/gpt-4o"}, False, None),
        ({"extra": {"num_ctx": 2_048}}, False, None),
        ({}, True, None),
        ({}, False, "high"),
    ],
)
def test_another_address_or_mode_is_another_endpoint(
    changes: dict[str, Any], streaming: bool, reasoning: str | None
) -> None:
    """The same model behind two addresses has two ceilings."""
    base = endpoint_key(catalog.endpoint(MODEL, {}), streaming=False)
    other = catalog.endpoint(replace(MODEL, **changes), {})
    assert endpoint_key(other, streaming=streaming, reasoning=reasoning) != base


def test_an_endpoint_key_is_readable_and_holds_no_secret() -> None:
    """People read it in a list; further arguments may hold anything, so they only stand in it as a digest."""
    extra = {"extra_body": {"api_key": "hunter2-hunter2"}}
    found = catalog.endpoint(replace(MODEL, api_base="https://u:hunter2@a.example/v1", extra=extra), {})
    key = endpoint_key(found, streaming=True, reasoning="low")
    assert key.startswith("openai/gpt-4o-mini at https://a.example/v1, streamed, reasoning low, with ")
    assert "hunter2" not in key
    assert len(endpoint_key(replace(found, name="x" * 9_000), streaming=True)) < 400


@pytest.mark.parametrize(
    ("extra", "mode"),
    [
        ({}, None),
        ({"reasoning_effort": "low"}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1_024}}, "enabled"),
        ({"thinking": True}, None),
    ],
)
def test_reasoning_mode_is_read_from_the_arguments(extra: dict[str, Any], mode: str | None) -> None:
    """Both spellings that litellm knows."""
    assert reasoning_mode(extra) == mode


def test_a_ceiling_that_the_user_gives_has_to_be_a_number_of_tokens() -> None:
    """Zero would stop every call."""
    assert chosen("e", 500, 1.0) == Observation(
        "e", 1.0, Kind.SET, stated_ceiling=500, source="set by the user"
    )
    with pytest.raises(ValueError, match="at least 1 token, got 0"):
        chosen("e", 0, 1.0)
