"""``summarizer serve``: the gateway for tools that can only be given a base URL."""

from __future__ import annotations

import argparse
import importlib.util
import logging
import socket

from summarizer.api import Summarizer
from summarizer.cli import inputs
from summarizer.cli.exits import COMPLETE
from summarizer.cli.output import say
from summarizer.errors import InvalidSettings
from summarizer.settings import Settings

__all__ = ["serve"]

_NEEDED = ("fastapi", "uvicorn")


def serve(options: argparse.Namespace) -> int:
    """Serve until it is interrupted. Raises ``SummarizerError`` for a user's mistake, before it listens."""
    _check_installed()
    from summarizer.server.asked import Defaults
    from summarizer.server.service import Limits, Service
    from summarizer.server.serving import Server, listening

    port = _whole(options.port, "--port", 0, 65_535)
    tokens = None if options.budget is None else _whole(options.budget, "--budget", 16, 10_000_000)
    models = inputs.models(options)
    settings = Settings() if models is None else Settings(models=models)
    with Summarizer(settings) as summarizer:
        service = Service(summarizer, Limits(defaults=Defaults(tokens)))
        with listening(options.host, port) as listener:
            if not options.quiet:
                _log_to_stderr()
            say(_greeting(listener, service.names()))
            Server(service).serve_on(listener)
    return COMPLETE


def _check_installed() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise InvalidSettings(
            f"{' and '.join(missing)} cannot be found; install what the server needs with: "
            "pip install 'summarizer-gateway[server]'"
        )


def _whole(text: str, option: str, least: int, most: int) -> int:
    bare = text.strip().replace(",", "").replace("_", "")
    if not (bare.isascii() and bare.isdecimal() and len(bare) < 12 and least <= int(bare) <= most):
        raise InvalidSettings(f"{option}: expected a whole number from {least} to {most:,}, got {text!r:.60}")
    return int(bare)


def _greeting(listener: socket.socket, names: list[str]) -> str:
    """Where it listens, as a client's base URL, and which models there are."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"listening on http://{shown}:{port}/v1 (Ctrl-C ends it); models: {', '.join(names)}"


def _log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("summarizer.server")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
