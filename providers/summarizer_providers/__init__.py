"""Model endpoints: what each is, what it can do, and what it did. Knows nothing of summaries."""

from __future__ import annotations

from summarizer_providers.types import Call, Failure, Hints, Message, Model, Passage, Reply

__all__ = ["Call", "Failure", "Hints", "Message", "Model", "Passage", "Reply"]
