"""How much an endpoint is given to read in one call, by what is known of it now. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from summarizer import planning
from summarizer.endpoints import Endpoint

__all__ = ["Sizing"]


@dataclass(frozen=True, slots=True)
class Sizing:
    """The sizes of one run, in tokens: ``overhead`` are the prompt's own, ``setting`` the most that the user
    lets a call read (None: automatic), ``budget`` the result's.
    """

    overhead: int
    setting: int | None
    budget: int

    def most(self, endpoint: Endpoint) -> int:
        """The most input that a call to an endpoint is given."""
        return planning.chunk_size(endpoint.limits, self.overhead, self.setting)

    def answerable(self, endpoint: Endpoint, share: float) -> int:
        """The most that an endpoint can be given where ``share`` tokens are wanted per token read."""
        return endpoint.habits.chunk(share, self.output(endpoint), self.most(endpoint))

    def limit(self, endpoint: Endpoint) -> int:
        """The most input that a chunk may have which is made larger for the sake of a better border."""
        return endpoint.habits.limit(self.output(endpoint), self.most(endpoint))

    def output(self, endpoint: Endpoint) -> int:
        """The most that one call is expected to write: where no ceiling is known, no more than was proved
        already if that takes one call more at most, since a guess may be cut.
        """
        usual, proved = planning.output_size(endpoint.limits), endpoint.habits.proved
        if endpoint.limits.ceiling is not None or not proved or proved >= usual:
            return usual
        return proved if -(-self.budget // proved) <= -(-self.budget // usual) + 1 else usual
