"""The replay measures what it says: a session of the sizes told, a host that loses no record, real kills."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import provider
from benchmarks.host import Host, Result, Task, Terms, in_killed_process
from benchmarks.planted import fact_tokens, facts_in, messages, said, session, size
from benchmarks.replay import Variant, replay, schedule
from summarizer import (
    CallEnded,
    Complete,
    Coverage,
    Event,
    Gap,
    Model,
    Partial,
    Planned,
    Reason,
    Section,
    Usage,
)
from summarizer_providers.transports.script import Script
from summarizer_providers.types import Reply

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:pydantic"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SMALL = Terms(trigger=24_000, budget=3_000, tail=2_000)
MODEL = Model("scripted/none")


@pytest.mark.parametrize(("message", "tokens"), [(576, 767_000), (644, 896_000), (712, 1_025_000)])
def test_the_session_grows_as_the_original_did(message: int, tokens: int) -> None:
    """What is replayed has the original's size at its two attempts, and goes on at the same rate."""
    assert schedule(message) == tokens


def test_messages_keep_to_their_schedule() -> None:
    """Behind every fourth message the session has the size that was asked for, facts included."""
    made = list(islice(messages(lambda n: 500 * n, 100), 40))
    for at in range(4, 41, 4):
        assert sum(map(size, made[:at])) == pytest.approx(500 * at, abs=60)
    assert len(facts_in("\n".join(map(said, made)))) == pytest.approx(200, abs=6)


@pytest.mark.parametrize(("tokens", "facts"), [(20_000, 60), (52_000, 1_000)])
def test_a_session_has_every_fact(tokens: int, facts: int) -> None:
    """The facts that are looked for later stand in the messages, each once."""
    made = session(tokens, facts)
    assert len(made.facts) == facts
    assert facts_in("\n".join(map(said, made.messages))) == made.facts
    assert made.tokens == pytest.approx(tokens, rel=0.01)
    assert fact_tokens(made.facts) == pytest.approx(14 * facts, rel=0.05)


def test_the_provider_s_prose_never_repeats_itself() -> None:
    """A model that writes much is not mistaken for one in a loop; facts and lengths stay."""
    text = "FACT-123456: a\n" + "The same line.\n" * 300
    whole = provider.varied(Reply(text.strip(), "stop", 9, 1_208))
    cut = provider.varied(Reply(text.strip(), "length", 9, 1_208))
    assert isinstance(whole, Reply)
    assert isinstance(cut, Reply)
    for reply in (whole, cut):
        lines = reply.text.splitlines()
        assert lines[0] == "FACT-123456: a"
        assert len(set(lines)) > 0.9 * len(lines) > 80
    assert whole.text.endswith(".")


def test_the_provider_counts_what_it_answers() -> None:
    """Totals are the provider's own: calls, cuts, tokens; an outage begins with the next call."""
    body = {"model": "m", "messages": [{"role": "user", "content": "FACT-123456: a b\n" + "word " * 500}]}
    served = provider.Provider(Script(ceiling=50, density=1.0, obey=False))
    assert isinstance(served.answer(body), Reply)
    served.configure({"outage_seconds": 60})
    assert not isinstance(served.answer(body), Reply)
    assert (served.totals["calls"], served.totals["cuts"], served.totals["failed"]) == (2, 1, 1)
    assert served.totals["output_tokens"] == 50


def _part(first: int, last: int) -> Section:
    return Section("text", 1, first, last, "m", "model", 0, "f", "p")


def test_a_host_keeps_what_a_partial_result_lacks() -> None:
    """Records in gaps stay in the prompt, to the letter, and are given again with what is new."""
    seen: list[Task] = []

    def carry(task: Task) -> Result:
        seen.append(task)
        if len(seen) == 1:
            gap = Gap(2, 4, Reason.UNAVAILABLE, "away")
            covered = Coverage(len(task.records) - 3, 3, len(task.records))
            parts = (_part(0, 1), _part(5, len(task.records) - 1))
            return Partial("t", 1, 9, parts, covered, Usage(), gaps=(gap,), reason=gap.reason)
        total = len(seen[0].records) + len(task.records) - 3
        return Complete("t", 1, 9, (_part(0, total - 1),), Coverage(total, 0, total), Usage())

    host = Host(Terms(tail=400))
    for message in islice(messages(lambda n: 100 * n, 100), 40):
        host.take(message)
    host.compact(MODEL, "", carry)
    assert host.missing == list(seen[0].records[2:5])
    host.compact(MODEL, "", carry)
    assert list(seen[1].records[:3]) == list(seen[0].records[2:5])
    assert host.missing == []


def test_a_small_replay_is_told_attempt_by_attempt() -> None:
    """Two compactions through a real client and a real server that cuts."""
    attempts = list(replay(Variant(ceiling=1_000), SMALL, due=2))
    assert [attempt.status for attempt in attempts] == ["complete", "complete"]
    for attempt in attempts:
        assert attempt.prompt_before > attempt.trigger == 24_000 > attempt.prompt_after
        assert attempt.calls > 0 < attempt.input_tokens


def test_a_killed_compaction_is_started_again(tmp_path: Path) -> None:
    """The first process ends with half of its answers; the second gives the whole result, and pays for no
    more than was left.
    """
    made = session(30_000, 90)
    model = Model("scripted/slow,latency=0.1,window=16000", context_window=16_000)
    events: list[Event] = []
    result = in_killed_process(Task(made.messages, 3_000, model, str(tmp_path)), events.append)
    planned = [event for event in events if isinstance(event, Planned)]
    ended = [sum(isinstance(event, CallEnded) for event in part) for part in _parts(events)]
    assert isinstance(result, Complete)
    assert len(planned) == 2
    assert ended[0] == planned[0].chunks // 2
    assert ended[1] <= planned[0].chunks - ended[0]


def _parts(events: Sequence[Event]) -> tuple[Sequence[Event], Sequence[Event]]:
    """What each process told, which begins with its plan."""
    second = max(at for at, event in enumerate(events) if isinstance(event, Planned))
    return events[:second], events[second:]
