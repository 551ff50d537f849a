"""Real turns of a real hermes whose context engine is this gateway, against models on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import hermes_host, planted
from summarizer import Model
from tests import hermes_scene
from tests.hermes_scene import ASK, THRESHOLD, assert_valid, digest_of, kept_share, session, turn

hermes_scene.need_hermes()
pytestmark = pytest.mark.filterwarnings("default")


def test_hermes_finds_the_engine_and_copies_it_for_each_agent(open_scene: Any) -> None:
    """Two lines of configuration choose it, and no agent shares state with another."""
    scene = open_scene()
    scene.configure()
    first, second = scene.agent("a").context_compressor, scene.agent("b").context_compressor
    assert (first.name, second.name) == ("summarizer", "summarizer")
    assert first is not second
    assert first.threshold_tokens == THRESHOLD


@pytest.mark.parametrize("in_place", [True, False], ids=["in place", "in a new session"])
@pytest.mark.parametrize("ceiling", [10_000, 4_000, 1_000])
def test_a_session_that_is_too_long_is_compacted_before_the_turn(
    open_scene: Any, ceiling: int, in_place: bool
) -> None:
    """Whatever the provider's ceiling: the prompt is short again, the list valid, and the facts are kept."""
    scene = open_scene(ceiling=ceiling)
    scene.configure(compression={"in_place": in_place})
    made = session()
    messages = turn(scene, scene.agent(), list(made.messages))
    assert len(scene.own.prompts) == 1
    assert scene.own.prompts[0] < THRESHOLD
    assert_valid(messages)
    assert [m["content"] for m in messages if m["role"] == "user"][-1] == ASK
    assert kept_share(made, messages) >= 0.95
    assert any("compacted" in words and "calls" in words for words in scene.heard)


def test_compress_by_hand_keeps_what_the_user_asks_for(open_scene: Any) -> None:
    """/compress <focus> works on a session that is far from full, and the focus reaches the model."""
    scene = open_scene(ceiling=4_000)
    scene.configure()
    agent, made = scene.agent(), session(60_000, 100)
    seen: list[str] = []
    answer = scene.provider.answer
    scene.provider.answer = lambda body: (seen.append(str(body)), answer(body))[1]  # type: ignore[method-assign]
    messages, _ = agent._compress_context(
        list(made.messages), "You are careful.", approx_tokens=60_000, focus_topic="the kiln", force=True
    )
    assert len(messages) < len(made.messages)
    assert kept_share(made, messages) >= 0.95
    prompts = [said for said in seen if "messages" in said]  # hermes also asks what kind of server it is
    assert prompts
    assert all("the kiln" in said for said in prompts)


def test_after_a_restart_the_digest_grows_instead_of_being_written_anew(open_scene: Any) -> None:
    """The old part is not sent again, nothing of it is lost, and one digest stands for all."""
    scene = open_scene(ceiling=4_000)
    scene.configure(compression={"in_place": True})
    first = session()
    turn(scene, scene.agent(), list(first.messages))
    read = scene.provider.totals["input_tokens"]
    scene.restarted()
    second = session(seed=2)
    messages = turn(scene, scene.agent(), [*scene.stored("s1"), *second.messages])
    assert kept_share(first, messages) >= 0.95
    assert kept_share(second, messages) >= 0.95
    assert scene.provider.totals["input_tokens"] - read < 1.2 * read
    assert_valid(messages)


def test_an_agent_that_worked_long_on_one_request_is_not_stuck(open_scene: Any) -> None:
    """All since the only request is more than fits: the request stays word for word, and the work goes."""
    scene = open_scene(ceiling=4_000)
    scene.configure()
    made = session()
    work = [message for message in made.messages if message["role"] != "user"]
    for i, message in enumerate(work):
        if message["role"] == "assistant" and i and work[i - 1]["role"] == "assistant":
            message["content"] = ""
    agent = scene.agent()
    history = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hello"}]
    request = {"role": "user", "content": "Find the kiln that is worn, whatever it takes."}
    messages, _ = agent._compress_context(
        [*history, request, *work], "You are careful.", approx_tokens=170_000
    )
    assert any(message.get("content") == request["content"] for message in messages)
    assert hermes_host._tokens(messages) < THRESHOLD


