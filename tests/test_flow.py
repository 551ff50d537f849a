"""The flow: whatever models do, a run ends, within its limits, and every record is accounted for."""

from __future__ import annotations

import pytest

from summarizer.budget import Budget
from summarizer.events import CeilingLearned, Replanned
from summarizer.flow import Flow
from summarizer.habits import Habits
from summarizer.prompts import prompt_id
from summarizer.result import Complete, Partial, Reason, Section
from summarizer_providers.bounds import Limits
from summarizer_providers.client import answered
from summarizer_providers.transports.script import Script
from summarizer_providers.types import Call, Failure, Reply
from tests.runs import check, from_scripts, job, play, scripted, session, units_of

NAME = "scripted/model"


def kept(text: str, facts: int) -> int:
    """How many of the planted facts a text holds."""
    return sum(f"FACT-{100_000 + i}: value {i}" in text for i in range(facts))


def run(texts: list[str], budget: int, script: Script, **more: object) -> tuple[Flow, Complete | Partial]:
    """A run on one scripted model."""
    flow = Flow(units_of(texts), [scripted(script)], job(budget, **more))
    result = play(flow, from_scripts({NAME: script}))
    check(result, len(texts), budget)
    return flow, result


def test_a_session_that_fits_one_chunk_takes_one_call() -> None:
    """Nothing is split that need not be: one call, and all facts in the text."""
    flow, result = run(session(40, 20), 600, Script(ceiling=4_000))
    assert isinstance(result, Complete)
    assert flow.meter.calls == 1
    assert kept(result.text, 20) == 20


def test_a_large_session_takes_as_few_calls_as_its_size_allows() -> None:
    """⌈N / U⌉ calls, or one more for the borders, where the model keeps to its lengths."""
    flow, result = run(session(400, 100), 4_000, Script(ceiling=8_000), chunk_tokens=4_000)
    assert isinstance(result, Complete)
    assert flow.meter.calls <= -(-flow.board.tokens // 4_000) + 1
    assert kept(result.text, 100) == 100


def test_a_cut_costs_the_chunk_that_was_cut_and_not_the_run() -> None:
    """A ceiling below what was asked for is learned once; every fact still arrives."""
    _flow, result = run(session(200, 100), 3_000, Script(ceiling=400))
    assert isinstance(result, Complete)
    assert kept(result.text, 100) == 100
    assert result.usage.wasted_output_tokens <= 3 * 400


def test_one_refused_record_costs_that_record_alone() -> None:
    """A filter that refuses one record of 64 leaves a gap of one record, found by halving."""
    texts = session(64, 64, 20)
    texts = [*texts[:37], texts[37] + " POISON", *texts[38:]]
    flow, result = run(texts, 2_000, Script(poison="POISON"))
    assert isinstance(result, Partial)
    assert [(g.first, g.last, g.reason) for g in result.gaps] == [(37, 37, Reason.BLOCKED)]
    assert kept(result.text, 64) == 63
    assert flow.meter.calls <= 2 + 2 * 6


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Failure("no such key", 401, "invalid_api_key"), Reason.UNAVAILABLE),
        (Failure("pay first", 402), Reason.UNAVAILABLE),
        (Failure("no such model", 404), Reason.UNAVAILABLE),
        (Failure("out of quota", 429, "insufficient_quota"), Reason.UNAVAILABLE),
        (Failure("slow down", 429, retry_after=3_600.0), Reason.RATE_LIMITED),
        (Failure("down", 503), Reason.UNAVAILABLE),
        (Failure("what?", 400), Reason.UNAVAILABLE),
        (Failure("filtered", 400, "content_filter"), Reason.BLOCKED),
    ],
)
def test_a_failing_provider_ends_in_a_partial_that_says_why(failure: Failure, reason: Reason) -> None:
    """No text, everything in gaps, few calls, and the reason as the contract names it."""
    flow = Flow(units_of(session(4)), [scripted(Script())], job(100))
    result = play(flow, lambda call, nth, number: failure)
    check(result, 4, 100)
    assert isinstance(result, Partial)
    assert (result.reason, result.text) == (reason, "")
    assert {gap.reason for gap in result.gaps} == {reason}
    assert flow.meter.calls <= 10
    if failure.retry_after:
        assert result.retry_at is not None


@pytest.mark.parametrize("answer", ["", "  \n ", "\0"])
def test_blank_answers_are_never_taken_for_summaries(answer: str) -> None:
    """A model that says nothing leaves a gap, not an empty summary."""
    flow = Flow(units_of(session(20)), [scripted(Script())], job(300))
    result = play(flow, lambda call, nth, number: Reply(answer, "stop", 10, 0))
    assert isinstance(result, Partial)
    assert result.coverage.covered == 0
    assert flow.meter.calls <= 9


