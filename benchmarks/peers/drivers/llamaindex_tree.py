"""LlamaIndex' tree summarize in the comparison."""

from __future__ import annotations

import asyncio

from llama_index.core.response_synthesizers import (  # type: ignore[import-not-found,unused-ignore]
    TreeSummarize,
)
from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.job import Done, Job, conversation

__all__ = ["compact"]


def compact(job: Job) -> Done:
    """The whole session as one text; it repacks it to the window and merges answers until there is one."""
    model = OpenAILike(
        model=job.model,
        api_base=job.base_url,
        api_key="local",
        is_chat_model=True,
        context_window=job.window,
        max_tokens=job.budget,
        timeout=600,
    )
    question = f"Summarize the session in at most {job.budget} tokens. Keep every fact, number and name."
    answer = TreeSummarize(llm=model).aget_response(question, [conversation(job.messages)])
    return Done(str(asyncio.run(answer)))
