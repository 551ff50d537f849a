"""OpenAI's Agents SDK: a session whose items stay few, however long the conversation becomes.

    pip install openai-agents
    python examples/openai_agents_session.py

    session = SummarizedSession(SQLiteSession("user-7", "conversations.db"), context=128_000)
    await Runner.run(agent, "…", session=session)

It stands around any other session, which keeps every item. When the items that a run would be given have
outgrown 60 % of the model's context, all but the recent past go into a digest of at most 15 % of it, which
goes on from the one before (`previous=`). If a provider fails, what the digest lacks is given word for word,
and tried again before the next run: nothing is raised, nothing is lost. `session.digest.to_json()` is worth
keeping beside the conversation: after a restart the next session goes on from it.

The model here is made up, so that it runs without a key or a network.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from agents import (
    Agent,
    ModelResponse,
    RunConfig,
    Runner,
    SQLiteSession,
    TResponseInputItem,
    Usage,
    function_tool,
)
from agents.memory import Session, SessionABC
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import summarizer
from summarizer import Complete, Partial, asummarize
from summarizer.compaction import due, shortened

__all__ = ["Reader", "SummarizedSession", "main", "read_page"]

EVERYTHING = 2**31 - 1
"""Items: without a number, a session may give no more than its settings say."""


class SummarizedSession(SessionABC):
    """A session that gives a digest instead of old items. `context` is the model's, in tokens; `models` is
    the ladder of those that summarize, first choice first; `digest` an earlier one to go on from."""

    def __init__(
        self,
        inner: Session,
        context: int,
        models: Sequence[str | summarizer.Model] = ("offline/extractive",),
        digest: Complete | Partial | None = None,
    ) -> None:
        self.session_id, self.session_settings = inner.session_id, None  # a limit would cut the digest off
        self.inner, self.context, self.models, self.digest = inner, context, models, digest

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The digest and the items that it does not stand for; with `limit` the latest of the items."""
        if limit is not None:
            return await self.inner.get_items(limit)
        log = await self.inner.get_items(EVERYTHING)
        limit, keep = self.context * 60 // 100, self.context * 20 // 100
        if records := await asyncio.to_thread(due, log, self.digest, limit=limit, keep=keep):
            budget = self.context * 15 // 100
            self.digest = await asummarize(records, budget, models=self.models, previous=self.digest)
        return shortened(log, self.digest, lambda text: {"role": "user", "content": text})

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep new items."""
        await self.inner.add_items(items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take back the latest item; a digest that stands for it is dropped."""
        item = await self.inner.pop_item()
        if self.digest and self.digest.coverage.total > len(await self.inner.get_items(EVERYTHING)):
            self.digest = None
        return item

    async def clear_session(self) -> None:
        """Forget all of it."""
        await self.inner.clear_session()
        self.digest = None


class Reader(Model):
    """A made-up model: asked for a page, it calls `read_page` for it, and then says that it has read it."""

    def __init__(self) -> None:
        self.given: list[list[Any]] = []

    async def get_response(self, *others: Any, **given: Any) -> ModelResponse:
        """A call of the tool, or an answer to its result."""
        self.given.append(given["input"])
        return ModelResponse([self._output(given["input"][-1])], Usage(), None)

    def _output(self, last: Any) -> ResponseFunctionToolCall | ResponseOutputMessage:
        number = len(self.given)
        if last.get("type") == "function_call_output":
            text = ResponseOutputText(type="output_text", text="I have read it.", annotations=[])
            return ResponseOutputMessage(
                id=f"msg_{number}", type="message", role="assistant", status="completed", content=[text]
            )
        arguments = f'{{"page": {number // 2 + 1}}}'
        return ResponseFunctionToolCall(
            type="function_call", call_id=f"call_{number}", name="read_page", arguments=arguments
        )

    def stream_response(self, *others: Any, **given: Any) -> AsyncIterator[Any]:
        """It only answers whole."""
        raise NotImplementedError


@function_tool
def read_page(page: int) -> str:
    """Read a page."""
    return "\n".join(
        f"Page {page}, line {line}: shelf {page * line} holds {line} books." for line in range(1, 21)
    )


async def main() -> None:
    """Let the made-up model read fifty pages, and show how many items it was given."""
    model = Reader()
    agent = Agent("reader", model=model, tools=[read_page])
    session = SummarizedSession(SQLiteSession("example"), context=8_000)
    for page in range(1, 51):
        await Runner.run(
            agent, f"Read page {page}, please.", session=session, run_config=RunConfig(tracing_disabled=True)
        )
        if page % 5 == 0:
            kept = len(await session.inner.get_items())
            print(f"page {page}: {kept} items in the session, {len(model.given[-1])} given to the model")


if __name__ == "__main__":
    asyncio.run(main())
