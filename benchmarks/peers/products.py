"""The products that are compared: their driver, their environment, and the settings they are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["OURS", "PRODUCTS", "Product", "requirements_of"]

_CONSTRAINTS = Path(__file__).resolve().parents[2] / "constraints"
OURS = "summarizer"


@dataclass(frozen=True, slots=True)
class Product:
    """``name`` in tables, ``driver`` (module), ``environment`` (its name), the least Python that it needs,
    ``package`` whose version is shown, and ``settings``: how it is used, in its own documentation's terms.
    """

    name: str
    driver: str
    environment: str
    package: str
    settings: str
    python: tuple[int, int] = (3, 11)


PRODUCTS: Sequence[Product] = (
    Product(
        OURS,
        "benchmarks.peers.drivers.ours",
        "summarizer",
        "summarizer-gateway",
        "summarize(messages, budget, models=[Model(…, context_window=window)]); everything else as it comes; "
        "nothing learned before.",
    ),
    Product(
        "langchain-middleware",
        "benchmarks.peers.drivers.langchain_middleware",
        "langchain",
        "langchain",
        "SummarizationMiddleware(model, trigger=('tokens', budget), keep=('messages', 1), "
        "trim_tokens_to_summarize=None), before_model; ChatOpenAI(max_tokens=budget). With its default of "
        "4,000 for trim_tokens_to_summarize it would read the last 4,000 tokens alone.",
    ),
    Product(
        "langchain-map-reduce",
        "benchmarks.peers.drivers.langchain_map_reduce",
        "langchain",
        "langchain-classic",
        "load_summarize_chain('map_reduce', token_max=budget) with its prompts; pieces of 1,000 tokens as in "
        "its tutorial; ChatOpenAI(max_tokens=budget).",
    ),
    Product(
        "llamaindex-tree",
        "benchmarks.peers.drivers.llamaindex_tree",
        "llamaindex",
        "llama-index-core",
        "TreeSummarize(llm).aget_response(question, [text]); the question names the budget in tokens; "
        "OpenAILike(context_window=window, max_tokens=budget).",
    ),
    Product(
        "langmem",
        "benchmarks.peers.drivers.langmem_running",
        "langmem",
        "langmem",
        "summarize_messages after each turn with the turn before's RunningSummary; max_tokens=2 × budget "
        "(so nothing is trimmed unread), max_tokens_before_summary=budget / 4, max_summary_tokens and the "
        "model's bound max_tokens=3/4 × budget.",
    ),
    Product(
        "hermes-compressor",
        "benchmarks.peers.drivers.hermes_compressor",
        "hermes",
        "hermes-agent",
        "ContextCompressor(threshold_percent=0.05, protect_first_n=0, protect_last_n=1, "
        "summary_target_ratio=0.10, config_context_length=window, max_tokens=budget).compress(messages): the "
        "smallest tail that its settings allow. The length of its summary cannot be set: it asks for a fifth "
        "of what it reads, at most 10,000 tokens.",
    ),
    Product(
        "openhands-condenser",
        "benchmarks.peers.drivers.openhands_condenser",
        "openhands",
        "openhands-sdk",
        "LLMSummarizingCondenser(llm, max_size=4, keep_first=0).condense(view): all events but the last; "
        "LLM(max_input_tokens=window, max_output_tokens=budget). A CondensationRequest follows "
        "where that comes to nothing. It shows its model the first 500 characters of each event.",
        (3, 12),
    ),
)


def requirements_of(product: Product) -> Path:
    """The file with the versions of its environment; for this project those that it is tested with."""
    own = product.environment == "summarizer"
    return _CONSTRAINTS / ("newest.txt" if own else f"peers-{product.environment}.txt")
