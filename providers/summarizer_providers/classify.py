"""A reply or a failure → its outcome. Pure: nothing here sends, waits or remembers.

Errors are read by ``understanding.failures``. An answer is read here: by the provider's own finish reason and
counts first, then by what its text gives away.
"""

from __future__ import annotations

import re
from dataclasses import replace

from summarizer_providers import catalog
from summarizer_providers.bounds import LEAST_READ
from summarizer_providers.outcome import (
    BadCall,
    BlockCause,
    Blocked,
    Completed,
    CutAtOutput,
    Outcome,
    PromptTooLong,
    ReasoningExhausted,
    Transient,
    WindowFull,
)
from summarizer_providers.types import Call, Failure, Reply
from summarizer_providers.understanding import phrases as say
from summarizer_providers.understanding import texts
from summarizer_providers.understanding.failures import of_failure, snake

__all__ = ["KNOWN_DEFAULTS", "classify", "unread"]

KNOWN_DEFAULTS = (16, 20, 256, 2_048, 4_096, 10_240)
"""Tokens at which endpoints are known to stop where no ``max_tokens`` is sent, some without saying so."""

_LEAST_READ_CALIBRATED = 0.75
"""A provider that counts less than this share of our count did not read the whole prompt. Tokenizers differ
by 1.6 at most; by less where it was seen how this one counts."""
_LEAST_OF_OURS = 0.65
_SHARE_OF_WORDS = 0.95
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ORDINARY = re.compile(r"\b[A-Za-z]{2,14}\b")
_ORDINARY_SHARE = 0.55
_SMALLEST_WINDOW = 512
"""Tokens: no window in use is smaller, so a count below this is no count of a prompt."""
_BLOCK = 1_024
_WINDOW_BLOCK = 256
_LEAST_LIMIT = 250


def classify(call: Call, result: Reply | Failure) -> Outcome:
    """What a reply or failure means for the call that it answers. Raises nothing."""
    return of_failure(call, result) if isinstance(result, Failure) else _of_reply(call, result)


def _of_reply(call: Call, reply: Reply) -> Outcome:
    reason = snake(reply.finish_reason or "")
    stopped = _stopped(reply, reason)
    if stopped is not None:
        return stopped
    text, unclosed = texts.without_reasoning(reply.text)
    visible = replace(reply, text=text)
    if say.FINISH_CUT.among((reason,)) and texts.repeats(text):
        return Transient("the answer repeats itself over and over", answered=True)
    if say.FINISH_WINDOW.among((reason,)):
        return WindowFull(visible, _total(reply))
    if unread(call, reply):
        return _not_read(call, reply)
    if say.FINISH_CUT.among((reason,)):
        return _cut(call, visible, reasoned=unclosed)
    return _ended(call, visible, reason, reasoned=unclosed)


def _stopped(reply: Reply, reason: str) -> Outcome | None:
    """An answer that was stopped by something else than a limit."""
    named = f"the provider ended the answer with {reply.finish_reason}"
    if say.FINISH_PAUSED.among((reason,)):
        return BadCall(named)
    if say.FINISH_GUARDED.among((reason,)):
        return Blocked(named, BlockCause.FILTER, everywhere=True)
    if say.FINISH_WINDOW.among((reason,)):
        return None
    if say.FINISH_BLOCKED.among((reason,)):
        return Blocked(named, BlockCause.REFUSAL if "refus" in reason else BlockCause.FILTER)
    if say.FINISH_BROKEN.among((reason,)):
        return Transient(f"the provider broke the answer off with {reply.finish_reason}")
    return None


def _total(reply: Reply) -> int | None:
    if reply.input_tokens is None or reply.output_tokens is None:
        return None
    return reply.input_tokens + reply.output_tokens or None


# ---- what was not read ----


def unread(call: Call, reply: Reply) -> bool:
    """Whether the provider's own count of the prompt is so far below ours that it did not read all of it."""
    read, ours = reply.input_tokens, call.prompt_tokens
    if not read or read < _SMALLEST_WINDOW:
        return False
    if call.scale is not None and read < min(_LEAST_OF_OURS, _LEAST_READ_CALIBRATED * call.scale) * ours:
        return True
    if read >= LEAST_READ * ours:
        return False
    return bool(_at_block_end(read) or read < _SHARE_OF_WORDS * _fewest(call)) or _is_ordinary(call)


def _is_ordinary(call: Call) -> bool:
    """Whether the prompt consists of words as people and programs write them, in letters of the Latin script:
    no tokenizer in use makes so much less of these than ours.
    """
    texts_sent = [message.content for message in call.messages]
    words = sum(map(len, (word for text in texts_sent for word in _ORDINARY.findall(text))))
    return words >= _ORDINARY_SHARE * sum(map(len, texts_sent))


