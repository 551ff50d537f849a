"""Errors as tomorrow's providers may word them: none of these sentences is in any list of the reader.

They were written before the reader met them, in the styles of validators, servers, gateways and people, in
English, Chinese and Japanese; what each must come to is what somebody would understand who reads it.
"""

from __future__ import annotations

import pytest

from summarizer_providers.classify import classify
from summarizer_providers.outcome import OutputLimitRejected, PromptTooLong
from summarizer_providers.reaction import Reaction, reaction
from summarizer_providers.types import Call, Failure, Hints, Message, Model

LOWER, SHRINK, RAISE = Reaction.LOWER_MAX_TOKENS, Reaction.SHRINK_CHUNK, Reaction.RAISE_MAX_TOKENS
FIX, SWITCH, RETRY, GIVE_UP = (
    Reaction.FIX_REQUEST,
    Reaction.SWITCH_MODEL,
    Reaction.RETRY_LATER,
    Reaction.GIVE_UP,
)
QUOTED = 'The log says: "This model\'s maximum context length is 2048 tokens", over and over.'

OUTPUT = [
    ("Requested output of 16384 tokens is beyond the 4096 that this deployment can generate.", 4_096),
    ("`max_tokens` cannot be higher than 10240 for tier basic", 10_240),
    ("max_output_tokens=16384 out of bounds (allowed: 1..8192)", 8_192),
    ("ValidationError: max_completion_tokens: Input should be less than or equal to 8192", 8_192),
    ("field 'max_tokens' must lie between 1 and 6,000 (inclusive)", 6_000),
    ("The model can produce no more than 2048 tokens per response; you asked for 16384.", 2_048),
    ("Generation length capped at 12k tokens, 16384 requested", 12_000),
    ("max_tokens 16384 exceeds maximum 8000", 8_000),
    ("Output token limit for nova-9-0613 is 5120. Reduce max_tokens.", 5_120),
    ("max_tokens: must be in (0, 8192]", 8_192),
    ("max_tokens参数超过最大值8192", 8_192),
    ("参数 max_tokens 取值范围为 1 到 4096，当前值 16384", 4_096),
    ("最大输出长度不能超过 8,192 个 token", 8_192),
    ("max_tokens は 8192 以下で指定してください（指定値: 16384）", 8_192),
    ("出力トークン数の上限は4096です", 4_096),
    ("max_tokens too big", None),
    ("Invalid value for max_tokens", None),
    (
        "Unable to run: maxOutputTokens has a value of 16384 but the supported range is from 1 (inclusive) to"
        " 8193 (exclusive).",
        8_192,
    ),
    ("n_predict (16384) is larger than the server's limit (2048)", 2_048),
    ("Maximum new tokens allowed: 1024; received: 16384", 1_024),
    ("body.max_tokens: ensure this value is less than or equal to 12000", 12_000),
    ("Completion length 16384 not supported. Supported: at most 4 096 tokens", 4_096),
    ("You may ask for 8192 output tokens at the very most, not 16384.", 8_192),
    ("16384 completion tokens? This one stops at 3000.", 3_000),
]

INPUT = [
    ("Your conversation has grown to 104,512 tokens, but aurora-2 can only see 65,536 at once.", 65_536),
    ("input of 90211 tokens does not fit in context of 32768", 32_768),
    ("max_model_len is 40960, got a prompt with 90123 tokens", 40_960),
    ("Too many tokens in prompt: 90123/32000", 32_000),
    ("Sequence length 90123 > 8192", 8_192),
    ("Prompt has 57,355 tokens more than the model can read.", None),
    ("The text you submitted is longer than we can process.", None),
    ("Conversation too long for this model; please start a new chat.", None),
    ("Input token limit is 60K, request has 90.1K", 60_000),
    ("输入长度超过模型最大上下文长度 32768，当前 90123", 32_768),
    ("上下文长度超出限制", None),
    (
        "入力が長すぎます。最大コンテキスト長は 32,768 トークンですが、90,123 トークンが入力されました。",
        32_768,
    ),
    ("プロンプトが長すぎます", None),
    ("the requested number of tokens (106384) surpasses the context size, which is 65536", 65_536),
    ("Cannot process 90,123 input tokens: the limit for this endpoint is set to 16.384 tokens.", 16_384),
    ("tokens in request: 106384, tokens allowed: 65536", 65_536),
    ("Prompt exceeds the model's capacity by 1,204 tokens", None),
    ("Sorry, 90123 tokens of input are too much for a model of 32k tokens of context", 32_000),
    ("messages: 90123 tokens (limit 50000)", 50_000),
    ("Request rejected: prompt size 90123 tok, ctx 8192 tok", 8_192),
    ("Text must not exceed 200000 characters", None),
    ("Request body larger than 10485760 bytes", None),
    ("模型最多支持 65536 个 token 的输入，您的请求包含 90123 个", 65_536),
    ("コンテキストウィンドウ（16384トークン）を超えています：90123トークン", 16_384),
]

