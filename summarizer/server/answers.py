"""A result in OpenAI's dialect: whole, or in chunks. Pure."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from pydantic import BaseModel

from summarizer.result import Complete, Partial
from summarizer.server.asked import Asked
from summarizer.server.headings import regrouped
from summarizer.server.refusals import nothing_made
from summarizer.server.wire import Choice, Chunk, ChunkChoice, Completion, Delta, Said, TokenUsage

__all__ = ["Answer", "in_pieces", "text_of"]

_MOST_GAPS = 100
_PIECE = 2_000
"""Characters of one chunk of a text that is there already."""

Finish = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What all parts of one answer share: its id, the time, and the model's name as the client wrote it."""

    model: str
    usage_wanted: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, asked: Asked, result: Complete | Partial, text: str, tokens: int) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        choice = Choice(message=Said(content=text), finish_reason=_finish(result))
        return Completion(
            id=self.id,
            created=self.created,
            model=self.model,
            choices=[choice],
            usage=_usage(asked, tokens),
            summarizer=_measured(result),
        ).model_dump()

    def opening(self) -> dict[str, Any]:
        """The chunk that says who speaks."""
        return self._chunk(Delta(role="assistant", content=""))

    def progress(self, line: str) -> dict[str, Any]:
        """A chunk that says how far the work is."""
        return self._chunk(Delta(reasoning_content=line, reasoning=line))

    def text(self, piece: str) -> dict[str, Any]:
        """A chunk of the text."""
        return self._chunk(Delta(content=piece))

    def closing(self, asked: Asked, result: Complete | Partial, tokens: int) -> Iterator[dict[str, Any]]:
        """The chunk that ends the text, and the tokens where they were asked for."""
        yield self._chunk(Delta(), _finish(result)) | {"summarizer": _measured(result)}
        if self.usage_wanted:
            body = self._body([])
            yield body | {"usage": _usage(asked, tokens).model_dump()}

    def _chunk(self, delta: Delta, finish: Finish | None = None) -> dict[str, Any]:
        return self._body([ChunkChoice(delta=delta, finish_reason=finish)])

    def _body(self, choices: list[ChunkChoice]) -> dict[str, Any]:
        chunk = Chunk(id=self.id, created=self.created, model=self.model, choices=choices)
        body = chunk.model_dump(exclude={"usage", "summarizer", "choices"})
        body["choices"] = [_sent(choice) for choice in choices]
        return body | {"usage": None} if self.usage_wanted else body


def _sent(choice: ChunkChoice) -> dict[str, Any]:
    """A choice with what its delta adds, and nothing else."""
    return choice.model_dump() | {"delta": _filled(choice.delta)}


def _filled(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(exclude_none=True)


def text_of(asked: Asked, result: Complete | Partial, count: Callable[[str], int]) -> tuple[str, int]:
    """The text of the answer and its tokens, under the headings that were asked for where sections have them.

    Raises ``Refusal`` for a partial result without any text.
    """
    if isinstance(result, Partial) and not result.text.strip():
        raise nothing_made(result)
    if asked.headings and len(result.sections) > 1:
        text = regrouped([section.text for section in result.sections], asked.headings)
        if text is not None and (tokens := count(text)) <= result.budget:
            return text, tokens
    return result.text, result.tokens


def in_pieces(text: str) -> Iterator[str]:
    """A text in pieces that end at line ends where they can."""
    start = 0
    while len(text) - start > _PIECE:
        end = text.rfind("\n", start, start + _PIECE) + 1 or start + _PIECE
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _finish(result: Complete | Partial) -> Finish:
    return "stop" if isinstance(result, Complete) else "length"


def _usage(asked: Asked, tokens: int) -> TokenUsage:
    return TokenUsage(
        prompt_tokens=asked.prompt_tokens,
        completion_tokens=tokens,
        total_tokens=asked.prompt_tokens + tokens,
    )


def _measured(result: Complete | Partial) -> dict[str, Any]:
    """What the answer covers, what is missing and why, and what it cost."""
    found: dict[str, Any] = {
        "status": result.status,
        "budget": result.budget,
        "sections": len(result.sections),
        "coverage": asdict(result.coverage),
        "usage": asdict(result.usage),
        "degraded": result.degraded,
        "notices": [asdict(notice) for notice in result.notices],
    }
    if isinstance(result, Partial):
        found["reason"] = result.reason.value
        found["retry_at"] = result.retry_at.isoformat() if result.retry_at else None
        found["gaps"] = [asdict(gap) for gap in result.gaps[:_MOST_GAPS]]
    return found
