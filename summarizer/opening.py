"""Opening the store of some settings: one object for the process, wherever it is asked for."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from summarizer_providers.store import Store

__all__ = ["open_store"]


def open_store(data_dir: Path | None, url: str | None) -> Store:
    """The store of these settings, one object for the process. Opening costs nothing until it is used."""
    places = ("SUMMARIZER_STORE", "SUMMARIZER_DATA_DIR")
    return _store(data_dir, url, tuple(os.environ.get(name) for name in places))


@lru_cache(maxsize=16)
def _store(data_dir: Path | None, url: str | None, _environment: tuple[str | None, ...]) -> Store:
    return Store.open(data_dir, url)
