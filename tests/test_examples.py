"""The examples: prompts stay short, nothing is lost, and no provider's failure stops an agent.

LangChain and the Agents SDK are the real ones; the models that they talk to are made up.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import count as numbers
from pathlib import Path
from typing import Any

import pytest

from summarizer import Complete, Partial, load_result
from summarizer.compaction import HEADING
from summarizer.messages import as_records
from summarizer_providers.tokens import get_counter

CONTEXT = 8_000
FAITHFUL = "scripted/ceiling=4096"  # repeats the facts that it reads
DOWN = "openai/gpt-4o-mini"  # whose key is missing
PICKY = "scripted/ceiling=4096,poison=POISON"
Message = dict[str, Any]

bare = import_module("examples.bare_loop")


def page(number: int) -> str:
    """What a tool gives: a fact, and about 250 tokens around it."""
    return f"FACT-{number:06d}: shelf {number}\n" + "The shelves were counted by hand. " * 35


def facts(text: str) -> set[int]:
    return {number for number in range(1, 101) if f"FACT-{number:06d}: shelf {number}\n" in f"{text}\n"}


def said(messages: list[Message]) -> str:
    return "\n".join(record.text for record in as_records(messages))


def size(messages: list[Message]) -> int:
    return get_counter().count(said(messages))


def check(messages: list[Message], question: str) -> None:
    """A list that a chat API accepts: each result after its call, each call with its result; and the task."""
    records = as_records(messages)
    made = [call for record in records for call in record.calls]
    answered = [record.answers for record in records if record.answers]
    assert made == answered
    assert any(record.role == "user" and record.text == question for record in records)


# A bare loop -----------------------------------------------------------------------------------------------

QUESTION = "Read the pages, please."


class Reader:
    """A made-up model in OpenAI's chat format: it asks for so many pages, one after the other."""

    def __init__(self, pages: int) -> None:
        self.pages, self.prompts = pages, []  # type: int, list[list[Message]]

    def __call__(self, messages: list[Message]) -> Message:
        self.prompts.append(messages)
        number = len(self.prompts)
        if number > self.pages:
            return {"role": "assistant", "content": "Read."}
        function = {"name": "read_page", "arguments": json.dumps({"page": number})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def read(ladder: list[str], pages: int = 60, text: Callable[[int], str] = page) -> tuple[Reader, Any, Any]:
    """The model with its prompts, the log and the last digest of a loop that read so many pages."""
    model, log = Reader(pages), [bare.SYSTEM, {"role": "user", "content": QUESTION}]
    digest = bare.loop(model, lambda _, given: text(json.loads(given)["page"]), log, CONTEXT, ladder)
    for messages in model.prompts[1:]:
        check(messages, QUESTION)
        assert messages[0] == bare.SYSTEM
    return model, log, digest


def test_a_loops_prompts_stay_short_and_keep_every_fact() -> None:
    """Sixty pages of 250 tokens in a context of 8,000."""
    model, log, digest = read([FAITHFUL])
    assert isinstance(digest, Complete)
    assert len(log) == 2 + 2 * 60 + 1
    assert max(map(size, model.prompts)) <= CONTEXT * 0.6
    assert all(facts(said(messages)) == set(range(1, i + 1)) for i, messages in enumerate(model.prompts))


def test_a_loop_goes_on_while_the_provider_is_down() -> None:
    """Nothing is raised; all is sent as it was, until there is a model that answers."""
    model, log, digest = read([DOWN], 25)
    assert isinstance(digest, Partial)
    assert model.prompts[-1] == log[:-1]
    messages, digest = bare.prompt(log, digest, CONTEXT, [FAITHFUL])
    assert isinstance(digest, Complete)
    assert size(messages) < CONTEXT * 0.6
    assert facts(said(messages)) == set(range(1, 26))


def test_what_a_model_refuses_stays_in_the_loop_word_for_word() -> None:
    """One result that no model reads: its call stays with it, all else goes into the digest."""
    model, _, digest = read([PICKY], 40, lambda n: page(n) + "POISON" * (n == 5))
    assert isinstance(digest, Partial)
    assert digest.coverage.missing < 4
    assert max(map(size, model.prompts)) <= CONTEXT * 0.6
    assert page(5) + "POISON" in [message["content"] for message in model.prompts[-1]]
    assert facts(said(model.prompts[-1])) == set(range(1, 41))


# LangChain -------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def untraced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have switched on that LangChain sends what agents do to a server."""
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "false")


@pytest.fixture(scope="module")
def langchain() -> Any:
    pytest.importorskip("langchain", reason="langchain is not installed: pip install -e '.[examples]'")
    return import_module("examples.langchain_middleware")


