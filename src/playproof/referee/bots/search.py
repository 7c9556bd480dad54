"""Monte-Carlo tree search that respects hidden information.

Each iteration imagines a world that looks like the true one to the searching seat. Every seat has
its own tree, whose nodes are what that seat has seen, so no choice depends on what its seat cannot
know.
"""

from __future__ import annotations

from typing import ClassVar

from playproof.language.random import Stream
from playproof.referee.bots.base import Looks, Sight
from playproof.referee.bots.mixing import MixedStrategy, draw_from_mixture, learn_mixture
from playproof.referee.bots.tree import Candidate, SearchSettings, SearchTree


class TreeSearch:
    """Searches `iterations` worlds per decision and takes the most visited action, or one that is
    proved best. In a short game with hidden information, it learns from as many games how often to
    choose each action."""

    looks: ClassVar[Looks] = "worlds"

    def __init__(self, iterations: int = 400, style: SearchSettings | None = None) -> None:
        self.iterations, self.style = iterations, style or SearchSettings()
        self.name = f"mcts:{iterations}"

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return the action to take."""
        if len(sight.legal) == 1:
            return sight.legal[0]
        return draw_from_mixture(self.compute_mixture(sight, stream), stream)

    def compute_mixture(self, sight: Sight, stream: Stream) -> MixedStrategy:
        """Return how often to take which action: a single action, unless it is better not to be
        foreseen."""
        return learn_mixture(sight, self.iterations, stream) or {self.search(sight, stream)[0].ident: 1.0}

    def search(self, sight: Sight, stream: Stream) -> list[Candidate]:
        """Return what all iterations found about each choice, the best first."""
        tree = SearchTree(sight, stream, self.style)
        tree.run_iterations(self.iterations)
        return tree.list_candidates()
