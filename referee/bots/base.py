"""What a bot is, and what it receives: only what its seat knows. If something is hidden from the
seat, that is not the true state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from playproof.referee.engine import Engine, State
from playproof.referee.information import Observation, information
from playproof.referee.view import View
from playproof.referee.witness import witness_of
from playproof.referee.worlds import Worlds, imagined
from playproof.rules.language.random import Stream

Looks = Literal["choices", "table", "worlds", "all"]


class BotError(ValueError):
    """A bot that is not known, or cannot play this game; says why."""


@dataclass(frozen=True)
class Sight:
    """A decision as the seat that must make it meets it.

    `engine` is the rules: it steps through any state and holds none. `legal` are the numbers of the
    actions that may be taken. `cells` is the flat state with None for each cell that the seat may
    not look at. `worlds` are the states that may be true for all it knows (None for bots that only
    look at the choices), `information` its observations since the start (empty for bots that do not
    ask for them).
    """

    engine: Engine
    seat: int
    legal: tuple[int, ...]
    cells: tuple[int | None, ...]
    worlds: Worlds | None = None
    information: tuple[Observation, ...] = ()

    @classmethod
    def of(cls, engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int,
           looks: Looks = "all") -> Sight:
        """The sight of a seat after a history. What is not asked for is not made."""
        game = engine.game
        worlds = None if looks == "choices" else imagined(engine.play, states, actions, seat,
                                                          quick=looks == "table")
        seen = information(witness_of(game), states, actions, seat) if looks == "all" else ()
        return cls(engine, seat, tuple(engine.legal(states[-1])),
                   View.of(game, states[-1], seat).cells, worlds, seen)

    def world(self, stream: Stream) -> State:
        """A state that the seat cannot tell from the true one; the true one where nothing is hidden
        from it."""
        if self.worlds is None:
            raise BotError("a bot that imagines worlds must not say that it looks only at the choices")
        return self.worlds.draw(stream)


class Bot(Protocol):
    """Chooses a legal action. All its randomness comes from `stream`, so that every game replays.

    A bot may have an attribute `looks` that says how much of a sight it needs, so that no more is
    made: "choices" (no worlds), "table" (worlds by what the table shows now), "worlds" (by all that
    the seat remembers), "all" (also what it observed). Without it, all is made.
    """

    name: str

    def choose(self, sight: Sight, stream: Stream) -> int:
        """The number of the action to take."""


def sight_for(bot: Bot, engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int],
              seat: int) -> Sight:
    """What a bot is given at a decision: the only way from a match to a bot."""
    return Sight.of(engine, states, actions, seat, getattr(bot, "looks", "all"))
