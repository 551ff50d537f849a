"""What a user can set in hermes' ``config.yaml``: ``plugins.entries.summarizer``, and ``compression``.

The host passes nothing of ``compression`` on to a plugin, so it is read here. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from summarizer.errors import InvalidSettings
from summarizer.models import as_models
from summarizer_providers.secrets import one_line
from summarizer_providers.types import Model

__all__ = ["Options", "options_in"]

_Value = TypeVar("_Value")
_TRUE = ("true", "1", "yes", "on")


@dataclass(frozen=True, slots=True)
class Options:
    """``share`` of the context (0.01 to 0.5) that the digest may take; ``deadline`` seconds and ``max_cost``
    US dollars of one compaction; ``models``, the ladder (none: the settings', or else hermes' own);
    ``instructions`` for the prompt; ``tools``, whether the agent can look up what was summarized.

    From ``compression``: ``threshold`` (share of the context), ``first`` and ``last`` messages that are
    protected, ``tail`` (share of the threshold that stays), ``keep_gaps`` (``abort_on_summary_failure``: keep
    what no model would summarize, rather than have it summarized offline), ``max_tokens`` of an answer.
    ``problems`` are sentences about values that could not be read; the defaults stand in for them.
    """

    share: float = 0.15
    deadline: float = 600.0
    max_cost: float | None = None
    models: tuple[Model, ...] = ()
    instructions: str | None = None
    tools: bool = True
    threshold: float = 0.5
    first: int = 3
    last: int = 20
    tail: float = 0.2
    keep_gaps: bool = False
    max_tokens: int | None = None
    problems: tuple[str, ...] = field(default=())


def options_in(config: Mapping[str, Any]) -> Options:
    """The options in hermes' configuration. Raises nothing."""
    own = _Section(_at(config, "plugins", "entries", "summarizer"), "plugins.entries.summarizer")
    host = _Section(_at(config, "compression"), "compression")
    model = _Section(_at(config, "model"), "model")
    return Options(
        share=own.number("budget_share", 0.15, 0.01, 0.5),
        deadline=own.number("deadline", 600.0, 1.0, 86_400.0),
        max_cost=own.number("max_cost", None, 0.0, 1e9),
        models=own.models(),
        instructions=own.words("instructions"),
        tools=own.truth("tools", True),
        threshold=host.number("threshold", 0.5, 0.01, 1.0),
        first=int(host.number("protect_first_n", 3, 0, 1e6)),
        last=int(host.number("protect_last_n", 20, 0, 1e6)),
        tail=host.number("target_ratio", 0.2, 0.0, 1.0),
        keep_gaps=host.truth("abort_on_summary_failure", False),
        max_tokens=model.whole("max_tokens"),
        problems=(*own.unknown(), *own.problems, *host.problems),
    )


_NAMES = ("budget_share", "deadline", "max_cost", "models", "instructions", "tools")
_HOSTS_OWN = ("llm", "allow_tool_override", "enabled")
"""What hermes itself keeps in a plugin's entry."""


class _Section:
    """One mapping of the configuration; what cannot be read in it is noted in ``problems``."""

    def __init__(self, values: Mapping[str, Any], where: str) -> None:
        self._values = values
        self._where = where
        self.problems: list[str] = []

    def number(self, name: str, default: _Value, least: float, most: float) -> Any | _Value:
        """A number from ``least`` to ``most``."""

        def read(value: Any) -> float:
            number = float(value)
            if isinstance(value, bool) or not least <= number <= most:
                raise ValueError
            return number

        return self._read(name, default, read, f"a number from {least:g} to {most:g}")

    def whole(self, name: str) -> int | None:
        """A whole number above 0, or None; what else stands there is the host's business."""
        value = self._values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None

    def truth(self, name: str, default: bool) -> bool:
        """Yes or no, in YAML's words or as text."""
        value = self._values.get(name)
        return default if value is None else str(value).strip().lower() in _TRUE

    def words(self, name: str) -> str | None:
        """A text."""
        return self._read(name, None, _text, "a text")

    def models(self) -> tuple[Model, ...]:
        """A ladder: a list of names or objects, or one name."""
        value = self._values.get("models")
        if value in (None, "", []):
            return ()
        try:
            return as_models([value] if isinstance(value, str | Mapping) else value)
        except InvalidSettings as error:
            said = one_line(str(error), {})
            self.problems.append(f"{self._where}.{said}; hermes' own models are used")
            return ()

    def unknown(self) -> list[str]:
        """A sentence for each name that means nothing."""
        known = ", ".join(_NAMES)
        names = [str(name) for name in self._values if name not in (*_NAMES, *_HOSTS_OWN)]
        return [f"{self._where}.{name}: unknown; there are {known}" for name in names]

    def _read(self, name: str, default: _Value, read: Callable[[Any], Any], expected: str) -> Any | _Value:
        value = self._values.get(name)
        if value is None:
            return default
        try:
            return read(value)
        except (TypeError, ValueError, OverflowError):
            got = one_line(f"{value!r:.60}", {})  # a key in the wrong place
            self.problems.append(f"{self._where}.{name}: expected {expected}, got {got}; {default} is used")
            return default


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _at(config: Any, *names: str) -> Mapping[str, Any]:
    for name in names:
        config = config.get(name) if isinstance(config, Mapping) else None
    return config if isinstance(config, Mapping) else {}
