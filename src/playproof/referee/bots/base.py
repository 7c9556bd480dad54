"""The interface of bots. A bot receives only what its seat knows: the true state only if nothing is
hidden from the seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from playproof.language.random import Stream
from playproof.referee.engine import Engine, State
from playproof.referee.information import Observation, information
from playproof.referee.view import View
from playproof.referee.witness import get_observation_model
from playproof.referee.worlds import PossibleWorlds, imagined

Looks = Literal["choices", "table", "worlds", "all"]


class BotError(ValueError):
    """Raised for a bot that is not known or cannot play this game; the message says why."""


@dataclass(frozen=True)
class Sight:
    """A decision as its seat sees it.

    `engine` is the rules: it steps through any state and holds none. `legal` are the numbers of the
    legal actions. `cells` is the flat state, with None for each cell that the seat may not see.
    `worlds` are the states that may be true for all the seat knows (None for bots that only look at
    the choices). `information` is what the seat has observed since the start (empty for bots that
    do not ask for it).
    """

    engine: Engine
    seat: int
    legal: tuple[int, ...]
    cells: tuple[int | None, ...]
    worlds: PossibleWorlds | None = None
    information: tuple[Observation, ...] = ()

    @classmethod
    def of(
        cls,
        engine: Engine,
        states: Sequence[Sequence[int]],
        actions: Sequence[int],
        seat: int,
        looks: Looks = "all",
    ) -> Sight:
        """Return the sight of a seat after a history, with only the parts that `looks` asks for."""
        game = engine.game
        worlds = (
            None
            if looks == "choices"
            else imagined(engine.play, states, actions, seat, quick=looks == "table")
        )
        seen = information(get_observation_model(game), states, actions, seat) if looks == "all" else ()
        return cls(
            engine, seat, tuple(engine.legal(states[-1])), View.of(game, states[-1], seat).cells, worlds, seen
        )

    def world(self, stream: Stream) -> State:
        """Return a state that the seat cannot tell from the true one; it is the true one if nothing
        is hidden from the seat. Raises BotError if there are no worlds."""
        if self.worlds is None:
            raise BotError("a bot that imagines worlds must not say that it looks only at the choices")
        return self.worlds.draw(stream)


class Bot(Protocol):
    """Chooses a legal action. All its randomness comes from `stream`, so that every game replays.

    A bot may have an attribute `looks` that says how much of a sight it needs: "choices" (no
    worlds), "table" (worlds that fit what the table shows now), "worlds" (worlds that fit all that
    the seat remembers), or "all" (also what it observed). Without the attribute, the bot gets
    everything.
    """

    name: str

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return the number of the action to take."""


def make_sight_for_bot(
    bot: Bot, engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> Sight:
    """Return what a bot receives at a decision. A match passes nothing else to a bot."""
    return Sight.of(engine, states, actions, seat, getattr(bot, "looks", "all"))
