"""Writes the session that `make demo` summarizes: a made-up team, a wrong invoice export, two releases.

    python examples/demo_session.py [--output FILE]

The story is in `demo/scenes/*.txt`, written by hand and read in order; `demo/filler.py` adds the bulk that
surrounds a story in real life (logs, test runs, rows). Seeded, and without a clock: the same every time.

A scene is a sequence of blocks. `## system`, `## user NAME`, `## agent` and `## tool` open one; in an agent's
block a line `> TOOL ARGUMENT` calls a tool, with the lines below it as the rest of the argument; in a tool's
block a line `%% KIND option=value …` stands for generated lines. Each tool block answers the next open call.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from demo.filler import expand

__all__ = ["main", "messages"]

HERE = Path(__file__).resolve().parent
SEED = 2317  # the ticket's number
ROLES = ("## system", "## user", "## agent", "## tool")
TOOLS = {  # what a scene calls it: the tool's name, and the names of its first line and of the lines below
    "shell": ("run_shell", "command", None),
    "sql": ("query_database", "query", None),
    "read": ("read_file", "path", None),
    "edit": ("edit_file", "path", "patch"),
    "write": ("write_file", "path", "content"),
    "ticket": ("update_ticket", "ticket", "comment"),
    "post": ("post_message", "channel", "text"),
}

Block = tuple[list[str], list[str]]


def blocks(text: str) -> Iterator[Block]:
    """Splits a scene into (words of the heading, lines of the body)."""
    head: list[str] = []
    body: list[str] = []
    for line in text.splitlines():
        if line.startswith(ROLES):
            if head:
                yield head, body
            head, body = line.split()[1:], []
        else:
            body.append(line)
    yield head, body


def joined(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n")


def arguments(line: str, rest: list[str]) -> tuple[str, str]:
    """A call's tool name and its arguments as JSON, as the chat format wants them."""
    word, _, first = line.removeprefix("> ").partition(" ")
    name, key, more = TOOLS[word]
    values = {key: first, more: joined(rest)} if more else {key: joined([first, *rest])}
    return name, json.dumps(values, ensure_ascii=False)


def agent(body: list[str], number: int) -> dict[str, Any]:
    """An assistant's message: what it says, then the tools that it calls."""
    starts = [index for index, line in enumerate(body) if line.startswith("> ")]
    said = joined(body[: starts[0]] if starts else body)
    message: dict[str, Any] = {"role": "assistant", "content": said or None}
    calls: list[dict[str, Any]] = []
    for start, end in zip(starts, [*starts, len(body)][1:], strict=True):
        name, values = arguments(body[start], body[start + 1 : end])
        function = {"name": name, "arguments": values}
        calls.append({"id": f"call_{number + len(calls):04d}", "type": "function", "function": function})
    return message | ({"tool_calls": calls} if calls else {})


def messages(scenes: Path = HERE / "demo" / "scenes") -> Iterator[dict[str, Any]]:
    """The session's messages in the OpenAI chat format, in order."""
    rng = random.Random(SEED)
    waiting: deque[tuple[str, str]] = deque()
    number = 1
    for scene in sorted(scenes.glob("*.txt")):
        for (role, *name), body in blocks(scene.read_text("utf-8")):
            if role == "agent":
                if waiting:
                    raise ValueError(f"{scene.name}: no answer to {waiting[0]}, expected a tool's block")
                message = agent(body, number)
                calls = message.get("tool_calls", [])
                number += len(calls)
                waiting.extend((call["id"], call["function"]["name"]) for call in calls)
                yield message
            elif role == "tool":
                if not waiting:
                    raise ValueError(f"{scene.name}: a tool's block without a call before it: {body[:1]}")
                call, tool = waiting.popleft()
                text = joined(list(expand(body, rng)))
                yield {"role": "tool", "tool_call_id": call, "name": tool, "content": text}
            else:
                yield {"role": role, **({"name": name[0]} if name else {}), "content": joined(body)}


def main() -> None:
    """Writes the session as gzipped JSON lines; the archive carries no time, so that it can be compared."""
    parser = argparse.ArgumentParser(description="Write the demo session.")
    parser.add_argument("--output", type=Path, default=HERE / "demo-session.jsonl.gz")
    lines = "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages())
    parser.parse_args().output.write_bytes(gzip.compress(lines.encode("utf-8"), 9, mtime=0))


if __name__ == "__main__":
    main()
