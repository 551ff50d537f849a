"""The gateway over HTTP, for tools that can only be given a base URL. Needs the extra ``[server]``."""

from __future__ import annotations

__all__: list[str] = []
