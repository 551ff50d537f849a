"""Any amount of input turned into text of bounded size: ``summarize(records, budget)``."""

from __future__ import annotations

from summarizer.api import Summarizer, asummarize, summarize
from summarizer.budget import Budget
from summarizer.errors import InvalidBudget, InvalidRecords, InvalidResult, InvalidSettings, SummarizerError
from summarizer.events import (
    CallEnded,
    CallProgress,
    CallStarted,
    CeilingLearned,
    Event,
    Planned,
    Replanned,
    SectionDone,
    SectionFinal,
)
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
    "CallProgress",
    "CallStarted",
    "CeilingLearned",
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
    "Replanned",
    "Section",
    "SectionDone",
    "SectionFinal",
    "Settings",
    "Summarizer",
    "SummarizerError",
    "Usage",
    "asummarize",
    "load_result",
    "summarize",
]
