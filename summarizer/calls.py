"""From a task and an endpoint to the request that is sent. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from summarizer import planning, prompts
from summarizer.budget import Budget
from summarizer.endpoints import Endpoint
from summarizer.prepare import Unit
from summarizer.result import Notice, Section
from summarizer.work import Leaf, MergeTask, Task, passages
from summarizer_providers import bounds
from summarizer_providers.types import Call, Hints, Passage

__all__ = ["Job", "Material", "material", "request"]

_RETRIES = 2
_FRAME = 8
"""Tokens of the line above each section in a prompt that merges sections."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a run is to do and within which limits.

    ``count`` counts tokens, ``fit`` shortens a text to so many tokens, ``deadline`` is a time of the
    flow's clock (seconds), ``max_cost`` is in US dollars, ``timeout``
    (None: automatic) and ``silence`` in seconds a call, ``wall`` the
    time of day at the clock's zero (seconds since the epoch), ``total`` the number of records of the whole;
    ``rolling``: it goes on from an earlier result.
    """

    budget: Budget
    count: Callable[[str], int]
    fit: Callable[[str, int], str]
    encoding: str = "o200k_base"
    focus: str | None = None
    instructions: str | None = None
    chunk_tokens: int | None = None
    max_calls: int | None = None
    deadline: float | None = None
    max_cost: float | None = None
    timeout: float | None = None
    silence: float = 120.0
    wall: float = 0.0
    total: int = 0
    rolling: bool = False
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """What a task gives to read, and its tokens."""

    passages: tuple[Passage, ...]
    tokens: int


def material(task: Task, units: Sequence[Unit], parts: Sequence[Section]) -> Material:
    """The records of a leaf's chunk, or the sections that a merge reads."""
    if isinstance(task, Leaf):
        return Material(passages(units, task.chunk), task.chunk.tokens)
    texts = tuple(Passage(part.first, "summary", part.text) for part in parts if part.text)
    return Material(texts, sum(part.tokens + _FRAME for part in parts))


def request(
    number: int, task: Task, endpoint: Endpoint, read: Material, job: Job, overhead: int, spare: int
) -> Call:
    """The call numbered ``number``: ``overhead`` are the prompt's own tokens, ``spare`` the requests that
    the run has left.
    """
    habits = endpoint.habits
    asked = habits.request(planning.wanted(task.target, endpoint.limits, habits.proved))
    limit = _limit(task, endpoint, read.tokens + overhead, None if job.max_cost is None else asked)
    prompt = prompts.messages(
        read.passages,
        asked,
        merge=isinstance(task, MergeTask),
        focus=job.focus,
        instructions=job.instructions,
    )
    return Call(
        id=number,
        model=endpoint.model,
        messages=prompt,
        hints=Hints(read.passages, asked, job.total, job.focus, job.encoding),
        max_tokens=limit,
        prompt_tokens=read.tokens + overhead,
        timeout=job.timeout,
        silence=job.silence,
        retries=max(0, min(_RETRIES if job.max_cost is None else 1, spare - 1)),
        scale=endpoint.limits.scale if endpoint.limits.measured else None,
    )


def _limit(task: Task, endpoint: Endpoint, prompt: int, asked: int | None) -> int:
    """The ``max_tokens`` to send; with a limit on the cost no more than an answer of ``asked`` tokens needs.

    A task that needs more room than that gets what the window leaves.
    """
    if task.room:
        return bounds.left(endpoint.limits, prompt, task.room)
    usual = bounds.max_tokens(endpoint.limits, prompt)
    return usual if asked is None else min(usual, 2 * asked + 512)