def agent_of(langchain: Any, models: list[str], pages: int = 40, text: Callable[[int], str] = page) -> Any:
    """An agent whose model reads so many pages a question, and the prompts that the model was sent."""
    from langchain.agents import create_agent
    from langchain_core.messages import AIMessage, convert_to_openai_messages
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langgraph.checkpoint.memory import InMemorySaver

    prompts: list[list[Message]] = []
    number = numbers(1)

    class Model(langchain.Reader):  # type: ignore[misc, name-defined]
        def _generate(self, messages: Any, *others: Any, **settings: Any) -> Any:
            prompts.append(convert_to_openai_messages(messages))
            turn = len(prompts) % (pages + 1)
            call = {"name": "read_page", "args": {}, "id": f"call_{len(prompts)}"}
            message = AIMessage("", tool_calls=[call]) if turn else AIMessage("Read.")
            return ChatResult(generations=[ChatGeneration(message=message)])

    def read_page() -> str:
        """Read the next page."""
        return text(next(number))

    middleware = langchain.SummarizerMiddleware(CONTEXT, models)
    agent = create_agent(
        Model(), [read_page], system_prompt="Be brief.", middleware=[middleware], checkpointer=InMemorySaver()
    )
    return agent, prompts


def asking(question: str) -> tuple[Any, Any]:
    """The arguments with which one thread is asked."""
    config = {"configurable": {"thread_id": "1"}, "recursion_limit": 1_000}
    return {"messages": [{"role": "user", "content": question}]}, config


def digest_in(agent: Any) -> Complete | Partial:
    return load_result(agent.get_state({"configurable": {"thread_id": "1"}}).values["digest"])


