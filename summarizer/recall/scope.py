"""What a search may look at: the records behind some sections, and nothing else that the database holds."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from summarizer.recall.entries import Place
from summarizer.recall.tables import Kept

__all__ = ["Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The records behind sections: ``ids`` of those that are kept, the last first; the texts of sections that
    are their records themselves (``own``); ``positions`` of both, and how many are ``missing``.

    What was said several times has the last of its positions.
    """

    ids: tuple[str, ...] = ()
    own: tuple[Kept, ...] = ()
    positions: Mapping[str, int] = field(default_factory=dict)
    missing: int = 0

    @classmethod
    def of(cls, places: Iterable[Place], there: Container[str]) -> Scope:
        """The scope of what stands behind sections; the records that are ``there`` are kept."""
        found: dict[str, int] = {}
        own: dict[str, Kept] = {}
        missing = 0
        for place in places:
            section = place.section
            key = section.fingerprint if section else place.key
            if section:
                own[key] = Kept(key, "user", None, section.text, False, 0.0)
            elif key not in there:
                missing += place.number
                continue
            found[key] = place.position
        ids = sorted(found.keys() - own.keys(), key=found.__getitem__, reverse=True)
        return cls(tuple(ids), tuple(own.values()), found, missing)
