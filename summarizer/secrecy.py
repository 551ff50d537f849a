"""Keeps what is stored unreadable to others: texts are sealed with the key from the settings, if any."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from summarizer.errors import InvalidSettings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

__all__ = ["Cipher", "is_sealed"]

_SEALED = "sealed:1:"
"""What a sealed text begins with; then the sign of its key, a colon, and a Fernet token."""
_PLAIN = "plain:"
"""What a text begins with that was stored as it is, and looked as if it were not."""
_ERRORS = "surrogatepass"
_SALT = b"summarizer-gateway 1"
"""The same everywhere: whoever has the key reads what was sealed on another machine."""
_COST = 2**17
"""scrypt's N (RFC 7914) with r = 8 and p = 1, as OWASP's cheat sheet on passwords has it: half a second."""
_KEY, _DIGEST = 32, 16
"""Bytes of a Fernet key, and of a name."""


def is_sealed(text: str) -> bool:
    """Whether a text was sealed, with whatever key."""
    return text.startswith(_SEALED)


@dataclass(frozen=True, slots=True)
class Cipher:
    """Seals and opens texts, and names content; without a key, texts stay as they are.

    ``key`` is a Fernet key or a passphrase. It is shown nowhere, and used with the first text.
    """

    key: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, key: str | None) -> Cipher:
        """The cipher of a setting; an empty one is none."""
        return cls(key or None)

    @property
    def is_on(self) -> bool:
        """Whether there is a key."""
        return self.key is not None

    def seal(self, text: str) -> str:
        """The text as it may be stored. Raises ``InvalidSettings`` where the library is not installed."""
        if self.key is None:
            return _PLAIN + text if text.startswith((_SEALED, _PLAIN)) else text
        keys = _keys(self.key)
        token = keys.fernet.encrypt(text.encode("utf-8", _ERRORS))
        return f"{_SEALED}{keys.sign}:{token.decode()}"

    def open(self, sealed: str) -> str | None:
        """The text as it was, also one that was stored without a key; None where another key sealed it, or
        something changed it since. Raises ``InvalidSettings`` where the library is not installed.
        """
        if not is_sealed(sealed):
            return sealed.removeprefix(_PLAIN)
        sign, _, token = sealed.removeprefix(_SEALED).partition(":")
        if self.key is None or sign != _keys(self.key).sign:
            return None
        return _opened(_keys(self.key).fernet, token)

    def opened(self, sealed: str) -> str:
        """The text as it was. Raises ``InvalidSettings`` where it is not readable with this key."""
        text = self.open(sealed)
        if text is None:
            what = "another key" if self.is_on else "a key, and none is set"
            raise InvalidSettings(f"encryption_key: cannot read what was sealed with {what}, or was changed")
        return text

    def name(self, data: bytes) -> str:
        """32 hex digits that stand for this content, the same each time. With a key, only who has it can
        tell whether they stand for a content that they know.
        """
        secret = b"" if self.key is None else _keys(self.key).naming
        return hashlib.blake2b(data, key=secret, digest_size=_DIGEST).hexdigest()


def _opened(fernet: Fernet, token: str) -> str | None:
    from cryptography.fernet import InvalidToken

    try:
        return fernet.decrypt(token.encode("utf-8", _ERRORS)).decode("utf-8", _ERRORS)
    except (InvalidToken, UnicodeDecodeError):
        return None


@dataclass(frozen=True, slots=True)
class _Keys:
    """What is made from a key: one use each, so that none tells of another. ``sign`` tells keys apart."""

    fernet: Fernet = field(repr=False)
    naming: bytes = field(repr=False)
    sign: str


@lru_cache(maxsize=4)
def _keys(key: str) -> _Keys:
    try:
        from cryptography.fernet import Fernet
    except ImportError as error:
        raise InvalidSettings(f"encryption_key: needs the package cryptography ({error})") from None
    master = _fernet_key(key) or _derived(key)
    return _Keys(
        fernet=Fernet(base64.urlsafe_b64encode(master)),
        naming=hashlib.blake2b(key=master, person=b"name", digest_size=_KEY).digest(),
        sign=hashlib.blake2b(key=master, person=b"sign", digest_size=4).hexdigest(),
    )


def _fernet_key(key: str) -> bytes | None:
    """The bytes of a key as ``Fernet.generate_key`` makes it; None for any other text."""
    try:
        found = base64.b64decode(key.strip(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if len(found) == _KEY else None


def _derived(passphrase: str) -> bytes:
    data = passphrase.encode("utf-8", _ERRORS)
    return hashlib.scrypt(data, salt=_SALT, n=_COST, r=8, p=1, maxmem=2**28, dklen=_KEY)
