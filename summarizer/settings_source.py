"""Where settings come from when any are given: arguments, ``SUMMARIZER_…`` variables, ``summarizer.toml``."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from summarizer.errors import InvalidSettings
from summarizer.models import as_models
from summarizer.settings_names import FILE, PREFIX
from summarizer_providers.tokens import ENCODINGS
from summarizer_providers.types import Model

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["read_settings"]

_MIN_CHUNK = 256
_UNSET: Any = None
_SECRET = frozenset({"encryption_key"})
_EXPECTED = {
    "models": "a list of models",
    "data_dir": "a folder",
    "store": "a database URL",
    "journal": "'on' or 'off'",
    "journal_days": "a number of days above 0, at most 36,500",
    "journal_mb": "a whole number of megabytes from 1 to 1,000,000",
    "recall": "'on' or 'off'",
    "recall_days": "a number of days above 0, at most 36,500",
    "chunk_tokens": f"'auto' or a whole number of tokens from {_MIN_CHUNK} on",
    "max_calls": "'auto' or a whole number from 1 on",
    "encoding": f"one of {', '.join(ENCODINGS)}",
    "concurrency": "a whole number from 1 to 1,024",
    "timeout": "'auto' or a number of seconds above 0, at most 86,400",
    "silence": "a number of seconds above 0, at most 86,400",
    "encryption_key": "a Fernet key or a passphrase",
    "redact": "'on' or 'off'",
}


class _Source(BaseSettings):
    """The same fields as ``Settings``, each with the rule that it must keep; the defaults are there."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        toml_file=FILE,
        frozen=True,
        extra="forbid",
        validate_default=False,
        env_ignore_empty=True,
    )

    models: Annotated[tuple[Model, ...], NoDecode] = ()
    data_dir: Path | None = None
    store: str | None = None
    journal: Literal["on", "off"] = _UNSET
    journal_days: Annotated[float, Field(gt=0, le=36_500)] = _UNSET
    journal_mb: Annotated[int, Field(ge=1, le=1_000_000)] = _UNSET
    recall: Literal["on", "off"] = _UNSET
    recall_days: Annotated[float, Field(gt=0, le=36_500)] = _UNSET
    chunk_tokens: Annotated[int, Field(ge=_MIN_CHUNK)] | None = None
    max_calls: Annotated[int, Field(ge=1)] | None = None
    encoding: Literal[ENCODINGS] = _UNSET  # type: ignore[valid-type]
    concurrency: Annotated[int, Field(ge=1, le=1024)] = _UNSET
    timeout: Annotated[float, Field(gt=0, le=86_400)] | None = None
    silence: Annotated[float, Field(gt=0, le=86_400)] = _UNSET
    encryption_key: str | None = None
    redact: bool = _UNSET

    @field_validator("models", mode="before")
    @classmethod
    def _read_models(cls, value: object) -> object:
        if isinstance(value, str):
            value = _listed(value)
        return as_models(value)  # type: ignore[arg-type]

    @field_validator(
        "recall_days",
        "chunk_tokens",
        "max_calls",
        "concurrency",
        "timeout",
        "silence",
        "journal_days",
        "journal_mb",
        mode="before",
    )
    @classmethod
    def _read_number(cls, value: object) -> object:
        if isinstance(value, bool):  # would pass for 0 or 1
            raise ValueError
        return value

    @field_validator("chunk_tokens", "max_calls", "timeout", mode="before")
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


def read_settings(given: dict[str, Any]) -> dict[str, Any]:
    """The settings that are set anywhere, by name, those ``given`` first. Raises ``InvalidSettings``."""
    try:
        source = _Source(**given)
    except ValidationError as error:
        raise InvalidSettings(_explained(error, given)) from None
    except (ValueError, OSError) as error:
        raise InvalidSettings(_read_wrong(error)) from None
    return {name: getattr(source, name) for name in source.model_fields_set}


def _listed(text: str) -> object:
    """A JSON list, or names with commas between them."""
    if text.lstrip().startswith(("[", "{", '"')):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidSettings(f"models: expected a JSON list of names or objects: {error}") from None
        return value if isinstance(value, list) else [value]
    return [name.strip() for name in text.split(",") if name.strip()]


def _read_wrong(error: Exception) -> str:
    """One line for a source that cannot be read at all: it can only be the file."""
    reason = getattr(error, "strerror", None) or " ".join(str(error).split())
    return f"{FILE}: expected settings in TOML that can be read: {reason:.200}"


def _explained(error: ValidationError, given: Collection[str]) -> str:
    """One line that names each setting that is wrong, what was expected and what was found."""
    return "; ".join(_problem(problem, given) for problem in error.errors(include_url=False))


def _problem(problem: ErrorDetails, given: Collection[str]) -> str:
    name = str(problem["loc"][0]) if problem["loc"] else "settings"
    if problem["type"] == "extra_forbidden":
        return f"{_place(name, given)}: there is no such setting, expected {', '.join(_Source.model_fields)}"
    cause = problem.get("ctx", {}).get("error")
    if isinstance(cause, InvalidSettings):  # it says all itself, and what was found may hold a key
        return f"{_place(name, given)}: {str(cause).removeprefix(f'{name}: ')}"
    found = "another value" if name in _SECRET else f"{problem['input']!r:.60}"
    return f"{_place(name, given)}: expected {_EXPECTED[name]}, got {found}"


def _place(name: str, given: Collection[str]) -> str:
    """The setting, with the variable or the file that it came from."""
    if name in given:
        return name
    variable = PREFIX + name.upper()
    return f"{name} ({variable if os.environ.get(variable) else FILE})"
