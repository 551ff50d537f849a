"""The pieces of work of one run: leaves, which read chunks, and merges, which read sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from summarizer.chunking import Chunk
from summarizer.prepare import Unit, combined_fingerprint, fingerprint
from summarizer.result import Gap, Method, Reason, Section
from summarizer_providers.types import Passage

__all__ = [
    "Finished",
    "Leaf",
    "MergeTask",
    "State",
    "Task",
    "entries_of",
    "is_blank",
    "merged_section",
    "passages",
]


Counting = Callable[[str], int]


class State(Enum):
    """Where a task stands."""

    WAITING = auto()
    FLYING = auto()
    DONE = auto()
    FAILED = auto()


@dataclass(slots=True, kw_only=True)
class Task:
    """What every task knows: the length to ask for, in tokens, its rung, and how its tries went. ``room`` is
    the output limit to send, in the endpoint's tokens, where the usual one was too small (0: the usual).
    ``depth`` counts the halvings in search of what is refused.
    """

    target: int
    rung: int = 0
    state: State = State.WAITING
    tries: int = 0
    unusable: int = 0
    refits: int = 0
    depth: int = 0
    room: int = 0
    not_before: float = 0.0
    text: str = ""
    model: str = ""
    method: Method = "model"
    reason: Reason | None = None
    detail: str = ""

    def fail(self, reason: Reason, detail: str) -> None:
        """No more tries."""
        self.state, self.reason, self.detail = State.FAILED, reason, detail

    def finish(self, text: str, model: str, method: Method) -> None:
        """Its text is there."""
        self.state, self.text, self.model, self.method = State.DONE, text, model, method


@dataclass(slots=True, kw_only=True)
class Leaf(Task):
    """Reads one chunk. ``most``: it is part of one whose answer was cut, and is not read together with
    others in a larger chunk than this, in tokens (0: any).
    """

    chunk: Chunk
    most: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """A section that a run finished: ``asked`` tokens were asked for, of the endpoint with this label."""

    section: Section
    asked: int
    label: str


@dataclass(slots=True, kw_only=True)
class MergeTask(Task):
    """Reads the sections ``first`` to ``last`` (indexes into the entries, inclusive), or a ``piece`` of their
    text, where others read the rest.
    """

    first: int
    last: int
    piece: Section | None = None


def passages(units: Sequence[Unit], chunk: Chunk) -> tuple[Passage, ...]:
    """What a chunk gives a model to read; blank records are left out."""
    return tuple(
        Passage(unit.position, unit.record.role, text, unit.record.name)
        for unit, text in _texts(units, chunk)
        if text.strip()
    )


def is_blank(units: Sequence[Unit], chunk: Chunk) -> bool:
    """Whether a chunk gives a model nothing to read."""
    return not any(text.strip() for _, text in _texts(units, chunk))


def _texts(units: Sequence[Unit], chunk: Chunk) -> Iterator[tuple[Unit, str]]:
    for unit in units[chunk.first : chunk.last + 1]:
        yield unit, unit.text[chunk.start : chunk.end] if chunk.is_piece else unit.text


def entries_of(
    leaves: Iterable[Leaf], units: Sequence[Unit], count: Counting, prompt_id: str, why: tuple[Reason, str]
) -> list[Section | Gap]:
    """Sections for what is done and gaps for what is not; the pieces of one record make one section.

    If several models wrote it, it names the last, or one that only extracts, so that this shows.

    ``why`` is the reason of the gaps whose leaves have not failed themselves.
    """
    result: list[Section | Gap] = []
    group: list[Leaf] = []
    for leaf in leaves:
        if group and not (leaf.chunk.is_piece and leaf.chunk.first == group[-1].chunk.last):
            result.append(_entry(group, units, count, prompt_id, why))
            group = []
        group.append(leaf)
    if group:
        result.append(_entry(group, units, count, prompt_id, why))
    return result


def _entry(
    group: Sequence[Leaf], units: Sequence[Unit], count: Counting, prompt_id: str, why: tuple[Reason, str]
) -> Section | Gap:
    covered = units[group[0].chunk.first : group[-1].chunk.last + 1]
    first, last = covered[0].position, covered[-1].position
    if any(leaf.state is not State.DONE for leaf in group):
        failed = [leaf for leaf in group if leaf.state is State.FAILED]
        reason, detail = (failed[0].reason or why[0], failed[0].detail) if failed else why
        return Gap(first, last, reason, detail)
    writers = [leaf for leaf in group if leaf.text] or group
    writer = next((leaf for leaf in writers if leaf.method == "extractive"), writers[-1])
    text = "\n".join(leaf.text for leaf in writers)
    return Section(
        text=text,
        tokens=count(text),
        first=first,
        last=last,
        model=writer.model or None,
        method=writer.method,
        level=0,
        fingerprint=fingerprint(covered),
        prompt_id=prompt_id,
        source_tokens=sum(unit.tokens for unit in covered),
    )


def merged_section(task: MergeTask, parts: Sequence[Section], count: Counting) -> Section:
    """The section that a finished merge puts in the place of its parts.

    Its fingerprint is that of its records, made from its parts'.
    """
    first, last = parts[0].first, parts[-1].last
    return Section(
        text=task.text,
        tokens=count(task.text),
        first=first,
        last=last,
        model=task.model,
        method=task.method,
        level=max(part.level for part in parts) + 1,
        fingerprint=combined_fingerprint((part.fingerprint, part.last - part.first + 1) for part in parts),
        prompt_id=parts[-1].prompt_id,
        source_tokens=sum(part.source_tokens for part in parts),
    )
