"""The random and the greedy bot. Both also exist in compiled code and make the same choices
there."""

from __future__ import annotations

from typing import ClassVar

from playproof.language.random import Stream
from playproof.referee.bots.base import Looks, Sight

_SAMPLES = 8


class Random:
    """Takes every legal action with equal probability."""

    name = "random"
    looks: ClassVar[Looks] = "choices"

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Choose as the compiled random player does."""
        return sight.legal[stream.below(len(sight.legal))]


class Greedy:
    """Looks one step ahead: takes the action with the best declared evaluation. If the game
    declares none, it takes the action with the best mean over a few random games."""

    name = "greedy"
    looks: ClassVar[Looks] = "table"

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Choose an action. With a declared evaluation, the choice and its ties fall as in the
        compiled greedy player."""
        values = (
            self._evaluate_choices(sight, stream)
            if sight.engine.evaluates
            else self._average_random_games(sight, stream)
        )
        return sight.legal[stream.choose_greatest_index(values)]

    @staticmethod
    def _evaluate_choices(sight: Sight, stream: Stream) -> list[float]:
        engine, world = sight.engine, sight.world(stream)
        return [engine.worth(engine.apply(world, ident), sight.seat) for ident in sight.legal]

    @staticmethod
    def _average_random_games(sight: Sight, stream: Stream) -> list[float]:
        engine = sight.engine
        totals = [0.0] * len(sight.legal)
        for _ in range(_SAMPLES):
            world, seed = sight.world(stream), stream.below(1 << 32)
            for number, ident in enumerate(sight.legal):
                totals[number] += engine.rollout(engine.apply(world, ident), seed)[sight.seat]
        return totals
