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
from summarizer.hermes.layout import Arranged, Item, Work, arranged, work_for
from summarizer.hermes.messages import Reader, prior_of, request_of
from summarizer.hermes.options import Options
from summarizer.hermes.services import Services, services
from summarizer.hermes.session import Session
from summarizer.records import Record
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
    """What came of it: ``messages`` is the new list (None: the old one stays). ``stood_in`` names the model
    that failed and why, where the offline model stood in for it; ``budget`` is in tokens.
    """

    attempt: Attempt
    messages: Messages | None = None
    budget: int = 0
    stood_in: tuple[str | None, str | None] = (None, None)


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

    def grounded(self, body: str, turns: Messages) -> str:
        """A digest with the user's latest request before it."""

    def installed(self, laid: Arranged, body: str) -> Messages:
        """The session with a digest in the place of the block."""

    def summary_in(self, messages: Messages) -> tuple[int | None, str]:
        """The place of the newest summary in a session, and its text."""


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
        done = Done(attempt, budget=budget, stood_in=_stood_in(result, models))
        return done if attempt.status == "failed" else self._installed(done, session, digest, work, result)

    def _session(self, messages: Messages, gateway: Services) -> tuple[Session, Digest | None]:
        session = self.engine.looked_at(messages, self.current_tokens)
        if session.row is None:
            return session, None
        row = session.messages[session.row]
        return session.with_prior(prior_of(row, *host.merge_marks())), gateway.digests.find(session.body)

    def _work(self, session: Session, digest: Digest | None) -> Work:
        """The protected head is summarized too: it is not protected any more the next time."""
        reader = Reader(host.redactor(), host.without_thoughts)
        places = [i for i in range(session.first, session.end) if i != session.row]
        items = reader.items(session.messages, places)
        if digest is not None:
            return work_for(items, digest.result, digest.gaps, digest.kept)
        if session.row is not None:  # a summary of somebody else's: it is material like the rest
            item = Item(session.row, session.messages[session.row], Record(role="summary", text=session.body))
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
        wanted = before + max(size // _SHRINK, _LEAST)
        return max(MIN_BUDGET, _LEAST if room < _LEAST else min(share, wanted, room))

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
        body = self.engine.grounded(host.redactor()(result.text), asked) + self._notes()
        messages = self.engine.installed(laid, body)
        _, found = self.engine.summary_in(messages)
        gone = {id(message) for message in laid.block}
        kept = tuple(item.key for item in covered if id(item.message) not in gone)
        gaps = tuple(item.key if item else "" for item in work.missed(result))
        services().digests.keep(found, Digest(result, gaps, kept, asked[-1] if asked else None))
        return replace(done, messages=messages)

    def _notes(self) -> str:
        """What memory providers want kept, to the letter; the next compaction has newer ones."""
        text = host.memory_text(self.memory) if self.memory.strip() else ""
        return f"{_NOTES}{text}" if text else ""


def _newest_request(
    covered: Sequence[Item], digest: Digest | None, is_summary: Callable[[Mapping[str, Any]], bool]
) -> Messages:
    """What the user asked for last among what the digest stands for, as messages; the newest stands last."""
    before = [dict(digest.request)] if digest is not None and digest.request else []
    users = (item.message for item in covered if item.message.get("role") == "user")
    return [*before, *(request_of(message) for message in users if not is_summary(message))]


def _stood_in(result: Complete | Partial, models: Sequence[Model]) -> tuple[str | None, str | None]:
    """The model that the offline one stood in for, and a sentence about it."""
    first = next((model.name for model in models if model.route != "offline"), None)
    if not result.degraded or first is None:
        return None, None
    said = next((notice.message for notice in result.notices if notice.code == "degraded"), "")
    return first, said or "the offline model stood in for it"
