"""The context engine ``summarizer`` for hermes: its sessions are compacted by this gateway.

hermes finds it by the entry point ``summarizer`` of the group ``hermes_agent.plugins``; docs/hermes.md says
how it is switched on.
"""

from __future__ import annotations

import logging
from typing import Any

__all__ = ["register"]

log = logging.getLogger("summarizer.hermes")

_OTHER_WAY = (
    "hermes' own compressor stays in place; to use summarizer-gateway all the same, run `summarizer serve` "
    "and set auxiliary.compression.base_url (docs/hermes.md, the other way)"
)


def register(ctx: Any) -> None:
    """Register the engine, and the command ``/summarizer``, with hermes' plugin context.

    Where hermes is not as the engine needs it, nothing is registered and one line of its log says why.
    Raises nothing.
    """
    trouble = _registered(ctx)
    if trouble is not None:
        log.warning("context engine summarizer: %s; %s", trouble, _OTHER_WAY)


def _registered(ctx: Any) -> str | None:
    try:
        from summarizer.hermes import host

        found = host.unexpected()
        if found is not None:
            return found
        from summarizer.hermes.command import status
        from summarizer.hermes.engine import SummarizerEngine
        from summarizer.hermes.rehearsal import rehearsed

        engine = SummarizerEngine(host.configuration())
        found = rehearsed(engine)
        if found is not None:
            return found
        ctx.register_context_engine(engine)
        if hasattr(ctx, "register_command"):
            ctx.register_command("summarizer", status, "how the last compactions went, and when the next is")
    except Exception as error:  # noqa: BLE001 - a plugin that raises would be the user's riddle
        return f"{type(error).__name__}: {error}"
    return None
