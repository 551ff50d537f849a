"""LangChain's map-reduce summarization chain in the comparison: a text in pieces, summaries, one summary."""

from __future__ import annotations

from langchain_classic.chains.summarize import (  # type: ignore[import-not-found,unused-ignore]
    load_summarize_chain,
)
from langchain_core.documents import Document  # type: ignore[import-not-found,unused-ignore]
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found,unused-ignore]
from langchain_text_splitters import (  # type: ignore[import-not-found,unused-ignore]
    RecursiveCharacterTextSplitter,
)

from benchmarks.peers.job import Done, Job, conversation

__all__ = ["compact"]


def compact(job: Job) -> Done:
    """The chain with its own prompts; pieces of 1,000 tokens, summaries collapsed to the budget."""
    model = ChatOpenAI(
        model=job.model, base_url=job.base_url, api_key="local", max_tokens=job.budget, timeout=600
    )
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name="cl100k_base", chunk_size=1_000, chunk_overlap=0
    )
    pieces = [Document(text) for text in splitter.split_text(conversation(job.messages))]
    chain = load_summarize_chain(model, chain_type="map_reduce", token_max=job.budget)
    return Done(chain.invoke({"input_documents": pieces})["output_text"])
