"""Every Playproof game as an OpenSpiel game: `load("kuhn_poker")`, or `register(variant)` and
`pyspiel.load_game(name)`.

Names are OpenSpiel's: legal actions, apply, chance outcomes, information state, returns. Actions
are the numbers of ground actions, also for chance. An information state is a seat's observations
in order (information.py), as text and, in small games that declare `steps_within`, as numbers. The
package `open_spiel` is optional.

A row of the information tensor is one step: 1 if it happened, who acted, the action's number and
its parameters (0 for those not seen), the cells that the seat then sees (-1 for hidden ones), and a
digest of what it saw between automatic phases and of what its choices then tell it. Two tensors are
equal if and only if the strings are equal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel  # type: ignore[import-not-found]  # compiled code without types

from playproof.language import CHANCE
from playproof.language.game import Game
from playproof.language.game_analysis import (
    get_bounds_of_returns,
    is_first_return_deciding_all_returns,
    is_shown_to_be_zero_sum,
)
from playproof.language.random import Stream
from playproof.referee.engine import Engine
from playproof.referee.observations import (
    Observation,
    get_cached_observation_model,
    observe_start_as_seat,
    observe_step_as_seat,
)
from playproof.referee.variant import Variant
from playproof.referee.view import View, get_flags_of_cells_seat_may_see
from playproof.referee.worlds import draw_indistinguishable_state_or_raise, get_shared_exact_belief_or_none

_LONGEST = 100_000
_LARGEST = 100_000  # numbers in an information tensor; larger games have none
_DIGEST = 3  # 16-bit numbers that distinguish what was seen between automatic phases, and choices


class _GameContext:
    """What all states of one game share. Copying a state does not copy it."""

    def __init__(self, engine: Engine, variant: Variant | None = None) -> None:
        self.variant, self.engine, self.game = variant, engine, engine.game
        self.witness = get_cached_observation_model(self.game)

    def __deepcopy__(self, memo: dict[int, Any]) -> _GameContext:
        return self

    def __reduce__(self) -> tuple[Callable[[Variant, str], _GameContext], tuple[Variant, str]]:
        """Pickle the variant and its name; a reader that does not know the name makes the game again. Raises
        ValueError if the game is not registered."""
        if self.variant is None:
            raise ValueError(f"`{self.game.name}` is not registered with OpenSpiel, so it cannot travel")
        return _unpickle_game_context, (self.variant, make_openspiel_short_name(self.variant))


class _SharedList(list[Any]):
    """Steps that are added to and never changed, so copies share them. OpenSpiel copies a state deeply for each
    action that it tries."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _SharedList:
        return _SharedList(self)


def load(ref: str, **options: str) -> Any:
    """Return a pyspiel game by Playproof's name and options."""
    return pyspiel.load_game(register(Variant(ref, options)))


def register(variant: Variant) -> str:
    """Register a variant with OpenSpiel and return its short name there. Registering twice is
    harmless."""
    name = make_openspiel_short_name(variant)
    if name not in pyspiel.registered_names():
        _register_game_class_with_pyspiel(variant, name)
    return name


@lru_cache(maxsize=16)
def make_unregistered_openspiel_game(engine: Engine) -> OpenSpielGame:
    """Return the game of an engine for one of OpenSpiel's bots at a Playproof table. OpenSpiel's
    list of games does not contain it."""
    kind = make_pyspiel_game_type(engine.game, engine.game.name, f"playproof_{engine.game.name}")
    return OpenSpielGame(kind, make_pyspiel_game_info(engine.game), {}, _GameContext(engine))


def make_openspiel_short_name(variant: Variant) -> str:
    """Return `playproof_` with the game's name and the chosen options and rulings."""
    chosen = {**variant.options, **variant.rulings}
    tail = "".join(f"_{key}_{value}" for key, value in sorted(chosen.items()))
    letters = [c if c.isalnum() else "_" for c in variant.game.name + tail]
    return "playproof_" + "".join(letters)


