"""Settings: everything that can be set, as one frozen value."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from summarizer.settings_names import FILE, PREFIX
from summarizer_providers.types import Model

__all__ = ["Settings"]

_DATA_DIR = PREFIX + "DATA_DIR"


@dataclass(frozen=True, slots=True, init=False)
class Settings:
    """Everything that can be set: as an argument, as ``SUMMARIZER_<NAME>``, in ``summarizer.toml``, in this
    order. Raises ``InvalidSettings``.

    ``models``: the ladder, first choice first, a list of names or objects (none: offline/extractive).
    ``chunk_tokens``: the most input that a call is given, in tokens of ``encoding`` (``auto``: by model).
    ``max_calls``: the most requests of a run, retries included (default: in proportion to the work).
    ``encoding``: the tiktoken encoding that counts. ``concurrency``: the most calls at once to one
    endpoint (it begins with 16, and halves where the endpoint says that they are too many).
    ``timeout``: seconds for one call (``auto``: by what it reads and writes), ``silence``: seconds without a
    byte after which an answer that is streamed is given up. ``data_dir`` (a folder) and ``store`` (a database
    URL) say where what was learned is kept, ``journal`` whether finished sections are, for
    ``journal_days`` after their last use and up to ``journal_mb`` megabytes. ``encryption_key`` (a Fernet
    key or a passphrase) seals the texts that are kept; with ``redact``, keys, tokens and passwords are masked
    in records before anything is sent or kept. ``recall``: whether the records behind sections are kept, so
    that they can be looked up again, for ``recall_days``.
    """

    models: tuple[Model, ...] = ()
    data_dir: Path | None = None
    store: str | None = field(default=None, repr=False)
    journal: Literal["on", "off"] = "on"
    journal_days: float = 30.0
    journal_mb: int = 200
    recall: Literal["on", "off"] = "on"
    recall_days: float = 30.0
    chunk_tokens: int | None = None
    max_calls: int | None = None
    encoding: str = "o200k_base"
    concurrency: int = 32
    timeout: float | None = None
    silence: float = 120.0
    encryption_key: str | None = field(default=None, repr=False)
    redact: bool = False

    def __init__(self, **given: Any) -> None:
        values = _set_somewhere(given)
        for setting in fields(self):
            object.__setattr__(self, setting.name, values.get(setting.name, setting.default))


def _set_somewhere(given: dict[str, Any]) -> dict[str, Any]:
    """The settings that differ from their defaults. Where none can, pydantic is not loaded (0.15 s)."""
    names = {name for name in map(str.upper, os.environ) if name.startswith(PREFIX)}
    if given or names - {_DATA_DIR} or Path(FILE).exists():
        from summarizer.settings_source import read_settings

        return read_settings(given)
    folder = os.environ.get(_DATA_DIR)
    return {"data_dir": Path(folder)} if folder else {}
