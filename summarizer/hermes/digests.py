"""Digests: what stands behind the summary in a session, kept so that the next compaction goes on from it.

A digest is found by the text in the session itself, so it survives restarts, follows a session through
rotation, undoing and branching, and one session's is never taken for another's.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from summarizer.result import Complete, Partial, load_result

if TYPE_CHECKING:
    from summarizer.journal import Journal

__all__ = ["Digest", "Digests"]

_IN_MEMORY = 32
"""Digests that a process remembers where they cannot be kept: some 100 kB each."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A result whose text stands in a session. ``gaps`` are the keys of the records that it lacks, in order;
    ``kept`` those of records that it stands for and that are in the session all the same; ``request`` is the
    newest request of the user among what it stands for.
    """

    result: Complete | Partial
    gaps: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    request: Mapping[str, str] | None = None

    def to_json(self) -> str:
        """The digest as JSON."""
        return json.dumps({**asdict(self), "result": json.loads(self.result.to_json())})

    @classmethod
    def from_json(cls, text: str) -> Digest:
        """The digest that ``to_json`` wrote. Raises ``ValueError``, ``KeyError`` or ``TypeError``."""
        body = json.loads(text)
        result = load_result(body["result"])
        return cls(result, tuple(body["gaps"]), tuple(body["kept"]), body["request"])


class Digests:
    """The digests of a process, in ``journal`` where there is one. Nothing here raises."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self._recent: OrderedDict[str, str] = OrderedDict()

    def keep(self, body: str, digest: Digest) -> None:
        """Remember what stands behind the text ``body`` of a session's summary."""
        self.note(_name("digest", body), digest.to_json())

    def find(self, body: str) -> Digest | None:
        """What stands behind the text of a summary; None for a text of somebody else."""
        text = self.noted(_name("digest", body))
        try:
            return None if text is None else Digest.from_json(text)
        except (ValueError, KeyError, TypeError):
            return None

    def note(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        self._recent[name] = text
        self._recent.move_to_end(name)
        while len(self._recent) > _IN_MEMORY:
            self._recent.popitem(last=False)
        if self._journal is not None:
            self._journal.remember(name, text)
            self._journal.let_go()

    def noted(self, name: str) -> str | None:
        """The text under a name."""
        found = self._recent.get(name)
        if found is None and self._journal is not None:
            found = self._journal.recall(name)
        return found

    def failures(self, session: str) -> int:
        """How many compactions of a session failed in a row."""
        text = self.noted(_name("failures", session)) or "0"
        return int(text) if text.isdigit() else 0

    def set_failures(self, session: str, number: int) -> None:
        """Remember how many compactions of a session failed in a row."""
        if number or self.failures(session):
            self.note(_name("failures", session), str(number))


def _name(kind: str, text: str) -> str:
    content = f"hermes {kind}\0{text.strip()}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=32).hexdigest()
