"""What all engines of a process share: the gateway itself, its settings, and the digests that were made.

Engines are copied for each agent, so they hold none of it themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from summarizer.api import Summarizer
from summarizer.hermes.digests import Digests
from summarizer.hermes.transport import HostTransport
from summarizer.journal import open_journal
from summarizer.opening import open_store
from summarizer.recall import Recall, open_recall
from summarizer.settings import Settings
from summarizer_providers.client import Client

__all__ = ["Services", "services"]


@dataclass(frozen=True, slots=True)
class Services:
    """The gateway for some settings; ``transport`` carries calls through clients of hermes' own."""

    settings: Settings
    summarizer: Summarizer
    digests: Digests
    recall: Recall
    transport: HostTransport


def services() -> Services:
    """Those for the settings of the environment and ``summarizer.toml``. Raises ``InvalidSettings``."""
    return _services(Settings())


@lru_cache(maxsize=4)
def _services(settings: Settings) -> Services:
    transport = HostTransport()
    journal = None
    if settings.journal == "on":
        journal = open_journal(open_store(settings.data_dir, settings.store).database, settings)
    summarizer = Summarizer(settings, client=Client({"host": transport}))
    return Services(settings, summarizer, Digests(journal), open_recall(settings), transport)
