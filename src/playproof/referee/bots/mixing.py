"""Mixed strategies for games with hidden information, learned from whole games played from the
start.

A tree search finds what is best against opponents that do not foresee it; against those that do,
the choice is worth less than it seems. Here all seats learn together, and what a seat would do with
its other hands counts too. This fits games that declare themselves short (`steps_within`) and
decisions that occur often enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from playproof.language.machine import regrets, trees
from playproof.language.random import Stream
from playproof.referee.bots.base import Sight
from playproof.referee.bots.tree import (
    double_edge_room,
    double_node_room,
    get_search_game_data,
    make_empty_tree,
)

_OFTEN = 8  # visits for each choice before a node's mixture is used
_RARE = 0.1  # a rarer choice is a remnant of the first games, which tried all alike
_TRIAL = 4  # one part in so many of the budget decides whether to go on
_ENDS = 64  # games per turn of a learner at most: it tries all its choices, which a wide game has too many of

MixedStrategy = dict[int, float]


class StrategyLearner:
    """What was learned from games so far. `done` counts how often a seat learned."""

    def __init__(self, sight: Sight, stream: Stream) -> None:
        self.sight, self.ground = sight, get_search_game_data(sight.engine)
        game = sight.engine.game
        self.done = 0
        self._dice = np.array([stream.below(1 << 32)], dtype=np.uint64)
        self._senses = self.ground.make_senses()
        edges = 2 * regrets.ROOM * max(1, game.ground)
        self.grown = make_empty_tree(4 * regrets.ROOM, edges, regrets.ROOM, self.ground.sides)
        self._above = regrets.LearnerDecisions(
            np.zeros((regrets.ROOM, game.cells), dtype=np.int64),
            np.zeros(regrets.ROOM * game.players, dtype=np.uint64),
            np.zeros((regrets.ROOM, max(1, game.ground)), dtype=np.float64),
            np.zeros(1, dtype=np.int64),
        )
        assert sight.worlds is not None
        assert sight.worlds.history is not None
        states, actions = sight.worlds.history(stream)
        self._start = np.array(states[0], dtype=np.int64)
        here = self._module.follow(self._start.copy(), np.array(actions, dtype=np.int64), self._senses)
        self._here = here & 0xFFFFFFFFFFFFFFFF

    @property
    def _module(self) -> Any:
        return self.ground.module

    def learn_rounds(self, rounds: int) -> bool:
        """Let each seat learn `rounds` more times; return whether the game is not too wide for that."""
        left = rounds * self.sight.engine.game.players
        most = int(self._above.ends[0]) + left * _ENDS
        while left > 0 and self._above.ends[0] < most:
            done = int(
                self._module.learn(
                    self._start, self._senses, self._dice, self.grown, self._above, self.done, left, most
                )
            )
            self.done += done
            left -= done
            if left and self._above.ends[0] < most:
                self.grown = double_edge_room(double_node_room(self.grown, self.ground))
        return left == 0

    @property
    def _node(self) -> int | None:
        """The node of this decision, or None if no game has met it."""
        rows = np.flatnonzero(self.grown.keys[: self.grown.facts[trees.NODES]] == np.uint64(self._here))
        return int(rows[0]) if len(rows) else None

    @property
    def visits(self) -> int:
        """How often games have met this decision."""
        node = self._node
        return 0 if node is None else int(self.grown.nodes[node, trees.VISITS])

    def compute_mixture(self) -> MixedStrategy | None:
        """Return how often to make each choice here, or None if games met this information too
        rarely."""
        node, visits = self._node, self.visits
        if node is None:
            return None
        first, count = int(self.grown.nodes[node, trees.FIRST]), int(self.grown.nodes[node, trees.COUNT])
        made = self.grown.sums[first : first + count, regrets.MADE]
        if visits < _OFTEN * count or made.sum() <= 0:
            return None
        made = np.where(made < _RARE * made.sum(), 0.0, made)
        return dict(
            zip(
                self.grown.edges[first : first + count, trees.IDENT].tolist(),
                (made / made.sum()).tolist(),
                strict=True,
            )
        )


def learn_mixture(sight: Sight, rounds: int, stream: Stream) -> MixedStrategy | None:
    """Return the mixture for a decision after each seat has learned `rounds` times, or None if that is not enough or
    the game is neither short nor narrow. A team against which nobody plays has nobody to hide its plan from: it takes
    what it learned to do most."""
    if not _is_short_game(sight) or sight.worlds is None or sight.worlds.history is None:
        return None
    mixing, trial = StrategyLearner(sight, stream), max(1, rounds // _TRIAL)
    if not mixing.learn_rounds(trial) or not mixing.visits or not mixing.learn_rounds(rounds - trial):
        return None
    mixture = mixing.compute_mixture()
    if mixture is None or len(sight.engine.game.sides) > 1:
        return mixture
    return {max(mixture, key=lambda ident: (mixture[ident], -ident)): 1.0}


def _is_short_game(sight: Sight) -> bool:
    steps = sight.engine.game.facts.get("steps_within")
    return sight.engine.has_hidden_fields and isinstance(steps, int) and steps <= regrets.ROOM


def draw_from_mixture(mixture: MixedStrategy, stream: Stream) -> int:
    """Draw a choice with the probabilities of the mixture."""
    fine = 1 << 30
    weights = [max(0, round(share * fine)) for share in mixture.values()]
    return list(mixture)[stream.draw_weighted_index(weights)]
