"""An agent's loop without a framework whose prompts stay short, however long it works.

    python examples/bare_loop.py

The log keeps every message in OpenAI's chat format. Before each call, when what would be sent has outgrown
60 % of the model's context, everything but the recent past goes into a digest of at most 15 % of it, which
goes on from the one before (`previous=`). If a provider fails, what the digest lacks stays in the prompt,
word for word, and is tried again in the next turn: nothing is raised, nothing is lost.

The agent here is made up and reads a hundred pages, so that it runs without a key or a network.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from summarizer import Complete, Partial, summarize
from summarizer.compaction import due, shortened

__all__ = ["LADDER", "loop", "main", "prompt"]

Message = dict[str, Any]
Digest = Complete | Partial | None

LADDER = ["offline/extractive"]  # such as ["openai/gpt-4o-mini", "offline/extractive"]
SYSTEM = {"role": "system", "content": "You read what you are told to read and say what is in it."}


def prompt(
    log: list[Message], digest: Digest, context: int, ladder: list[str]
) -> tuple[list[Message], Digest]:
    """What to send, and the digest to go on from. `context` is in tokens."""
    if records := due(log, digest, limit=context * 60 // 100, keep=context * 20 // 100):
        digest = summarize(records, context * 15 // 100, models=ladder, previous=digest)
    return shortened(log, digest, lambda text: {"role": "user", "content": text}), digest


def loop(
    ask: Callable[[list[Message]], Message],
    use: Callable[[str, str], str],
    log: list[Message],
    context: int = 8_000,
    ladder: list[str] = LADDER,
) -> Digest:
    """Ask the model, use the tools that it calls, and go on until it calls none. The log grows by it all."""
    digest: Digest = None
    while True:
        messages, digest = prompt(log, digest, context, ladder)
        log.append(ask(messages))
        if not log[-1].get("tool_calls"):
            return digest
        for call in log[-1]["tool_calls"]:
            answer = use(call["function"]["name"], call["function"]["arguments"])
            log.append({"role": "tool", "tool_call_id": call["id"], "content": answer})


def main() -> None:
    """Let the made-up agent read a hundred pages, and show how long its prompts are."""
    page = 0

    def ask(messages: list[Message]) -> Message:
        nonlocal page
        page += 1
        if page % 10 == 0:
            print(
                f"turn {page}: {len(log)} messages in the log,",
                f"{len(messages)} sent, {characters(messages):,} characters",
            )
        if page > 100:
            return {"role": "assistant", "content": "I have read all of it."}
        function = {"name": "read_page", "arguments": json.dumps({"page": page})}
        call = {"id": f"call_{page}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def use(name: str, arguments: str) -> str:
        number = json.loads(arguments)["page"]
        return "\n".join(
            f"Page {number}, line {line}: shelf {number * line} holds {line} books." for line in range(1, 21)
        )

    log: list[Message] = [SYSTEM, {"role": "user", "content": "Read pages 1 to 100, please."}]
    digest = loop(ask, use, log)
    print(
        f"{len(log)} messages, {characters(log):,} characters; the digest stands for:",
        digest and digest.coverage,
    )


def characters(messages: list[Message]) -> int:
    """How much text there is in messages."""
    return len(json.dumps(messages, ensure_ascii=False))


if __name__ == "__main__":
    main()
