"""The scripted model: it behaves as its script says, and the same each time."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer_providers.tokens import get_counter
from summarizer_providers.transports.scripted import Script, ScriptedTransport, answer, script_of
from summarizer_providers.types import Call, Failure, Hints, Message, Model, Passage, Reply

FACTS = [f"FACT-{100_000 + i}: value number {i} of the session" for i in range(200)]
FACT_TEXT = "\n".join(f"Chatter about the weather. {fact}\nAnd so it went on." for fact in FACTS)


def a_call(
    text: str = FACT_TEXT,
    target: int = 500,
    max_tokens: int = 16_384,
    model: Model | None = None,
    **fields: Any,
) -> Call:
    messages = (Message("system", "Summarize."), Message("user", text))
    tokens = get_counter().count(text) + 3
    hints = Hints((Passage(0, "user", text),), target, 1)
    return Call(1, model or Model("scripted/x"), messages, hints, max_tokens, tokens)


def reply(script: Script, call: Call | None = None, **more: int) -> Reply:
    result = answer(script, call or a_call(), **more)
    assert isinstance(result, Reply)
    return result


def failure(script: Script, call: Call | None = None, **more: int) -> Failure:
    result = answer(script, call or a_call(), **more)
    assert isinstance(result, Failure)
    return result


def facts(text: str) -> list[str]:
    return re.findall(r"FACT-\d{6}: .*", text)


# What it writes.


def test_it_repeats_every_fact_that_fits_in_order() -> None:
    found = reply(Script(ceiling=16_000), a_call(target=10_000))
    assert facts(found.text) == FACTS
    assert found.finish_reason == "stop"


def test_the_last_value_of_a_fact_holds_at_its_first_place() -> None:
    text = "FACT-000001: old\nFACT-000002: two  \nx FACT-000001: new value, to the end"
    written = facts(reply(Script(), a_call(text)).text)
    assert written == ["FACT-000001: new value, to the end", "FACT-000002: two"]


@pytest.mark.parametrize(
    ("script", "target", "length"),
    [
        (Script(), 500, 500),
        (Script(), 3_000, 3_000),
        (Script(verbosity=2), 500, 1_000),
        (Script(verbosity=0.5), 500, 250),
        (Script(verbosity=50, ceiling=30_000), 500, 25_000),
        (Script(fixed=800), 100, 800),
        (Script(density=0.1), 100, 0.1 * (get_counter().count(FACT_TEXT) + 3)),
        (Script(filler=30), 500, 500),
    ],
)
def test_it_writes_the_length_that_its_manners_make_of_the_target(
    script: Script, target: int, length: float
) -> None:
    found = reply(script, a_call(target=target, max_tokens=100_000))
    assert found.output_tokens == get_counter().count(found.text)
    assert length - 40 <= found.output_tokens <= length + 2


def test_a_model_that_does_not_obey_writes_all_facts() -> None:
    found = reply(Script(obey=False, ceiling=16_000), a_call(target=100))
    assert len(facts(found.text)) == 200


def test_prose_follows_the_facts_in_the_share_asked_for() -> None:
    plain = reply(Script(obey=False, ceiling=16_000), a_call(target=0))
    wordy = reply(Script(obey=False, ceiling=16_000, filler=10), a_call(target=0))
    assert (wordy.output_tokens or 0) - (plain.output_tokens or 0) == pytest.approx(2_000, abs=20)


def test_without_facts_it_still_says_something() -> None:
    assert reply(Script(), a_call("Just talk.", target=5)).text == "Nothing of note happened here."


def test_invented_facts_are_in_no_input() -> None:
    written = facts(reply(Script(invent=0.5, obey=False, ceiling=16_000)).text)
    invented = set(written) - set(FACTS)
    assert 60 <= len(invented) <= 140
    assert set(FACTS) <= set(written)


# Limits.


@pytest.mark.parametrize(
    ("script", "max_tokens", "written", "reason"),
    [
        (Script(ceiling=300), 16_384, 300, "length"),
        (Script(ceiling=300), 200, 200, "length"),
        (Script(ceiling=1), 16_384, 1, "length"),
        (Script(ceiling=300, default_limit=20), 0, 20, "length"),
        (Script(ceiling=300), 0, 300, "length"),
        (Script(ceiling=300, hide_length=True), 16_384, 300, "stop"),
        (Script(ceiling=300, reasoning=100), 16_384, 300, "length"),
    ],
)
def test_the_ceiling_cuts_and_is_counted(script: Script, max_tokens: int, written: int, reason: str) -> None:
    found = reply(script, a_call(max_tokens=max_tokens))
    assert (found.output_tokens, found.finish_reason) == (written, reason)
    assert get_counter().count(found.text) == written - found.reasoning_tokens


def test_reasoning_can_eat_the_whole_answer() -> None:
    found = reply(Script(ceiling=4_000, reasoning=900), a_call(max_tokens=500))
    assert (found.text, found.finish_reason, found.output_tokens) == ("", "length", 500)
    assert found.reasoning_tokens == 500


def test_a_ceiling_can_move_during_a_run() -> None:
    script = Script(ceiling=400, later_ceiling=100, moves_at=3)
    assert [reply(script, number=n).output_tokens for n in (1, 2, 3, 4)] == [400, 400, 100, 100]


def test_a_limit_above_the_ceiling_can_be_refused() -> None:
    found = failure(Script(ceiling=300, over_max="reject"))
    assert (found.status, found.code) == (400, "invalid_value")
    assert "300" in found.message
    assert isinstance(answer(Script(ceiling=300, over_max="reject"), a_call(max_tokens=300)), Reply)


def test_a_prompt_above_the_window_is_refused() -> None:
    found = failure(Script(window=1_000))
    assert (found.status, found.code) == (400, "context_length_exceeded")


def test_prompt_and_output_share_the_window() -> None:
    call = a_call()
    found = reply(Script(window=call.prompt_tokens + 100), call)
    assert (found.output_tokens, found.finish_reason) == (100, "length")
    assert (found.input_tokens or 0) + 100 == call.prompt_tokens + 100


def test_a_model_that_truncates_reads_only_the_end_and_bills_only_that() -> None:
    script = Script(window=2_000, overflow="truncate", obey=False, ceiling=16_000, tokenizer="fast")
    found = reply(script, a_call(target=100))
    assert found.input_tokens == 1_999
    assert FACTS[0] not in found.text
    call = a_call(target=100)
    cut = Script(window=call.prompt_tokens // 2, overflow="truncate", obey=False)
    assert reply(cut, call).finish_reason == "length"


# Faults.


@pytest.mark.parametrize(
    ("script", "status", "kind"),
    [
        (Script(fail_rate=1), 500, "InternalServerError"),
        (Script(rate_limit_rate=1, retry_after=7), 429, "RateLimitError"),
        (Script(drop_rate=1), None, "APIConnectionError"),
        (Script(garbage_rate=1), None, "JSONDecodeError"),
        (Script(poison="weather"), 400, "ContentPolicyViolationError"),
    ],
)
def test_a_fault_looks_like_a_providers(script: Script, status: int | None, kind: str) -> None:
    found = failure(script)
    assert (found.status, found.kind) == (status, kind)
    assert found.retry_after == (7 if status == 429 else None)


@pytest.mark.parametrize(
    ("script", "pattern"),
    [
        (Script(empty_rate=1), r""),
        (Script(blank_rate=1), r"\s+"),
        (Script(refuse="weather"), r"I'm sorry, .*"),
    ],
)
def test_an_answer_can_be_of_no_use(script: Script, pattern: str) -> None:
    found = reply(script)
    assert re.fullmatch(pattern, found.text)
    assert found.finish_reason == "stop"


def test_poison_and_refusal_spare_other_prompts() -> None:
    script = Script(poison="arsenic", refuse="hemlock")
    assert facts(reply(script).text)


def test_faults_of_numbered_calls() -> None:
    script = Script(fail_first=2, outage="4-5")
    results = [answer(script, a_call(), number=n) for n in range(1, 7)]
    assert [getattr(r, "status", 200) for r in results] == [500, 500, 200, 503, 503, 200]
    assert failure(Script(outage="3-"), number=1_000).status == 503


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.5])
def test_faults_come_in_the_share_asked_for(rate: float) -> None:
    script = Script(fail_rate=rate, tokenizer="fast", seed=11)
    call = a_call("FACT-000001: x", 20)
    failed = sum(isinstance(answer(script, call, nth), Failure) for nth in range(3_000))
    assert failed / 3_000 == pytest.approx(rate, abs=0.04)


# Chance.

shares = st.sampled_from([0.0, 0.3, 0.9])
scripts = st.builds(
    Script,
    seed=st.integers(-5, 2**63 - 1),
    ceiling=st.sampled_from([1, 7, 300, 16_384]),
    window=st.sampled_from([64, 2_000, 128_000]),
    over_max=st.sampled_from(["clamp", "reject"]),
    overflow=st.sampled_from(["error", "truncate"]),
    verbosity=st.sampled_from([0.0, 0.5, 1.0, 2.0, 50.0]),
    fixed=st.sampled_from([0, 900]),
    obey=st.booleans(),
    filler=st.sampled_from([0.0, 3.5, 40.0]),
    reasoning=st.sampled_from([0, 5, 5_000]),
    fail_rate=shares,
    empty_rate=shares,
    drop_rate=shares,
    tokenizer=st.sampled_from(["", "fast", "cl100k_base"]),
)
texts = st.lists(st.sampled_from([*FACTS[:9], "talk", "\ud800", "漢字", "", "FACT-1: no"]), max_size=12).map(
    "\n".join
)


@settings(max_examples=300, deadline=None)
@given(scripts, texts, st.integers(0, 900), st.integers(0, 2_000), st.integers(0, 5))
def test_an_answer_is_the_same_each_time_and_within_all_limits(
    script: Script, text: str, target: int, max_tokens: int, nth: int
) -> None:
    call = a_call(text, target, max_tokens)
    result = answer(script, call, nth)
    assert result == answer(script, call, nth)
    if isinstance(result, Reply):
        limit = min(script.ceiling, max_tokens or script.ceiling)
        assert (result.output_tokens or 0) <= limit or (result.finish_reason == "stop" and not result.text)
        assert result.reasoning_tokens <= (result.output_tokens or 0)
        assert (result.input_tokens or 0) <= script.window


def test_the_order_of_arrival_changes_nothing() -> None:
    """Each of many prompts gets the same answers, in whichever order and company they come."""
    script = Script(fail_rate=0.5, empty_rate=0.3, seed=4)
    calls = [a_call(f"{fact}\ntalk") for fact in FACTS[:40]]

    async def run(order: list[int]) -> dict[int, list[object]]:
        transport = ScriptedTransport(script)
        results: dict[int, list[object]] = {i: [] for i in range(len(calls))}
        for i in order:
            results[i].append(await transport.send(calls[i]))
        return results

    forward = [i for i in range(40) for _ in range(3)]
    assert asyncio.run(run(forward)) == asyncio.run(run([*range(39, -1, -1)] * 3))


# Reading the script.


@pytest.mark.parametrize(
    ("model", "script"),
    [
        (Model("scripted/plain"), Script()),
        (Model("scripted/ceiling=4000,window=128000,seed=3"), Script(ceiling=4_000, window=128_000, seed=3)),
        (Model("scripted/small,ceiling=10"), Script(ceiling=10)),
        (Model("scripted/x", extra={"ceiling": 10, "obey": False}), Script(ceiling=10, obey=False)),
        (Model("scripted/ceiling=1,seed=2", extra={"ceiling": "10"}), Script(ceiling=10, seed=2)),
        (Model("scripted/obey=false,hide_length=TRUE"), Script(obey=False, hide_length=True)),
        (Model("scripted/outage=5-9,fail_rate=.2"), Script(outage="5-9", fail_rate=0.2)),
        (Model("scripted/x", extra={"input_cost_per_token": 1e-6}), Script()),
    ],
)
def test_a_script_is_read_from_name_and_extra(model: Model, script: Script) -> None:
    assert script_of(model) == script


@pytest.mark.parametrize(
    ("name", "extra", "message"),
    [
        ("scripted/celing=1", {}, r"scripted/celing=1: no parameter 'celing'; there are seed, ceiling"),
        ("scripted/ceiling=many", {}, r"ceiling must be of type int, not 'many'"),
        ("scripted/ceiling=-1", {}, r"ceiling must be from 0 to inf, not -1"),
        ("scripted/fail_rate=1.5", {}, r"fail_rate must be from 0 to 1, not 1.5"),
        ("scripted/fail_rate=nan", {}, r"fail_rate must be from 0 to 1, not nan"),
        ("scripted/over_max=maybe", {}, r"over_max must be one of clamp, reject"),
        ("scripted/a,b", {}, r"expected parameter=value, not 'b'"),
        ("scripted/outage=soon", {}, r"outage must be two numbers of calls such as 5-9, not 'soon'"),
        ("scripted/x", {"ceiling": True}, r"ceiling must be of type int, not True"),
        ("scripted/x", {"ceiling": None}, r"ceiling must be of type int, not None"),
        ("scripted/x", {"obey": "maybe"}, r"obey must be of type bool, not 'maybe'"),
        ("scripted/x", {"api_key": "k"}, r"no parameter 'api_key'"),
    ],
)
def test_a_script_that_cannot_be_read_names_the_parameter(
    name: str, extra: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        script_of(Model(name, extra=extra))
    sent = asyncio.run(ScriptedTransport().send(a_call(model=Model(name, extra=extra))))
    assert isinstance(sent, Failure)
    assert sent.status == 400


# The transport.


def test_the_transport_counts_and_remembers_its_calls() -> None:
    transport = ScriptedTransport()
    model = Model("scripted/ceiling=50,fail_first=1")

    async def run() -> None:
        for _ in range(2):
            await transport.send(a_call(model=model))

    asyncio.run(run())
    assert transport.count == 2
    first, second = transport.calls
    assert (first.number, first.result, first.output_tokens) == (1, "InternalServerError", 0)
    assert (second.number, second.result, second.output_tokens) == (2, "length", 50)
    assert (second.model, second.target, second.max_tokens) == (model.name, 500, 16_384)


def test_latency_is_waited_for_and_calls_overlap() -> None:
    waited: list[float] = []

    async def note(seconds: float) -> None:
        waited.append(seconds)
        await asyncio.sleep(0)

    transport = ScriptedTransport(Script(ceiling=100, latency=2.0, latency_per_token=0.01), note)

    async def run() -> None:
        await asyncio.gather(*(transport.send(a_call()) for _ in range(5)))

    asyncio.run(run())
    assert waited == [3.0] * 5
    assert transport.most_in_flight == 5


def test_a_cancelled_call_is_no_longer_in_flight() -> None:
    transport = ScriptedTransport(Script(latency=60))

    async def run() -> None:
        task = asyncio.create_task(transport.send(a_call()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert transport.in_flight == 0

    asyncio.run(run())
