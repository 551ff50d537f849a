"""Stands in for an optional part of litellm that one of its routes asks for and never uses here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType

__all__ = ["without_tool_servers"]

_HANDLER = "litellm.responses.mcp.litellm_proxy_mcp_handler"


class _NoToolServers:
    """Says of every request that no tool server is meant."""

    @staticmethod
    def should_use_litellm_mcp_gateway(tools: object = None) -> bool:  # noqa: ARG004 - litellm's own form
        """Never: there are no tools in a summary's call."""
        return False

    _should_use_litellm_mcp_gateway = should_use_litellm_mcp_gateway


def without_tool_servers() -> None:
    """Let litellm's route to OpenAI's Responses API work without the package ``mcp``.

    Some versions of litellm (1.106 for one) import their handler of tool servers on every call of that route,
    and so fail without a request where ``mcp`` is not installed. Where it is, nothing is changed; where it is
    not, the handler could not have been imported by anybody.
    """
    if find_spec("mcp") is not None or _HANDLER in sys.modules:
        return
    stub = ModuleType(_HANDLER, "Stands in where the package mcp is not installed.")
    stub.__dict__["LiteLLM_Proxy_MCP_Handler"] = _NoToolServers
    sys.modules[_HANDLER] = stub
