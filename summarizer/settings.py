"""Settings: from arguments, ``SUMMARIZER_…`` variables and ``summarizer.toml``, in that order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from summarizer.errors import InvalidSettings
from summarizer.models import as_models
from summarizer_providers.tokens import ENCODINGS
from summarizer_providers.types import Model

__all__ = ["Settings", "load_settings"]

MIN_CHUNK = 256


class Settings(BaseSettings):
    """Everything that can be set, each also as ``SUMMARIZER_<NAME>`` and in ``summarizer.toml``.

    ``models``: the ladder, first choice first, a list of names or objects (none: offline/extractive).
    ``chunk_tokens``: the most input that a call is given, in tokens of ``encoding`` (``auto``: by model).
    ``max_calls``: the most requests of a run, retries included (default: in proportion to the work).
    ``encoding``: the tiktoken encoding that counts. ``concurrency``: calls at once to one endpoint.
    ``timeout``: seconds for one call. ``data_dir`` (a folder) and ``store`` (a database URL) say where
    what was learned is kept, ``journal`` whether finished sections are. Raises ``InvalidSettings``.
    """

    model_config = SettingsConfigDict(
        env_prefix="SUMMARIZER_",
        toml_file="summarizer.toml",
        frozen=True,
        extra="forbid",
        env_ignore_empty=True,
    )

    models: Annotated[tuple[Model, ...], NoDecode] = ()
    data_dir: Path | None = None
    store: str | None = None
    journal: Literal["on", "off"] = "on"
    chunk_tokens: Annotated[int, Field(ge=MIN_CHUNK)] | None = None
    max_calls: Annotated[int, Field(ge=1)] | None = None
    encoding: Literal[ENCODINGS] = "o200k_base"  # type: ignore[valid-type]
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 8
    timeout: Annotated[float, Field(gt=0, le=86_400)] = 600.0

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except (ValidationError, SettingsError, ValueError) as error:
            raise InvalidSettings(_explained(error)) from None

    @field_validator("models", mode="before")
    @classmethod
    def _read_models(cls, value: object) -> object:
        if isinstance(value, str):
            value = _listed(value)
        return as_models(value)  # type: ignore[arg-type]

    @field_validator("chunk_tokens", "max_calls", mode="before")
    @classmethod
    def _read_auto(cls, value: object) -> object:
        return None if isinstance(value, str) and value.strip().lower() in ("", "auto") else value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments first, then the environment, then the file in the working folder."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(**changes: Any) -> Settings:
    """The settings of this process, with some of them given. Raises ``InvalidSettings``."""
    return Settings(**{name: value for name, value in changes.items() if value is not None})


def _listed(text: str) -> object:
    """A JSON list, or names with commas between them."""
    if text.lstrip().startswith(("[", "{", '"')):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidSettings(f"models: expected a JSON list of names or objects: {error}") from None
        return value if isinstance(value, list) else [value]
    return [name.strip() for name in text.split(",") if name.strip()]


def _explained(error: Exception) -> str:
    """One line that names the setting, what was expected and what was found."""
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split())[:500]
    lines = []
    for problem in error.errors(include_url=False):
        where = ".".join(str(part) for part in problem["loc"]) or "settings"
        message = problem["msg"].removeprefix("Value error, ").removeprefix(f"{where}: ")
        found = problem.get("input")
        shown = f", got {found!r:.60}" if isinstance(found, str | int | float) else ""
        lines.append(f"{where}: {message[:1].lower()}{message[1:]}{'' if 'got' in message else shown}")
    return "; ".join(lines)
