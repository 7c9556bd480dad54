"""The interface of bots, the random and the greedy bot, and bots that users bring. A bot receives only
what its seat knows.

Bots that users bring: `package.module:Class`, or declared by an installed package.

[project.entry-points."playproof.bots"]
careful = "my_package.bots:Careful" """

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from playproof.language.random import Stream
from playproof.referee.engine import Engine, State
from playproof.referee.observations import (
    Observation,
    collect_observations_of_seat_from_start,
    get_cached_observation_model,
)
from playproof.referee.view import View
from playproof.referee.worlds import PossibleWorlds, make_possible_worlds_for_seat

# The interface of bots. A bot receives only what its seat knows: the true state only if nothing is hidden
# from the seat.

Looks = Literal["choices", "table", "worlds", "all"]


class BotError(ValueError):
    """Raised for a bot that is not known or cannot play this game; the message says why."""


@dataclass(frozen=True)
class Sight:
    """A decision as its seat sees it.

    `engine` is the rules: it steps through any state and holds none. `legal` are the numbers of the
    legal actions. `cells` is the flat state, with None for each cell that the seat may not see.
    `worlds` are the states that may be true for all the seat knows (None for bots that only look at
    the choices). `collect_observations_of_seat_from_start` is what the seat has observed since the start (empty
    for bots that do not ask for it).
    """

    engine: Engine
    seat: int
    legal: tuple[int, ...]
    cells: tuple[int | None, ...]
    worlds: PossibleWorlds | None = None
    information: tuple[Observation, ...] = ()

    @classmethod
    def of(
        cls, engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int, looks: Looks = "all"
    ) -> Sight:
        """Return the sight of a seat after a history, with only the parts that `looks` asks for."""
        game = engine.game
        worlds = (
            None
            if looks == "choices"
            else make_possible_worlds_for_seat(
                engine.play, states, actions, seat, ignore_memory_if_exchangeable=looks == "table"
            )
        )
        seen = (
            collect_observations_of_seat_from_start(get_cached_observation_model(game), states, actions, seat)
            if looks == "all"
            else ()
        )
        return cls(engine, seat, tuple(engine.legal(states[-1])), View.of(game, states[-1], seat).cells, worlds, seen)

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


def make_sight_that_bot_asks_for(
    bot: Bot, engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> Sight:
    """Return what a bot receives at a decision. A match passes nothing else to a bot."""
    return Sight.of(engine, states, actions, seat, getattr(bot, "looks", "all"))


# -- simple --------------------------------------------------------------------------------------------------
# The random and the greedy bot. Both also exist in compiled code and make the same choices there.

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
            self._evaluate_states_after_choices(sight, stream)
            if sight.engine.evaluates
            else self._sum_random_game_returns_of_choices(sight, stream)
        )
        return sight.legal[stream.choose_greatest_index_drawing_ties(values)]

    @staticmethod
    def _evaluate_states_after_choices(sight: Sight, stream: Stream) -> list[float]:
        engine, world = sight.engine, sight.world(stream)
        return [engine.worth(engine.apply(world, ident), sight.seat) for ident in sight.legal]

    @staticmethod
    def _sum_random_game_returns_of_choices(sight: Sight, stream: Stream) -> list[float]:
        engine = sight.engine
        totals = [0.0] * len(sight.legal)
        if len(totals) == 1:  # nothing to think about
            return totals
        for _ in range(_SAMPLES):
            world, seed = sight.world(stream), stream.below(1 << 32)
            for number, ident in enumerate(sight.legal):
                totals[number] += engine.rollout(engine.apply(world, ident), seed)[sight.seat]
        return totals


# -- user bots -----------------------------------------------------------------------------------------------
# Bots that users bring: `package.module:Class`, or declared by an installed package.

GROUP = "playproof.bots"


def import_and_make_user_bot(module: str, class_name: str) -> Bot:
    """Return the bot `class_name` of a module, which may lie in the current directory. Raises
    BotError."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BotError(
            f"there is no bot `{module}:{class_name}`: no module `{error.name}` here or among the packages installed"
        ) from None
    except Exception as error:
        raise BotError(f"the bot `{module}:{class_name}` cannot be loaded: {_describe_error(error)}") from error
    factory = getattr(loaded, class_name, None)
    if factory is None:
        raise BotError(f"`{module}` has no `{class_name}`; a bot is written package.module:Class")
    return _make_bot_named_as_requested(factory, f"{module}:{class_name}", "")


def make_installed_bot_or_none(entry_point_name: str, budget: str) -> Bot | None:
    """Return the bot of this name that an installed package declares, or None. The package gets the
    budget as text. Raises BotError."""
    entry = next(iter(entry_points(group=GROUP, name=entry_point_name)), None)
    if entry is None:
        return None
    try:
        factory = entry.load()
    except Exception as error:
        raise BotError(
            f"the bot `{entry_point_name}` ({entry.value}) cannot be loaded: {_describe_error(error)}"
        ) from error
    return _make_bot_named_as_requested(factory, f"{entry_point_name}:{budget}" if budget else entry_point_name, budget)


def _make_bot_named_as_requested(factory: Callable[..., Any], requested_name: str, budget: str) -> Bot:
    """Return a bot that carries the name it was asked for, so that a run can be repeated. Raises
    BotError."""
    try:
        bot: Bot = factory(budget) if budget else factory()
    except BotError:
        raise
    except Exception as error:
        raise BotError(f"the bot `{requested_name}` cannot be made: {_describe_error(error)}") from error
    if not callable(getattr(bot, "choose", None)):
        raise BotError(f"`{requested_name}` is no bot: it has no `choose(sight, stream)`")
    bot.name = requested_name
    return bot


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