def _register_game_class_with_pyspiel(variant: Variant, short_name: str) -> None:
    shared = _GameContext(Engine(variant.game), variant)
    kind, info = (make_pyspiel_game_type(variant.game, variant.title, short_name), make_pyspiel_game_info(variant.game))

    class Registered(OpenSpielGame):
        """The game under its name."""

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(kind, info, params, shared)

    pyspiel.register_game(kind, Registered)
    _KEEP.append(Registered)


_KEEP: list[type] = []  # OpenSpiel holds the class by a bare pointer


# -- game type ------------------------------------------------------------------------------------------------------


def make_pyspiel_game_type(game: Game, title: str, short_name: str) -> Any:
    """Return the game's type in OpenSpiel's terms."""
    kinds = pyspiel.GameType
    hidden = any(not all(get_flags_of_cells_seat_may_see(game, seat)) for seat in range(game.players))
    chance = any(phase.chance for phase in game.phases)
    chance_mode = kinds.ChanceMode.EXPLICIT_STOCHASTIC if chance else kinds.ChanceMode.DETERMINISTIC
    information = kinds.Information.IMPERFECT_INFORMATION if hidden else kinds.Information.PERFECT_INFORMATION
    utility = kinds.Utility.ZERO_SUM if is_shown_to_be_zero_sum(game) else kinds.Utility.GENERAL_SUM
    if game.players > 1 and len(game.sides) == 1 and is_first_return_deciding_all_returns(game):
        utility = kinds.Utility.IDENTICAL
    return kinds(
        short_name=short_name,
        long_name=title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=chance_mode,
        information=information,
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=bool(compute_tensor_shape_or_empty(game)),
        provides_observation_string=True,
        provides_observation_tensor=True,
    )


def make_pyspiel_game_info(game: Game) -> Any:
    """Return the game's sizes and bounds."""
    low, high = get_bounds_of_returns(game)
    within = game.facts.get("ends_within")
    facts = {"utility_sum": 0.0} if is_shown_to_be_zero_sum(game) else {}
    chance = any(phase.chance for phase in game.phases)
    longest = within if isinstance(within, int) else _LONGEST
    return pyspiel.GameInfo(
        num_distinct_actions=game.ground,
        max_chance_outcomes=game.ground if chance else 0,
        num_players=game.players,
        min_utility=float(low),
        max_utility=float(high),
        max_game_length=longest,
        **facts,
    )