TOGETHER = [
    ("Context overflow: 106384 tokens needed (90000 prompt + 16384 completion), 100000 available.", 100_000),
    ("Total tokens (prompt 90000 + max_tokens 16384 = 106384) > model limit 102400", 102_400),
    ("Limit: 100352 tokens. Used: 90123 prompt + 16384 output.", 100_352),
    ("90123 input tokens plus 16384 output tokens is more than the 98304 this model has room for", 98_304),
    ("输入 90123 加上 max_tokens 16384 超过上下文窗口 98304", 98_304),
]

OTHERS: list[tuple[str, int, set[Reaction]]] = [
    ("You have used 106384 of 100000 tokens for this minute", 429, {RETRY}),
    ("This request costs up to $1.31 but your balance is $0.52", 402, {SWITCH}),
    ("You asked for up to 16384 tokens but can only afford 5030. Add credits.", 402, {SWITCH}),
    ("Parameter top_p must be less than or equal to 1", 400, {FIX}),
    ("n must be at most 8", 400, {FIX, GIVE_UP}),
    ("Too many messages: at most 500 allowed, got 812", 400, {FIX, GIVE_UP, SHRINK}),
    ("Daily token allowance of 500000 reached", 429, {SWITCH, RETRY}),
    ("Request 20260103-8192-4096 failed: invalid JSON in body", 400, {FIX, GIVE_UP}),
    ("Error 1001: model gpt-4-32k-0613 was retired on 2025-06-06", 400, {SWITCH}),
    ("max_tokens above 4096 is only available for streaming requests", 400, {FIX}),
    ("stop sequences: maximum 4 allowed", 400, {FIX, GIVE_UP}),
    ("reasoning budget (32000) must be smaller than max_tokens (16384)", 400, {RAISE, FIX}),
    ("The response could not be completed within max_tokens; increase it.", 400, {RAISE}),
    ("Your prompt violates our usage policies", 403, {SWITCH}),
    ("This model does not take 'temperature'.", 400, {FIX}),
    ("内容安全审核未通过", 400, {SWITCH}),
    ("账户余额不足", 429, {SWITCH}),
    ("请求过于频繁，请稍后再试", 429, {RETRY}),
    ("Quota of 1,000,000 tokens per month exhausted", 429, {SWITCH, RETRY}),
    ("Token expired", 401, {SWITCH}),
    ('Unreadable: "This model\'s maximum context length is 2048 tokens" is no JSON', 400, {FIX, GIVE_UP}),
]


