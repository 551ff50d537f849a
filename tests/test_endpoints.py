"""Endpoints and their ladder: who is asked, who rests, who is given up, and who comes next."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from summarizer.chunking import Chunk
from summarizer.endpoints import PATIENCE, Endpoint, Health
from summarizer.ladder import Ladder
from summarizer.result import Notice, Reason
from summarizer.work import Leaf
from summarizer_providers.bounds import Limits
from summarizer_providers.outcome import Completed, CutAtOutput, Transient
from summarizer_providers.types import Model, Reply

FAULT = Transient("busy")


def endpoint(name: str = "a/b", **limits: float) -> Endpoint:
    return Endpoint(Model(name), name, Limits(**limits))  # type: ignore[arg-type]


def leaf(rung: int = 0) -> Leaf:
    return Leaf(chunk=Chunk(0, 0, 10), target=16, rung=rung)


def ladder(*names: str) -> Ladder:
    return Ladder([endpoint(name) for name in names])


# ---- health ----


def test_rests_double_and_end_in_giving_up() -> None:
    """An endpoint that fails time after time is left alone ever longer, about half a minute in all."""
    health, now, rests = Health(), 100.0, []
    while health.down is None:
        health.failed(FAULT, sent_at=now, now=now)
        rests.append(health.rests_until - now)
        now = health.rests_until
    assert rests == [0.5, 1, 2, 4, 8, 16]
    assert (health.down, health.detail) == (Reason.UNAVAILABLE, "busy")


def test_a_burst_of_failures_counts_once() -> None:
    """Eight calls that were under way when an endpoint went down tell one thing."""
    health = Health()
    for _ in range(8):
        health.failed(FAULT, sent_at=1.0, now=2.0)
    assert (health.failures, health.down, health.rests_until) == (1, None, 2.5)


def test_an_answer_ends_a_row_of_failures() -> None:
    health = Health()
    for i in range(50):
        health.failed(FAULT, sent_at=i, now=i)
        health.succeeded()
    assert health.down is None


@pytest.mark.parametrize("stated", [0.0, 7.0, PATIENCE])
def test_a_stated_rest_is_kept(stated: float) -> None:
    health = Health()
    health.failed(Transient("slow down", stated, rate_limited=True), sent_at=0.0, now=10.0)
    assert (health.rests_until, health.down) == (10.0 + stated, None)


def test_a_rest_is_never_shortened_by_an_older_call() -> None:
    health = Health()
    health.failed(Transient("slow down", 30.0), sent_at=0.0, now=10.0)
    health.failed(Transient("slow down", 1.0), sent_at=0.0, now=11.0)
    assert health.rests_until == 40.0


@pytest.mark.parametrize(("limited", "reason"), [(True, Reason.RATE_LIMITED), (False, Reason.UNAVAILABLE)])
def test_nobody_waits_for_an_hour(limited: bool, reason: Reason) -> None:
    """A longer rest than a minute gives the endpoint up for the run, with the time when it may be asked."""
    only = ladder("a/b")
    health = only.endpoints[0].health
    health.failed(Transient("come back later", 3_600.0, limited), sent_at=0.0, now=10.0)
    assert health.down is reason
    assert only.retry_at(now=20.0, wall=1_000_000.0) == datetime.fromtimestamp(1_003_590, UTC)
    assert only.retry_at(now=9_999.0, wall=1_000_000.0) is None


# ---- what is learned of an endpoint ----


def test_many_calls_go_at_once_only_when_a_large_one_has_ended() -> None:
    """A guess is made once, not once a chunk."""
    known = endpoint()
    assert not known.may_fan_out(500)
    known.wrote(1_000, 300, 300, merged=False)
    assert not known.may_fan_out(500)
    known.wrote(1_000, 500, 500, merged=False)
    assert known.may_fan_out(500)


def test_known_ceilings_and_the_offline_model_need_no_first_call() -> None:
    assert endpoint(ceiling=1_000, window=32_000).may_fan_out(500)
    assert not endpoint(ceiling=1_000).may_fan_out(500)
    assert endpoint("offline/extractive").may_fan_out(500)
    assert not endpoint(declared=1_000).may_fan_out(500)


def test_a_usable_answer_ends_a_row_of_useless_ones() -> None:
    known = endpoint()
    known.useless = 5
    known.wrote(10, 5, 5, merged=True)
    assert (known.useless, known.answered) == (0, True)


def test_the_worst_cost_of_a_call_is_that_of_all_its_tokens() -> None:
    priced = Endpoint(Model("a/b"), "a/b", Limits(), input_cost=1e-6, output_cost=4e-6)
    assert priced.worst_cost(1_000, 500) == pytest.approx(0.003)
    assert endpoint().worst_cost(1_000, 500) == 0.0


# ---- the ladder ----


def test_a_task_goes_down_the_ladder_past_those_that_were_given_up() -> None:
    """And it remembers why, for the gap that it may end in."""
    steps, task = ladder("a/1", "b/2", "c/3"), leaf()
    assert steps.current(task) is steps.endpoints[0]
    steps.endpoints[0].health.give_up(Reason.UNAVAILABLE, "no credit")
    steps.endpoints[1].health.give_up(Reason.RATE_LIMITED, "slow down")
    assert steps.current(task) is steps.endpoints[2]
    assert (task.rung, task.reason, task.detail) == (2, Reason.RATE_LIMITED, "b/2: slow down")
    steps.endpoints[2].health.give_up(Reason.UNAVAILABLE, "no key")
    assert steps.current(task) is None
    assert (task.rung, task.detail) == (3, "c/3: no key")


def test_plans_are_made_for_the_first_that_is_up() -> None:
    steps = ladder("a/1", "b/2")
    assert steps.first() is steps.endpoints[0]
    steps.endpoints[0].health.give_up(Reason.UNAVAILABLE, "")
    assert steps.first() is steps.endpoints[1]
    steps.endpoints[1].health.give_up(Reason.UNAVAILABLE, "")
    assert steps.first() is steps.endpoints[0]
    assert len(steps) == 2


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], None),
        ([endpoint(declared=500)], None),
        ([endpoint(declared=1_000)], None),
        ([endpoint(declared=2_000)], 1),
        ([endpoint(declared=500), endpoint(declared=9_000)], 2),
        ([endpoint(declared=9_000, ceiling=800), endpoint(ceiling=1_001)], 2),
        ([endpoint("offline/extractive", declared=10**6)], None),
    ],
)
def test_a_cut_answer_goes_to_one_that_writes_more(others: list[Endpoint], expected: int | None) -> None:
    """Known ceilings count before declared ones, and the offline model is no larger model."""
    assert Ladder([endpoint(declared=5_000, ceiling=1_000), *others]).larger(0) == expected


def test_a_larger_model_that_was_given_up_is_not_chosen() -> None:
    steps = Ladder([endpoint(ceiling=10), endpoint(ceiling=20)])
    steps.endpoints[1].health.give_up(Reason.UNAVAILABLE, "")
    assert steps.larger(0) is None


def test_each_endpoint_that_was_given_up_is_told() -> None:
    steps = ladder("a/1", "b/2")
    assert steps.notices(0.0, 0.0) == []
    steps.endpoints[1].health.give_up(Reason.UNAVAILABLE, "no credit")
    assert steps.notices(0.0, 0.0) == [Notice("endpoint_failed", "b/2 was given up (unavailable): no credit")]


def test_another_try_makes_sense_when_the_first_may_be_asked_again() -> None:
    """An endpoint without credit or key does not come back by itself."""
    steps = ladder("a/1", "b/2", "c/3")
    steps.endpoints[0].health.give_up(Reason.UNAVAILABLE, "no credit")
    assert steps.retry_at(0.0, 0.0) is None
    for number, rest in ((1, 500.0), (2, 100.0)):
        steps.endpoints[number].health.failed(Transient("", rest, rate_limited=True), 0.0, 0.0)
    assert steps.retry_at(10.0, 1_010.0) == datetime.fromtimestamp(1_100, UTC)
    times = [steps.retry_at(now, 1_000.0 + now) for now in (0.0, 50.0, 99.0)]
    assert all(a == b for a, b in pairwise(times))


def test_after_a_cut_a_size_is_tried_before_many_go_out_at_it() -> None:
    """What is known to be cut goes alone, smaller; once that is answered whole, all of its size may go."""
    known = endpoint(ceiling=300)
    known.habits = known.habits.cut(8_000, 300, 200)
    assert not known.may_fan_out(100, 4_000)
    known.wrote(4_000, 150, 100, merged=False)
    assert known.may_fan_out(100, 4_000)
    assert not known.may_fan_out(100, 8_000)


@pytest.mark.parametrize(
    ("longest", "tokens", "reason", "expected"),
    [
        (0, 500, "stop", CutAtOutput),  # nothing to compare it with
        (4_000, 500, "stop", Completed),  # shorter than it can write
        (4_000, 3_990, "stop", CutAtOutput),
        (500, 4_000, "stop", CutAtOutput),
        (4_000, 500, None, CutAtOutput),  # a stream that broke off
    ],
)
def test_a_text_that_merely_looks_cut_is_judged_by_its_length(
    longest: int, tokens: int, reason: str | None, expected: type
) -> None:
    """Some models end in the middle of a sentence; a limit ends all at the same length."""
    known = endpoint(scale=1.0)
    known.longest = longest
    outcome = known.judged(CutAtOutput(Reply("and then the", reason)), tokens)
    assert type(outcome) is expected
    if isinstance(outcome, CutAtOutput):  # the second of one length is a limit
        assert outcome.written == (tokens if (longest, tokens) == (4_000, 3_990) else None)


def test_a_cut_that_was_told_stays_one() -> None:
    known = endpoint()
    known.longest = 4_000
    cut = CutAtOutput(Reply("and then", "length", 10, 300), 300)
    assert known.judged(cut, 300) is cut


def test_a_price_that_is_not_known_may_cost_something() -> None:
    """So what a call costs that was given up is not called nothing."""
    assert endpoint().may_cost == (endpoint().input_cost != 0)
