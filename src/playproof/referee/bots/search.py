"""Monte-Carlo tree search that respects hidden information.

Each iteration imagines a world that looks like the true one to the searching seat. Every seat has
its own tree, whose nodes are what that seat has seen, so no choice depends on what its seat cannot
know.
"""

from __future__ import annotations

from typing import ClassVar

from playproof.language.random import Stream
from playproof.referee.bots.base import Looks, Sight
from playproof.referee.bots.mixing import Mixture, drawn, learned
from playproof.referee.bots.tree import Candidate, Style, Tree


class TreeSearch:
    """Searches `iterations` worlds per decision and takes the most visited action, or one that is
    proved best. In a short game with hidden information, it learns from as many games how often to
    choose each action."""

    looks: ClassVar[Looks] = "worlds"

    def __init__(self, iterations: int = 400, style: Style | None = None) -> None:
        self.iterations, self.style = iterations, style or Style()
        self.name = f"mcts:{iterations}"

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return the action to take."""
        if len(sight.legal) == 1:
            return sight.legal[0]
        return drawn(self.mixture(sight, stream), stream)

    def mixture(self, sight: Sight, stream: Stream) -> Mixture:
        """Return how often to take which action: a single action, unless it is better not to be
        foreseen."""
        return learned(sight, self.iterations, stream) or {self.search(sight, stream)[0].ident: 1.0}

    def search(self, sight: Sight, stream: Stream) -> list[Candidate]:
        """Return what all iterations found about each choice, the best first."""
        tree = Tree(sight, stream, self.style)
        tree.grow(self.iterations)
        return tree.lines()
