"""What a bot is, and what it may know: never the true state where something is hidden, only worlds that look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from playproof.referee.engine import Engine, State
from playproof.referee.worlds import resample
from playproof.rules.language.random import Stream


class BotError(ValueError):
    """A bot that is not known, or cannot play this game; says why."""


@dataclass(frozen=True)
class Position:
    """A decision as the seat that must make it meets it.

    `states` and `actions` are the true history; bots read them only through `world` and `legal`.
    """

    engine: Engine
    states: Sequence[Sequence[int]]
    actions: Sequence[int]
    seat: int

    @property
    def legal(self) -> list[int]:
        """The legal actions, which a seat always knows."""
        return self.engine.legal(self.states[-1])

    def world(self, stream: Stream, *, quick: bool = False) -> State:
        """A state that the seat cannot tell from the true one; the true one where nothing is hidden. `quick` is content
        with one that looks alike now."""
        if not self.engine.secrets:
            return list(self.states[-1])
        return resample(self.engine.play, self.states, self.actions, self.seat, stream, quick=quick)


class Bot(Protocol):
    """Chooses a legal action. All its randomness comes from `stream`, so that every game replays."""

    name: str

    def choose(self, position: Position, stream: Stream) -> int:
        """The number of the action to take."""
