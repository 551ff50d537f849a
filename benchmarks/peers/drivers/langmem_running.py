"""langmem's running summary in the comparison: brought up to date turn by turn, as the session grows."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.messages import (  # type: ignore[import-not-found,unused-ignore]
    AnyMessage,
    HumanMessage,
    convert_to_messages,
)
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found,unused-ignore]
from langmem.short_term import (  # type: ignore[import-not-found,unused-ignore]
    RunningSummary,
    summarize_messages,
)

from benchmarks.peers.job import Done, Job

__all__ = ["compact"]


def compact(job: Job) -> Done:
    """After each turn, what is not summarized yet and exceeds a quarter of the budget goes into the summary,
    which may have the other three quarters. ``max_tokens``, which also bounds what the model is given to
    read, is twice the budget, so that nothing is trimmed away unread.
    """
    model = ChatOpenAI(model=job.model, base_url=job.base_url, api_key="local", timeout=600)
    running: RunningSummary | None = None
    left: list[AnyMessage] = []
    for so_far in _turns(convert_to_messages(list(job.messages))):
        result = summarize_messages(
            so_far,
            running_summary=running,
            model=model.bind(max_tokens=job.budget * 3 // 4),
            max_tokens=job.budget * 2,
            max_tokens_before_summary=job.budget // 4,
            max_summary_tokens=job.budget * 3 // 4,
        )
        running, left = result.running_summary, result.messages
    return Done("\n\n".join(message.text for message in left if message.text))


def _turns(messages: list[AnyMessage]) -> Iterator[list[AnyMessage]]:
    """The session as it was after each turn; messages have ids, as in a graph's state."""
    for number, message in enumerate(messages):
        message.id = str(number)
    starts = [i for i, message in enumerate(messages) if isinstance(message, HumanMessage) and i]
    yield from (messages[:end] for end in [*starts, len(messages)])
