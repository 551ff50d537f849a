"""How much an endpoint is given to read in one call, by what is known of it now. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from summarizer import planning
from summarizer.endpoints import Endpoint

__all__ = ["Sizing"]


@dataclass(frozen=True, slots=True)
class Sizing:
    """The sizes of one run, in tokens: ``overhead`` are the prompt's own, ``setting`` the most that the user
    lets a call read (None: automatic).
    """

    overhead: int
    setting: int | None

    def most(self, endpoint: Endpoint) -> int:
        """The most input that a call to an endpoint is given."""
        return planning.chunk_size(endpoint.limits, self.overhead, self.setting)

    def answerable(self, endpoint: Endpoint, share: float) -> int:
        """The most that an endpoint can be given where ``share`` tokens are wanted per token read."""
        output = planning.output_size(endpoint.limits)
        return endpoint.habits.chunk(share, output, self.most(endpoint))
