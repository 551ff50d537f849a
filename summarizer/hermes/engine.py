"""The engine: hermes' own compressor, with the middle of a session summarized by this gateway.

Head, tail, pairs, media, the latest task, prefix and markers are hermes'. What is changed: the middle is
summarized before anything is pruned, a message leaves the session only if the digest stands for it, and a
digest grows with the session instead of being written anew.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agent.context_compressor import ContextCompressor

from summarizer.hermes import host, tools
from summarizer.hermes.attempts import Attempt, log, remember
from summarizer.hermes.compaction import Compaction, Done
from summarizer.hermes.ladder import Runtime
from summarizer.hermes.layout import Arranged
from summarizer.hermes.options import Options, options_in
from summarizer.hermes.services import services
from summarizer.hermes.session import Measure, Session

__all__ = ["SummarizerEngine"]

Messages = list[dict[str, Any]]

_WINDOW = 1_000_000
"""Tokens of context before hermes names the model: it needs some number, and asks nobody for this one."""
_MARGIN = 0.95
"""Of the threshold: what stays must be well below it for a digest to find room."""
_FIRST_WAIT, _LONGEST_WAIT = 60.0, 900.0
"""Seconds until the next automatic try after a failure, doubled each time; more where a provider says so."""
_LONGEST_ASKED = 3_600.0
"""Seconds that a provider can make an automatic try wait; /compress can try at any time."""


@dataclass(frozen=True, slots=True)
class _Pinned:
    """Where the host is to cut, and the summary that it is to put there."""

    start: int
    end: int
    summary: str


class SummarizerEngine(ContextCompressor):
    """hermes' context engine ``summarizer``. Each agent has one: hermes copies the registered one."""

    options: Options
    config: Mapping[str, Any]

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__("", quiet_mode=True, config_context_length=_WINDOW)
        self._configure(config)
        self._pinned: _Pinned | None = None
        self._loose = False
        self._last_attempt: Attempt | None = None

    def _configure(self, config: Mapping[str, Any]) -> None:
        """Take over what hermes' ``config.yaml`` says; what cannot be read there is told in the log."""
        options = options_in(config)
        for problem in options.problems:
            log.warning("%s", problem)
        self.config, self.options = config, options
        self.protect_first_n, self.protect_last_n = options.first, options.last
        self.summary_target_ratio = max(0.10, min(options.tail, 0.80))
        self.abort_on_summary_failure = options.keep_gaps
        self.max_tokens = options.max_tokens
        self._configured_threshold_percent = options.threshold

    @property
    def name(self) -> str:
        """What ``context.engine`` chooses it by."""
        return "summarizer"

    # ---- agents, models, sessions ----

    def __deepcopy__(self, memo: dict[int, Any]) -> SummarizerEngine:
        """A copy for another agent, with the configuration of today: the host's database is shared, all else
        is plain data.
        """
        made = object.__new__(type(self))
        memo[id(self)] = made
        shared: dict[str, Any] = {
            "_session_db": self.__dict__.get("_session_db"),
            "config": {},
            "options": self.options,
        }
        plain = {name: value for name, value in self.__dict__.items() if name not in shared}
        made.__dict__.update(copy.deepcopy(plain, memo) | shared | {"_pinned": None, "_loose": False})
        made._configure(host.configuration())
        return made

    def clone_for_agent(self) -> SummarizerEngine:
        """The same, as newer hosts ask for it."""
        return copy.deepcopy(self)

    def update_model(
        self,
        model: str,
        context_length: int,
        base_url: str = "",
        api_key: Any = "",
        provider: str = "",
        api_mode: str = "",
        max_tokens: int | None = None,
    ) -> None:
        """The agent runs on another model: some have a threshold of their own."""
        threshold = self.options.threshold
        self._configured_threshold_percent = host.threshold_for(threshold, model, provider, self.config)
        super().update_model(model, context_length, base_url, api_key, provider, api_mode, max_tokens)

    def on_session_reset(self) -> None:
        """A new conversation begins."""
        super().on_session_reset()
        self._last_attempt = None

    def get_status(self) -> dict[str, Any]:
        """hermes' status, and how the last compaction went."""
        last = self._last_attempt
        told = {"engine": self.name, "last_compaction": last.sentence if last else None}
        return {**super().get_status(), **told, "failures_in_a_row": last.failures if last else 0}

    # ---- tools for the agent ----

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """``summary_search`` and ``summary_expand``: what the digest no longer says. None where the settings
        cannot be read, which the next compaction tells.
        """
        try:
            return tools.schemas(services()) if self.options.tools else []
        except ValueError:
            return []

    def handle_tool_call(self, name: str, args: dict[str, Any], **kwargs: Any) -> str:
        """The answer to a tool's call, JSON of bounded length. Raises nothing."""
        try:
            _, body = self.summary_in(kwargs.get("messages") or [])
            return tools.answered(services(), body or self._previous_summary or "", name, args)
        except Exception as error:  # noqa: BLE001 - an answer that says so is what the agent can use
            log.exception("%s session=%s", name, self._session_id or "none")
            return tools.failed(f"{name} failed: {type(error).__name__}")

    # ---- compaction ----

    def compress(
        self,
        messages: Messages,
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> Messages:
        """A session with its middle replaced by a digest; the same list where nothing could be covered, with
        the reason where hermes shows it. Raises nothing.
        """
        started = time.monotonic()
        speaker = host.find_speaker(self)
        self._begin(force)
        attempt = Attempt(session=self._session_id or "", trigger="manual" if force else "automatic")
        compaction = Compaction(self, partial(host.say, speaker), current_tokens, focus_topic, memory_context)
        try:
            done = compaction.run(messages, attempt)
        except Exception as error:  # noqa: BLE001 - a compaction that fails must not end the agent's turn
            log.exception("compaction session=%s: unexpected error", attempt.session or "none")
            said = f"{type(error).__name__}: {error}"
            done = Done(replace(attempt, status="failed", failure=said, kind="internal"))
        spent = time.monotonic() - started
        self._ended(
            replace(done, attempt=replace(done.attempt, seconds=spent, ended_at=time.time())), speaker
        )
        return messages if done.messages is None else done.messages

    def installed(self, laid: Arranged, body: str) -> Messages:
        """The session as hermes puts it together, with ``body`` in the place of the block."""
        self._pinned = _Pinned(*laid.bounds, self._with_summary_prefix(body))
        try:
            return super().compress(laid.messages)
        finally:
            self._pinned = None

    def snapshot(self, turns: Messages) -> str:
        """The user's latest request among ``turns`` in hermes' words; empty where there is none."""
        return self._ground_historical_task_snapshot("", turns)

    def runtime(self) -> Runtime:
        """The model that the agent runs on."""
        return Runtime(
            self.model, self.base_url, self.api_key, self.provider, self.api_mode, self.context_length
        )

    def summary_in(self, messages: Messages) -> tuple[int | None, str]:
        """The place of the newest digest in a session, and its text; where there is none of ours, of the
        newest summary by somebody else.
        """
        newest: tuple[int | None, str] = (None, "")
        end = len(messages)
        while True:
            row, body = self._find_latest_context_summary(messages, 0, end)
            if row is None:
                return newest
            if _is_ours(body):
                return row, body
            newest = newest if newest[0] is not None else (row, body)
            end = row

    def looked_at(self, messages: Messages, current_tokens: int | None) -> Session:
        """A session with the borders of what may go from it."""
        row, body = self.summary_in(messages)
        self._previous_summary = body or None  # which decides how much of the head hermes protects
        measure = host.measured(messages, current_tokens)
        start = min(self._protect_head_size(messages), len(messages))
        start = self._align_boundary_forward(messages, start)
        end = self._end(messages, start, measure.density)
        found = Session(messages, row, body, start, end, self._fixed(measure, start, end))
        if found.fixed < self.threshold_tokens * _MARGIN:
            return found
        self._loose = True
        try:
            end = max(end, self._end(messages, start, measure.density))
        finally:
            self._loose = False
        return replace(found, end=end, fixed=self._fixed(measure, start, end))

    def _end(self, messages: Messages, start: int, density: float) -> int:
        """Where the protected tail begins: it has its share of the model's tokens, not of the host's."""
        if start >= len(messages):
            return start
        return min(
            self._find_tail_cut_by_tokens(messages, start, int(self.tail_token_budget / density)),
            len(messages),
        )

    @staticmethod
    def _fixed(measure: Measure, start: int, end: int) -> int:
        return measure.beside + measure.of(0, start) + measure.of(end, len(measure.rough))

    def has_content_to_compress(self, messages: Messages) -> bool:
        """Whether anything may go."""
        session = self.looked_at(messages, None)
        return session.start < session.end

    def is_summary(self, message: Mapping[str, Any]) -> bool:
        """Whether a message is a digest, from whichever release of hermes."""
        return self._is_context_summary_content(message.get("content"))

    # ---- what the host's compress asks on the way ----

    def _protect_head_size(self, messages: Messages) -> int:
        return self._pinned.start if self._pinned else super()._protect_head_size(messages)

    def _find_tail_cut_by_tokens(
        self, messages: Messages, head_end: int, token_budget: int | None = None
    ) -> int:
        if self._pinned:
            return self._pinned.end
        return super()._find_tail_cut_by_tokens(messages, head_end, token_budget)

    def _align_boundary_forward(self, messages: Messages, idx: int) -> int:
        return idx if self._pinned else super()._align_boundary_forward(messages, idx)

    def _ensure_last_user_message_in_tail(self, messages: Messages, cut_idx: int, head_end: int) -> int:
        """Where all since the user's last message is more than fits, that message alone is kept."""
        if self._loose:
            return cut_idx
        return super()._ensure_last_user_message_in_tail(messages, cut_idx, head_end)

    def _ensure_last_assistant_message_in_tail(self, messages: Messages, cut_idx: int, head_end: int) -> int:
        if self._loose:
            return cut_idx
        return super()._ensure_last_assistant_message_in_tail(messages, cut_idx, head_end)

    def _prune_old_tool_results(
        self, messages: Messages, protect_tail_count: int, protect_tail_tokens: int | None = None
    ) -> tuple[Messages, int]:
        """What stays in the session stays whole: the digest may not stand for it yet."""
        if self._pinned:
            return messages, 0
        return super()._prune_old_tool_results(messages, protect_tail_count, protect_tail_tokens)

    def _generate_summary(
        self, turns_to_summarize: Messages, focus_topic: str | None = None, memory_context: str = ""
    ) -> str | None:
        """The summary that was made before; the host's own where it was asked past ``compress``."""
        if self._pinned is None:
            return super()._generate_summary(turns_to_summarize, focus_topic, memory_context)
        self._previous_summary = self._strip_summary_prefix(self._pinned.summary)
        self._last_summary_error = None
        self._last_summary_auth_failure = self._last_summary_network_failure = False
        return self._pinned.summary

    # ---- before and after ----

    def _begin(self, force: bool) -> None:
        self._last_summary_dropped_count = 0
        self._last_summary_fallback_used = False
        self._last_summary_error = None
        self._last_aux_model_failure_error = None
        self._last_aux_model_failure_model = None
        self._last_compress_aborted = False
        self._last_compression_made_progress = False
        if force:
            self._clear_compression_failure_cooldown()

    def _ended(self, done: Done, speaker: Any) -> None:
        attempt = self._counted(done.attempt)
        self._last_attempt = attempt
        remember(attempt)
        self._fill_telemetry(attempt, done.budget)
        if attempt.status == "nothing":
            self._ineffective_compression_count += 1
            self._last_compression_savings_pct = 0.0
        elif attempt.status == "failed":
            self._wait(attempt)
            self._last_compress_aborted = True
            self._last_summary_error = attempt.trouble
        else:
            self._clear_compression_failure_cooldown()
            if attempt.retry_at is not None:
                self._wait(attempt)
            self._last_summary_error = None
        if attempt.status != "failed" and (attempt.status != "nothing" or attempt.trigger == "manual"):
            host.say(speaker, attempt.sentence)

    def _counted(self, attempt: Attempt) -> Attempt:
        """With the number of failures in a row, over restarts, and the time of the next try."""
        if attempt.status == "nothing":
            return attempt
        try:
            digests = services().digests
            before = digests.failures(attempt.session)
            number = before + 1 if attempt.status == "failed" else 0
            digests.set_failures(attempt.session, number)
        except ValueError:  # settings that cannot be read, which is what the attempt failed of
            number = 1 + (self._last_attempt.failures if self._last_attempt else 0)
        attempt = replace(attempt, failures=number)
        if attempt.status != "failed" and attempt.retry_at is None:
            return attempt
        now, wait = time.time(), min(_FIRST_WAIT * 2 ** max(0, min(number, 10) - 1), _LONGEST_WAIT)
        asked = min(attempt.retry_at or now, now + _LONGEST_ASKED)
        return replace(attempt, retry_at=max(asked, now + wait))

    def _wait(self, attempt: Attempt) -> None:
        """No automatic try before the next one makes sense; the host keeps that over restarts."""
        seconds = (attempt.retry_at or 0.0) - time.time()
        if seconds > 0:
            self._record_compression_failure_cooldown(seconds, attempt.trouble)

    def _fill_telemetry(self, attempt: Attempt, budget: int) -> None:
        """What the host counts of a compaction: the fields that it has, or a record of our own."""
        found = attempt.telemetry(budget)
        theirs = getattr(self, "_active_compression_telemetry", None)
        if isinstance(theirs, dict):
            theirs.update({name: value for name, value in found.items() if name in theirs})
        else:
            self._last_compression_telemetry = found


def _is_ours(body: str) -> bool:
    try:
        return services().digests.find(body) is not None
    except ValueError:  # settings that cannot be read; the compaction tells of them
        return False
