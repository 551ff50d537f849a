"""The agent's tools: what the digest of its own session no longer says can be looked up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from summarizer.hermes.services import Services
from summarizer.recall.agent_tools import RecallTools

__all__ = ["answered", "failed", "schemas"]


def schemas(gateway: Services) -> list[dict[str, Any]]:
    """The tools as hermes takes them."""
    return RecallTools(gateway.recall, ()).schemas()


def answered(gateway: Services, body: str, name: str, arguments: Mapping[str, Any]) -> str:
    """The answer to a call, in JSON, about the session whose summary has the text ``body``."""
    digest = gateway.digests.find(body) if body else None
    sections = digest.result.sections if digest else ()
    return RecallTools(gateway.recall, sections).call(name, arguments)


def failed(words: str) -> str:
    """An answer that says what is wrong."""
    return json.dumps({"error": words})
