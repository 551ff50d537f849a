"""Transports: each carries one call to one kind of endpoint and brings back what it gave."""

from __future__ import annotations

from typing import Protocol

from summarizer_providers.types import Call, Failure, Reply

__all__ = ["Transport", "transport_for"]


class Transport(Protocol):
    """Sends a call once. Whatever goes wrong is a ``Failure``; only cancellation is raised."""

    async def send(self, call: Call) -> Reply | Failure:
        """The endpoint's answer to one request; tokens, seconds and US dollars as in ``Reply``."""
        ...


def transport_for(route: str) -> Transport:
    """A new transport for a route: ``offline``, ``scripted``, or any of litellm's."""
    if route == "offline":
        from summarizer_providers.transports.offline import OfflineTransport

        return OfflineTransport()
    if route == "scripted":
        from summarizer_providers.transports.scripted import ScriptedTransport

        return ScriptedTransport()
    from summarizer_providers.transports.litellm import LitellmTransport

    return LitellmTransport()
