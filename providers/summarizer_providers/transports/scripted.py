"""The scripted model: an endpoint of known limits, manners and faults, for tests and benchmarks.

It summarizes by repeating the planted facts that it reads (``FACT-<six digits>: <value to the end of the
line>``, the last value of each, in the order of their first mention), so that what was lost can be counted,
and fills up with prose to the length that it sees fit.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import struct
import threading
from collections import Counter as Tally
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from summarizer_providers.tokens import get_counter
from summarizer_providers.transports.script import Script, script_of
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["Entry", "Script", "ScriptedTransport", "answer", "script_of"]

_FACT = re.compile(r"FACT-(\d{6}): ([^\n]+)")
_REFUSAL = "I'm sorry, but I can't help with summarizing this material."
_NOTHING = "Nothing of note happened here."
_PROSE = (
    "The team went through this part of the work and left it as it was.",
    "Nobody asked for a change, so the next step could begin at once.",
    "A short check was made at the end of it, and all of it went well.",
    "Some time was spent on reading what had been said before.",
    "The same was done again for the other half, with the same result.",
)
_CHARACTERS_PER_TOKEN = 4
_BROKEN = Failure("The server failed while it worked on it.", 500, "server_error", "InternalServerError")


def answer(script: Script, call: Call, nth: int = 0, number: int = 0) -> Reply | Failure:
    """What the model answers: a pure function, without a clock.

    ``nth`` is how often this prompt was sent before, ``number`` the number of the call, from 1, for the
    faults that depend on it (0: none does).
    """
    chance = _chances(script.seed, call, nth)
    return (
        _outage(script, number)
        or _fault(script, call, chance)
        or _limits_refuse(script, call, number)
        or _empty(script, call, chance)
        or _summary(script, call, chance, number)
    )


class _Chances(NamedTuple):
    """Independent draws from 0 to 1, one for each fault, and one for the prose."""

    fail: float
    rate_limit: float
    drop: float
    garbage: float
    empty: float
    blank: float
    prose: float


def _chances(seed: int, call: Call, nth: int) -> _Chances:
    key = _key(call) + struct.pack("<qQ", seed & 0x7FFF_FFFF_FFFF_FFFF, nth)
    drawn = struct.unpack("<7Q", hashlib.blake2b(key, digest_size=56).digest())
    return _Chances(*(number / 2**64 for number in drawn))


def _key(call: Call) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for message in call.messages:
        digest.update(message.content.encode("utf-8", "surrogatepass") + b"\0")
    return digest.digest()


def _outage(script: Script, number: int) -> Failure | None:
    if 0 < number <= script.fail_first:
        return _BROKEN
    first, _, last = script.outage.partition("-")
    if first and int(first) <= number <= int(last or number):
        return Failure("The service is not available.", 503, "service_unavailable", "ServiceUnavailableError")
    return None


def _fault(script: Script, call: Call, chance: _Chances) -> Failure | None:
    if chance.rate_limit < script.rate_limit_rate:
        message = f"Too many requests to this model; try again in {script.retry_after:g} seconds."
        return Failure(message, 429, "rate_limit_exceeded", "RateLimitError", script.retry_after)
    if chance.fail < script.fail_rate:
        return _BROKEN
    if chance.drop < script.drop_rate:
        return Failure("The connection was closed before the answer ended.", kind="APIConnectionError")
    if chance.garbage < script.garbage_rate:
        return Failure("The body of the answer is no JSON: '<html><body>…'", kind="JSONDecodeError")
    if script.poison and _mentions(call, script.poison):
        message = "The request was stopped by the content filter of this service."
        return Failure(message, 400, "content_filter", "ContentPolicyViolationError")
    return None


def _mentions(call: Call, text: str) -> bool:
    return any(text in message.content for message in call.messages)


def _limits_refuse(script: Script, call: Call, number: int) -> Failure | None:
    ceiling = _ceiling(script, number)
    if script.over_max == "reject" and call.max_tokens > ceiling:
        message = (
            f"max_tokens is too large: {call.max_tokens}. This model writes at most {ceiling} tokens a call."
        )
        return Failure(message, 400, "invalid_value", "BadRequestError")
    read = _prompt_tokens(script, call)
    if script.overflow == "error" and read >= script.window:
        message = (
            f"The context length of this model is {script.window} tokens,"
            f" but the messages hold {read} tokens. Shorten them."
        )
        return Failure(message, 400, "context_length_exceeded", "ContextWindowExceededError")
    return None


def _ceiling(script: Script, number: int) -> int:
    return script.later_ceiling if 0 < script.moves_at <= number else script.ceiling


def _empty(script: Script, call: Call, chance: _Chances) -> Reply | None:
    read = min(_prompt_tokens(script, call), script.window)
    if script.refuse and _mentions(call, script.refuse):
        return Reply(_REFUSAL, "stop", read, _count(script, call, _REFUSAL))
    if chance.empty < script.empty_rate:
        return Reply("", "stop", read, 0)
    if chance.blank < script.blank_rate:
        return Reply(" \n\n ", "stop", read, 2)
    return None


def _summary(script: Script, call: Call, chance: _Chances, number: int) -> Reply:
    """The text as the model would write it, cut where a limit cuts it."""
    read = _prompt_tokens(script, call)
    limit = call.max_tokens if call.max_tokens > 0 else script.default_limit or script.window
    limit = min(limit, _ceiling(script, number), max(1, script.window - read))
    text = _text(script, call, chance, read)
    visible, hidden = _count(script, call, text), script.reasoning
    read = min(read, script.window - 1)
    if hidden + visible <= limit:
        return Reply(text, "stop", read, hidden + visible, hidden)
    hidden = min(hidden, limit)
    reason = "stop" if script.hide_length else "length"
    return Reply(_head(script, call, text, limit - hidden), reason, read, limit, hidden)


def _text(script: Script, call: Call, chance: _Chances, read: int) -> str:
    length = int(script.fixed or script.density * read or script.verbosity * call.hints.target)
    start = int(chance.prose * len(_PROSE))
    facts = _facts(_material(script, call, read)).items()
    lines: list[str] = []
    spent, owed = 0, 0.0
    for number, value in facts:
        line = f"FACT-{number}: {value}\n"
        cost = _count(script, call, line)
        if script.obey and spent + cost > length:
            break
        lines.append(line + _invented(script, number))
        spent += cost
        owed += script.filler
        prose, cost = _prose(script, call, min(owed, length - spent) if script.obey else owed, start)
        lines.append(prose)
        owed, spent = owed - cost, spent + cost
    lines.append(_prose(script, call, length - spent, start)[0])
    return "".join(lines).strip() or _NOTHING


def _material(script: Script, call: Call, read: int) -> str:
    """What the model reads of the passages: all, or what is left when the head of the prompt is lost."""
    text = "\n".join(passage.text for passage in call.hints.passages)
    room = script.window - 1
    return text if read <= room else text[len(text) - len(text) * room // read :]


def _facts(text: str) -> dict[str, str]:
    """Values by number, in the order of the first mention; the last value holds."""
    return {number: value.strip() for number, value in _FACT.findall(text)}


def _invented(script: Script, number: str) -> str:
    if not script.invent:
        return ""
    drawn = hashlib.blake2b(f"{script.seed} {number}".encode(), digest_size=8).digest()
    if int.from_bytes(drawn) / 2**64 >= script.invent:
        return ""
    return f"FACT-{(int(number) + 500_000) % 1_000_000:06d}: of its own making\n"


def _prose(script: Script, call: Call, length: float, start: int) -> tuple[str, int]:
    """Whole sentences of at most ``length`` tokens, and how many tokens they have."""
    costs = _prose_costs(_encoding(script, call))
    said: list[str] = []
    spent = 0
    while spent + costs[start % len(_PROSE)] <= length:
        said.append(_PROSE[start % len(_PROSE)] + "\n")
        spent += costs[start % len(_PROSE)]
        start += 1
    return "".join(said), spent


@lru_cache(maxsize=8)
def _prose_costs(encoding: str) -> tuple[int, ...]:
    if encoding == "fast":
        return tuple(_fast_count(sentence + "\n") for sentence in _PROSE)
    return tuple(get_counter(encoding).count(sentence + "\n") for sentence in _PROSE)


def _encoding(script: Script, call: Call) -> str:
    return script.tokenizer or call.hints.encoding


def _prompt_tokens(script: Script, call: Call) -> int:
    if not script.tokenizer and call.prompt_tokens > 0:
        return call.prompt_tokens
    return sum(_count(script, call, message.content) for message in call.messages)


def _count(script: Script, call: Call, text: str) -> int:
    encoding = _encoding(script, call)
    return _fast_count(text) if encoding == "fast" else get_counter(encoding).count(text)


def _head(script: Script, call: Call, text: str, tokens: int) -> str:
    encoding = _encoding(script, call)
    if encoding == "fast":
        return text[: tokens * _CHARACTERS_PER_TOKEN]
    return get_counter(encoding).head(text, tokens)


def _fast_count(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Entry:
    """One call as it was answered: ``result`` is the finish reason of a reply or the kind of a failure.

    ``prompt_tokens``, ``target`` and ``max_tokens`` are the call's, ``output_tokens`` what was written.
    """

    number: int
    call: int
    model: str
    prompt_tokens: int
    target: int
    max_tokens: int
    result: str
    output_tokens: int


class ScriptedTransport:
    """Answers calls by their models' scripts, or all by ``script``; may be shared between threads.

    ``calls`` holds the latest 10,000 calls in the order of their arrival, ``count`` the number of all,
    ``in_flight`` that of the open ones, ``most_in_flight`` the most that were open at once; ``sleep`` waits
    for the latency (seconds).
    """

    def __init__(
        self, script: Script | None = None, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self.calls: deque[Entry] = deque(maxlen=10_000)
        self.count = 0
        self.most_in_flight = 0
        self._script = script
        self._sleep = sleep
        self.in_flight = 0
        self._sent: Tally[bytes] = Tally()
        self._lock = threading.Lock()

    async def send(self, call: Call) -> Reply | Failure:
        """The scripted answer, after its latency. A script that cannot be read is a failure (400)."""
        try:
            script = self._script or script_of(call.model)
        except ValueError as error:
            return Failure(str(error), 400, "invalid_value", "BadRequestError")
        result = self._begin(script, call)
        written = result.output_tokens or 0 if isinstance(result, Reply) else 0
        try:
            delay = script.latency + written * script.latency_per_token
            if delay > 0:
                await self._sleep(delay)
        finally:
            with self._lock:
                self.in_flight -= 1
        return result

    def _begin(self, script: Script, call: Call) -> Reply | Failure:
        key = call.model.name.encode() + _key(call)
        with self._lock:
            self.count += 1
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            number, nth = self.count, self._sent[key]
            self._sent[key] += 1
        result = answer(script, call, nth, number)
        self.calls.append(_entry(number, call, result))
        return result


def _entry(number: int, call: Call, result: Reply | Failure) -> Entry:
    reply = result if isinstance(result, Reply) else None
    return Entry(
        number=number,
        call=call.id,
        model=call.model.name,
        prompt_tokens=call.prompt_tokens,
        target=call.hints.target,
        max_tokens=call.max_tokens,
        result=str(result.finish_reason) if isinstance(result, Reply) else result.kind,
        output_tokens=(reply.output_tokens or 0) if reply else 0,
    )
