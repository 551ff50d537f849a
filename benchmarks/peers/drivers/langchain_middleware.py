"""LangChain's summarization middleware in the comparison, called as an agent calls it before its model."""

from __future__ import annotations

from langchain.agents.middleware import SummarizationMiddleware  # type: ignore[import-not-found,unused-ignore]
from langchain_core.messages import convert_to_messages  # type: ignore[import-not-found,unused-ignore]
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found,unused-ignore]
from langgraph.runtime import Runtime  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.job import Done, Job

__all__ = ["compact"]


def compact(job: Job) -> Done:
    """One hook call: everything but the last message goes to the model, with nothing trimmed away first."""
    model = ChatOpenAI(
        model=job.model,
        base_url=job.base_url,
        api_key="local",
        max_tokens=job.budget,
        profile={"max_input_tokens": job.window},
        timeout=600,
    )
    middleware = SummarizationMiddleware(
        model, trigger=("tokens", job.budget), keep=("messages", 1), trim_tokens_to_summarize=None
    )
    update = middleware.before_model({"messages": convert_to_messages(list(job.messages))}, Runtime())
    kept = update["messages"] if update else convert_to_messages(list(job.messages))
    return Done("\n\n".join(message.text for message in kept if message.text))
