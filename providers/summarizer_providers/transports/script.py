"""The script of a scripted model: its limits, manners and faults, and how they are read from a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from summarizer_providers.tokens import ENCODINGS
from summarizer_providers.types import Model

__all__ = ["Script", "script_of"]

_CHOICES = {
    "over_max": ("clamp", "reject"),
    "overflow": ("error", "truncate"),
    "tokenizer": ("", "fast", *ENCODINGS),
}
_PRICES = ("input_cost_per_token", "output_cost_per_token")


@dataclass(frozen=True, slots=True)
class Script:
    """How a scripted model behaves. Lengths and limits are in tokens, times in seconds, shares from 0 to 1.

    Limits: it writes at most ``ceiling`` tokens a call (``later_ceiling`` from the call numbered ``moves_at``
    on) and holds ``window`` tokens of prompt and output; ``default_limit`` holds where no ``max_tokens`` is
    sent (0: the ceiling). A ``max_tokens`` above the ceiling is lowered in silence (``over_max=clamp``) or
    refused (``reject``); a prompt above the window is refused (``overflow=error``) or loses its head in
    silence (``truncate``). ``hide_length`` reports ``stop`` for a cut answer.

    Manners: it writes ``verbosity`` times the length that it is asked for, or ``fixed`` tokens or ``density``
    tokens per token read, whatever it is asked for. Facts go before prose; ``filler`` tokens of prose follow
    each fact on average. With ``obey`` the facts end where the length does, without it all are written.
    ``reasoning`` hidden tokens are written first, billed, and count against the ceiling. A share ``invent``
    of the facts is followed by one that no input holds.

    Faults: shares of calls that end in a 500 (``fail_rate``), a 429 (``rate_limit_rate``, with
    ``retry_after``), a lost connection (``drop_rate``), a body that is no JSON (``garbage_rate``), no text
    (``empty_rate``) or only white space (``blank_rate``); the first ``fail_first`` calls end in a 500, those
    of ``outage`` (``"5-9"``, numbered from 1) in a 503. A prompt with the text ``poison`` is blocked by a
    filter, one with ``refuse`` is declined politely.

    An answer takes ``latency`` seconds and ``latency_per_token`` for each token that it writes. Tokens are
    counted as the caller counts them, or by the encoding ``tokenizer``, or, with ``fast``, four characters
    each. Chance depends on ``seed``, the prompt and how often it was sent before, and on nothing else.

    Raises ValueError for a value that a parameter cannot have.
    """

    seed: int = 0
    ceiling: int = 4_096
    later_ceiling: int = 0
    moves_at: int = 0
    window: int = 128_000
    default_limit: int = 0
    over_max: str = "clamp"
    overflow: str = "error"
    hide_length: bool = False
    verbosity: float = 1.0
    fixed: int = 0
    density: float = 0.0
    obey: bool = True
    filler: float = 0.0
    reasoning: int = 0
    invent: float = 0.0
    fail_rate: float = 0.0
    rate_limit_rate: float = 0.0
    retry_after: float = 1.0
    drop_rate: float = 0.0
    garbage_rate: float = 0.0
    empty_rate: float = 0.0
    blank_rate: float = 0.0
    fail_first: int = 0
    outage: str = ""
    poison: str = ""
    refuse: str = ""
    latency: float = 0.0
    latency_per_token: float = 0.0
    tokenizer: str = ""

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(filter(None, choices))}")
        for field in fields(self):
            value = getattr(self, field.name)
            most = 1 if field.name.endswith("_rate") or field.name == "invent" else float("inf")
            if isinstance(value, int | float) and field.name != "seed" and not 0 <= value <= most:
                raise ValueError(f"{field.name} must be from 0 to {most}, not {value}")
        if not re.fullmatch(r"(\d+-\d*)?", self.outage):
            raise ValueError(f"outage must be two numbers of calls such as 5-9, not {self.outage!r}")


def script_of(model: Model) -> Script:
    """The script of a model, from its name (``scripted/ceiling=4000,seed=3``) and its ``extra``, which wins.

    What stands first in the name without an ``=`` is a label. Raises ValueError, which names the parameter,
    for one that does not exist or has a value that it cannot have.
    """
    first, *others = model.name.partition("/")[2].split(",")
    given: dict[str, Any] = {}
    for pair in ([first] if "=" in first else []) + others:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"{model.name}: expected parameter=value, not {pair!r}")
        given[key.strip()] = value.strip()
    given.update({key: value for key, value in model.extra.items() if key not in _PRICES})
    try:
        values: dict[str, Any] = {key: _value(key, value) for key, value in given.items()}
        return Script(**values)
    except ValueError as error:
        raise ValueError(f"{model.name}: {error}") from None


@lru_cache(maxsize=1)
def _kinds() -> Mapping[str, type]:
    default = Script()
    return {field.name: type(getattr(default, field.name)) for field in fields(Script)}


def _value(key: str, value: object) -> bool | int | float | str:
    kind = _kinds().get(key)
    if kind is None:
        raise ValueError(f"no parameter {key!r}; there are {', '.join(_kinds())}")
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    try:
        if kind is bool:
            return words[str(value).lower()]
        if isinstance(value, bool):
            raise TypeError
        number_or_text: int | float | str = kind(value)
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{key} must be of type {kind.__name__}, not {value!r}") from None
    return number_or_text