LATER: list[tuple[str, int, int, set[Reaction], int | None, int | None]] = [
    (
        "This deployment writes at most 6144 tokens per call. Lower max_completion_tokens (currently 16384).",
        400,
        16384,
        {LOWER},
        6144,
        None,
    ),
    ("max_tokens (16384) > output cap (8000)", 400, 16384, {LOWER}, 8000, None),
    (
        "Value error, max_tokens should not exceed 32000 when using model kite-3, got 64000",
        400,
        64000,
        {LOWER},
        32000,
        None,
    ),
    ("invalid_request: completion budget of 16384 exceeds 4,096", 400, 16384, {LOWER}, 4096, None),
    ("The output token maximum is 8192 but 16384 were requested", 400, 16384, {LOWER}, 8192, None),
    ("Requested max_new_tokens=16384; server max_new_tokens=1024", 400, 16384, {LOWER}, 1024, None),
    ("`maxTokens` must be in the interval [1..5000]", 400, 16384, {LOWER}, 5000, None),
    ('"max_tokens" must be <= 8191', 400, 16384, {LOWER}, 8191, None),
    ("16384 is greater than the maximum of 2048 for 'max_tokens'", 400, 16384, {LOWER}, 2048, None),
    (
        "Model can generate up to 65,536 tokens; max_tokens of 131072 is not possible",
        400,
        131072,
        {LOWER},
        65536,
        None,
    ),
    ("max_tokens 必须在 [1, 8192] 范围内", 400, 16384, {LOWER}, 8192, None),
    ("max_tokens 的最大值为 4096", 400, 16384, {LOWER}, 4096, None),
    (
        "生成長は最大4096トークンまでです。max_tokens=16384 は指定できません。",
        400,
        16384,
        {LOWER},
        4096,
        None,
    ),
    ("max_tokens の値が大きすぎます", 400, 16384, {LOWER}, None, None),
    ("prompt exceeds maximum of 32768 tokens (got 90123)", 400, 16384, {SHRINK}, None, 32768),
    ("You sent 90123 tokens. This model reads 32768.", 400, 16384, {SHRINK}, None, 32768),
    ("Input is 57355 tokens too long", 400, 16384, {SHRINK}, None, None),
    ("ERR_CTX_LEN: ctx=8192 need=90123", 400, 16384, {SHRINK}, None, 8192),
    (
        "The context holds 32768 tokens, of which the prompt would need 90123.",
        400,
        16384,
        {SHRINK},
        None,
        32768,
    ),
    (
        "prompt_tokens (90123) + max_tokens (16384) must not be larger than max_seq_len (65536)",
        400,
        16384,
        {SHRINK},
        None,
        65536,
    ),
    ("Tokens: 90123. Limit: 65536.", 400, 16384, {SHRINK}, None, 65536),
    (
        "This model only accepts prompts shorter than 64k tokens; yours is 90123 tokens long.",
        400,
        16384,
        {SHRINK},
        None,
        64000,
    ),
    (
        "The message you submitted was too long, please reload the chat and submit something shorter.",
        400,
        16384,
        {SHRINK},
        None,
        None,
    ),
    (
        "Please lower the number of input tokens to under 30720 and try again",
        400,
        16384,
        {SHRINK},
        None,
        30720,
    ),
    ("Payload Too Large: total_tokens=106507 max_total_tokens=65536", 413, 16384, {SHRINK}, None, 65536),
    (
        "Requested 106507 tokens, which includes 90123 prompt tokens and 16384 completion tokens, over"
        " the 98304-token window",
        400,
        16384,
        {LOWER},
        None,
        98304,
    ),
    ("输入文本过长，请缩短后重试", 400, 16384, {SHRINK}, None, None),
    ("prompt 的 token 数（90123）超过上限（32768）", 400, 16384, {SHRINK}, None, 32768),
    ("トークン数が上限(32768)を超えています", 400, 16384, {SHRINK}, None, 32768),
    ("最大トークン数32768に対して、入力は90123トークンです", 400, 16384, {SHRINK}, None, 32768),
    ("Rate limited: 40000 input tokens/min for this org", 429, 16384, {RETRY}, None, None),
    ("Your plan includes 2000000 tokens a month and all are used", 429, 16384, {RETRY, SWITCH}, None, None),
    (
        "Image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
        400,
        16384,
        {FIX, GIVE_UP, SHRINK},
        None,
        None,
    ),
    ("request_id 99887766 timed out after 600 s", 504, 16384, {RETRY}, None, None),
    ("Function name must be at most 64 characters", 400, 16384, {FIX, GIVE_UP}, None, None),
    ("messages.3.role: must be one of user, assistant", 400, 16384, {FIX, GIVE_UP}, None, None),
    ("max_tokens: value 4 below allowed minimum 16", 400, 4, {RAISE}, None, None),
    ("The parameter frequency_penalty is not available for this model", 400, 16384, {FIX}, None, None),
    ("Key sk-*** has been revoked", 401, 16384, {SWITCH}, None, None),
    ("Spend limit of $100.00 reached", 402, 16384, {SWITCH}, None, None),
    ("Sorry, that prompt was rejected by our moderation system", 400, 16384, {SWITCH}, None, None),
    ("您的请求因包含违规内容被拒绝", 400, 16384, {SWITCH}, None, None),
    ("engine warming up, come back in 30 seconds", 503, 16384, {RETRY}, None, None),
    ("model 'kite-9' is deprecated and has been shut down", 410, 16384, {SWITCH}, None, None),
    (
        "Streaming is required for operations that may take longer than 10 minutes",
        400,
        16384,
        {FIX},
        None,
        None,
    ),
]
"""A second list, written when the reader was there: message, status, ``max_tokens``, reactions, numbers."""


