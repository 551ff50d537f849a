"""How long a call may take, from the tokens that it reads and is asked for. Pure."""

from __future__ import annotations

from summarizer_providers.types import Call

__all__ = ["BASE", "expected", "is_long", "limit", "patience", "streams"]

BASE = 60.0
"""Seconds that every call has: a connection, a queue, a model that is loaded first."""

_WRITES = 128_000 / 3_600
"""Tokens a second at which a model is expected to write: what Anthropic's client plans with when it refuses
calls that could take longer than ten minutes unless they are streamed (one hour for 128,000 tokens)."""

_READS = 2_000.0
"""Tokens a second at which a prompt is expected to be read: hosted models read several thousand, a model on
one graphics card some two thousand."""

_SLOW = 4.0
"""How many times slower than expected an endpoint may be before a call is given up."""

_OVERSHOOT = 2.0
"""How many times longer than asked an answer may become: models do not obey lengths."""

_HIDDEN = 2_048
"""Tokens of reasoning that an answer may begin with."""

_SILENT = 15.0
"""Seconds of writing from which an answer is streamed. Gateways and load balancers cut a silent connection
after 30 to 100 seconds (30: some platforms' routers, 60: nginx and AWS by default, 100: Cloudflare); an
endpoint may be twice as slow as expected and is still below that."""


def expected(call: Call) -> float:
    """Seconds that a call should take at the speeds above, for the length that it asks for."""
    return _seconds(call.prompt_tokens, _asked(call, call.hints.target))


def limit(call: Call) -> float:
    """Seconds after which a call is given up: ``BASE``, and four times what reading its prompt and writing
    twice its target behind some hidden reasoning should take (an answer of 64,000 tokens: two hours); the
    call's own ``timeout`` where that is less.
    """
    written = _asked(call, int(call.hints.target * _OVERSHOOT) + _HIDDEN)
    seconds = BASE + _SLOW * (call.prompt_tokens / _READS + written / _WRITES)
    return seconds if call.timeout is None else min(call.timeout, seconds)


def patience(call: Call, *, begun: bool) -> float:
    """Seconds without a byte after which a stream is given up: ``call.silence``, before the first byte with
    the time that a slow endpoint takes to read the prompt.
    """
    return call.silence + (0.0 if begun else _SLOW * call.prompt_tokens / _READS)


def streams(call: Call) -> bool:
    """Whether an answer is long enough in the writing to be streamed: no silence that a gateway would cut,
    progress to show, and text that is worth saving if it breaks off.
    """
    return expected(call) >= _SILENT


def is_long(prompt_tokens: int, written: int) -> bool:
    """Whether a call that reads and writes so many tokens is streamed; see ``streams``."""
    return _seconds(prompt_tokens, written) >= _SILENT


def _seconds(read: int, written: int) -> float:
    return read / _READS + written / _WRITES


def _asked(call: Call, tokens: int) -> int:
    return min(tokens, call.max_tokens) if call.max_tokens else tokens