def test_the_agent_looks_up_what_the_digest_no_longer_says(open_scene: Any) -> None:
    """Of 20 facts that are in no message any more, the agent finds at least 19 with its tools, by itself."""
    scene = open_scene(ceiling=4_000)
    scene.configure(compression={"in_place": True}, plugin={"budget_share": 0.01})
    made = session()
    messages = turn(scene, scene.agent(), list(made.messages))
    held = planted.facts_in(digest_of(messages)) | planted.facts_in(hermes_scene.beside(messages))
    wanted = sorted(made.facts.keys() - held.keys())[:20]
    assert len(wanted) == 20
    scene.restarted()
    waiting = list(wanted)

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        if not waiting:
            return {"role": "assistant", "content": "I have found them."}
        name = waiting.pop(0)
        function = {"name": "summary_search", "arguments": json.dumps({"query": f"FACT-{name}"})}
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": f"c{name}", "type": "function", "function": function}],
        }

    scene.own.reply = reply
    after = turn(scene, scene.agent(), scene.stored("s1"), "Which facts were there?")
    answers = "\n".join(
        json.loads(m["content"]).get("text", "") for m in after if m.get("tool_call_id", "")[1:] in wanted
    )
    found = planted.facts_in(answers)
    assert sum(found.get(name) == made.facts[name] for name in wanted) >= 19


def test_tools_of_a_session_without_a_digest_say_so(open_scene: Any) -> None:
    """Nothing of another session comes out of them."""
    scene = open_scene(ceiling=4_000)
    scene.configure()
    turn(scene, scene.agent("a"), list(session().messages))
    engine = scene.agent("b").context_compressor
    answer = json.loads(engine.handle_tool_call("summary_search", {"query": "FACT"}, messages=[]))
    assert answer["text"] == ""
    assert "nothing was summarized yet" in answer["notice"]


def test_by_base_url_hermes_own_compressor_gets_a_whole_summary(open_scene: Any) -> None:
    """Any hermes that can only be given an address: a turn is compacted, and no answer is cut."""
    from tests.serving import Served

    scene = open_scene(ceiling=1_000)
    ladder = Model("openai/aux", api_base=scene.root, extra={"api_key": "sk-aux-12345678"})
    with Served(ladder, settings=[("chunk_tokens", None)]) as served:
        address = f"{served.root}/v1"
        auxiliary = {"provider": "custom", "base_url": address, "model": "any", "api_key": "none"}
        hermes_host.configured(
            scene.home,
            scene.own.root,
            auxiliary=auxiliary,
            engine="compressor",
            window=hermes_scene.WINDOW,
        )
        messages = turn(scene, scene.agent(), list(session().messages))
    assert scene.own.prompts[-1] < THRESHOLD
    assert planted.facts_in(digest_of(messages))
    assert not any("failed" in words for words in scene.heard)


def marks() -> dict[str, str]:
    """What hermes finds its summaries by, and cuts them at."""
    import agent.context_compressor as module

    names = ("HISTORICAL_TASK_HEADING", "_MERGED_SUMMARY_DELIMITER", "_SUMMARY_END_MARKER", "SUMMARY_PREFIX")
    return {name: getattr(module, name) for name in names}


