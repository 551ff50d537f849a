"""An error → its outcome: the status first, then codes, then words, and numbers last. Pure."""

from __future__ import annotations

import re

from summarizer_providers.outcome import (
    BadCall,
    BlockCause,
    Blocked,
    Outcome,
    OutputLimitRejected,
    PromptTooLong,
    Role,
    Transient,
)
from summarizer_providers.types import Call, Failure
from summarizer_providers.understanding import phrases as say
from summarizer_providers.understanding.cues import OUTPUT
from summarizer_providers.understanding.echo import without_echo
from summarizer_providers.understanding.limits import Limits, find
from summarizer_providers.understanding.numerals import OTHER_THINGS, RATES

__all__ = ["of_failure", "snake"]

_PASSING = {408, 409, 425, 429}
_NOT_FOR_US = {401, 402, 403, 404}
_NEGATIVE = re.compile(r"max_\w*tokens.{0,40}(?:got|given|received|is|was)\W{0,3}-\d", re.IGNORECASE)
_OURS = re.compile(r"max_?\w*tokens|messages?|prompt|input|contents?", re.IGNORECASE)


def of_failure(call: Call, failure: Failure) -> Outcome:
    """What an error means for the call that it answers. Raises nothing."""
    text = without_echo(failure.body or failure.message, [message.content for message in call.messages])
    codes = tuple(snake(code) for code in (failure.code, *failure.codes) if code)
    status = failure.status
    blocked = _blocked(failure, codes, text)
    if blocked is not None and (status is None or status == 429 or (status < 500 and status not in _PASSING)):
        return blocked
    if status == 429 or status in _PASSING:
        return Transient(failure.message, failure.retry_after, rate_limited=status == 429)
    if status is None or status >= 500:
        return _of_fault(call, failure, codes, text)
    if status in _NOT_FOR_US:
        cause = BlockCause.CREDIT if status == 402 else BlockCause.AUTHENTICATION
        return Blocked(failure.message, cause)
    return _of_request(call, failure, codes, text)


def snake(name: str) -> str:
    """A code or reason in snake case, whatever its own: ``maxTokens``, ``MAX_TOKENS``, ``max-tokens``."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\W_]+", "_", name).strip("_").lower()


def _blocked(failure: Failure, codes: tuple[str, ...], text: str) -> Blocked | None:
    words, limited = failure.message, failure.status == 429
    if say.CONTENT_CODES.among(codes) or (not limited and say.CONTENT.search(text)):
        return Blocked(words, BlockCause.FILTER) if failure.status is not None else None
    if say.CREDIT_CODES.among(codes) or (say.CREDIT.search(text) and failure.status != 413):
        return Blocked(words, BlockCause.CREDIT) if failure.status is not None else None
    spent = failure.retry_after is None and say.QUOTA.search(text)
    if say.QUOTA_CODES.among(codes) or (limited and spent):
        return Blocked(words, BlockCause.QUOTA)
    if say.ACCOUNT_CODES.among(codes) and not (limited or say.CONTEXT_CODES.among(codes)):
        return Blocked(words, BlockCause.AUTHENTICATION)
    return None


def _of_fault(call: Call, failure: Failure, codes: tuple[str, ...], text: str) -> Outcome:
    """A passing fault, unless a server wraps its verdict on the request in one of its own errors."""
    fault = Transient(failure.message, failure.retry_after)
    inner = failure.kind == "HTTP 200"
    if failure.status != 500 and not inner and not say.CONTEXT_CODES.among(codes):
        return fault
    verdict = _of_request(call, failure, codes, text)
    return verdict if isinstance(verdict, PromptTooLong | OutputLimitRejected) else fault


def _of_request(call: Call, failure: Failure, codes: tuple[str, ...], text: str) -> Outcome:
    words = failure.message
    limits = find(call, text, failure.fields)
    if failure.status == 413 or say.CONTEXT_CODES.among(codes) or _NEGATIVE.search(text):
        return PromptTooLong(words, None if _NEGATIVE.search(text) else limits.window, limits.numbers)
    about_output = OUTPUT.search(text) is not None or bool(OUTPUT.search(failure.param or ""))
    form = _of_form(failure, text, about_output=about_output, limits=limits)
    if form is not None:
        return form
    if limits.window is not None or _overflows(text, limits):
        return PromptTooLong(words, limits.window, limits.numbers)
    refused = about_output and (say.OUTPUT_REFUSED.search(text) or say.OUTPUT_CODES.among(codes))
    if limits.output is not None or refused:
        return OutputLimitRejected(words, limits.output, limits.numbers)
    if say.UNKNOWN.search(text):
        return Blocked(words, BlockCause.AUTHENTICATION)
    return BadCall(words, _argument(failure, text))


def _of_form(failure: Failure, text: str, *, about_output: bool, limits: Limits) -> BadCall | None:
    """What no number could mend: streaming, an argument that is unknown, too small an output limit."""
    words = failure.message
    if say.STREAM.search(text):
        return BadCall(words, "stream")
    if failure.param and not _OURS.search(failure.param):
        return BadCall(words, failure.param)
    if about_output and say.RAISE.search(text) and limits.output is None and not _in_window(limits):
        least = next((each.value for each in limits.numbers if each.role is Role.MINIMUM), 0)
        return BadCall(words, None, least)
    if say.UNSUPPORTED.search(text) and limits.output is None and limits.window is None:
        return BadCall(words, _argument(failure, text) or ("max_tokens" if about_output else "unknown"))
    return None


def _in_window(limits: Limits) -> bool:
    return limits.window is not None


def _overflows(text: str, limits: Limits) -> bool:
    """Whether the words say that something is too long, and that it is the prompt."""
    if limits.output is not None:
        return False
    if say.OVERFLOW.search(text):
        return not (OTHER_THINGS.search(text) and RATES.search(text))
    subject = say.SUBJECTS.search(text)
    if subject is None or OUTPUT.search(text):
        return False
    return say.TOO_MUCH.search(text) is not None


def _argument(failure: Failure, text: str) -> str | None:
    """The argument that an error names as the wrong one."""
    if failure.param:
        return failure.param
    named = say.PARAMETERS.search(text)
    return named.group() if named else None
