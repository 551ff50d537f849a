"""One compaction: what is new in a session is summarized, and what the digest stands for then goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from summarizer.budget import MIN_BUDGET
from summarizer.hermes import host
from summarizer.hermes.attempts import Attempt, Progress
from summarizer.hermes.digests import Digest
from summarizer.hermes.ladder import Runtime, host_models, with_offline
from summarizer.hermes.layout import Arranged, Item, Work, arranged, key_of, work_for
from summarizer.hermes.messages import Reader, prior_of, request_of, text_of
from summarizer.hermes.options import Options
from summarizer.hermes.services import Services, services
from summarizer.hermes.session import Session
from summarizer.result import Complete, Partial
from summarizer_providers.tokens import get_counter
from summarizer_providers.types import Model

__all__ = ["Compaction", "Done", "Engine"]

Messages = list[dict[str, Any]]

_SHRINK = 4
"""A digest has at most a quarter of what it stands for, however much room there is."""
_LEAST = 1_000
"""Tokens of a digest that are worth writing."""
_ROOM = 0.95
"""Of the threshold: what the next prompt may have, since the estimates are rough."""
_HOSTS_LEAST = 4
"""Messages beside the head without which hermes does not compact."""
_NOTES = "\n\nFrom memory providers, at the time of the compaction:\n"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: ``messages`` is the new list (None: the old one stays), ``budget`` is in tokens."""

    attempt: Attempt
    messages: Messages | None = None
    budget: int = 0


