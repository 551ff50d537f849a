"""From an error's words and fields to the limits that it states, with what each number is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from summarizer_providers.outcome import Role, Stated
from summarizer_providers.secrets import one_line
from summarizer_providers.types import Call
from summarizer_providers.understanding.cues import INPUT, OUTPUT, WINDOW
from summarizer_providers.understanding.lexicon import Lexicon
from summarizer_providers.understanding.numerals import normalized, sentences
from summarizer_providers.understanding.roles import Part, Reading, Told, by_contrast, read

__all__ = ["LEXICONS", "Limits", "find"]

_WHERE, _MOST = 80, 4_000
_LEAST_ROUND = 256
_LARGEST = 100_000_000
"""Tokens: no window in use comes near it; ids and times in milliseconds lie beyond."""
_OFF_BY = 1.7
"""A limit that our request broke is below our own count of it, times what tokenizers differ by."""

FIELD_LIMITS = Lexicon("fields: limits", r".*(?:max|limit|ctx|context|window|allowed).*")
FIELD_OURS = Lexicon("fields: ours", r".*(?:prompt|input|request|actual|used|current|total).*")
LEXICONS = (FIELD_LIMITS, FIELD_OURS)
"""All lists of this module, for measurements."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What an error states: the most that may be written (``output``), the most that may be read or the
    window for both (``window``), in tokens or None; ``numbers`` are all that were told apart,
    ``about_output`` and ``about_input`` say which sides its sentences with numbers are about.
    """

    output: int | None
    window: int | None
    numbers: tuple[Stated, ...]
    about_output: bool
    about_input: bool


def find(call: Call, text: str, fields: Iterable[tuple[str, int]] = ()) -> Limits:
    """The limits in an error's words (without the echo of our input) and in its fields. Raises nothing."""
    whole = normalized(text[:_MOST])
    readings = [found for part in sentences(whole) if (found := read(part, call.max_tokens)).numbers]
    readings = _contrasted(readings, call.max_tokens)
    numbers = [*_of_fields(fields), *_of_words(call, whole, readings)]
    return Limits(
        _first(numbers, Role.OUTPUT_LIMIT),
        _first(numbers, Role.WINDOW),
        tuple(numbers),
        any(reading.about_output for reading in readings),
        any(reading.about_input or reading.about_window for reading in readings),
    )


def _contrasted(readings: list[Reading], sent: int) -> list[Reading]:
    """The same across sentences, for round numbers: "You sent 90123 tokens. This model reads 32768."."""
    told = [each for reading in readings for each in reading.numbers]
    found = [new for old, new in zip(told, by_contrast(told, sent), strict=True) if new.part is not old.part]
    if len(readings) < 2 or not found or not _is_round(found[0].value):
        return readings
    new = found[0]
    return [
        replace(reading, numbers=tuple(new if each.value == new.value else each for each in reading.numbers))
        for reading in readings
    ]


def _is_round(value: int) -> bool:
    near = (value - 1, value, value + 1)
    return value >= _LEAST_ROUND and any(each % 16 == 0 or each % 100 == 0 for each in near)


def _first(numbers: Iterable[Stated], role: Role) -> int | None:
    return next((number.value for number in numbers if number.role is role), None)


def _of_fields(fields: Iterable[tuple[str, int]]) -> list[Stated]:
    found = []
    for name, value in fields:
        output, limit = OUTPUT.search(name) is not None, FIELD_LIMITS.among((name,))
        if not 16 <= value <= _LARGEST or not (limit or FIELD_OURS.among((name,))):
            continue
        role = Role.OUTPUT_LIMIT if output else Role.WINDOW
        if not limit:
            role = Role.OUTPUT if output else Role.TOTAL if "total" in name else Role.PROMPT
        found.append(Stated(role, value, name))
    return found


def _of_words(call: Call, whole: str, readings: Sequence[Reading]) -> list[Stated]:
    together = any(reading.about_window for reading in readings)
    found: list[Stated] = []
    for reading in readings:
        for told in reading.numbers:
            role = _role(call, told, reading, whole, together=together)
            if role is not None:
                found.append(Stated(role, told.value, one_line(told.where, {}, _WHERE)))
    return _with_prompt(call, found)


def _role(call: Call, told: Told, reading: Reading, whole: str, *, together: bool) -> Role | None:
    if told.part is Part.MINIMUM:
        return Role.MINIMUM
    if told.part is Part.EXCESS:
        return Role.EXCESS
    if told.part is Part.LIMIT:
        return _limit(call, told, reading, whole, together=together)
    if told.of_input and not told.of_output:
        return Role.PROMPT
    return Role.OUTPUT if told.of_output else Role.TOTAL if told.part is Part.OURS else None


def _limit(call: Call, told: Told, reading: Reading, whole: str, *, together: bool) -> Role | None:
    """A limit of which side: by the words at it, by its sentence, by the whole error, by what was sent."""
    if told.value > _LARGEST or told.value in (call.prompt_tokens, call.prompt_tokens + call.max_tokens):
        return None
    output = _is_output(call, told, reading, whole, together=together)
    if output:
        return Role.OUTPUT_LIMIT if told.value < (call.max_tokens or _LARGEST) else None
    sent = call.prompt_tokens * _OFF_BY + call.max_tokens
    stated = [other.value for other in reading.numbers if other.part is not Part.LIMIT]
    broken = reading.about_window or not call.prompt_tokens or told.value <= max(sent, *stated, 0)
    return Role.WINDOW if broken and _plausible(told, whole) else None


def _is_output(call: Call, told: Told, reading: Reading, whole: str, *, together: bool) -> bool:
    if reading.about_window or (together and not told.of_output):
        return False
    if told.of_output != told.of_input:
        return told.of_output
    if reading.about_output != reading.about_input:
        return reading.about_output
    if any(other.value == call.max_tokens and not other.of_input for other in reading.numbers):
        return True
    if INPUT.search(whole) or WINDOW.search(whole):
        return False
    # Nothing says which: where the prompt fits by itself, it is what was asked for that does not.
    fits = call.prompt_tokens * _OFF_BY < told.value < call.max_tokens
    return OUTPUT.search(whole) is not None or fits


def _plausible(told: Told, whole: str) -> bool:
    """A number that no word calls tokens is a limit only if it is a round one: others are codes."""
    if "tok" in whole.lower() or "token" in told.where.lower():
        return True
    return _is_round(told.value)


def _with_prompt(call: Call, found: list[Stated]) -> list[Stated]:
    """In ``178959 + 64000 > 200000`` the part that is not what we asked for is the prompt."""
    if any(number.role is Role.PROMPT for number in found):
        return found
    rest = [number for number in found if number.role in (Role.TOTAL, Role.OUTPUT)]
    if len(rest) == 2 and rest[1].value == call.max_tokens and "+" in rest[1].where:
        place = found.index(rest[0])
        found[place] = Stated(Role.PROMPT, rest[0].value, rest[0].where)
    return found
