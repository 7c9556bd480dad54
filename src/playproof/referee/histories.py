"""Histories that give a seat exactly what it has observed, for games with too many to count.

    histories = Histories(witness, match.states[0], seat=0)
    histories.update_to_seen_steps(seen)  # what the seat met, step by step
    histories.worlds                      # the last states of a few dozen histories

Each history starts at the first state and is extended step by step. A history that cannot be
extended is mended: one choice that the seat did not see becomes another, a later one that is no
longer possible takes its place, and everything is played again and compared with what the seat
observed. So every world agrees with the whole memory of the seat. Which worlds are drawn depends
only on what the seat observed, but some come more often than they should. There may be fewer worlds
than wanted, or none, if the tries run out.

The replay runs in machine code (`playproof.language.machine.replays`); docs/decisions/0017 has what it
costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled
from playproof.language.game import Game
from playproof.language.machine import replays
from playproof.language.machine.lazy_parts import REPLAYS
from playproof.language.random import Stream, make_game_seed
from playproof.referee.belief import SeenStep, State
from playproof.referee.observations import (
    HeardAction,
    ObservationModel,
)
from playproof.referee.view import get_flags_of_cells_seat_may_see

WORLDS = 16
_TRIES = 30  # changes tried to mend a history
_LAST_TRIES = 3_000  # the same, for the last histories left
_CHANGES = 4  # tried to make one history out of another
_CHECKPOINT = 16  # steps between the levels that stay for a match that is taken back
_IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _HistoryLevel:
    """The histories after some steps: a row of actions for each, and its last state."""

    actions: _IntArray
    states: _IntArray


class _StoredChoice(NamedTuple):
    """Where `Observation.choice` of a step stands in the array of all: `begins_with_actor` is 1 or 0."""

    first: int
    length: int
    begins_with_actor: int


class _ReplayRules:
    """What the replay knows of a game: its compiled functions, and a row for each ground action."""

    def __init__(self, game: Game) -> None:
        self.module: Any = Compiled(game, replays=True).load_functions_of_game_and_parts((REPLAYS,))
        widest = max((len(action.params) for action in game.actions), default=0)
        self.ground = np.zeros((max(1, game.ground), replays.PARAMS + widest), dtype=np.int64)
        for ident in range(game.ground):
            action = game.get_action_of_ground_action_number(ident)
            values = tuple(action.get_values_of_ground_action(ident))
            self.ground[ident, : replays.PARAMS + len(values)] = (action.number, len(values), *values)
        self._hidden = np.array(
            [ident for ident in range(game.ground) if game.get_action_of_ground_action_number(ident).hidden],
            dtype=np.int64,
        )
        self._game = game
        self._near: dict[int, _IntArray] = {}

    def find_actions_matching_heard(self, heard: HeardAction) -> _IntArray:
        """Return the actions that agree with what was heard, in order."""
        if heard.action is None:
            return self._hidden
        action = self._game.actions[heard.action]
        rows = np.array(action.idents)
        for column, value in enumerate(heard.values, replays.PARAMS):
            if value is not None:
                rows = rows[self.ground[rows, column] == value]
        return rows

    def get_flags_of_actions_sharing_parameter_value(self, action_id_or_minus_one: int) -> _IntArray:
        """Return for each ground action whether it has a parameter of this one (-1: of none)."""
        if action_id_or_minus_one not in self._near:
            self._near[action_id_or_minus_one] = self._compute_flags_of_actions_sharing_parameter_value(
                action_id_or_minus_one
            )
        return self._near[action_id_or_minus_one]

    def _compute_flags_of_actions_sharing_parameter_value(self, action_id_or_minus_one: int) -> _IntArray:
        sharing = np.zeros(len(self.ground), dtype=np.int64)
        if action_id_or_minus_one < 0:
            return sharing
        values = self.ground[action_id_or_minus_one, replays.PARAMS :][
            : self.ground[action_id_or_minus_one, replays.COUNT]
        ]
        for column in range(replays.PARAMS, self.ground.shape[1]):
            filled = self.ground[:, replays.COUNT] > column - replays.PARAMS
            sharing |= filled & np.isin(self.ground[:, column], values)
        return sharing


class _GrowingArray:
    """Numbers one after the other, in an array that grows."""

    def __init__(self) -> None:
        self.cells = np.zeros(256, dtype=np.int64)
        self.used = 0

    def append_numbers_and_get_first_index(self, numbers: _IntArray) -> int:
        """Append numbers; return the place of the first."""
        first, self.used = self.used, self.used + len(numbers)
        while self.used > len(self.cells):
            self.cells = np.concatenate([self.cells, np.zeros_like(self.cells)])
        self.cells[first : self.used] = numbers
        return first


class Histories:
    """Histories of one match that one seat cannot tell apart. It receives only what the seat
    observed and did."""

    def __init__(self, witness: ObservationModel, start: Sequence[int], seat: int, most: int = WORLDS) -> None:
        self.witness, self.seat, self.most = witness, seat, most
        self.seen: list[SeenStep] = []
        self._rules = _get_cached_replay_rules(id(witness.game), witness.game)
        self._start = np.array(start, dtype=np.int64)
        self._eyes = np.flatnonzero(get_flags_of_cells_seat_may_see(witness.game, seat)).astype(np.int64)
        # A row of actions for each history, and its last state.
        self._actions = np.zeros((most, 0), dtype=np.int64)
        self._now = np.tile(self._start, (most, 1))
        self._count = most
        # What the seat observed: a row for each step, and where its actions and views stand.
        self._steps = np.zeros((0, 8), dtype=np.int64)
        self._alike, self._views, self._choices = _GrowingArray(), _GrowingArray(), _GrowingArray()
        self._room = np.zeros((2, max(1, witness.game.ground)), dtype=np.int64)
        self._sounds: dict[tuple[HeardAction, int | None], tuple[int, int]] = {}
        self._unseen = _GrowingArray()  # the steps of which the seat did not see all
        # Room in which a history is played again.
        self._track = np.zeros((0, len(self._start)), dtype=np.int64)
        self._fresh = np.zeros(0, dtype=np.int64)
        self._enlarge_arrays_for_steps(16)
        self._levels = {0: self._copy_present_histories()}

    def update_to_seen_steps(self, all_seen_steps: Sequence[SeenStep]) -> None:
        """Update to these steps. Keeps what belongs to a common beginning."""
        same = 0
        while same < min(len(all_seen_steps), len(self.seen)) and all_seen_steps[same] == self.seen[same]:
            same += 1
        if same < len(self.seen):
            same = self._restore_last_level_not_after(same)
        for step in all_seen_steps[same:]:
            self._extend_or_mend_histories_by_step(step)

    @property
    def worlds(self) -> list[State]:
        """The present states of all histories. One that several histories reach comes several
        times."""
        return [tuple(state) for state in self._now[: self._count].tolist()]

    # -- levels ---------------------------------------------------------------------------------------------

    def _copy_present_histories(self) -> _HistoryLevel:
        """Return a copy of the present histories."""
        rows = self._count
        return _HistoryLevel(self._actions[:rows, : len(self.seen)].copy(), self._now[:rows].copy())

    def _restore_last_level_not_after(self, max_steps: int) -> int:
        """Return to the last level that stays and has at most so many steps; return its number of
        steps."""
        last = max(number for number in self._levels if number <= max_steps)
        self._levels = {number: level for number, level in self._levels.items() if number <= last}
        level = self._levels[last]
        self._count = len(level.states)
        self._actions[: self._count, :last] = level.actions
        self._now[: self._count] = level.states
        del self.seen[last:]
        unseen = self._unseen.cells[: self._unseen.used]
        self._unseen.used = int(np.count_nonzero(unseen < last))
        self._views.used = int(self._steps[last, replays.VIEW])
        self._choices.used = int(self._steps[last, replays.CHOICE])
        return last

    def _enlarge_arrays_for_steps(self, total_steps: int) -> None:
        """Make room for so many steps."""
        more = total_steps - len(self._steps)
        self._actions = np.pad(self._actions, ((0, 0), (0, more)))
        self._steps = np.pad(self._steps, ((0, more), (0, 0)))
        self._track = np.tile(self._start, (total_steps + 1, 1))
        self._fresh = np.zeros(total_steps, dtype=np.int64)

    # -- step by step ---------------------------------------------------------------------------------------

    def _extend_or_mend_histories_by_step(self, seen_step: SeenStep) -> None:
        number = len(self.seen)
        self._append_seen_step_to_arrays(seen_step)
        # The numbers depend on the step alone, so the worlds do not depend on when somebody asked.
        stream = Stream(make_game_seed(self.seat, number))
        dice = np.array([stream.below(1 << 32)], dtype=np.uint64)
        extended = np.zeros(self.most, dtype=np.int64)
        self._rules.module.extend_histories_by_step(
            self._count, self._history_arrays, number, self._seat_observations, dice, extended
        )
        rows = [row for row in range(self._count) if extended[row]]
        failed = [row for row in range(self._count) if not extended[row]]
        wanted = self._get_fully_heard_action_or_minus_one(number)
        for row in failed[: max(0, self.most // 2 - len(rows))]:
            if self._try_to_change_and_extend_history(row, number, wanted, _TRIES, dice):
                rows.append(row)
        for row in failed:
            if not rows and self._try_to_change_and_extend_history(
                row, number, wanted, _LAST_TRIES // len(failed), dice
            ):
                rows.append(row)
        self._count = len(rows)
        self._actions[: len(rows), : number + 1] = self._actions[rows, : number + 1]
        self._now[: len(rows)] = self._now[rows]
        if seen_step.own is None and _is_action_partly_unheard(seen_step):
            self._unseen.append_numbers_and_get_first_index(np.array([number]))
        if rows:
            self._fill_missing_histories_by_variation(number + 1, stream, dice)
        if number % _CHECKPOINT == _CHECKPOINT - 1:
            self._levels[number + 1] = self._copy_present_histories()

    def _append_seen_step_to_arrays(self, seen_step: SeenStep) -> None:
        """Write down what the seat observed."""
        number = len(self.seen)
        if number == len(self._steps):
            self._enlarge_arrays_for_steps(2 * number)
        self.seen.append(seen_step)
        heard, views = seen_step.observation.heard, seen_step.observation.views
        assert heard is not None
        if (heard, seen_step.own) not in self._sounds:
            alike = (
                self._rules.find_actions_matching_heard(heard) if seen_step.own is None else np.array([seen_step.own])
            )
            self._sounds[heard, seen_step.own] = (self._alike.append_numbers_and_get_first_index(alike), len(alike))
        first_view = self._views.append_numbers_and_get_first_index(np.array(views, dtype=np.int64).ravel())
        choice = self._append_observed_choice(seen_step)
        self._steps[number] = (heard.actor, *self._sounds[heard, seen_step.own], first_view, len(views), *choice)

    def _append_observed_choice(self, seen_step: SeenStep) -> _StoredChoice:
        """Write down what the seat learnt after a step from whose turn it is and what it may choose; return where."""
        observation = seen_step.observation
        phase = observation.views[-1][0]  # the phase in which somebody acts is open
        names_actor = bool(observation.choice) and phase in self.witness.telling.actors
        first = self._choices.append_numbers_and_get_first_index(np.array(observation.choice, dtype=np.int64))
        return _StoredChoice(first, len(observation.choice), int(names_actor))

    @property
    def _history_arrays(self) -> replays.HistoryArrays:
        return replays.HistoryArrays(self._actions, self._now)

    @property
    def _seat_observations(self) -> replays.SeatObservations:
        return replays.SeatObservations(
            self._steps, self._alike.cells, self._views.cells, self._eyes, self._choices.cells, self._room
        )

    def _make_choice_changes_favouring_action(self, action_to_enable_or_minus_one: int) -> replays.ChoiceChanges:
        """Return what other choices are made with, to make an action legal (-1: any)."""
        unseen, rules = self._unseen, self._rules
        near = rules.get_flags_of_actions_sharing_parameter_value(action_to_enable_or_minus_one)
        return replays.ChoiceChanges(self._track, unseen.cells, unseen.used, near, rules.ground, self._fresh)

    # -- other choices --------------------------------------------------------------------------------------

    def _try_to_change_and_extend_history(
        self, history_row: int, step_number: int, heard_action: int, max_tries: int, dice: npt.NDArray[np.uint64]
    ) -> bool:
        """Change a history until it can be extended by step `step_number`, and extend it. Return whether
        that succeeded."""
        other, module = self._make_choice_changes_favouring_action(heard_action), self._rules.module
        return bool(
            module.change_history_until_step_fits(
                history_row,
                self._history_arrays,
                step_number,
                heard_action,
                max_tries,
                self._seat_observations,
                other,
                dice,
            )
        )

    def _fill_missing_histories_by_variation(
        self, step_count: int, stream: Stream, dice: npt.NDArray[np.uint64]
    ) -> None:
        """Add the histories that are missing: others of the same level, each with one choice changed
        if that is possible."""
        level, other = self._count, self._make_choice_changes_favouring_action(-1)
        for row in range(level, self.most):
            self._rules.module.write_varied_history_or_copy(
                stream.below(level),
                row,
                self._history_arrays,
                step_count,
                _CHANGES,
                self._seat_observations,
                other,
                dice,
            )
        self._count = self.most

    def _get_fully_heard_action_or_minus_one(self, step_number: int) -> int:
        """Return the action of a step, or -1 if the seat did not hear all of it."""
        first, count = self._steps[step_number, replays.ALIKE], self._steps[step_number, replays.SOUNDS]
        return int(self._alike.cells[first]) if count == 1 else -1


def _is_action_partly_unheard(seen_step: SeenStep) -> bool:
    """Return whether a seat did not see all of a step."""
    heard = seen_step.observation.heard
    return heard is not None and (heard.action is None or None in heard.values)


@lru_cache(maxsize=16)
def _get_cached_replay_rules(_: int, game: Game) -> _ReplayRules:
    """Return what the replay knows of a game, made once."""
    return _ReplayRules(game)
