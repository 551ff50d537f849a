"""The offline model ``offline/extractive``: no key, no network; it keeps the weightiest lines."""

from __future__ import annotations

import asyncio
import threading

from summarizer_providers.extractive import extract
from summarizer_providers.tokens import get_counter
from summarizer_providers.types import Call, Failure, Reply

__all__ = ["OfflineTransport"]


class OfflineTransport:
    """Answers a call from its hints alone: a text of the passages' own lines and sentences, in order."""

    async def send(self, call: Call) -> Reply | Failure:
        """A summary of at most ``hints.target`` and ``max_tokens`` tokens, at no cost.

        The work is done in a thread: about 5 CPU seconds a million tokens. A ``Failure`` only where the
        tables of the counter that the hints name are not at hand.
        """
        stopped = threading.Event()
        try:
            return await asyncio.to_thread(_answer, call, stopped)
        except OSError as error:
            return Failure(f"the tables of {call.hints.encoding} cannot be read: {error}", kind="tables")
        finally:
            stopped.set()  # a cancelled call's thread must not keep the process from ending


def _answer(call: Call, stopped: threading.Event) -> Reply:
    hints = call.hints
    counter = get_counter(hints.encoding)
    target = min(hints.target, call.max_tokens)
    text = extract(
        hints.passages,
        target,
        hints.total,
        count=counter.count,
        focus=hints.focus,
        stopped=stopped.is_set,
    )
    return Reply(
        text,
        finish_reason="stop",
        input_tokens=call.prompt_tokens,
        output_tokens=counter.count(text),
        cost=0.0,
    )