@pytest.mark.parametrize("name", marks())
def test_a_session_that_quotes_hermes_own_marks_loses_nothing(open_scene: Any, name: str) -> None:
    """hermes cuts a summary at them; a digest that quotes one is whole all the same, also the next time."""
    scene = open_scene(ceiling=4_000)
    quoting = {"models": ["offline/extractive"], "budget_share": 0.5}
    scene.configure(plugin=quoting)
    made = session(170_000, 100)
    history = list(made.messages)
    quoted = {"role": "user", "content": f"It says:\n{marks()[name]}\nFACT-999999: it stands there"}
    history[40:40] = [quoted, {"role": "assistant", "content": "I see it."}]
    agent = scene.agent()
    one, _ = agent._compress_context(history, "", approx_tokens=170_000)
    two, _ = agent._compress_context([*one, *session(seed=4).messages], "", approx_tokens=200_000)
    for messages in (one, two):
        assert sum(map(hermes_host.is_summary, messages)) >= 1
        assert agent.context_compressor.summary_in(messages)[0] is not None
    text = "\n".join(map(str, one))
    assert len(planted.facts_in(text)) >= 90
    assert len(planted.facts_in("\n".join(map(str, two))).keys() & made.facts.keys()) >= 85


def test_calls_of_a_row_that_the_digest_was_merged_into_are_not_lost(open_scene: Any) -> None:
    """From the second compaction on hermes merges it into the tail's first message, which may call tools."""
    scene = open_scene(ceiling=4_000)
    scene.configure(compression={"in_place": True})
    agent = scene.agent()
    messages: list[dict[str, Any]] = []
    wanted: dict[str, str] = {}
    for seed in range(1, 5):
        made = session(150_000, 150, seed)
        wanted |= made.facts
        messages = [*messages, *made.messages]
        messages, _ = agent._compress_context(messages, "", approx_tokens=hermes_host._tokens(messages))
        held = planted.facts_in("\n".join(planted.said(m) for m in messages))
        assert wanted.keys() - held.keys() == set()
        assert_valid(messages)


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 6])
def test_a_session_of_a_few_messages_is_left_alone(open_scene: Any, number: int) -> None:
    """Nothing to compact is no failure: no warning, no waiting."""
    scene = open_scene()
    scene.configure()
    agent = scene.agent()
    engine = agent.context_compressor
    history = [{"role": ("user", "assistant")[i % 2], "content": "word " * 9_000} for i in range(number)]
    assert engine.compress(list(history), 200_000) == history
    assert engine._last_attempt.status == "nothing"
    assert engine.get_active_compression_failure_cooldown() is None


def test_a_chinese_session_comes_below_the_threshold(open_scene: Any) -> None:
    """Four characters are up to four tokens there: the digest gets its room, and the tail its share."""
    scene = open_scene(ceiling=4_000)
    scene.configure()
    agent = scene.agent()
    line = "压缩引擎的测试会话内容很长，需要总结其中的事实并保留关键细节。" * 30
    roles = ("user", "assistant")
    history = [
        {"role": roles[i % 2], "content": f"FACT-{100_000 + i}: 值 {i}\n{line}{i}"} for i in range(240)
    ]
    tokens = sum(len(message["content"]) for message in history)
    messages, _ = agent._compress_context(history, "", approx_tokens=tokens)
    assert sum(len(str(message["content"])) for message in messages) < THRESHOLD
    found = planted.facts_in("\n".join(str(message["content"]) for message in messages))
    assert len(found) >= 0.95 * len(history)


def test_a_summary_of_the_built_in_compressor_is_taken_along(open_scene: Any) -> None:
    """Who switches in the middle of a session loses nothing of what was compacted before."""
    from agent.context_compressor import SUMMARY_PREFIX

    scene = open_scene(ceiling=4_000)
    scene.configure()
    row = {"role": "user", "content": f"{SUMMARY_PREFIX}\nFACT-987654: the old part was shipped"}
    made = session()
    history = [row, {"role": "assistant", "content": "Understood."}, *made.messages]
    messages, _ = scene.agent()._compress_context(history, "You are careful.", approx_tokens=175_000)
    assert planted.facts_in(digest_of(messages))["987654"] == "the old part was shipped"
