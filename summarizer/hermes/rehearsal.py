"""A compaction of a made-up session before the first real one: whether hermes does what is relied on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from summarizer.hermes.layout import arranged

if TYPE_CHECKING:
    from summarizer.hermes.engine import SummarizerEngine

__all__ = ["rehearsed"]

_DIGEST = "The digest of the rehearsal."


def rehearsed(engine: SummarizerEngine) -> str | None:
    """What hermes did otherwise than expected, in a few words; None if all was right. Tries a copy."""
    messages = _session()
    laid = arranged(messages, range(3, 9), None, None)
    if laid is None:
        return "nothing could be laid out"
    trial = engine.clone_for_agent()
    result = trial.installed(laid, _DIGEST)
    rows = [str(message.get("content")) for message in result]
    stayed = [message["content"] for message in (*laid.left, *laid.right)]
    if sum(_DIGEST in row for row in rows) != 1:
        return "ContextCompressor.compress did not put the summary into the session"
    if [row for row in rows if row in stayed] != stayed:
        return "ContextCompressor.compress changed what was to stay as it is"
    index, body = trial.summary_in(result)
    if index is None or _DIGEST not in body:
        return "ContextCompressor does not find its own summary again"
    return None


def _session() -> list[dict[str, Any]]:
    """Turns of user and assistant, with a call of a tool that is to go and one that is to stay."""
    messages: list[dict[str, Any]] = []
    for i in range(6):
        call = {"id": f"c{i}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages.append({"role": "user", "content": f"question {i}"})
        messages.append({"role": "assistant", "content": f"looking {i}", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": f"seen {i} " + "x" * 4_000})
    return messages