def test_the_next_model_takes_over_and_a_notice_tells() -> None:
    """A ladder goes on with its second model when the first one's account is refused."""
    good = Script(ceiling=4_000)
    ladder = [scripted(good, "scripted/first"), scripted(good, "scripted/second")]
    second = from_scripts({"scripted/second": good})

    def answers(call: Call, nth: int, number: int) -> Reply | Failure:
        if call.model.name == "scripted/first":
            return Failure("no credit left", 402)
        return second(call, nth, number)

    flow = Flow(units_of(session(60, 30)), ladder, job(900))
    result = play(flow, answers)
    assert isinstance(result, Complete)
    assert not result.degraded
    assert [notice.code for notice in result.notices] == ["endpoint_failed"]
    assert result.usage.by_model["scripted/first"].calls == 1


def test_a_text_that_the_offline_model_had_a_part_in_is_degraded() -> None:
    """Also where a model merged the extract into its own text afterwards."""
    script = Script(poison="POISON")
    texts = session(60, 10)
    texts = [*texts[:30], texts[30] + " POISON", *texts[31:]]
    ladder = [scripted(script), scripted(Script(), "offline/extractive")]
    answers = from_scripts({NAME: script, "offline/extractive": Script()})
    flow = Flow(units_of(texts), ladder, job(Budget(300, "one"), chunk_tokens=1_000))
    result = play(flow, answers)
    assert isinstance(result, Complete)
    assert len(result.sections) == 1
    assert result.degraded


def test_what_calls_cost_that_were_given_up_is_not_known() -> None:
    """A provider may bill a call that nobody waited for: the cost is None, not a number that is too low."""
    flow = Flow(units_of(session(50)), [scripted(Script())], job(500))
    flow.ready(0.0)
    flow.stop(Reason.DEADLINE, "the deadline passed")
    assert flow.result(1.0).usage.cost is None


def test_a_larger_model_on_the_ladder_is_asked_when_one_is_cut() -> None:
    """The chunk that overflowed is not split where the next model can write it whole."""
    small, large = Script(ceiling=300, obey=False), Script(ceiling=8_000, obey=False)
    ladder = [
        scripted(small, "scripted/small", Limits(window=100_000, declared=2_000, scale=1.0)),
        scripted(large, "scripted/large", Limits(window=100_000, declared=8_000, scale=1.0)),
    ]
    flow = Flow(units_of(session(80, 80)), ladder, job(1_500))
    result = play(flow, from_scripts({"scripted/small": small, "scripted/large": large}))
    assert isinstance(result, Complete)
    assert kept(result.text, 80) == 80
    assert result.usage.by_model["scripted/small"].calls == 1
    assert result.usage.by_model["scripted/large"].calls == 1


def test_a_record_larger_than_a_chunk_ends_in_one_section() -> None:
    """Its pieces are read by several calls and come together again."""
    texts = ["a short one", "\n".join(session(1, words=12)[0] + f" {i}" for i in range(2_000)), "another"]
    flow, result = run(texts, 900, Script(), chunk_tokens=2_000)
    assert isinstance(result, Complete)
    assert any(section.first == section.last == 1 for section in result.sections)
    assert flow.meter.calls > 5


def test_a_lost_piece_makes_its_whole_record_a_gap() -> None:
    """A record counts as covered only if every piece of it was read."""
    lines = [session(1, words=12)[0] + f" {i}" for i in range(2_000)]
    lines[1_000] += " POISON"
    _, result = run(["first", "\n".join(lines), "last"], 900, Script(poison="POISON"), chunk_tokens=2_000)
    assert isinstance(result, Partial)
    assert [(gap.first, gap.last) for gap in result.gaps] == [(1, 1)]


def test_the_calls_of_a_run_are_bounded_and_the_bound_is_kept() -> None:
    """A model that is cut at every length ends the run at the limit, with what was finished."""
    flow, result = run(session(60, 60), 2_000, Script(ceiling=5, obey=False), max_calls=12)
    assert isinstance(result, Partial)
    assert result.usage.calls <= 12
    assert Reason.CALL_LIMIT in {gap.reason for gap in result.gaps}
    assert flow.finished


def test_no_call_is_started_that_could_pass_the_cost() -> None:
    """``max_cost`` is checked before each call, against the most that it can cost."""
    texts = session(300, 100)
    script = Script(ceiling=4_000)
    _flow, result = run(texts, 2_000, script, chunk_tokens=2_000, max_cost=0.02)
    assert isinstance(result, Partial)
    assert result.reason is Reason.COST
    assert result.sections
    assert result.usage.cost is None or result.usage.cost <= 0.02


