"""The keys that a request carries, wherever they came from, hidden in whatever quotes them. Pure."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

from summarizer_providers.secrets import MASK

__all__ = ["carried", "hidden"]

_CARRIERS = re.compile(r"auth|key|token|secret|signature|credential|password|cookie", re.I)
_SHORTEST = 8
"""Characters: what is shorter is no key, and would take words out of errors."""
_NAMED = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}


def carried(headers: Mapping[str, str], url: str) -> frozenset[str]:
    """What is secret in a request: in headers and in the address, by their names; 8 characters or more."""
    parts = urlsplit(url)
    found = {value for name, value in parse_qsl(parts.query) if _CARRIERS.search(name)}
    found.add(unquote(parts.password or ""))
    for name, value in headers.items():
        if _CARRIERS.search(name):
            found.update(_in_header(value))
    return frozenset(value for value in found if len(value) >= _SHORTEST)


def hidden(text: str, keys: frozenset[str]) -> str:
    """The text with ``***`` for every key: as it is, escaped (JSON, URL, HTML, however often), broken over
    lines, in base64 together with whatever stands beside it, in hexadecimal. Raises nothing.
    """
    return _pattern(keys).sub(MASK, text) if keys and text else text


def _in_header(value: str) -> Iterator[str]:
    """The key behind a scheme (``Bearer``, ``Basic``, …), and the password that ``Basic`` holds."""
    scheme, _, rest = value.strip().partition(" ")
    yield from (value.strip(), rest)
    if scheme.lower() == "basic":
        try:
            yield b64decode(rest).decode().partition(":")[2]
        except ValueError:
            return


@lru_cache(maxsize=64)
def _pattern(keys: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(keys, key=lambda key: (-len(key), key))
    return re.compile("|".join(form for key in longest_first for form in _forms(key)))


def _forms(key: str) -> Iterator[str]:
    data = key.encode()
    yield r"[\\\s]*".join(map(_letter, key))
    yield from map(re.escape, _in_base64(data))
    yield f"(?i:{data.hex()})"


def _letter(letter: str) -> str:
    if letter.isascii() and letter.isalnum():
        return letter
    codes = "".join(f"%(?:25)*{byte:02x}" for byte in letter.encode())
    units = letter.encode("utf-16-be").hex()
    escaped = "".join(rf"\\*u{units[at : at + 4]}" for at in range(0, len(units), 4))
    number = ord(letter)
    entity = f"&(?:{_NAMED.get(letter, 'nbsp')}|#0*{number}|#x0*{number:x});"
    plus = r"|\+" if letter == " " else ""
    return rf"(?:{re.escape(letter)}{plus}|(?i:{codes}|{escaped}|{entity}))"


def _in_base64(data: bytes) -> Iterable[str]:
    """What of the key's base64 does not depend on the bytes around it, at each of the three places in which
    it may begin.
    """
    for before in range(3):
        coded = b64encode(bytes(before) + data).decode().rstrip("=")
        whole = coded[(0, 2, 3)[before] : len(coded) - (1 if (before + len(data)) % 3 else 0)]
        if len(whole) >= _SHORTEST:
            yield from {whole, whole.replace("+", "-").replace("/", "_")}
