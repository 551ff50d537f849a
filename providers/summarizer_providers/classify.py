"""A reply or a failure → its outcome. Pure: nothing here sends, waits or remembers.

The status goes before the name of the error, a code before the wording, and no number that we sent ourselves
is taken for a limit.
"""

from __future__ import annotations

import re

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
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["classify"]

_CUT = {"length", "max_tokens", "max_output_tokens", "model_length"}
_WINDOW = {"model_context_window_exceeded"}
_BROKEN_OFF = {"abort", "cancelled", "error", "load", "network_error", "other"}
_FILTERED = {
    *("blocklist", "content_filter", "content_filtered", "error_toxic", "guardrail_intervened"),
    *("prohibited_content", "recitation", "refusal", "safety", "sensitive", "spii"),
}

_ACCOUNT_CODES = {
    *("access_terminated", "account_deactivated", "authentication_error", "billing_not_active"),
    *("insufficient_quota", "invalid_address", "invalid_api_key", "model_not_found", "not_installed"),
    "permission_denied",
}
_CONTENT_CODES = {
    *("content_filter", "content_policy_violation", "data_inspection_failed"),
    *("moderation_blocked", "responsibleaipolicyviolation"),
}
_CONTEXT_CODES = {
    *("context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"),
    *("request_too_large", "input_too_long"),
}
_TRANSIENT_STATUS = {408, 409, 425, 429}

_SPENT = re.compile(
    r"insufficient (?:quota|balance|credit|funds)|(?:credit balance|balance) is too low"
    r"|(?:out of|no|more) credits?\b|payment required",
    re.I,
)
_UNKNOWN = re.compile(
    r"api[ _-]?key (?:is )?(?:not valid|invalid|expired|missing)"
    r"|(?:invalid|incorrect|missing|no) api[ _-]?key|api_key client option must be set"
    r"|llm provider not provided|unauthorized"
    r"|model\b.{0,80}\b(?:not found|not exist|does not exist|not supported|not available)"
    r"|(?:no such|unknown|invalid) model\b",
    re.I,
)
_CONTENT = re.compile(
    r"content[ _-](?:management|filter|policy|exists risk)|content filtering|safety (?:system|filter)"
    r"|\bflagged\b|inappropriate content|considered high risk|敏感内容",
    re.I,
)
_OUTPUT = re.compile(
    r"max_?(?:completion_?|output_?|new_?)?tokens|max(?:imum)? (?:output |completion )?tokens (?:value|you)",
    re.I,
)
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|window|size|limit)|max(?:imum)? (?:input|prompt) length"
    r"|(?:prompt|input|request|messages?)\b.{0,60}(?:too (?:long|large|big)|exceeds? (?:the |its )?max)"
    r"|(?:input|prompt) (?:token|length).{0,60}(?:exceed|supports? up to|limit)|too many (?:input )?tokens"
    r"|exceeded (?:the )?model token limit|reduce the length of (?:the |your )?(?:messages|prompt|input)"
    r"|range of input length|`?inputs`?.{0,40}must (?:be|have)|payload size exceeds",
    re.I,
)
_UNFIT = re.compile(
    r"must have `?stream|stream(?:ing)? is (?:required|recommended)|at least|greater than|with (?:a )?higher"
    r"|unsupported parameter|not supported|un(?:known|recognized|expected) (?:field|parameter|argument)",
    re.I,
)
_NEGATIVE = re.compile(r"max_\w*tokens.{0,40}got -\d", re.I)

_NUMBER = r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+)(?!\d|[.,]\d| \+)"
# Where the most is stated, the surest first. The number must follow closely, in the same sentence.
_WINDOW_STATED = re.compile(rf"context (?:length|window|size|limit)(?: is| of|:)? ?\(?{_NUMBER}", re.I)
_STATED = (
    re.compile(rf"(?:\s(?:>=?|<=?)|≤|less or equal to|less than or equal to)\s?{_NUMBER}", re.I),
    re.compile(rf"{_NUMBER}(?: tokens?)?,? (?:which is the )?(?:maximum|max\b|limit)", re.I),
    re.compile(rf"\[\s*\d+\s*,\s*{_NUMBER}\s*\]"),
    re.compile(
        r"(?:at most|up to|less than|lower than|limited to|not exceed|above|tokens allowed"
        r"|(?:limit|maximum)(?: [\w ]{1,30})?(?: is| of|:))"
        rf"[^\d.;>]{{0,24}}?{_NUMBER}",
        re.I,
    ),
)
_LEAST = 16
"""Tokens: smaller numbers are versions, counts of something else, or minimums."""
_NO_TOKENS = re.compile(r"^ ?(?:bytes|characters|chars|[kmg]?b\b|seconds|minutes|messages|images)|^ ?%", re.I)


