"""What a seat sees happen, and all that it has seen so far: who acts, which action it is, its
parameters, and the table after each small step, whatever the hidden cells hold.

* A player's action is public, except for what it declares `secret`.
* A seat sees the result of chance if it sees the fields that result changes. All seats see a
  parameter that changes no hidden field (a die, an open card).
* A seat hears another parameter, of chance or a secret one of a player, only if what it sees tells
  it, whatever the hidden cells hold: a seat that receives a card sees which one it is. What the
  true hidden cells hold decides nothing, or the words themselves would tell of them.
* Each automatic phase is observed separately, so a card that is cleared away at once was seen.
* A seat sees whose turn it is, and on its own turn which actions it may choose.

What a seat knows: its observations in order, with perfect recall, and the test that nothing else
reaches it.

    seen = information(witness, match.states, match.actions, seat=0)

Two histories with equal information are indistinguishable to that seat. Everything else a seat
receives (its log, its information state in OpenSpiel, the worlds it imagines) is made from this.

What an action shows whatever the hidden cells hold.

    tables_after(functions, "effect3", table, [2, 0])    # every table that this may leave behind

The generated Python of a game runs on a table in which `UNKNOWN` stands for each hidden cell. A
value made from it is unknown too. Where the rules ask about an unknown value, both answers are
followed. So the tables returned cover every world that the seat may imagine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, product, zip_longest
from math import prod
from types import FunctionType, ModuleType
from typing import Any

from playproof.language import CHANCE
from playproof.language.declarations import find_names_of_public_chance_parameters
from playproof.language.game import Action, Game
from playproof.language.game_analysis import RevealingPhases
from playproof.referee.view import SeatOrReferee, get_flags_of_cells_seat_may_see

# -- witness -------------------------------------------------------------------------------------------------
# What a seat sees happen: who acts, which action it is, its parameters, and the table after each small
# step.

CellValues = tuple[int, ...]
WATCHER = -3  # in place of a seat: somebody who sees only what all seats see
_LONGEST_RUN = 10_000  # automatic phases after one action; an impossible look-alike may never stop
_MOST_ALIKE = 5_000  # with more look-alikes, nobody hears the parameters


@dataclass(frozen=True, slots=True)
class HeardAction:
    """An action as a seat hears it. `action` is its number in the game, or None if it is hidden.
    `values` has None for each parameter that the seat does not see."""

    actor: int
    action: int | None
    values: tuple[int | None, ...]


class ObservationModel:
    """Says for each seat of one game what it sees of a step. The step must be legal; the witness
    does not check this."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._masks = {seat: get_flags_of_cells_seat_may_see(game, seat) for seat in range(game.players)}
        self._masks[WATCHER] = tuple(all(seen) for seen in zip(*self._masks.values(), strict=True))
        self._runs = {seat: _slices_from_mask(mask) for seat, mask in self._masks.items()}
        self.telling = RevealingPhases.from_game(game)
        width = max(1, game.ground)
        self._out, self._weights = [0] * width, [0] * width
        self._acts: dict[int, tuple[Action, tuple[int, ...]]] = {}

    @cached_property
    def _module(self) -> ModuleType:
        """The generated source as plain Python, without checks.

        Look-alikes of an action need not be legal, and an impossible one must not reveal a secret.
        """
        from playproof.language.compiled import generate_module_source, load_source_as_cached_python_module

        return load_source_as_cached_python_module(generate_module_source(self.game))

    @cached_property
    def _functions_accepting_unknowns(self) -> dict[str, Any]:
        """The same functions on tables with unknown cells."""
        return copy_functions_accepting_unknowns(vars(self._module))

    def get_seat_or_chance_to_act(self, state: Sequence[int]) -> int:
        """Return the seat to act, or CHANCE."""
        return int(self._module.actor(state))

    def list_legal_actions_and_weights(self, state: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the legal ground actions and their weights."""
        n = self._module.legal(state, self._out, self._weights)
        return self._out[:n], self._weights[:n]

    def list_states_after_action_and_auto_phases(self, state: Sequence[int], action_id: int) -> list[list[int]]:
        """Return the states after an action and after each automatic phase that follows."""
        return list(
            self._iter_states_after_action_and_automatic_phases(state, *self.get_action_and_parameter_values(action_id))
        )

    def get_action_and_parameter_values(self, action_id: int) -> tuple[Action, tuple[int, ...]]:
        """Return a ground action's action and parameters. Cached, since beliefs ask for
        thousands per step."""
        if action_id not in self._acts:
            action = self.game.get_action_of_ground_action_number(action_id)
            self._acts[action_id] = action, tuple(action.get_values_of_ground_action(action_id))
        return self._acts[action_id]

    def _iter_states_after_action_and_automatic_phases(
        self, state: Sequence[int], action: Action, parameter_values: Sequence[int]
    ) -> Iterator[list[int]]:
        now, module, phases = list(state), self._module, self.game.phases
        getattr(module, f"effect{action.number}")(now, *parameter_values)
        yield list(now)
        for _ in range(_LONGEST_RUN):
            if now[1] or not phases[now[0]].automatic:
                return
            getattr(module, f"auto{now[0]}")(now)
            yield list(now)

    # -- what is seen ---------------------------------------------------------------------------------------

    def iter_changed_views_of_seat(self, successive_states: Iterable[Sequence[int]], seat: int) -> Iterator[CellValues]:
        """Yield what a seat sees of the table at each moment, if it differs from the moment before.

        Between automatic phases the seat does not see the phase itself: the phase is bookkeeping of
        the rules and not on the table.
        """
        return self._iter_changed_views(successive_states, self._runs[seat])

    def iter_changed_views_through_mask(
        self, successive_states: Iterable[Sequence[int]], visible_cells: Sequence[bool]
    ) -> Iterator[CellValues]:
        """Do the same for an observer who sees the cells of `visible_cells`."""
        return self._iter_changed_views(successive_states, _slices_from_mask(visible_cells))

    def _iter_changed_views(
        self, successive_states: Iterable[Sequence[int]], visible_slices: Sequence[slice]
    ) -> Iterator[CellValues]:
        last: CellValues | None = None
        for state in successive_states:
            cells: list[int] = []
            for run in visible_slices:
                cells += state[run]
            between = self.game.phases[state[0]].automatic and not state[1]
            if between:
                cells[0] = -1
            seen = tuple(cells)
            if not between or last is None or seen[1:] != last[1:]:
                yield seen
                last = seen

    def get_next_state_if_views_match_or_none(
        self, state: Sequence[int], action_id: int, seat: int, expected_views: Sequence[CellValues]
    ) -> CellValues | None:
        """Return the state that an action leads to if the seat then sees just these views, else None. Stops at the
        first view that differs: a belief asks this of thousands of actions per step."""
        passed: list[list[int]] = []

        def moments() -> Iterator[list[int]]:
            for moment in self._iter_states_after_action_and_automatic_phases(
                state, *self.get_action_and_parameter_values(action_id)
            ):
                passed.append(moment)
                yield moment

        for view, expected in zip_longest(self.iter_changed_views_of_seat(moments(), seat), expected_views):
            if view != expected:
                return None
        return tuple(passed[-1])

    def encode_turn_and_choices_if_revealing(self, state: Sequence[int], seat: int) -> CellValues:
        """Return what a seat learns at a moment from whose turn it is and, on its own turn, from the actions that it
        may choose. Empty where the cells that the seat sees decide both."""
        if state[1]:
            return ()
        tells_actor = state[0] in self.telling.actors
        tells_choices = state[0] in self.telling.choices
        if not (tells_actor or tells_choices):
            return ()
        actor = self.get_seat_or_chance_to_act(state)
        choices = self.list_legal_actions_and_weights(state)[0] if tells_choices and actor == seat else []
        return (*([actor] if tells_actor else []), *choices)

    def can_action_be_heard_incompletely(self, action_id: int) -> bool:
        """Return whether some seat may be unable to tell which of several look-alikes of an
        action was taken."""
        action = self.game.get_action_of_ground_action_number(action_id)
        return action.hidden or bool(
            _list_indexes_of_parameters_not_public(action, is_chance_action=self.game.phases[action.phases[0]].chance)
        )

    def get_action_as_heard_by_seat(
        self, state_before: Sequence[int], action_id: int, seat: SeatOrReferee
    ) -> HeardAction:
        """Return an action as a seat or WATCHER hears it (None: the referee, who hears everything).
        `state_before` is the state in which it was taken."""
        (action, values), actor = (
            self.get_action_and_parameter_values(action_id),
            self.get_seat_or_chance_to_act(state_before),
        )
        if seat is None or seat == actor:
            return HeardAction(actor, action.number, values)
        if action.hidden:
            return HeardAction(actor, None, ())
        unsure = _list_indexes_of_parameters_not_public(action, is_chance_action=actor == CHANCE)
        hidden = (
            self._find_indexes_of_values_unknown_to_seat(state_before, action, values, unsure, seat)
            if unsure
            else set()
        )
        heard = tuple(None if place in hidden else value for place, value in enumerate(values))
        return HeardAction(actor, action.number, heard)

    def _find_indexes_of_values_unknown_to_seat(
        self,
        state_before: Sequence[int],
        action: Action,
        parameter_values: Sequence[int],
        uncertain_places: Sequence[int],
        seat: int,
    ) -> set[int]:
        """Return the places among `uncertain_places` whose value the seat cannot tell. Depends only on what
        the seat sees before and right after the action."""
        if prod(action.params[n].count for n in uncertain_places) > _MOST_ALIKE:
            return set(uncertain_places)
        mask = self._masks[seat]
        table = [cell if seen else None for cell, seen in zip(state_before, mask, strict=True)]
        after = next(self._iter_states_after_action_and_automatic_phases(state_before, action, parameter_values))
        # The number of an automatic phase is not on the table.
        first = int(self.game.phases[after[0]].automatic and not after[1])
        visible_after = [(place, after[place]) for place in range(first, len(mask)) if mask[place]]
        hidden: set[int] = set()
        for other in _iter_parameter_values_varied_at(action, parameter_values, uncertain_places):
            changed = {n for n in uncertain_places if other[n] != parameter_values[n]}
            if not changed <= hidden and self._may_action_lead_to_visible_cells(table, action, other, visible_after):
                hidden |= changed
                if len(hidden) == len(uncertain_places):
                    break
        return hidden

    def _may_action_lead_to_visible_cells(
        self,
        known_cells_before: Sequence[int | None],
        action: Action,
        parameter_values: Sequence[int],
        visible_cells_after: Sequence[tuple[int, int]],
    ) -> bool:
        """Return whether an action may show these cells, with some hidden cells before it."""
        try:
            for after in iter_partly_known_tables_after_effect(
                self._functions_accepting_unknowns, f"effect{action.number}", known_cells_before, parameter_values
            ):
                if all(after[place] in (None, value) for place, value in visible_cells_after):
                    return True
        except DependsOnHiddenError:
            return True
        return False


def get_cached_observation_model(game: Game) -> ObservationModel:
    """Return the witness of a game, made once."""
    return _make_cached_observation_model(id(game), game)


@lru_cache(maxsize=64)
def _make_cached_observation_model(_: int, game: Game) -> ObservationModel:
    return ObservationModel(game)


def _slices_from_mask(visible_cells: Sequence[bool]) -> list[slice]:
    """Return the places where a mask holds, as runs: slices of a state are much cheaper than single cells."""
    runs, at = [], 0
    for seen, cells in groupby(visible_cells):
        length = len(list(cells))
        if seen:
            runs.append(slice(at, at + length))
        at += length
    return runs


def _list_indexes_of_parameters_not_public(action: Action, *, is_chance_action: bool) -> list[int]:
    """Return the places of the parameters that some seats do not see at once."""
    if is_chance_action:
        announced = find_names_of_public_chance_parameters(action) - action.secret
        return [n for n, p in enumerate(action.params) if p.local.name not in announced]
    return [n for n, p in enumerate(action.params) if p.local.name in action.secret]


def _iter_parameter_values_varied_at(
    action: Action, parameter_values: Sequence[int], varied_places: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the values of the same action with other values in some of the places."""
    ranges = (
        p.values if n in varied_places else (v,)
        for n, (p, v) in enumerate(zip(action.params, parameter_values, strict=True))
    )
    yield from (other for other in product(*ranges) if other != tuple(parameter_values))


# -- information ---------------------------------------------------------------------------------------------
# What a seat knows: its observations in order, with perfect recall, and the test that nothing else reaches
# it.


@dataclass(frozen=True, slots=True)
class Observation:
    """One step as a seat saw it: the action it heard (None at the start) and the table at each
    moment that looked new to it.

    `views` holds the cells that the seat sees, in order. The first cell is -1 between automatic
    phases. `choice` is what the seat then learns from whose turn it is and from the actions that it
    may choose (`ObservationModel.encode_turn_and_choices_if_revealing`): empty where the cells decide both.
    """

    heard: HeardAction | None
    views: tuple[CellValues, ...]
    choice: CellValues = ()

    def __str__(self) -> str:
        """Format it as a line of an information state: `1:4(2,?) 3,0,1;5,0,1`, and `=7,8` behind it for what is
        learnt from the choices."""
        tables = ";".join(",".join(map(str, view)) for view in self.views)
        if self.choice:
            tables += "=" + ",".join(map(str, self.choice))
        if self.heard is None:
            return tables
        action = "?" if self.heard.action is None else str(self.heard.action)
        values = ",".join("?" if v is None else str(v) for v in self.heard.values)
        return f"{self.heard.actor}:{action}({values}) {tables}"


def observe_step_as_seat(
    model: ObservationModel, state_before: Sequence[int], action_id: int, seat: int
) -> Observation:
    """Return what a seat sees of one step."""
    moments = model.list_states_after_action_and_auto_phases(state_before, action_id)
    views = tuple(model.iter_changed_views_of_seat(moments, seat))
    return Observation(
        model.get_action_as_heard_by_seat(state_before, action_id, seat),
        views,
        model.encode_turn_and_choices_if_revealing(moments[-1], seat),
    )


def observe_start_as_seat(model: ObservationModel, start_state: Sequence[int], seat: int) -> Observation:
    """Return what a seat sees before anything happens."""
    return Observation(
        None,
        tuple(model.iter_changed_views_of_seat([start_state], seat)),
        model.encode_turn_and_choices_if_revealing(start_state, seat),
    )


def iter_observations_of_seat_from_start(
    model: ObservationModel, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> Iterator[Observation]:
    """Yield what a seat saw, step by step. `states` has one entry more than `actions`."""
    yield observe_start_as_seat(model, states[0], seat)
    for before, ident in zip(states, actions, strict=False):
        yield observe_step_as_seat(model, before, ident, seat)


def collect_observations_of_seat_from_start(
    witness: ObservationModel, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> tuple[Observation, ...]:
    """Return a seat's information state: everything it saw and did since the start."""
    return tuple(iter_observations_of_seat_from_start(witness, states, actions, seat))


# -- unknowns ------------------------------------------------------------------------------------------------
# What an action shows whatever the hidden cells hold.

_MOST_PATHS = 64


class DependsOnHiddenError(Exception):
    """Too much depends on what is hidden."""


class _BranchAnswers:
    """The answers that one path gives to questions about unknown values, in order."""

    def __init__(self) -> None:
        self.path: list[bool] = []
        self.place = 0

    def take_next_branch_answer_or_true(self) -> bool:
        """Answer a question: as the path says, then True."""
        if self.place == len(self.path):
            self.path.append(True)
        self.place += 1
        return self.path[self.place - 1]

    def iter_once_per_possible_answer_path(self) -> Iterator[None]:
        """Yield once per path. Raises Unclear if there are too many."""
        self.path = []
        for _ in range(_MOST_PATHS):
            self.place = 0
            yield
            while self.path and not self.path[-1]:
                self.path.pop()
            if not self.path:
                return
            self.path[-1] = False
        raise DependsOnHiddenError


class UnknownNumber:
    """A whole number of which nothing is known."""

    def __init__(self, answers: _BranchAnswers) -> None:
        self.answers = answers

    def __bool__(self) -> bool:
        return self.answers.take_next_branch_answer_or_true()

    def __index__(self) -> int:
        raise DependsOnHiddenError

    __hash__ = object.__hash__


def _return_self(self: UnknownNumber, *_: object) -> UnknownNumber:
    return self


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    setattr(UnknownNumber, f"__{_name}__", _return_self)
    setattr(UnknownNumber, f"__r{_name}__", _return_self)
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "abs", "invert"):
    setattr(UnknownNumber, f"__{_name}__", _return_self)


class _UncertainTable(list[Any]):
    """A table whose cells may be read and written at an unknown place."""

    unknown: UnknownNumber

    def __getitem__(self, place: Any) -> Any:
        return self.unknown if isinstance(place, UnknownNumber) else super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, UnknownNumber):
            self[:] = [self.unknown] * len(self)  # any cell may have changed
        else:
            super().__setitem__(place, value)


def copy_functions_accepting_unknowns(generated_functions: Mapping[str, Any]) -> dict[str, Any]:
    """Return generated functions in a form that takes unknown values."""

    def whole(value: Any = 0) -> Any:
        return value if isinstance(value, UnknownNumber) else int(value)

    names = {**generated_functions, "int": whole}
    for name, held in generated_functions.items():
        if isinstance(held, FunctionType):
            names[name] = FunctionType(held.__code__, names, name, held.__defaults__)
    return names


def iter_partly_known_tables_after_effect(
    functions_accepting_unknowns: Mapping[str, Any],
    effect_function_name: str,
    known_cells_before: Sequence[int | None],
    parameter_values: Iterable[int],
) -> Iterator[list[int | None]]:
    """Yield the tables that an effect may leave behind, with None for each cell of which nothing is
    known. `known_cells_before` has None for each hidden cell. Raises Unclear if that cannot be said."""
    answers = _BranchAnswers()
    unknown, arguments = UnknownNumber(answers), tuple(parameter_values)
    run: Callable[..., None] = functions_accepting_unknowns[effect_function_name]
    for _ in answers.iter_once_per_possible_answer_path():
        now = _UncertainTable(unknown if cell is None else cell for cell in known_cells_before)
        now.unknown = unknown
        try:
            run(now, *arguments)
        except (ArithmeticError, LookupError, TypeError) as error:
            raise DependsOnHiddenError from error  # an impossible look-alike, or a question that has no two answers
        yield [None if isinstance(cell, UnknownNumber) else int(cell) for cell in now]
