"""From what JSON gave to frozen values of the right types: every wrong value is told with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from math import isfinite
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from summarizer.errors import InvalidResult

__all__ = ["read"]


def read(kind: Any, value: object, at: str = "") -> Any:
    """``value``, as ``json.loads`` gives it, as a value of the type ``kind``.

    A kind is a dataclass, ``X | None``, ``tuple[X, ...]``, ``Mapping[str, X]``, a ``Literal`` or
    ``StrEnum``, bool, int (at least 0), float (finite), str (lone surrogates become U+FFFD) or datetime.
    Fields that a dataclass does not have are passed over, those with a default may be absent. Raises
    ``InvalidResult``; ``at`` is the value's place for it.
    """
    if is_dataclass(kind):
        return _dataclass(kind, value, at)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return None if value is None else read(inner[0], value, at)
    if origin is tuple:
        items = _expect(list | tuple, value, "a list", at)
        return tuple(read(inner[0], item, f"{at}[{i}]") for i, item in enumerate(items))
    if origin is Mapping:
        pairs = _expect(Mapping, value, "an object", at).items()
        return {_text(key, at): read(inner[1], item, f"{at}[{key!r:.80}]") for key, item in pairs}
    if origin is Literal or issubclass(kind, StrEnum):
        return _choice(inner or tuple(kind), value, at)
    return _SCALARS[kind](value, at)


def _dataclass(kind: Any, value: object, at: str) -> Any:
    body = _expect(Mapping, value, "an object", at or "the result")
    values = {}
    for name, (of, required) in _fields(kind).items():
        place = f"{at}.{name}".lstrip(".")
        if name in body:
            values[name] = read(of, body[name], place)
        elif required:
            raise InvalidResult(f"{place}: is missing")
    return kind(**values)


@lru_cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The type of each field, and whether it has no default."""
    hints = get_type_hints(kind)
    return {
        f.name: (hints[f.name], f.default is MISSING and f.default_factory is MISSING) for f in fields(kind)
    }


def _expect(kind: Any, value: object, named: str, at: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InvalidResult(f"{at}: expected {named}, got {_shown(value)}")
    return value


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f"the string {value!r:.40}"
    return "null" if value is None else f"a value of type {type(value).__name__}"


def _choice(choices: tuple[Any, ...], value: object, at: str) -> Any:
    for choice in choices:
        if isinstance(value, str) and choice == value:
            return choice
    raise InvalidResult(f"{at}: expected {', '.join(choices)}; got {_shown(value)}")


def _bool(value: object, at: str) -> bool:
    return bool(_expect(bool, value, "true or false", at))


def _int(value: object, at: str) -> int:
    number = int(_expect(int, value, "a whole number", at))
    if number < 0:
        raise InvalidResult(f"{at}: expected a whole number of at least 0, got one below")
    return number


def _float(value: object, at: str) -> float:
    number = _expect(int | float, value, "a number", at)
    with suppress(OverflowError):
        if isfinite(number):
            return float(number)
    raise InvalidResult(f"{at}: expected a finite number")


def _text(value: object, at: str) -> str:
    text = str(_expect(str, value, "a string", at))
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _time(value: object, at: str) -> datetime:
    text = _expect(str, value, "a time", at)
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    raise InvalidResult(f"{at}: expected a time such as 2030-01-31T12:00:00+00:00, got {_shown(value)}")


_SCALARS: dict[type, Callable[[object, str], object]] = {
    bool: _bool,
    int: _int,
    float: _float,
    str: _text,
    datetime: _time,
}
