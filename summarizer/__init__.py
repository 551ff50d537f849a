"""Any amount of input turned into text of bounded size: ``summarize(records, budget)``."""

from __future__ import annotations

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
from summarizer.settings import Settings
from summarizer_providers.types import Model

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
