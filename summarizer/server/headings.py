"""One text under the headings that a client asked for, out of sections that each have them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["regrouped"]

_HEADING = re.compile(
    r"^[ \t]*(?:#{1,4}[ \t]+(?P<hash>[^\n]{1,120})|\*\*(?P<bold>[^\n*]{1,120})\*\*:?)[ \t]*$", re.M
)
_NOTHING = re.compile(
    r"(?:[-*][ \t]*)?[\[(]?(?:none|n/?a|nothing|无|なし)(?: yet| so far)?[.。]?[\])]?", re.IGNORECASE
)


def regrouped(texts: Sequence[str], headings: Sequence[str]) -> str | None:
    """What all sections say under a heading, together under it, in order: for a structure that was asked for
    and a model that cannot write the whole of it in one call. None where fewer than two sections keep to it.
    """
    parts = [_parts(text, headings) for text in texts]
    if sum(len(each) > 1 for each in parts) < 2:
        return None
    shown = ["\n\n".join(filter(None, (each.get("", "") for each in parts)))]
    for heading in headings:
        bodies = [body for each in parts if (body := each.get(_key(heading), ""))]
        said = [body for body in bodies if not _NOTHING.fullmatch(body)] or bodies[:1]
        if said:
            shown.append(f"## {heading}\n" + "\n".join(said))
    return "\n\n".join(filter(None, shown))


def _parts(text: str, headings: Sequence[str]) -> dict[str, str]:
    """What stands under each heading; under none (``""``) what is before the first."""
    wanted = {_key(heading) for heading in headings}
    marks = [mark for mark in _HEADING.finditer(text) if _key(mark["hash"] or mark["bold"]) in wanted]
    ends = [mark.start() for mark in marks] + [len(text)]
    found = {"": text[: ends[0]].strip()}
    for mark, end in zip(marks, ends[1:], strict=True):
        key, body = _key(mark["hash"] or mark["bold"]), text[mark.end() : end].strip()
        found[key] = "\n".join(filter(None, (found.get(key, ""), body)))
    return found


def _key(heading: str) -> str:
    return re.sub(r"\W+", " ", heading).strip().casefold()
