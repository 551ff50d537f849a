"""Any amount of input turned into text of bounded size: ``summarize(records, budget)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from summarizer.api import Summarizer, asummarize, summarize
from summarizer.budget import Budget
from summarizer.errors import InvalidBudget, InvalidRecords, InvalidResult, InvalidSettings, SummarizerError
from summarizer.events import CallEnded, CallStarted, Event, Planned, SectionDone
from summarizer.records import Record
from summarizer.result import (
    Complete,
    Coverage,
    Gap,
    ModelUsage,
    Notice,
    Partial,
    Reason,
    Section,
    Usage,
    load_result,
)
from summarizer_providers.types import Model

if TYPE_CHECKING:
    from summarizer.settings import Settings

__all__ = [
    "Budget",
    "CallEnded",
    "CallStarted",
    "Complete",
    "Coverage",
    "Event",
    "Gap",
    "InvalidBudget",
    "InvalidRecords",
    "InvalidResult",
    "InvalidSettings",
    "Model",
    "ModelUsage",
    "Notice",
    "Partial",
    "Planned",
    "Reason",
    "Record",
    "Section",
    "SectionDone",
    "Settings",
    "Summarizer",
    "SummarizerError",
    "Usage",
    "asummarize",
    "load_result",
    "summarize",
]


def __getattr__(name: str) -> Any:
    """``Settings`` is imported when it is asked for: pydantic would double the time of this import."""
    if name == "Settings":
        from summarizer.settings import Settings

        return Settings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
