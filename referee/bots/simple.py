"""The random and the greedy bot: the two that also exist in compiled code, with the same choices
there."""

from __future__ import annotations

from typing import ClassVar

from playproof.referee.bots.base import Looks, Sight
from playproof.rules.language.random import Stream

_SAMPLES = 8


class Random:
    """Every legal action is equally likely."""

    name = "random"
    looks: ClassVar[Looks] = "choices"

    def choose(self, sight: Sight, stream: Stream) -> int:
        """As the compiled random player chooses."""
        return sight.legal[stream.below(len(sight.legal))]


class Greedy:
    """One step ahead: the best declared evaluation, or the best mean of short runs of random games
    where none is."""

    name = "greedy"
    looks: ClassVar[Looks] = "table"

    def choose(self, sight: Sight, stream: Stream) -> int:
        """As the compiled greedy player chooses, ties broken alike, where the game declares an
        evaluation."""
        values = self._declared(sight, stream) if sight.engine.evaluates else self._played(sight,
                                                                                           stream)
        return sight.legal[stream.best(values)]

    @staticmethod
    def _declared(sight: Sight, stream: Stream) -> list[float]:
        engine, world = sight.engine, sight.world(stream)
        return [engine.worth(engine.apply(world, ident), sight.seat) for ident in sight.legal]

    @staticmethod
    def _played(sight: Sight, stream: Stream) -> list[float]:
        engine = sight.engine
        totals = [0.0] * len(sight.legal)
        for _ in range(_SAMPLES):
            world, seed = sight.world(stream), stream.below(1 << 32)
            for number, ident in enumerate(sight.legal):
                totals[number] += engine.rollout(engine.apply(world, ident), seed)[sight.seat]
        return totals
