"""What replies and failures mean: status before class, code before wording, never a number of our own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_providers.classify import classify
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
from summarizer_providers.types import Call, Failure, Hints, Message, Model, Reply


def a_call(max_tokens: int = 16_384, prompt_tokens: int = 90_000, window: int | None = None) -> Call:
    model = Model("openai/m", context_window=window)
    return Call(1, model, (Message("user", "x"),), Hints((), 500, 1), max_tokens, prompt_tokens)


def of(message: str, status: int | None = 400, code: str | None = None, call: Call | None = None) -> Outcome:
    return classify(call or a_call(), Failure(message, status, code))


# ---- replies ----


@pytest.mark.parametrize("reason", ["stop", "end_turn", "STOP", None, "", "tool_calls", "something new"])
def test_an_answer_that_ended_by_itself_is_complete(reason: str | None) -> None:
    reply = Reply("A summary.", reason, 100, 10)
    assert classify(a_call(), reply) == Completed(reply)


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"])
def test_a_cut_keeps_what_the_provider_counted(reason: str) -> None:
    for written in (10, None):
        reply = Reply("A summ", reason, 100, written)
        assert classify(a_call(), reply) == CutAtOutput(reply, written)


@pytest.mark.parametrize("reply", [Reply("", "length", 9, 500, 500), Reply(" \n", "MAX_TOKENS", 9, 500)])
def test_a_cut_answer_without_text_was_eaten_by_reasoning(reply: Reply) -> None:
    assert classify(a_call(), reply) == ReasoningExhausted(reply)


def test_prompt_and_answer_that_reach_the_window_have_filled_it() -> None:
    native = Reply("A summ", "model_context_window_exceeded", 199_000, 1_000)
    assert classify(a_call(), native) == WindowFull(native, 200_000)
    cut = Reply("A summ", "length", 8_000, 192)
    assert classify(a_call(prompt_tokens=8_000, window=8_192), cut) == WindowFull(cut, 8_192)
    assert classify(a_call(prompt_tokens=8_000, window=8_193), cut) == CutAtOutput(cut, 192)


@pytest.mark.parametrize(
    ("read", "written", "window"),
    [
        (744, 24, True),
        (743, 25, True),
        (8_001, 191, True),
        (8_000, 192, False),
        (7_692, 500, False),
        (300, 101, False),
    ],
)
def test_an_answer_that_ends_where_windows_do_is_no_ceiling(read: int, written: int, window: bool) -> None:
    """Unless its own length is one that limits have: both are possible then."""
    outcome = classify(a_call(prompt_tokens=read), Reply("A summ", "length", read, written))
    assert isinstance(outcome, WindowFull if window else CutAtOutput)


@pytest.mark.parametrize(
    ("text", "written", "whole"),
    [
        ("- a fact\n" * 200 + "- a fa", 1_000, False),
        ("- a fact\n" * 200 + "- a fact.", 1_000, True),
        ("- a fact\n" * 200 + "- a fact", 1_001, True),
        ("ok", 512, True),  # a count that is none
    ],
)
def test_an_end_at_a_usual_limit_that_is_no_sentences_end_is_doubted(
    text: str, written: int, whole: bool
) -> None:
    """Whatever the finish reason says: then its length is no limit either, until it is seen again."""
    outcome = classify(a_call(), Reply(text, "stop", 90_000, written))
    assert isinstance(outcome, Completed if whole else CutAtOutput)
    assert whole or (isinstance(outcome, CutAtOutput) and outcome.written is None)


@pytest.mark.parametrize(
    "reason", ["content_filter", "SAFETY", "refusal", "RECITATION", "guardrail_intervened"]
)
def test_a_filtered_answer_is_blocked_for_its_content(reason: str) -> None:
    outcome = classify(a_call(), Reply("Half", reason, 9, 9))
    assert isinstance(outcome, Blocked)
    assert outcome.cause is (BlockCause.REFUSAL if reason == "refusal" else BlockCause.FILTER)
    assert outcome.everywhere is (reason == "guardrail_intervened")
    assert reason in outcome.detail


@pytest.mark.parametrize("reason", ["network_error", "abort", "error", "load"])
def test_an_answer_that_broke_off_may_go_through_later(reason: str) -> None:
    assert isinstance(classify(a_call(), Reply("Half", reason, 9, 9)), Transient)


BROKEN = "The report covers three areas. First, revenue rose by"


@pytest.mark.parametrize(
    ("reply", "sent", "cut"),
    [
        (Reply(BROKEN, "stop", 900, 512), 512, 512),  # at exactly what was sent
        (Reply(BROKEN, "stop", 900, 256), 0, 256),  # at a default that is known
        (Reply(BROKEN, None, 900, 256), 0, 256),
        (Reply(BROKEN, "stop", 900, 1_187), 8_000, None),  # in mid-sentence, nobody knows why
        (Reply(BROKEN, None, 900, 512), 4_096, None),
        (Reply("It was settled.", None, 900, None, streamed=True), 4_096, None),
    ],
)
def test_an_answer_that_stops_where_it_cannot_end_is_cut(reply: Reply, sent: int, cut: int | None) -> None:
    """Only a count at a limit is kept: the others would be taken for ceilings."""
    outcome = classify(a_call(sent, 900), reply)
    assert isinstance(outcome, CutAtOutput)
    assert outcome.written == outcome.reply.output_tokens == cut


@pytest.mark.parametrize(
    "reply",
    [
        Reply(BROKEN, "stop", 900, None),
        Reply(BROKEN, "stop", 900, 512),
        Reply("It was settled.", "stop", 900, 256),
        Reply("It was settled.", None, 900, 256),
    ],
)
def test_without_a_limit_in_sight_an_answer_is_taken_as_it_is(reply: Reply) -> None:
    assert classify(a_call(0, 900), reply) == Completed(reply)


@pytest.mark.parametrize(
    ("read", "ours", "scale", "whole", "window"),
    [
        (4_096, 13_000, None, False, 4_096),
        (32_767, 90_000, None, False, 32_768),
        (7_900, 20_000, None, False, None),
        (12_500, 20_000, None, True, None),  # another tokenizer
        (12_500, 20_000, 1.0, False, None),  # this one is known
        (12_500, 20_000, 0.7, True, None),
        (10, 20_000, None, True, None),  # no count of a prompt
        (None, 20_000, None, True, None),
    ],
)
def test_a_prompt_that_was_not_read_whole_is_too_long(
    read: int | None, ours: int, scale: float | None, whole: bool, window: int | None
) -> None:
    reply = Reply("A summary.", "stop", read, 40)
    prompt = (Message("user", "word " * ours),)
    outcome = classify(replace(a_call(4_096, ours), messages=prompt, scale=scale), reply)
    assert isinstance(outcome, Completed if whole else PromptTooLong)
    if isinstance(outcome, PromptTooLong):
        assert outcome.window == window


@pytest.mark.parametrize(
    ("text", "reason", "kind"),
    [
        ("<think>I read", "stop", ReasoningExhausted),
        ("<think>I read", "length", ReasoningExhausted),
        ("Error: 429 Too Many Requests", "stop", Transient),
        ('{"error": {"message": "maximum context length is 8192 tokens"}}', "stop", PromptTooLong),
        ("I'm sorry, but I can't help with that.", "stop", Blocked),
        ("The same line again.\n" * 400, "length", Transient),
        ("The same line again.\n" * 400, "stop", Completed),
        ("word " * 3, "pause_turn", BadCall),
        ("word " * 3, "insufficientSystemResource", Transient),
        ("word " * 3, "CONTENT_SAFETY_STOP", Blocked),
    ],
)
def test_the_text_and_the_reason_give_away_what_an_answer_is(text: str, reason: str, kind: type) -> None:
    assert isinstance(classify(a_call(), Reply(text, reason, None, 4_000)), kind)


def test_where_tokenizers_differ_widely_a_low_count_proves_nothing() -> None:
    heap = Message("user", "aGVsbG8gd29ybGQ1" * 4_000)
    reply = Reply("A summary.", "stop", 12_000, 40)
    assert classify(replace(a_call(4_096, 40_000), messages=(heap,)), reply) == Completed(reply)


def test_reasoning_is_no_part_of_the_answer() -> None:
    outcome = classify(a_call(), Reply("<think>Let me see.</think>A summary.", "stop"))
    assert outcome == Completed(Reply("A summary.", "stop"))


# ---- failures: the kind ----


@pytest.mark.parametrize("status", [None, 408, 409, 425, 429, 500, 502, 503, 504, 524, 529])
@pytest.mark.parametrize("code", [None, "invalid_request_error", "BadRequestError"])
def test_a_passing_status_goes_before_whatever_the_error_is_called(
    status: int | None, code: str | None
) -> None:
    outcome = classify(a_call(), Failure("Too many tokens, please wait.", status, code, "X", retry_after=7.0))
    if status == 500:  # a server's own error may be a verdict on the prompt
        assert isinstance(outcome, Transient | PromptTooLong)
    else:
        assert outcome == Transient("Too many tokens, please wait.", 7.0, rate_limited=status == 429)


@pytest.mark.parametrize(
    ("message", "status", "code", "cause"),
    [
        ("Incorrect API key provided: ***", 401, "invalid_api_key", BlockCause.AUTHENTICATION),
        ("Insufficient Balance", 402, None, BlockCause.CREDIT),
        ("Your organization lacks access", 403, None, BlockCause.AUTHENTICATION),
        ("The model `m` does not exist", 404, "model_not_found", BlockCause.AUTHENTICATION),
        ("You exceeded your current quota, check your plan", 429, "insufficient_quota", BlockCause.QUOTA),
        ("Limit of requests per day reached", 429, None, BlockCause.QUOTA),
        ("Your credit balance is too low", 400, "invalid_request_error", BlockCause.CREDIT),
        (
            "API key not valid. Please pass a valid API key.",
            400,
            "INVALID_ARGUMENT",
            BlockCause.AUTHENTICATION,
        ),
        ("Model foo not found", 400, None, BlockCause.AUTHENTICATION),
        ("cannot ask file://: unsupported protocol", None, "invalid_address", BlockCause.AUTHENTICATION),
    ],
)
def test_key_account_address_and_model_block_the_endpoint(
    message: str, status: int | None, code: str | None, cause: BlockCause
) -> None:
    assert of(message, status, code) == Blocked(message, cause)


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        ("The response was filtered", 400, "content_filter"),
        ("Output blocked by content filtering policy", 400, "invalid_request_error"),
        ("Your input was flagged for violence. No credits were charged.", 403, None),
        ("Input data may contain inappropriate content.", 400, "data_inspection_failed"),
        ("Content Exists Risk", 400, "invalid_request_error"),
    ],
)
def test_filters_block_the_content_alone(message: str, status: int, code: str | None) -> None:
    assert of(message, status, code) == Blocked(message, BlockCause.FILTER)


@pytest.mark.parametrize(
    "message",
    [
        "Rate limit reached on tokens per minute (TPM): Limit 6000, Used 5034. Upgrade your billing today",
        "You exceeded your current quota, please check your plan and billing details.",
        "too many tokens per minute",
        "maximum context length is 8192 tokens",
    ],
)
def test_a_rate_limit_teaches_nothing_and_is_no_quota(message: str) -> None:
    assert of(message, 429, "rate_limit_exceeded") == Transient(message, None, rate_limited=True)


@pytest.mark.parametrize(
    "message",
    [
        "messages: roles must alternate",
        "max_tokens must be at least 16 for this model",
        "Requests with max_tokens > 4096 must have stream=true",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
        "Invalid 'user': string too long. Expected a string with maximum length 64.",
    ],
)
def test_what_is_wrong_with_the_form_is_a_bad_call(message: str) -> None:
    assert of(message) == BadCall(message)


# ---- failures: the number ----


@pytest.mark.parametrize(
    ("message", "code", "window"),
    [
        (
            "This model's maximum context length is 128000 tokens. However, your messages have 204308.",
            None,
            128_000,
        ),
        ("maximum context length is 16,384 tokens. However, you requested 122946 tokens", None, 16_384),
        ("prompt is too long: 219898 tokens > 200000 maximum", None, 200_000),
        (
            "input length and `max_tokens` exceed context limit: 178959 + 16384 > 200000, decrease",
            None,
            200_000,
        ),
        (
            "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
            None,
            1_048_576,
        ),
        ("request (13392 tokens) exceeds the available context size (8192 tokens), try", None, 8_192),
        ("Current length is 42328 while limit is 40000", "context_length_exceeded", 40_000),
        ("Input validation error: `inputs` must have less than 4096 tokens. Given: 5000", None, 4_096),
        ("Range of input length should be [1, 30720]", None, 30_720),
        (
            "too many tokens: exceeded by 168512 tokens. The limit for this model is 132000 tokens.",
            None,
            132_000,
        ),
        ("prompt too long; exceeded max context length by 10000 tokens", None, None),
        ("Your input exceeds the context window of this model.", "context_length_exceeded", None),
        ("Request payload size exceeds the limit: 20971520 bytes.", None, None),
        ("whatever", "context_length_exceeded", None),
        ("Requested tokens (90000) exceed context window of 4096", None, 4_096),
    ],
)
def test_an_overflow_states_the_window_or_nothing(message: str, code: str | None, window: int | None) -> None:
    assert of(message, 400, code) == PromptTooLong(message, window)


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        ("Expected a value <= 8192, but got 16384 instead: max_tokens", 8_192),
        ("max_tokens is too large: 16384. This model supports at most 4096 completion tokens", 4_096),
        ("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for m", 8_192),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8_192),
        ("<400> InvalidParameter: Range of max_tokens should be [1, 8192]", 8_192),
        ("max_completion_tokens is limited to 10,000 for m", 10_000),
        ("The maximum tokens you requested exceeds the model limit of 4096. Try lower than 4096.", 4_096),
        ("Malformed input: 16384 is not less or equal to 8191, please reformat", 8_191),
        ("max_tokens is invalid", None),
        ("max_tokens: 16384 is above the limit", None),
        ("max_tokens must be lower than 20000", None),
    ],
)
def test_a_refused_output_limit_states_a_smaller_one_or_nothing(message: str, limit: int | None) -> None:
    assert of(message) == OutputLimitRejected(message, limit)


def test_overflow_by_status_and_by_a_negative_rest() -> None:
    assert of("", 413) == PromptTooLong("", None)
    assert isinstance(of("max_tokens must be at least 1, got -186."), PromptTooLong)
    assert isinstance(of("the request exceeds the available context size", 500), PromptTooLong)


@given(
    st.integers(16, 200_000),
    st.integers(16, 200_000),
    st.sampled_from(
        [
            "max_tokens too large: {sent}, at most {sent}",
            "the limit is {sent}: max_tokens",
            "input length {read} is above {read}",
            "max_tokens {sent} must be <= {sent}",
        ]
    ),
)
def test_no_number_that_we_sent_is_learned(sent: int, read: int, message: str) -> None:
    outcome = of(message.format(sent=sent, read=read), call=a_call(sent, read))
    assert getattr(outcome, "limit", None) is None
    assert getattr(outcome, "window", None) is None


@given(
    st.text(max_size=200),
    st.none() | st.integers(400, 599),
    st.none() | st.text(max_size=10),
    st.integers(1, 100_000),
)
def test_any_failure_has_an_outcome(text: str, status: int | None, code: str | None, sent: int) -> None:
    outcome = of(text, status, code, a_call(sent))
    assert not isinstance(outcome, Completed)
    if isinstance(outcome, OutputLimitRejected) and outcome.limit is not None:
        assert 0 < outcome.limit < sent