def classify(call: Call, result: Reply | Failure) -> Outcome:
    """What a reply or failure means for the call that it answers. Raises nothing."""
    return _of_reply(call, result) if isinstance(result, Reply) else _of_failure(call, result)


def _of_reply(call: Call, reply: Reply) -> Outcome:
    reason = (reply.finish_reason or "").lower()
    if reason in _FILTERED:
        return Blocked(f"the provider ended the answer with {reply.finish_reason}", BlockCause.CONTENT)
    if reason in _BROKEN_OFF:
        return Transient(f"the provider broke the answer off with {reply.finish_reason}")
    if reason in _WINDOW:
        return WindowFull(reply, _total(reply))
    if reason not in _CUT:
        return Completed(reply)
    if not reply.text.strip() and (reply.reasoning_tokens or reply.output_tokens):
        return ReasoningExhausted(reply)
    total, window = _total(reply), call.model.context_window
    if total is not None and window is not None and total >= window:
        return WindowFull(reply, total)
    return CutAtOutput(reply, reply.output_tokens)


def _total(reply: Reply) -> int | None:
    if reply.input_tokens is None or reply.output_tokens is None:
        return None
    return reply.input_tokens + reply.output_tokens


def _of_failure(call: Call, failure: Failure) -> Outcome:
    code, text, status = (failure.code or "").lower(), failure.message, failure.status
    if status == 429 or (status is not None and status not in _TRANSIENT_STATUS and status < 500):
        if code in _CONTENT_CODES or (status != 429 and _CONTENT.search(text)):
            return Blocked(text, BlockCause.CONTENT)
        if code in _ACCOUNT_CODES or _SPENT.search(text):
            return Blocked(text, BlockCause.ACCOUNT)
    if status is None and code in _ACCOUNT_CODES:
        return Blocked(text, BlockCause.ACCOUNT)
    if status is None or status >= 500 or status in _TRANSIENT_STATUS:
        return _of_fault(call, failure, code)
    return _of_client_error(call, code, text, status)


def _of_fault(call: Call, failure: Failure, code: str) -> Outcome:
    """A passing fault, unless a server wraps its verdict on the prompt in one of its own errors."""
    if failure.status == 500 and (code in _CONTEXT_CODES or _CONTEXT.search(failure.message)):
        return PromptTooLong(failure.message, _window(call, failure.message))
    return Transient(failure.message, failure.retry_after, rate_limited=failure.status == 429)


def _of_client_error(call: Call, code: str, text: str, status: int) -> Outcome:
    if status in (401, 402, 403, 404):
        return Blocked(text, BlockCause.ACCOUNT)
    if status == 413 or code in _CONTEXT_CODES or _NEGATIVE.search(text):
        return PromptTooLong(text, _window(call, text))
    if _OUTPUT.search(text) and _UNFIT.search(text):
        return BadCall(text)
    if _CONTEXT.search(text):
        return PromptTooLong(text, _window(call, text))
    limit = _stated(call, text)
    # Whatever it is called: the number that we sent is quoted beside a smaller one that bounds it.
    quoted = limit is not None and re.search(rf"\b{call.max_tokens}\b", text) is not None
    if quoted or _OUTPUT.search(text):
        below = limit is not None and limit < call.max_tokens
        return OutputLimitRejected(text, limit if below else None)
    return Blocked(text, BlockCause.ACCOUNT) if _UNKNOWN.search(text) else BadCall(text)


def _window(call: Call, text: str) -> int | None:
    """The window by its name, which may well be as large as the output that we asked for; else any limit."""
    named = _WINDOW_STATED.search(text)
    return int(named.group(1).replace(",", "")) if named else _stated(call, text)


def _stated(call: Call, text: str) -> int | None:
    """The number of tokens that a message states as the most; never one that we sent."""
    ours = {call.max_tokens, call.prompt_tokens, call.max_tokens + call.prompt_tokens}
    for match in (match for pattern in _STATED for match in pattern.finditer(text)):
        number = int(match.group(1).replace(",", ""))
        if number >= _LEAST and number not in ours and not _NO_TOKENS.match(text[match.end(1) :]):
            return number
    return None
