"""Usage: what a run is told to have cost is what its calls cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.result import ModelUsage, Usage
from summarizer.usage import Meter
from summarizer_providers.outcome import Answer, BadCall, Completed
from summarizer_providers.types import Reply

DONE = Completed(Reply("text"))


def test_nothing_was_used_before_a_call() -> None:
    meter = Meter()
    assert (meter.calls, meter.cost, meter.usage()) == (0, 0.0, Usage())


def test_calls_count_when_they_start_and_tokens_when_they_end() -> None:
    """Also calls in flight, and the retries of those that ended."""
    meter = Meter()
    meter.started("a")
    meter.started("a")
    assert meter.usage() == Usage(calls=2, by_model={"a": ModelUsage(calls=2)})
    meter.ended("a", Answer(DONE, requests=3, input_tokens=100, output_tokens=9, cost=0.5), used=True)
    expected = {"calls": 4, "input_tokens": 100, "output_tokens": 9, "cost": 0.5}
    assert meter.usage() == Usage(**expected, by_model={"a": ModelUsage(**expected)})  # type: ignore[arg-type]


def test_what_was_written_in_vain_is_told() -> None:
    meter = Meter()
    for used in (True, False):
        meter.started("a")
        meter.ended("a", Answer(DONE, output_tokens=50, cost=0.0), used)
    assert (meter.usage().output_tokens, meter.usage().wasted_output_tokens) == (100, 50)


def test_an_unknown_price_makes_the_sum_unknown_and_not_less() -> None:
    """The costs that are known are still counted against a limit, and still told by model."""
    meter = Meter()
    for model, cost in (("a", 1.0), ("b", None), ("b", 2.0), ("a", 0.5)):
        meter.started(model)
        meter.ended(model, Answer(BadCall(""), cost=cost), used=False)
    usage = meter.usage()
    assert (usage.cost, usage.by_model["a"].cost, usage.by_model["b"].cost) == (None, 1.5, None)
    assert meter.cost == 1.5


answers = st.builds(
    Answer,
    st.just(DONE),
    requests=st.integers(1, 3),
    input_tokens=st.integers(0, 10**6),
    output_tokens=st.integers(0, 10**6),
    cost=st.floats(0, 10),
)


@given(st.lists(st.tuples(st.sampled_from("abc"), answers, st.booleans())))
def test_the_sum_is_that_of_the_models(calls: list[tuple[str, Answer, bool]]) -> None:
    meter = Meter()
    for model, answer, used in calls:
        meter.started(model)
        meter.ended(model, answer, used)
    usage = meter.usage()
    assert usage.calls == meter.calls == sum(answer.requests for _, answer, _ in calls)
    assert usage.input_tokens == sum(part.input_tokens for part in usage.by_model.values())
    assert usage.wasted_output_tokens == sum(a.output_tokens for _, a, used in calls if not used)
    assert usage.cost == pytest.approx(sum(answer.cost or 0.0 for _, answer, _ in calls))
    assert set(usage.by_model) == {model for model, _, _ in calls}
