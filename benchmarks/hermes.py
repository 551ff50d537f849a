"""hermes compacts a session of 800,000 tokens: through the engine, through the base URL, and by itself.

make hermes && .venv-hermes/bin/python -m benchmarks.hermes [--way engine|url|built-in] [--ceiling N]

A real turn of a real agent, against a provider on loopback that cuts at 10,000, 4,000 and 1,000 tokens and
says nothing of it; its model writes every fact that it reads. 2,400 facts are planted, a quarter of them in
what tools print. The context has 1,000,000 tokens. ``kept`` is, of the facts that stand in no other message
of the list that comes back, the share that the summary has to the letter; ``of_tools`` the same of those
that tools printed; ``prompt`` the tokens of the agent's next request, which hermes wants below 500,000.

``--stuck`` replays the session that never became shorter (see ``benchmarks.replay``) instead: 767,000 tokens,
and a model that writes a tenth of what it reads, whatever length it is asked for.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from benchmarks import hermes_host, planted, provider
from benchmarks.measure import environment, table

__all__ = ["Row", "main", "measured"]

WAYS = ("engine", "url", "built-in")
CEILINGS = (10_000, 4_000, 1_000)
_WINDOW, _THRESHOLD = 1_000_000, 500_000
_ASK = "Please go on with the next step."


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One turn: tokens by four characters each but for the provider's own count; ``seconds`` of the turn."""

    way: str
    ceiling: int
    messages: str
    prompt: int
    kept: float
    of_tools: float
    facts: int
    calls: int
    cuts: int
    read: int
    seconds: float


def measured(way: str, ceiling: int, made: Sequence[dict[str, Any]], script: Mapping[str, object]) -> Row:
    """Compact a session one way, before a turn of the agent."""
    with ExitStack() as stack:
        root = stack.enter_context(provider.serving(ceiling=ceiling, window=_WINDOW, **script))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        own = stack.enter_context(hermes_host.answering(hermes_host.Own(window=_WINDOW)))
        os.environ["SUMMARIZER_DATA_DIR"] = str(folder / "data")
        address = f"{root}/v1"
        if way == "url":
            address = stack.enter_context(_gateway(f"{root}/v1", folder))
        auxiliary = {"provider": "custom", "base_url": address, "api_key": "sk-aux", "model": "aux"}
        engine = "summarizer" if way == "engine" else "compressor"
        plugin = {"models": [{"name": "openai/aux", "api_base": address, "extra": {"api_key": "sk-aux"}}]}
        hermes_host.configured(
            folder,
            own.root,
            auxiliary=auxiliary,
            engine=engine,
            plugin=plugin,
            compression={"in_place": True},
        )
        hermes_host.discovered()
        agent = hermes_host.agent(own.root, hermes_host.sessions(folder), "s1", [])
        begun = time.perf_counter()
        messages = agent.run_conversation(_ASK, "You are careful.", list(made))["messages"]
        seconds = time.perf_counter() - begun
        return _row(way, ceiling, made, messages, own.prompts[-1], provider.totals(root), seconds)


def _row(
    way: str,
    ceiling: int,
    before: Sequence[dict[str, Any]],
    after: Sequence[dict[str, Any]],
    prompt: int,
    totals: Mapping[str, int],
    seconds: float,
) -> Row:
    digest = planted.facts_in("\n".join(str(m["content"]) for m in after if hermes_host.is_summary(m)))
    stays = planted.facts_in("\n".join(planted.said(m) for m in after if not hermes_host.is_summary(m)))
    facts = planted.facts_in("\n".join(map(planted.said, before)))
    printed = planted.facts_in("\n".join(planted.said(m) for m in before if m["role"] == "tool"))
    only = {name: value for name, value in facts.items() if name not in stays}
    kept = {name for name, value in only.items() if digest.get(name) == value}
    tools = only.keys() & printed.keys()
    return Row(
        way=way,
        ceiling=ceiling,
        messages=f"{len(before):,} → {len(after):,}",
        prompt=prompt,
        kept=round(len(kept) / len(only), 4) if only else 1.0,
        of_tools=round(len(kept & tools) / len(tools), 4) if tools else 1.0,
        facts=len(only),
        calls=totals["calls"],
        cuts=totals["cuts"],
        read=totals["input_tokens"],
        seconds=round(seconds, 1),
    )


@contextmanager
def _gateway(address: str, folder: Path) -> Iterator[str]:
    """``summarizer serve`` before the provider; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    models = json.dumps([{"name": "openai/aux", "api_base": address, "extra": {"api_key": "sk-aux"}}])
    settings = {"SUMMARIZER_MODELS": models, "SUMMARIZER_DATA_DIR": str(folder / "served")}
    command = [sys.executable, "-m", "summarizer", "serve", "--port", str(port)]
    with subprocess.Popen(command, env=environment() | settings, stderr=subprocess.DEVNULL) as server:
        try:
            _wait(port)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait(port: int) -> None:
    for _ in range(200):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("summarizer serve did not start")


def _stuck() -> list[dict[str, Any]]:
    """The session of ``benchmarks.replay`` at its first attempt: 767,000 tokens in 576 messages."""
    numbered = enumerate(planted.messages(lambda n: 767_000 * n // 576, 767_000 / 600), 1)
    return [message for _, message in takewhile(lambda each: each[0] <= 576, numbered)]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the rows; 0 if the engine keeps 95 % and each prompt is below the threshold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--way", choices=WAYS, action="append", help="one way only (default: all)")
    parser.add_argument("--ceiling", type=int, action="append", help="one ceiling only (default: all three)")
    parser.add_argument("--stuck", action="store_true", help="the session that never became shorter")
    options = parser.parse_args(argv)
    logging.disable(logging.WARNING)
    made = _stuck() if options.stuck else list(planted.session(800_000, 2_400).messages)
    script: dict[str, object] = {"obey": False} | ({"density": 0.1} if options.stuck else {})
    ceilings = options.ceiling or ((10_000,) if options.stuck else CEILINGS)
    rows = [measured(way, each, made, script) for each in ceilings for way in options.way or WAYS]
    shown = [asdict(row) for row in rows]
    table("hermes, one turn", list(shown[0]), [list(row.values()) for row in shown])
    ours = [row for row in rows if row.way == "engine"]
    least = 0.0 if options.stuck else 0.95
    return 0 if all(row.kept >= least and row.prompt < _THRESHOLD for row in ours) else 1


if __name__ == "__main__":
    sys.exit(main())