def test_langchains_prompts_stay_short_from_question_to_question(langchain: Any) -> None:
    """The digest is kept with the thread and goes on; the thread's own messages stay as they are."""
    agent, prompts = agent_of(langchain, [FAITHFUL])
    for question in ("Read forty pages.", "Read forty more."):
        state = agent.invoke(*asking(question))
        assert "digest" not in state
    assert len(state["messages"]) == 2 * (1 + 2 * 40 + 1)
    assert len(prompts) == 82
    for i, messages in enumerate(prompts):
        assert messages[0] == {"role": "system", "content": "Be brief."}
        assert facts(said(messages)) == set(range(1, i - i // 41 + 1))
        if i % 41:
            check(messages, "Read forty more." if i > 41 else "Read forty pages.")
    assert max(map(size, prompts)) <= CONTEXT * 0.6
    assert digest_in(agent).coverage.total > 100


def test_langchains_async_agents_are_sent_the_same(langchain: Any) -> None:
    sync, prompts = agent_of(langchain, [FAITHFUL])
    sync.invoke(*asking("Read."))
    other, more = agent_of(langchain, [FAITHFUL])
    asyncio.run(other.ainvoke(*asking("Read.")))
    assert more == prompts
    assert HEADING in said(more[-1])


def test_langchain_goes_on_while_the_provider_is_down(langchain: Any) -> None:
    agent, prompts = agent_of(langchain, [DOWN], 25)
    state = agent.invoke(*asking("Read."))
    assert isinstance(digest_in(agent), Partial)
    assert len(prompts[-1]) == len(state["messages"])  # without the answer, with the system's
    check(prompts[-1], "Read.")


def test_what_a_model_refuses_stays_in_langchains_prompt(langchain: Any) -> None:
    agent, prompts = agent_of(langchain, [PICKY], 40, lambda n: page(n) + "POISON" * (n == 5))
    agent.invoke(*asking("Read."))
    check(prompts[-1], "Read.")
    assert page(5) + "POISON" in [message["content"] for message in prompts[-1]]
    assert facts(said(prompts[-1])) == set(range(1, 41))


def test_messages_that_were_removed_from_the_thread_begin_a_new_digest(langchain: Any) -> None:
    from langchain_core.messages import HumanMessage, RemoveMessage
    from langgraph.graph.message import REMOVE_ALL_MESSAGES

    agent, prompts = agent_of(langchain, [FAITHFUL])
    agent.invoke(*asking("Read."))
    asked = [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("Read again.")]
    agent.invoke({"messages": asked}, asking("")[1])
    assert [message["content"] for message in prompts[41]] == ["Be brief.", "Read again."]
    assert facts(said(prompts[-1])) == set(range(41, 81))


# OpenAI's Agents SDK ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def agents() -> Any:
    pytest.importorskip("agents", reason="openai-agents is not installed: pip install -e '.[examples]'")
    return import_module("examples.openai_agents_session")


class Conversation:
    """An agent of the SDK that reads a page a question, in one session; ``given`` are the model's inputs."""

    def __init__(
        self, example: Any, models: list[str], text: Callable[[int], str] = page, **more: Any
    ) -> None:
        from agents import Agent, RunConfig, SQLiteSession, function_tool

        self.model = example.Reader()

        def read_page(page: int) -> str:
            return text(page)

        self.agent = Agent("reader", model=self.model, tools=[function_tool(read_page)])
        self.session = example.SummarizedSession(SQLiteSession("1"), CONTEXT, models, **more)
        self.config = RunConfig(tracing_disabled=True)

    @property
    def given(self) -> list[list[Message]]:
        given: list[list[Message]] = self.model.given
        return given

    async def ask(self, question: str) -> str:
        from agents import Runner

        result = await Runner.run(self.agent, question, session=self.session, run_config=self.config)
        return str(result.final_output)

    async def read(self, pages: int) -> None:
        for number in range(1, pages + 1):
            question = f"Read page {number}."
            await self.ask(question)
            check(self.given[-1], question)


def test_a_sessions_items_stay_few_and_keep_every_fact(agents: Any) -> None:
    """Forty runs; the session around which it stands has all of the items."""
    talk = Conversation(agents, [FAITHFUL])
    asyncio.run(talk.read(40))
    assert isinstance(talk.session.digest, Complete)
    assert max(map(size, talk.given)) <= CONTEXT * 0.6 + 300  # the question and the page come after
    assert all(facts(said(items)) == set(range(1, i // 2 + i % 2 + 1)) for i, items in enumerate(talk.given))
    assert len(asyncio.run(talk.session.inner.get_items())) == 160


def test_a_session_goes_on_while_the_provider_is_down(agents: Any) -> None:
    talk = Conversation(agents, [DOWN])
    asyncio.run(talk.read(25))
    assert isinstance(talk.session.digest, Partial)
    assert len(talk.given[-1]) == 4 * 25 - 1


def test_what_a_model_refuses_stays_in_the_session(agents: Any) -> None:
    talk = Conversation(agents, [PICKY], lambda n: page(n) + "POISON" * (n == 5))
    asyncio.run(talk.read(30))
    assert isinstance(talk.session.digest, Partial)
    assert page(5) + "POISON" in [each.get("output") for each in talk.given[-1]]
    assert facts(said(talk.given[-1])) == set(range(1, 31))


def test_a_session_goes_on_from_a_digest_that_was_kept(agents: Any) -> None:
    talk = Conversation(agents, [FAITHFUL])
    asyncio.run(talk.read(30))
    kept = load_result(talk.session.digest.to_json())
    again = agents.SummarizedSession(talk.session.inner, CONTEXT, [DOWN], kept)
    assert asyncio.run(again.get_items()) == asyncio.run(talk.session.get_items())


def test_a_session_answers_its_protocol(agents: Any) -> None:
    """The latest items word for word, taken back one by one, and forgotten."""
    from agents.memory import Session

    async def use() -> None:
        talk = Conversation(agents, [FAITHFUL])
        assert isinstance(talk.session, Session)
        await talk.read(30)
        everything = await talk.session.inner.get_items()
        assert HEADING in said(await talk.session.get_items())
        assert await talk.session.get_items(3) == everything[-3:]
        for each in reversed(everything[20:]):
            assert await talk.session.pop_item() == each
        assert talk.session.digest is None
        assert await talk.session.get_items() == everything[:20]
        await talk.session.add_items([{"role": "user", "content": "more"}])
        assert said((await talk.session.get_items())[-1:]) == "more"
        await talk.session.clear_session()
        assert await talk.session.get_items() == []

    asyncio.run(use())


# As scripts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "needs", "shown"),
    [
        ("bare_loop", "summarizer", "203 messages, "),
        ("langchain_middleware", "langchain", "202 messages; the last: I have read all of it."),
        ("openai_agents_session", "agents", "page 50: 200 items in the session, "),
    ],
)
def test_each_runs_as_it_is_without_a_key_or_a_network(root: Path, name: str, needs: str, shown: str) -> None:
    pytest.importorskip(needs)
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = ['providers']; import runpy; {RUN}", name],
        capture_output=True,
        text=True,
        cwd=root,
    )
    assert ran.returncode == 0, ran.stderr
    assert shown in ran.stdout


RUN = "runpy.run_path(f'examples/{sys.argv[1]}.py', run_name='__main__')"