def compute_tensor_shape_or_empty(game: Game) -> tuple[int, ...]:
    """Return rows and columns of the information tensor; empty if the game declares no length or
    the tensor is too large."""
    chance = any(phase.chance for phase in game.phases)
    within = game.facts.get("steps_within", None if chance else game.facts.get("ends_within"))
    widest = max((len(action.params) for action in game.actions), default=0)
    width = 3 + widest + game.cells + _DIGEST
    if not isinstance(within, int):
        return ()
    rows = within + 1
    return (rows, width) if rows * width <= _LARGEST else ()


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A Playproof game as OpenSpiel's algorithms see it."""

    def __init__(self, kind: Any, info: Any, params: dict[str, Any] | None, shared: _GameContext) -> None:
        super().__init__(kind, info, params or {})
        self.shared = shared

    def new_initial_state(self) -> OpenSpielState:
        """Return the state in which somebody first acts."""
        return OpenSpielState(self, self.shared)

    def make_state_with_history(self, states: Sequence[Sequence[int]], actions: Sequence[int]) -> OpenSpielState:
        """Return a state with this history. `states` has one entry more than `actions`, and may
        begin in the middle of a game."""
        made = OpenSpielState(self, self.shared)
        made.states, made.taken = _SharedList(list(state) for state in states), _SharedList(actions)
        return made

    def deserialize_state(self, text: str) -> OpenSpielState:
        """Return the state that `OpenSpielState.serialize` wrote. Raises ValueError if the text is
        not such a state."""
        try:
            states, taken = json.loads(text)
        except (ValueError, TypeError) as error:
            raise ValueError(f"this is no state of `{self.shared.game.name}`: {error}") from None
        made = self.new_initial_state()
        if states[:1] == made.states:  # then OpenSpiel has the history too
            for action in taken:
                made.apply_action(action)
        # the history does not lead to a resampled present
        made.states, made.taken = _SharedList(states), _SharedList(taken)
        return made

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Variant, str]]:
        """Pickle the variant and its name; the reader registers it if need be."""
        return _load_pyspiel_game_registering_it_first, self.shared.__reduce__()[1]

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return an observer of what a player sees, with or without perfect recall."""
        return Observer(self.shared, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class OpenSpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A history of a Playproof game."""

    def __init__(self, game: Any, shared: _GameContext) -> None:
        super().__init__(game)
        self.shared = shared
        self.states: list[list[int]] = _SharedList([shared.engine.start()])
        self.taken: list[int] = _SharedList()
        self._seen: list[list[str]] = [_SharedList() for _ in range(shared.game.players)]

    def get_cached_observation_lines_of_player(self, player: int) -> list[str]:
        """Return the player's observations, one line each. Keeps the lines made for an ancestor."""
        lines = self._seen[player]
        lines += [
            str(self.get_observation_of_step_by_player(step, player)) for step in range(len(lines), len(self.states))
        ]
        return lines

    def get_observation_of_step_by_player(self, step_number: int, player: int) -> Observation:
        """Return the part of a step that a player saw. Step 0 is the start."""
        witness = self.shared.witness
        if step_number == 0:
            return observe_start_as_seat(witness, self.states[0], player)
        return observe_step_as_seat(witness, self.states[step_number - 1], self.taken[step_number - 1], player)

    @property
    def engine(self) -> Engine:
        """The fast steps."""
        return self.shared.engine

    def current_player(self) -> int:
        """Return who acts; TERMINAL at the end and if nobody can act."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        actor = self.engine.actor(self.states[-1])
        return int(pyspiel.PlayerId.CHANCE) if actor == CHANCE else actor

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        state = self.states[-1]
        return bool(state[1]) or not self.engine.legal(state)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.engine.legal(self.states[-1]))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return chance's actions with their probabilities."""
        legal, weights = self.engine.list_legal_actions_and_weights(self.states[-1])
        mass = sum(weights)
        return [(i, w / mass) for i, w in sorted(zip(legal, weights, strict=True))]

    def _apply_action(self, action: int) -> None:
        self.states.append(self.engine.apply(self.states[-1], action))
        self.taken.append(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return words for every number, also for an action that is not legal or does not exist:
        OpenSpiel asks for all."""
        if not 0 <= action < self.shared.game.ground:
            return f"no action {action}"
        words = self.shared.game.show(action)
        return words if _is_wording_of_one_action(self.shared, words) else f"{words} [#{action}]"

    def returns(self) -> list[float]:
        """Return each seat's return, 0 while the game runs."""
        return [float(v) for v in self.engine.returns(self.states[-1])]

    def resample_from_infostate(self, player: int, sampler: Any) -> OpenSpielState:
        """Return a state that this player cannot tell from this one: another history with the same
        observations.

        If there are too many histories to count, it only deals the present state again and keeps
        the history.
        """
        stream = Stream(int(sampler() * (1 << 53)))
        other: OpenSpielState = self.clone()
        belief = get_shared_exact_belief_or_none(self.shared.game, self.states, self.taken, player)
        if belief is not None:
            states, taken = belief.draw_states_and_actions_of_possible_match(stream)
            other.states, other.taken = _SharedList(states), _SharedList(taken)
            other._seen = [_SharedList() for _ in other._seen]
            return other
        world = draw_indistinguishable_state_or_raise(self.engine.play, self.states, self.taken, player, stream)
        other.states = _SharedList([*self.states[:-1], world])
        other._seen = [_SharedList(own[: len(self.states) - 1]) for own in other._seen]
        return other

    def serialize(self) -> str:
        """Return the state with its history as text, which `OpenSpielGame.deserialize_state` reads."""
        return json.dumps([self.states, self.taken], separators=(",", ":"))

    def __reduce__(self) -> tuple[Callable[..., OpenSpielState], tuple[Variant, str, str]]:
        """Pickle or copy the variant, its name and the history; the reader registers the game if need be."""
        return _unpickle_state, (*self.shared.__reduce__()[1], self.serialize())

    def __str__(self) -> str:
        return " ".join(map(str, self.taken)) + " | " + ",".join(map(str, self.states[-1]))


def _unpickle_state(variant: Variant, short_name: str, serialized_state: str) -> OpenSpielState:
    """Return a state from a pickle."""
    state: OpenSpielState = _load_pyspiel_game_registering_it_first(variant, short_name).deserialize_state(
        serialized_state
    )
    return state


def _unpickle_game_context(variant: Variant, short_name: str) -> _GameContext:
    shared: _GameContext = _load_pyspiel_game_registering_it_first(variant, short_name).shared
    return shared


def _load_pyspiel_game_registering_it_first(variant: Variant, short_name: str) -> Any:
    return pyspiel.load_game(short_name if short_name in pyspiel.registered_names() else register(variant))


@cache
def _count_actions_by_wording(context: _GameContext) -> dict[str, int]:
    counts: dict[str, int] = {}
    for ident in range(context.game.ground):
        words = context.game.show(ident)
        counts[words] = counts.get(words, 0) + 1
    return counts


def _is_wording_of_one_action(context: _GameContext, wording: str) -> bool:
    return _count_actions_by_wording(context)[wording] == 1


class Observer:
    """A seat's view as text and numbers, or with perfect recall everything it has seen and done.

    Only what one player sees, public part included, can be observed. Other kinds raise ValueError.
    """

    def __init__(self, shared: _GameContext, kind: Any) -> None:
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("a playproof game is observed by one player, who also sees what is public")
        self.shared, self.recall = shared, bool(kind.perfect_recall)
        shape = compute_tensor_shape_or_empty(shared.game) if self.recall else (shared.game.cells,)
        size = int(np.prod(shape)) if shape else 0
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)} if shape else {}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Fill the tensor with what the player sees now, or has seen with perfect recall. Raises
        ValueError if the game is longer than declared."""
        game = self.shared.game
        if not self.recall:
            seen = View.of(game, state.states[-1], player).cells
            self.tensor[:] = [-1 if value is None else value for value in seen]
            return
        self.tensor[:] = 0
        if not self.dict:
            return
        rows = self.dict["observation"]
        if len(state.states) > len(rows):
            raise ValueError(f"`{game.name}` is declared to end within {len(rows) - 1} steps, and has not")
        for step, now in enumerate(state.states):
            _fill_tensor_row(
                rows[step],
                game,
                state.get_observation_of_step_by_player(step, player),
                View.of(game, now, player).cells,
            )

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return what the player sees now, or with perfect recall everything it has seen and
        done."""
        if not self.recall:
            return _format_cells_visible_to_player(self.shared.game, state.states[-1], player)
        return " / ".join([f"seat {player}", *state.get_cached_observation_lines_of_player(player)])


def _fill_tensor_row(
    row: npt.NDArray[np.float32], game: Game, observation: Observation, visible_cells: Sequence[int | None]
) -> None:
    """Write one step into a row of the tensor."""
    heard, start = observation.heard, len(row) - len(visible_cells) - _DIGEST
    row[0] = 1
    if heard is not None:
        row[1] = heard.actor + 2
        row[2] = 0 if heard.action is None else heard.action + 1
        lows = [p.low for p in game.actions[heard.action].params] if heard.action is not None else []
        row[3 : 3 + len(lows)] = [0 if v is None else v - low + 1 for v, low in zip(heard.values, lows, strict=True)]
    row[start : start + len(visible_cells)] = [-1 if value is None else value for value in visible_cells]
    if len(observation.views) > 1 or observation.choice:
        between = repr(
            (observation.views[:-1], observation.choice) if observation.choice else observation.views[:-1]
        ).encode()
        row[-_DIGEST:] = np.frombuffer(blake2b(between, digest_size=2 * _DIGEST).digest(), dtype="<u2")


def _format_cells_visible_to_player(game: Game, state: Sequence[int], player: int) -> str:
    cells = ["?" if cell is None else str(cell) for cell in View.of(game, state, player).cells]
    return ",".join(cells)