def test_a_deadline_brings_back_what_was_finished() -> None:
    """Time is up between two answers: finished sections stay, the rest are gaps that say so."""
    script = Script(ceiling=4_000)
    flow = Flow(units_of(session(200, 50)), [scripted(script)], job(2_000, chunk_tokens=1_000, deadline=5.0))
    result = play(flow, from_scripts({NAME: script}))
    check(result, 200, 2_000)
    assert isinstance(result, Partial)
    assert result.sections
    assert {gap.reason for gap in result.gaps} == {Reason.DEADLINE}


def test_a_stop_ends_a_run_at_once() -> None:
    """After a cancellation nothing starts, and what is there is the result."""
    flow = Flow(units_of(session(50)), [scripted(Script())], job(500))
    calls = flow.ready(0.0)
    flow.stop(Reason.CANCELLED, "it was cancelled")
    assert flow.finished
    assert flow.ready(1.0) == []
    flow.receive(calls[0], None, 1.0)  # type: ignore[arg-type] - a late answer is ignored unread
    result = flow.result(1.0)
    assert isinstance(result, Partial)
    assert result.reason is Reason.CANCELLED


def test_where_no_model_is_left_to_merge_the_text_is_shortened() -> None:
    """An outage after the last chunk ends the run at once, with all records covered."""
    script = Script(outage="3-", tokenizer="fast")
    flow = Flow(units_of(session(38, 4, 3)), [scripted(script)], job(16, chunk_tokens=256))
    result = play(flow, from_scripts({NAME: script}))
    check(result, 38, 16)
    assert isinstance(result, Complete)
    assert "shortened" in [notice.code for notice in result.notices]


@pytest.mark.parametrize("verbosity", [0.5, 1.0, 2.0, 10.0])
def test_a_model_that_ignores_lengths_ends_within_budget(verbosity: float) -> None:
    """Twice, half or ten times what was asked for: the text fits and every record is covered."""
    _, result = run(session(300, 30), 800, Script(verbosity=verbosity), chunk_tokens=3_000)
    assert isinstance(result, Complete)
    assert kept(result.text, 30) == 30


def test_many_chunks_for_a_small_budget_become_one_text() -> None:
    """Where a section's share would be too small to read, chunks are merged into one text."""
    _, result = run(session(600, 10), 400, Script(), chunk_tokens=1_500)
    assert isinstance(result, Complete)
    assert len(result.sections) == 1
    assert result.sections[0].level >= 1
    assert result.sections[0].method == "merged"


def test_one_text_is_made_where_the_shape_asks_for_it() -> None:
    """``shape="one"`` merges sections that would have fitted side by side."""
    script = Script(ceiling=8_000)
    texts = session(300, 30)
    for shape, sections in (("sections", 5), ("one", 1)):
        flow = Flow(units_of(texts), [scripted(script)], job(Budget(3_000, shape), chunk_tokens=6_000))
        result = play(flow, from_scripts({NAME: script}))
        assert len(result.sections) == pytest.approx(sections, abs=sections - 1)
        assert kept(result.text, 30) == 30


def test_known_sections_are_kept_and_only_the_rest_is_read() -> None:
    """A run that goes on from a result reads what is new and leaves finished sections as they are."""
    texts = session(60, 60)
    script = Script(ceiling=4_000)
    known = Section("what was done before", 5, 0, 29, "m", "model", 0, "f", prompt_id(), 900)
    units = units_of(texts)[30:]
    flow = Flow(units, [scripted(script)], job(2_000, total=60), [known])
    result = play(flow, from_scripts({NAME: script}))
    check(result, 60, 2_000)
    assert result.sections[0] == known
    assert flow.meter.calls == 1


def test_a_passing_fault_is_waited_out() -> None:
    """Two failures and a rate limit, each with its wait, and then all is well."""
    good = from_scripts({NAME: Script()})
    faults = [Failure("busy", 503), Failure("slow down", 429, retry_after=2.0), Failure("busy", 500)]

    def answers(call: Call, nth: int, number: int) -> Reply | Failure:
        return faults[number - 1] if number <= len(faults) else good(call, nth, number)

    flow = Flow(units_of(session(30, 10)), [scripted(Script())], job(400))
    result = play(flow, answers)
    assert isinstance(result, Complete)
    assert result.usage.calls == 4


