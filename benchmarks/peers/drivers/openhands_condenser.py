"""OpenHands' summarizing condenser in the comparison, on events as its agent records them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from openhands.sdk import LLM, Message, TextContent  # type: ignore[import-not-found,unused-ignore]
from openhands.sdk.context.condenser import (  # type: ignore[import-not-found,unused-ignore]
    LLMSummarizingCondenser,
)
from openhands.sdk.context.view import View  # type: ignore[import-not-found,unused-ignore]
from openhands.sdk.event import (  # type: ignore[import-not-found,unused-ignore]
    ActionEvent,
    Condensation,
    CondensationRequest,
    MessageEvent,
    ObservationEvent,
)
from openhands.sdk.llm import MessageToolCall, content_to_str  # type: ignore[import-not-found,unused-ignore]
from openhands.sdk.tool import Observation  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.job import Done, Job

__all__ = ["compact"]


class ToolOutput(Observation):  # type: ignore[misc,unused-ignore]
    """What a tool gave, as text."""


def compact(job: Job) -> Done:
    """One condensation that forgets all events but the last, and the view that is left after it. Where none
    came about, it is asked for one as the agent asks when a prompt was too long.
    """
    llm = LLM(
        model=f"openai/{job.model}",
        base_url=job.base_url,
        api_key="local",
        max_input_tokens=job.window,
        max_output_tokens=job.budget,
        usage_id="condenser",
    )
    events = list(_events(job.messages))
    condenser = LLMSummarizingCondenser(llm=llm, max_size=4, keep_first=0)
    condensed = condenser.condense(View.from_events(events))
    if isinstance(condensed, View):  # it could not
        events.append(CondensationRequest())
        condensed = condenser.condense(View.from_events(events))
    if isinstance(condensed, Condensation):
        condensed = View.from_events([*events, condensed])
    texts = (content_to_str(event.to_llm_message().content) for event in condensed.events)
    return Done("\n\n".join("".join(parts) for parts in texts))


def _events(messages: Sequence[dict[str, Any]]) -> Iterator[Any]:
    actions: dict[str, ActionEvent] = {}
    for number, message in enumerate(messages):
        content = [TextContent(text=message["content"] or "")]
        if message["role"] == "tool":
            action = actions[message["tool_call_id"]]
            yield ObservationEvent(
                observation=ToolOutput(content=content),
                action_id=action.id,
                tool_name=action.tool_name,
                tool_call_id=action.tool_call_id,
            )
        elif message.get("tool_calls"):
            for each in message["tool_calls"]:
                actions[each["id"]] = _action(each, content, number)
                yield actions[each["id"]]
                content = []
        else:
            source = "agent" if message["role"] == "assistant" else "user"
            said = Message(role="assistant" if source == "agent" else "user", content=content)
            yield MessageEvent(source=source, llm_message=said)


def _action(call: dict[str, Any], thought: Sequence[TextContent], number: int) -> ActionEvent:
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    tool_call = MessageToolCall(id=call["id"], name=name, arguments=arguments, origin="completion")
    return ActionEvent(
        thought=thought,
        action=None,
        tool_name=name,
        tool_call_id=call["id"],
        tool_call=tool_call,
        llm_response_id=f"response-{number}",
    )
