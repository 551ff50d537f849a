"""A real hermes whose provider fails, whose configuration is wrong, or which is another inside."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from benchmarks import planted
from tests import hermes_scene
from tests.hermes_scene import THRESHOLD, assert_valid, digest_of, kept_share, session, silent, turn

hermes_scene.need_hermes()
pytestmark = pytest.mark.filterwarnings("default")


def test_what_a_provider_does_not_cover_stays_word_for_word(open_scene: Any) -> None:
    """With abort_on_summary_failure a message only goes if the digest stands for it; the rest comes later."""
    scene = open_scene(ceiling=1_000)
    scene.configure(compression={"abort_on_summary_failure": True, "in_place": True}, plugin={"deadline": 20})
    made = session()
    scene.provider.configure({"outage": "12-100000"})
    agent = scene.agent()
    before = list(made.messages)
    messages, _ = agent._compress_context(before, "You are careful.", approx_tokens=175_000)
    assert len(messages) < len(before)
    known = planted.facts_in(digest_of(messages)) | planted.facts_in(hermes_scene.beside(messages))
    assert known == made.facts
    assert_valid(messages)
    assert any("stay as they are" in words and "next try" in words for words in scene.heard)
    scene.provider.configure({"outage": ""})
    again, _ = agent._compress_context(messages, "You are careful.", approx_tokens=175_000, force=True)
    assert len(again) < len(messages)
    assert kept_share(made, again) >= 0.95
    assert planted.facts_in(digest_of(again)) | planted.facts_in(hermes_scene.beside(again)) == made.facts


FAULTS = {
    "down": {"outage": "1-1000000"},
    "answering nothing": {"empty_rate": 1.0},
    "refusing": {"refuse": "FACT-"},
    "answering no JSON": {"garbage_rate": 1.0},
}


@pytest.mark.parametrize("script", FAULTS.values(), ids=FAULTS)
def test_a_provider_that_fails_costs_no_message_and_is_told(open_scene: Any, script: dict[str, Any]) -> None:
    """The list is as it was, the user reads why and when the next try is, and the turn goes on."""
    scene = open_scene(**script)
    scene.own.summarizer = silent
    scene.configure(compression={"abort_on_summary_failure": True}, plugin={"deadline": 5})
    made = session()
    agent = scene.agent()
    messages, _ = agent._compress_context(list(made.messages), "You are careful.", approx_tokens=175_000)
    assert messages == list(made.messages)
    engine = agent.context_compressor
    assert "next try" in (engine._last_summary_error or "")
    assert engine.get_active_compression_failure_cooldown()["remaining_seconds"] > 0
    assert any("No messages were dropped" in words for words in scene.heard)
    assert not engine.should_compress(175_000)


def test_failures_in_a_row_are_counted_over_restarts(open_scene: Any) -> None:
    """The third failure says that it is the third, although hermes was started anew in between."""
    scene = open_scene(outage="1-1000000")
    scene.own.summarizer = silent
    scene.configure(compression={"abort_on_summary_failure": True}, plugin={"deadline": 3})
    made = session()
    for _ in range(3):
        agent = scene.agent()
        agent._compress_context(list(made.messages), "You are careful.", approx_tokens=175_000, force=True)
        scene.restarted()
    assert "3 failures in a row, next try" in agent.context_compressor._last_summary_error


def test_without_a_working_model_the_offline_one_stands_in(open_scene: Any) -> None:
    """By default the session goes on rather than wait, and the user reads which model failed."""
    scene = open_scene(outage="1-1000000")
    scene.own.summarizer = silent
    scene.configure()
    messages = turn(scene, scene.agent(), list(session().messages))
    assert scene.own.prompts[-1] < THRESHOLD
    assert_valid(messages)
    assert any("the offline model stood in" in words and "openai/aux" in words for words in scene.heard)


def test_a_slow_provider_costs_the_deadline_and_no_message(open_scene: Any) -> None:
    """What is done by then is used, and the rest stays word for word."""
    scene = open_scene(ceiling=1_000)
    scene.configure(compression={"abort_on_summary_failure": True, "in_place": True}, plugin={"deadline": 4})
    scene.own.summarizer = silent
    made = session()
    agent = scene.agent()
    messages, _ = agent._compress_context(list(made.messages), "You are careful.", approx_tokens=175_000)
    scene.provider.configure({"latency": 60.0})
    grown = [*messages, *session(seed=3).messages]
    again, _ = agent._compress_context(grown, "You are careful.", approx_tokens=200_000, force=True)
    facts = planted.facts_in(hermes_scene.beside(again)) | planted.facts_in(digest_of(again))
    assert facts.keys() >= made.facts.keys() | session(seed=3).facts.keys()
    assert any("out of time" in words for words in scene.heard)


def test_settings_that_cannot_be_read_are_said_and_nothing_is_lost(
    open_scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake in the gateway's own settings is no exception in the agent's turn."""
    scene = open_scene()
    scene.configure()
    monkeypatch.setenv("SUMMARIZER_CONCURRENCY", "many")
    agent, made = scene.agent(), session()
    messages, _ = agent._compress_context(list(made.messages), "You are careful.", approx_tokens=175_000)
    assert messages == list(made.messages)
    assert "concurrency" in agent.context_compressor._last_summary_error.lower()


def test_a_host_that_changed_is_told_about_and_left_alone(
    open_scene: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where a method is not as expected, one line names the other way, and hermes' own compressor is used."""
    from agent.context_compressor import ContextCompressor

    scene = open_scene()
    monkeypatch.delattr(ContextCompressor, "_prune_old_tool_results")
    with caplog.at_level(logging.WARNING, "summarizer.hermes"):
        scene.configure()
    (record,) = [each for each in caplog.records if each.name == "summarizer.hermes"]
    assert "_prune_old_tool_results is missing" in record.message
    assert "auxiliary.compression.base_url" in record.message
    assert scene.agent().context_compressor.name == "compressor"


def test_no_key_is_in_what_is_said_or_logged(open_scene: Any, caplog: pytest.LogCaptureFixture) -> None:
    """hermes' keys go to the provider and nowhere else."""
    scene = open_scene(outage="1-1000000")
    scene.own.summarizer = silent
    scene.configure(compression={"abort_on_summary_failure": True}, plugin={"deadline": 3})
    agent = scene.agent()
    with caplog.at_level(logging.DEBUG, "summarizer"):
        agent._compress_context(list(session().messages), "You are careful.", approx_tokens=175_000)
    said = "\n".join([*scene.heard, *(r.getMessage() for r in caplog.records if "summarizer" in r.name)])
    assert "sk-aux" not in said
    assert "session=s1" in said