def test_a_summary_longer_than_its_source_is_shortened_to_its_share() -> None:
    """An inflating model does not get to fill the budget with more than it read."""
    flow = Flow(units_of(session(20)), [scripted(Script())], job(200))
    result = play(flow, lambda call, nth, number: Reply("word. \n" * 4_000, "stop", 10, 4_000))
    check(result, 20, 200)
    assert isinstance(result, Complete)
    assert flow.meter.calls <= 10


@pytest.mark.parametrize("answer", ["\u200b" * 50, " \n\u200b\ufeff "])
def test_an_answer_that_nobody_can_see_is_no_summary(answer: str) -> None:
    """Zero-width characters are not taken for text."""
    flow = Flow(units_of(session(20)), [scripted(Script())], job(300))
    result = play(flow, lambda call, nth, number: Reply(answer, "stop", 10, 50))
    assert result.coverage.covered == 0


@pytest.mark.parametrize("seconds", [1e15, 1e308, float("inf")])
def test_a_rest_of_aeons_is_a_partial_all_the_same(seconds: float) -> None:
    """Whatever a provider writes into Retry-After, a date comes out and nothing is raised."""
    flow = Flow(units_of(session(4)), [scripted(Script())], job(100))
    result = play(flow, lambda call, nth, number: Failure("slow down", 429, retry_after=seconds))
    assert isinstance(result, Partial)
    assert result.retry_at is not None


def test_a_dense_session_has_few_cuts_and_keeps_every_fact() -> None:
    """After a cut, the next size is tried once before many calls go out at it."""
    script = Script(ceiling=300, obey=False, tokenizer="fast")
    flow = Flow(units_of(session(400, 400, 30)), [scripted(script)], job(20_000))
    result = play(flow, from_scripts({NAME: script}))
    assert isinstance(result, Complete)
    assert kept(result.text, 400) == 400
    assert result.usage.wasted_output_tokens <= 6 * 300


def test_a_cut_that_nobody_tells_loses_nothing() -> None:
    """Some gateways report "stop" for an answer that they cut: its length and its end give it away."""
    script = Script(ceiling=500, obey=False, hide_length=True)
    _flow, result = run(session(200, 100), 3_000, script)
    assert isinstance(result, Complete)
    assert kept(result.text, 100) == 100


def test_a_cut_answer_that_goes_in_order_is_used_as_far_as_it_came() -> None:
    """And said so: half of what was paid for need not be bought again."""
    script, texts = Script(ceiling=400, obey=False), session(200, 100)
    known = scripted(script)
    known.habits = Habits(in_order=True)
    flow = Flow(units_of(texts), [known], job(3_000))
    result = play(flow, from_scripts({NAME: script}))
    assert isinstance(result, Complete)
    assert kept(result.text, 100) == 100
    assert result.usage.wasted_output_tokens < 100
    assert "cut_kept" in [notice.code for notice in result.notices]


def test_a_model_that_goes_over_its_material_twice_loses_nothing_when_it_is_cut() -> None:
    """What was cut in its first pass had not said everything of the records that it had passed."""

    def twice(call: Call, _nth: int, _number: int) -> Reply | Failure:
        facts = [line for p in call.hints.passages for line in p.text.splitlines() if "FACT" in line]
        text = "\n".join([*facts[::2], *facts[1::2]])
        read, written = call.prompt_tokens, -(-len(text) // 4)
        if written > 300:
            return Reply(text[:1_200], "length", read, 300)
        return Reply(text, "stop", read, written)

    texts = session(100, 100, 30)
    flow = Flow(units_of(texts), [scripted(Script())], job(1_500))
    result = play(flow, twice)
    assert isinstance(result, Complete)
    assert kept(result.text, 100) == 100


def test_what_is_learned_and_planned_again_is_told() -> None:
    script = Script(ceiling=400, obey=False)
    flow = Flow(units_of(session(200, 100)), [scripted(script)], job(3_000))
    before = flow.calls_left()
    assert before == 1
    (call,) = flow.ready(0.0)
    flow.receive(call, answered(call, from_scripts({NAME: script})(call, 0, 1)), 1.0)
    learned, planned = flow.news()
    assert learned == CeilingLearned(NAME, 400, script.window)
    assert planned == Replanned(flow.calls_left())
    assert flow.calls_left() > before
    assert flow.news() == []


def test_a_model_that_does_not_shorten_is_not_asked_to_merge_again_and_again() -> None:
    """One try shows it; then whole sentences are left out, and what there is room for is there."""
    script = Script(ceiling=600, obey=False, verbosity=0.0)
    flow, result = run(session(400, 200), 1_500, script)
    assert isinstance(result, Complete)
    assert result.tokens > 0.7 * 1_500
    assert flow.meter.calls < 2.5 * len(flow.board.leaves)