def _at_block_end(read: int) -> int | None:
    """The window that a count gives away which ends with a block of 1,024, or one before."""
    window = -(-read // _BLOCK) * _BLOCK
    return window if window >= 2 * _BLOCK and window - read <= 1 else None


def _fewest(call: Call) -> int:
    """Tokens that any tokenizer makes of the prompt: one a word, and one for two or three Chinese characters.

    Where letters and digits stand in a heap (hashes, images as text), tokenizers differ by more than three
    times, and our count proves nothing.
    """
    texts_sent = [message.content for message in call.messages]
    words = sum(len(text.split()) for text in texts_sent)
    return words + sum(len(_WIDE.findall(text)) for text in texts_sent) * 2 // 5


def _not_read(call: Call, reply: Reply) -> PromptTooLong:
    """A count at the very end of a block of 1,024 gives the window away."""
    read = reply.input_tokens or 0
    detail = f"the provider read {read} tokens of a prompt of about {call.prompt_tokens}"
    return PromptTooLong(detail, _at_block_end(read))


# ---- how it ended ----


def _cut(call: Call, reply: Reply, *, reasoned: bool) -> Outcome:
    if reasoned or (
        not reply.text.strip() and (reply.reasoning_text or reply.output_tokens or reply.reasoning_tokens)
    ):
        return ReasoningExhausted(reply)
    total, window = _total(reply), call.model.context_window
    if total is not None and (total >= window if window is not None else _at_a_window(reply, total)):
        return WindowFull(reply, total)
    return CutAtOutput(reply, reply.output_tokens)


def _at_a_window(reply: Reply, total: int) -> bool:
    """Whether prompt and answer end where windows do although the answer's own length is no usual limit:
    servers are started with windows of whole blocks of 256.
    """
    written = reply.output_tokens or 0
    usual = written % 50 == 0 or written % 64 == 0
    return total >= _SMALLEST_WINDOW and total % _WINDOW_BLOCK == 0 and not usual


def _ended(call: Call, reply: Reply, reason: str, *, reasoned: bool) -> Outcome:
    """An answer that is said to have ended by itself, or of which nothing is said."""
    if reasoned:
        return ReasoningExhausted(reply)
    if not reply.text.strip():
        return Completed(replace(reply, text=""))
    if reply.streamed and not reason:
        return _unsure(reply)
    error = texts.embedded_error(reply.text)
    if error is not None:
        return _passed_off(call, *error)
    if texts.is_refusal(reply.text):
        return Blocked(f"the model refused: {reply.text.strip()[:200]}", BlockCause.REFUSAL)
    return _by_its_end(call, reply, reason)


def _passed_off(call: Call, words: str, status: int | None) -> Outcome:
    """A gateway's error in the place of an answer. It may pass where its words do not say otherwise."""
    if status is not None:
        return of_failure(call, Failure(words, status))
    outcome = of_failure(call, Failure(words, 400))
    return Transient(words) if isinstance(outcome, BadCall) else outcome


def _by_its_end(call: Call, reply: Reply, reason: str) -> Outcome:
    written, sent = reply.output_tokens, call.max_tokens
    if _at_usual_limit(reply) and not texts.ends_sentence(reply.text):
        return _unsure(reply)
    if texts.ends_whole(reply.text):
        return Completed(reply)
    if not reason:
        at_default = not sent and written in KNOWN_DEFAULTS
        return CutAtOutput(reply, written) if at_default else _unsure(reply)
    if written and (written == sent or (not sent and written in KNOWN_DEFAULTS)):
        return CutAtOutput(reply, written)
    if not (written and sent and written < sent and texts.breaks_off(reply.text)):
        return Completed(reply)
    declared = catalog.declared(call.model).context_window
    if declared is not None and (reply.input_tokens or 0) > declared:
        return PromptTooLong(f"the prompt has more tokens ({reply.input_tokens}) than the model is made for")
    return _unsure(reply)


def _at_usual_limit(reply: Reply) -> bool:
    """Whether an answer ends at a length of the kind that limits have, and that one answer in 125 has by
    chance. A count that is larger than the text in characters is no count of it.
    """
    written = reply.output_tokens or 0
    return _LEAST_LIMIT <= written <= len(reply.text) and not (written % 250 and written % 256)


def _unsure(reply: Reply) -> CutAtOutput:
    """Cut by the look of it, nobody knows by what: its length is no limit."""
    return CutAtOutput(replace(reply, output_tokens=None))