class Engine(Protocol):
    """What a compaction needs of the engine that it works for: hermes' side of it."""

    options: Options
    config: Mapping[str, Any]
    threshold_tokens: int
    context_length: int

    def runtime(self) -> Runtime:
        """The model that the agent runs on."""

    def looked_at(self, messages: Messages, current_tokens: int | None) -> Session:
        """A session with the borders of what may go from it."""

    def is_summary(self, message: Mapping[str, Any]) -> bool:
        """Whether a message is a digest."""

    def snapshot(self, turns: Messages) -> str:
        """The user's latest request, as it stands before a digest."""

    def installed(self, laid: Arranged, body: str) -> Messages:
        """The session with a digest in the place of the block."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """What one call of ``compress`` was given; ``say`` tells the user something."""

    engine: Engine
    say: Callable[[str], None]
    current_tokens: int | None
    focus: str | None
    memory: str

    def run(self, messages: Messages, attempt: Attempt) -> Done:
        """Compact a session. Raises what a caller's mistake in the settings raises (``InvalidSettings``)."""
        gateway = services()
        session, digest = self._session(messages, gateway)
        work = self._work(session, digest)
        if not any(item.at >= session.start for item in (*work.known, *filter(None, work.items))):
            return Done(attempt)
        models = self._models(gateway)
        if not models:
            missing = "hermes has no model for compression, and none is set"
            return Done(replace(attempt, status="failed", failure=missing, kind="unavailable"))
        size = self._size(work, gateway)
        budget = self._budget(session, work, size)
        progress = Progress(self.say, host.tick)
        result = self._summarized(gateway, work, budget, models, progress)
        attempt = replace(attempt, records=len(work.items), before=size, chunks=progress.chunks)
        attempt = attempt.with_result(result, work.progress(result))
        attempt = replace(attempt, stood_in=_stood_in(result))
        done = Done(attempt, budget=budget)
        return done if attempt.status == "failed" else self._installed(done, session, digest, work, result)

    def _session(self, messages: Messages, gateway: Services) -> tuple[Session, Digest | None]:
        session = self.engine.looked_at(messages, self.current_tokens)
        digest = gateway.digests.find(session.body) if session.row is not None else None
        if digest is None or session.row is None:
            return session, None
        return session.with_prior(prior_of(session.messages[session.row], *host.merge_marks())), digest

    def _work(self, session: Session, digest: Digest | None) -> Work:
        """The protected head is summarized too: it is not protected any more the next time."""
        reader = _reader()
        places = [i for i in range(session.first, session.end) if i != session.row]
        items = reader.items(session.messages, places)
        if digest is not None:
            return work_for(items, digest.result, digest.gaps, digest.kept)
        if session.row is not None and session.row < session.end:  # somebody else's: material like the rest
            row = session.messages[session.row]
            text = reader.redact(host.without_prefix(text_of(row)))
            item = Item(session.row, row, replace(reader.record(row), role="summary", text=text))
            items = sorted([*items, item], key=lambda each: each.at)
        return work_for(items, None, (), ())

    def _models(self, gateway: Services) -> tuple[Model, ...]:
        engine = self.engine
        models = engine.options.models or gateway.settings.models
        models = models or host_models(engine.runtime(), engine.config, gateway.transport)
        return with_offline(models, engine.options.keep_gaps)

    def _size(self, work: Work, gateway: Services) -> int:
        count = get_counter(gateway.settings.encoding).count
        return sum(count(record.text) for record in work.records)

    def _budget(self, session: Session, work: Work, size: int) -> int:
        """The most tokens that the digest may have: its share of the context, a quarter of what it stands
        for, and what the next prompt has room for, whichever is least.
        """
        before = work.previous.tokens if work.previous else 0
        share = int(self.engine.context_length * self.engine.options.share)
        room = int(self.engine.threshold_tokens * _ROOM) - session.fixed
        wished = min(share, before + max(size // _SHRINK, _LEAST))
        return max(MIN_BUDGET, min(wished, max(room, wished // _SHRINK)))

    def _summarized(
        self,
        gateway: Services,
        work: Work,
        budget: int,
        models: Sequence[Model],
        progress: Progress,
    ) -> Complete | Partial:
        options = self.engine.options
        return gateway.summarizer.summarize(
            work.records,
            budget,
            models=models,
            focus=self.focus or None,
            instructions=options.instructions,
            previous=work.previous,
            deadline=options.deadline,
            max_cost=options.max_cost,
            on_event=progress,
        )

    def _installed(
        self, done: Done, session: Session, digest: Digest | None, work: Work, result: Complete | Partial
    ) -> Done:
        """The session with the digest in it, and the digest kept for the next time."""
        covered = work.covered(result)
        may_go = [item.at for item in covered if item.at >= session.start]
        request = session.request(self.engine.is_summary)
        request = request if request in may_go else None
        row = session.row if digest is not None else None
        laid = arranged(session.messages, may_go, row, request)
        if laid is None or len(laid.block) + len(laid.right) <= _HOSTS_LEAST:
            return replace(done, attempt=replace(done.attempt, status="nothing"))
        asked = _newest_request(covered, digest, self.engine.is_summary)
        text = _without_marks(host.redactor()(result.text) + self._notes(), host.own_marks())
        snapshot = self.engine.snapshot(asked)
        body = "\n\n".join(filter(None, (snapshot, text)))
        messages = self.engine.installed(laid, body)
        gone, reader = {id(message) for message in laid.block}, _reader()
        now = laid.seen_in(messages)
        stay = (item for item in covered if id(item.message) not in gone)
        kept = tuple(key_of(reader.record(now.get(id(item.message), item.message))) for item in stay)
        gaps = tuple(item.key if item else "" for item in work.missed(result))
        services().digests.keep(body, Digest(result, gaps, kept, asked[-1] if asked else None))
        return replace(done, messages=messages)

    def _notes(self) -> str:
        """What memory providers want kept, to the letter; the next compaction has newer ones."""
        text = host.memory_text(self.memory) if self.memory.strip() else ""
        return f"{_NOTES}{text}" if text else ""


def _reader() -> Reader:
    return Reader(host.redactor(), host.without_thoughts)


def _newest_request(
    covered: Sequence[Item], digest: Digest | None, is_summary: Callable[[Mapping[str, Any]], bool]
) -> Messages:
    """What the user asked for last among what the digest stands for, as messages; the newest stands last."""
    before = [dict(digest.request)] if digest is not None and digest.request else []
    users = (item.message for item in covered if item.message.get("role") == "user")
    newest = [message for message in users if not is_summary(message)][-1:]
    return [*before, *(request_of(message, host.redactor()) for message in newest)]


def _without_marks(text: str, marks: Sequence[str]) -> str:
    """A digest that quotes hermes' own marks and headings, so that hermes does not take them for its own: it
    cuts a summary where it finds them.
    """
    for mark in marks:
        text = text.replace(mark, f"{mark[:2]}\u200b{mark[2:]}")
    return text


def _stood_in(result: Complete | Partial) -> str:
    """Why the offline model stood in, if it did."""
    codes = ("endpoint_failed", "endpoint_rests")
    said = (notice.message for notice in result.notices if notice.code in codes)
    return (next(said, "") or "no other gave a summary") if result.degraded else ""
