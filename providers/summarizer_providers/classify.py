"""A reply or a failure → its outcome. Pure: nothing here sends, waits or remembers."""

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
_FILTERED = {"content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii"}

_ACCOUNT_CODES = {
    "insufficient_quota",
    "invalid_api_key",
    "billing_not_active",
    "model_not_found",
    "permission_denied",
    "access_terminated",
}
_CONTENT_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}

_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|(prompt|input|request) (is |was )?too (long|large)"
    r"|too many (input )?tokens|exceeds? .{0,40}context",
    re.I,
)
_WINDOW_STATED = re.compile(r"(?:context (?:length|window|size)|maximum)\D{0,30}?(\d[\d,]{2,})", re.I)
_OUTPUT_PARAMETER = re.compile(r"max_?(?:completion_|output_|new_)?tokens", re.I)
_LIMIT_STATED = re.compile(
    r"(?:at most|maximum(?: of| is)?|less than or equal to|up to|<=|≤|not exceed)\D{0,30}?(\d[\d,]*)", re.I
)
_CONTENT_WORDS = re.compile(r"content (management |filter|policy)|safety (system|filter)|flagged", re.I)


def classify(call: Call, result: Reply | Failure) -> Outcome:
    """What a reply or failure means for the call that it answers."""
    return _of_reply(call, result) if isinstance(result, Reply) else _of_failure(call, result)


def _of_reply(call: Call, reply: Reply) -> Outcome:
    reason = (reply.finish_reason or "").lower()
    if reason in _FILTERED:
        return Blocked(f"the provider ended the answer with {reply.finish_reason}", BlockCause.CONTENT)
    if reason in _WINDOW:
        return WindowFull(reply, _total(reply))
    if reason not in _CUT:
        return Completed(reply)
    if not reply.text.strip() and reply.reasoning_tokens:
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
    if code in _ACCOUNT_CODES or status in (401, 402, 403, 404):
        return Blocked(text, BlockCause.ACCOUNT)
    if status is not None and 400 <= status < 500 and status not in (408, 429):
        return _of_client_error(call, code, text, status)
    if status is None or status >= 500 or status in (408, 429):
        return Transient(text, failure.retry_after, rate_limited=status == 429)
    return BadCall(text)


def _of_client_error(call: Call, code: str, text: str, status: int) -> Outcome:
    if code in _CONTENT_CODES or _CONTENT_WORDS.search(text):
        return Blocked(text, BlockCause.CONTENT)
    if code == "context_length_exceeded" or status == 413 or _CONTEXT.search(text):
        return PromptTooLong(text, _stated(_WINDOW_STATED, text, below=None))
    if _OUTPUT_PARAMETER.search(text):
        return OutputLimitRejected(text, _stated(_LIMIT_STATED, text, below=call.max_tokens))
    return BadCall(text)


def _stated(pattern: re.Pattern[str], text: str, below: int | None) -> int | None:
    """The number that a message states as the limit; never one that is not below what we asked for."""
    for match in pattern.finditer(text):
        number = int(match.group(1).replace(",", ""))
        if number > 0 and (below is None or number < below):
            return number
    return None
