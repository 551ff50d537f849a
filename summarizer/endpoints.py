"""The rungs of the ladder during one run: what is known of each endpoint, and how it is doing."""

from __future__ import annotations

from dataclasses import dataclass, field

from summarizer.habits import NEARLY, Habits
from summarizer.result import Reason
from summarizer_providers.bounds import Limits
from summarizer_providers.concurrency import Allowance
from summarizer_providers.outcome import Completed, CutAtOutput, Outcome, Transient
from summarizer_providers.types import Model

__all__ = ["Endpoint", "Health"]

_FIRST_REST = 0.5
_LONGEST_REST = 30.0
_FAILURES = 6
"""An endpoint that fails so often in a row, with rests of 0.5 to 16 seconds between, is given up."""

_SHORTER = 0.95
"""Texts whose lengths differ by less than this are of one length: counts of tokens differ a little."""

PATIENCE = 60.0
"""Seconds: an endpoint that asks for a longer rest than this is given up for the run."""


@dataclass(slots=True)
class Health:
    """How an endpoint has been doing: failures in a row, until when it rests, and why it was given up."""

    failures: int = 0
    rests_until: float = 0.0
    rested_since: float = float("-inf")
    down: Reason | None = None
    detail: str = ""

    def succeeded(self) -> None:
        """It answered."""
        self.failures = 0

    def failed(self, fault: Transient, sent_at: float, now: float) -> None:
        """A passing fault. Calls that were sent before the last rest began tell nothing new."""
        self.detail = fault.detail
        rest = fault.retry_after
        if sent_at >= self.rested_since:
            self.failures += 1
            self.rested_since = now
        if rest is None:
            rest = min(_LONGEST_REST, _FIRST_REST * 2 ** max(0, self.failures - 1))
        self.rests_until = max(self.rests_until, now + rest)
        if self.failures >= _FAILURES or rest > PATIENCE:
            self.give_up(Reason.RATE_LIMITED if fault.rate_limited else Reason.UNAVAILABLE, fault.detail)

    def give_up(self, reason: Reason, detail: str) -> None:
        """No more calls to it in this run."""
        self.down, self.detail = reason, detail


@dataclass(slots=True)
class Endpoint:
    """One rung: a model at an address, its limits in tokens, its prices in US dollars a token.

    ``useless`` counts unusable answers in a row, ``longest`` is its longest text (tokens), ``habits`` say
    how it writes.
    """

    model: Model
    label: str
    limits: Limits
    input_cost: float | None = None
    output_cost: float | None = None
    concurrency: int = 32
    in_flight: int = 0
    answered: bool = False
    useless: int = 0
    longest: int = 0
    habits: Habits = field(default_factory=Habits)
    health: Health = field(default_factory=Health)
    allowance: Allowance = field(init=False)

    def __post_init__(self) -> None:
        self.allowance = Allowance.of(self.concurrency)

    @property
    def is_offline(self) -> bool:
        """Whether its texts are extracts that no model wrote."""
        return self.model.route == "offline"

    def wrote(self, read: int, written: int, asked: int, *, merged: bool) -> None:
        """A usable answer of ``written`` tokens to ``read`` tokens of records, or of summaries to merge."""
        self.answered, self.useless = True, 0
        if merged:
            self.habits = self.habits.obeyed(written, asked)
        else:
            self.habits = self.habits.ended(read, written, asked)

    def judged(self, outcome: Outcome, tokens: int) -> Outcome:
        """An outcome in the light of what it wrote before; ``tokens`` are those of the text.

        A text that merely looks cut, and is shorter than others of its, was not cut: it writes like that. The
        second of the same length was, at a limit that it does not tell.
        """
        if not isinstance(outcome, CutAtOutput) or outcome.written is not None:
            return outcome
        if outcome.reply.finish_reason and tokens < _SHORTER * self.longest:
            return Completed(outcome.reply)
        if outcome.reply.finish_reason and tokens <= self.longest / _SHORTER:
            return CutAtOutput(outcome.reply, max(1, int(tokens * self.limits.scale)))
        return outcome

    def bore(self, outcome: Outcome, in_flight: int, sent_at: float, now: float) -> None:
        """An outcome of a call sent at ``sent_at``, with ``in_flight`` calls out: more calls at once where it
        answers, half where it says that they are too many.
        """
        if isinstance(outcome, Transient):
            if outcome.rate_limited:
                self.allowance = self.allowance.limited(sent_at, now)
        elif isinstance(outcome, Completed | CutAtOutput):
            self.allowance = self.allowance.answered(in_flight)

    def may_fan_out(self, largest: int, size: int = 0) -> bool:
        """Whether many calls may go at once, for chunks of ``size`` tokens: not before an answer as long as
        the ``largest`` ended by itself, or a ceiling is known; where the window is not, not before anything
        was answered; and after a cut, not before a chunk of that size was answered whole. Until then each
        guess is made once, not once a chunk.
        """
        if self.is_offline:
            return True
        reads = self.limits.window is not None or self.answered or self.habits.proved > 0
        if not reads or not self.habits.is_tried(size):
            return False
        return self.limits.ceiling is not None or self.habits.proved >= NEARLY * largest

    @property
    def may_cost(self) -> bool:
        """Whether a call may cost something: it has a price, or one that is not known."""
        return self.input_cost != 0 or self.output_cost != 0

    def worst_cost(self, input_tokens: int, output_tokens: int) -> float:
        """The most that a call can cost, in US dollars; 0 where the price is not known."""
        return input_tokens * (self.input_cost or 0.0) + output_tokens * (self.output_cost or 0.0)
