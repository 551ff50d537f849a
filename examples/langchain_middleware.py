"""LangChain: a middleware with which an agent's prompts stay short, however long its thread becomes.

    pip install langchain
    python examples/langchain_middleware.py

    agent = create_agent(model, tools, middleware=[SummarizerMiddleware(128_000)], checkpointer=…)

When the messages of the thread outgrow 60 % of the model's context, all but the recent past go into a digest
of at most 15 % of it, which goes on from the one before (`previous=`). It is kept in the agent's state, so
that a checkpointer keeps it with the thread. The thread's messages stay as they are; only what the model is
sent is short. If a provider fails, what the digest lacks is sent word for word, and tried again before the
next call: nothing is raised, nothing is lost.

The chat model here is made up, so that it runs without a key or a network.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NotRequired

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langgraph.runtime import Runtime

from summarizer import Complete, Model, Partial, load_result, summarize
from summarizer.compaction import due, shortened

__all__ = ["Reader", "SummarizerMiddleware", "main", "read_page"]


class DigestState(AgentState[Any]):
    """The agent's state with the digest of its messages, as JSON."""

    digest: NotRequired[Annotated[str, PrivateStateAttr]]


class SummarizerMiddleware(AgentMiddleware[DigestState]):
    """Sends a digest instead of old messages. `context` is the model's, in tokens; `models` is the ladder of
    those that summarize, first choice first."""

    state_schema = DigestState

    def __init__(self, context: int, models: Sequence[str | Model] = ("offline/extractive",)) -> None:
        super().__init__()
        self.context, self.models = context, models

    def before_model(self, state: DigestState, runtime: Runtime[None]) -> dict[str, Any] | None:
        """Renew the digest when the messages have become too long."""
        log, before = state["messages"], digest_of(state)
        records = due(log, before, limit=self.context * 60 // 100, keep=self.context * 20 // 100)
        if not records:
            return None
        digest = summarize(records, self.context * 15 // 100, models=self.models, previous=before)
        return {"digest": digest.to_json()}

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Ask the model with the digest."""
        return handler(short(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """The same for `ainvoke` and `astream`."""
        return await handler(short(request))


def digest_of(state: Any) -> Complete | Partial | None:
    """The digest that the state holds, unless messages that it stands for were removed since."""
    digest = load_result(state["digest"]) if "digest" in state else None
    return digest if digest and digest.coverage.total <= len(state["messages"]) else None


def short(request: ModelRequest) -> ModelRequest:
    """The request with the digest in the place of what it stands for."""
    return request.override(messages=shortened(request.messages, digest_of(request.state), HumanMessage))


class Reader(BaseChatModel):
    """A made-up chat model: it calls `read_page` for the next page until it has read a hundred."""

    lengths: list[int] = []  # noqa: RUF012 - a pydantic field: each model has its own

    @property
    def _llm_type(self) -> str:
        return "made-up"

    def bind_tools(self, tools: Any, **settings: Any) -> Runnable[Any, AIMessage]:
        """It knows its tool already."""
        return self

    def _generate(self, messages: list[BaseMessage], *others: Any, **settings: Any) -> ChatResult:
        self.lengths.append(len(messages))
        page = len(self.lengths)
        call = ToolCall(name="read_page", args={"page": page}, id=f"call_{page}")
        done = AIMessage("I have read all of it.")
        message = AIMessage("", tool_calls=[call]) if page <= 100 else done
        return ChatResult(generations=[ChatGeneration(message=message)])


def read_page(page: int) -> str:
    """Read a page."""
    return "\n".join(
        f"Page {page}, line {line}: shelf {page * line} holds {line} books." for line in range(1, 21)
    )


def main() -> None:
    """Let the made-up model read a hundred pages, and show how many messages it was sent."""
    model = Reader()
    agent = create_agent(model, [read_page], middleware=[SummarizerMiddleware(context=8_000)])
    question = HumanMessage("Read pages 1 to 100, please.")
    state = agent.invoke({"messages": [question]}, {"recursion_limit": 1_000})
    for turn in range(9, 100, 10):
        print(f"turn {turn + 1}: {2 * turn + 1} messages in the thread, {model.lengths[turn]} sent")
    print(f"{len(state['messages'])} messages; the last: {state['messages'][-1].content}")


if __name__ == "__main__":
    main()
