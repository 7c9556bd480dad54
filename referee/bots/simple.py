"""The random and the greedy bot: the two that also exist in compiled code, with the same choices there."""

from __future__ import annotations

from playproof.referee.bots.base import Position
from playproof.rules.language.random import Stream

_SAMPLES = 8


class Random:
    """Every legal action is equally likely."""

    name = "random"

    def choose(self, position: Position, stream: Stream) -> int:
        """As the compiled random player chooses."""
        legal = position.legal
        return legal[stream.below(len(legal))]


class Greedy:
    """One step ahead: the best declared evaluation, or the best mean of short runs of random games where none is."""

    name = "greedy"

    def choose(self, position: Position, stream: Stream) -> int:
        """As the compiled greedy player chooses, ties broken alike, where the game declares an evaluation."""
        legal = position.legal
        values = self._declared(position, stream) if position.engine.evaluates else self._played(position, stream)
        return legal[stream.best(values)]

    @staticmethod
    def _declared(position: Position, stream: Stream) -> list[float]:
        engine, world = position.engine, position.world(stream, quick=True)
        return [engine.worth(engine.apply(world, ident), position.seat) for ident in position.legal]

    @staticmethod
    def _played(position: Position, stream: Stream) -> list[float]:
        engine, legal = position.engine, position.legal
        totals = [0.0] * len(legal)
        for _ in range(_SAMPLES):
            world, seed = position.world(stream, quick=True), stream.below(1 << 32)
            for number, ident in enumerate(legal):
                totals[number] += engine.rollout(engine.apply(world, ident), seed)[position.seat]
        return totals
