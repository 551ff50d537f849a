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
    """A new transport for a route: ``offline``, ``scripted``, or any of litellm's. ``host`` is the route of
    models whose transport the program gives to its ``Client``.
    """
    if route == "offline":
        from summarizer_providers.transports.offline import OfflineTransport

        return OfflineTransport()
    if route == "scripted":
        from summarizer_providers.transports.scripted import ScriptedTransport

        return ScriptedTransport()
    if route == "host":
        return _Absent()
    from summarizer_providers.transports.litellm import LitellmTransport

    return LitellmTransport()


class _Absent:
    """What stands in for a transport that the program did not give."""

    async def send(self, call: Call) -> Reply | Failure:
        """Say so."""
        words = f"{call.model.name} has no transport here: a program that embeds the gateway gives it one"
        return Failure(words, kind="NotFoundError", code="model_not_found")