def a_call(max_tokens: int = 16_384, prompt_tokens: int = 90_000) -> Call:
    return Call(
        1, Model("openai/m"), (Message("user", QUOTED),), Hints((), 500, 1), max_tokens, prompt_tokens
    )


def read(
    message: str, status: int = 400, call: Call | None = None
) -> tuple[Reaction, int | None, int | None]:
    call = call or a_call()
    outcome = classify(call, Failure(message, status))
    ceiling = outcome.limit if isinstance(outcome, OutputLimitRejected) else None
    window = outcome.window if isinstance(outcome, PromptTooLong) else None
    return reaction(outcome, call), ceiling, window


@pytest.mark.parametrize(("message", "ceiling"), OUTPUT)
def test_a_refused_output_limit_is_lowered_to_the_number_that_is_said(
    message: str, ceiling: int | None
) -> None:
    assert read(message) == (LOWER, ceiling, None)


@pytest.mark.parametrize(("message", "window"), INPUT)
def test_a_prompt_that_is_too_long_is_made_shorter_by_the_number_that_is_said(
    message: str, window: int | None
) -> None:
    assert read(message) == (SHRINK, None, window)


@pytest.mark.parametrize(("message", "window"), TOGETHER)
def test_where_the_prompt_alone_fits_less_output_is_asked_for(message: str, window: int) -> None:
    assert read(message) == (LOWER, None, window)


def test_the_window_is_what_prompt_and_output_need_together() -> None:
    for message in (
        "This request needs 106384 tokens; the window of this model holds 98304.",
        "请求的token总数106384超过了模型的上限98304",
    ):
        found, ceiling, window = read(message)
        assert (found in (SHRINK, LOWER), ceiling, window) == (True, None, 98_304)


@pytest.mark.parametrize(("message", "status", "reactions"), OTHERS)
def test_other_numbers_are_no_limits(message: str, status: int, reactions: set[Reaction]) -> None:
    found, ceiling, window = read(message, status)
    assert found in reactions
    assert (ceiling, window) == (None, None)


def test_a_server_that_fails_over_the_prompt_says_so() -> None:
    words = "RuntimeError: input ids length (90123) exceeds maximum position embeddings (4096)"
    assert read(words, 500) == (SHRINK, None, 4_096)


def test_a_minimum_is_no_ceiling() -> None:
    for words in ("max_tokens must be no smaller than 32", "max_tokens: 8 is too small, minimum is 32"):
        assert read(words, call=a_call(8)) == (RAISE, None, None)


def test_a_code_alone_says_what_is_too_long() -> None:
    outcome = classify(a_call(), Failure("Bad request", 400, "context_window_overflow"))
    assert outcome == PromptTooLong("Bad request", None)


@pytest.mark.parametrize(("message", "status", "sent", "reactions", "ceiling", "window"), LATER)
def test_more_wordings_are_understood(
    message: str, status: int, sent: int, reactions: set[Reaction], ceiling: int | None, window: int | None
) -> None:
    found, *numbers = read(message, status, a_call(sent))
    assert found in reactions
    assert numbers == [ceiling, window]
