"""Worlds that a seat cannot tell from the true one, for search, for hints and for the leak test; in
games with too many to count, histories that give the seat exactly what it has observed.

    worlds = imagined(match.play, match.states, match.actions, seat=0)
    worlds.draw(stream)     # a state
    worlds.exact            # whether draws have the stated weights and cover all that fits the observations
    worlds.how              # the same in words

There are four ways. The first that is possible is used:

1. Keep every possible state, step by step (`playproof.referee.belief`). This is exact, but works
   only while there are few such states.

2. Keep a few histories that fit all that the seat has observed (`playproof.referee.worlds`). Some
   come more often than they should. The search may fail, and then the third way is used and said.

3. Shuffle the hidden part of what the game declares exchangeable, and deal it back. Such a world
   agrees with what the table shows now, but not with what the seat only remembers (a card it was
   shown, a suit that was not followed):

       g.fact(exchangeable=[{"counts": ["hand", "deck"], "slots": {"reserve": "reserve_size"}, "first": 0}])

   `counts` names arrays whose last index is a kind of card and whose value is how many; each row is
   one holder. `slots` names arrays (or single fields) whose value is a kind; the last index is the
   place. Each maps to the field that says how many places are filled, or to None if a value below
   `first` marks an empty place. Kinds start at `first` in slots (at 1 if 0 means "no card"), always
   at 0 in counts. With `"by_player": True` the first index is the player, and no card passes from
   one player to another. With `"kinds": [3, 8]` only kinds 3 to 7 are exchanged among themselves (a
   deck with its own back). Every arrangement of the cards is equally likely; holders keep their
   number of cards.

4. Replay the match from its start with new hidden choices, with backtracking, until the seat would
   have observed the same at every step. Each such world fits, but some come more often than they
   should.

Histories that give a seat exactly what it has observed, for games with too many to count.

    histories = Histories(witness, match.states[0], seat=0)
    histories.hold(seen)          # what the seat met, step by step
    histories.worlds              # the last states of a few dozen histories

Each history starts at the first state and is extended step by step. A history that cannot be
extended is mended: one choice that the seat did not see becomes another, a later one that is no
longer possible takes its place, and everything is played again and compared with what the seat
observed. So every world agrees with the whole memory of the seat. Which worlds are drawn depends
only on what the seat observed, but some come more often than they should. There may be fewer worlds
than wanted, or none, if the tries run out.

The replay runs in machine code (`playproof.language.machine.replays`); docs/decisions/0017 has what it
costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Interpreter
from playproof.language.compiled import Compiled
from playproof.language.game import Game
from playproof.language.game_analysis import CardHolder, list_pools_of_cards_unseen_by_seat
from playproof.language.machine import replays
from playproof.language.machine.lazy_parts import REPLAYS
from playproof.language.random import Stream, make_game_seed
from playproof.referee.belief import Belief, SeenStep, State, TooManyStates, make_step_seen_by_seat
from playproof.referee.observations import (
    HeardAction,
    Observation,
    ObservationModel,
    get_cached_observation_model,
    observe_start_as_seat,
    observe_step_as_seat,
)
from playproof.referee.view import get_flags_of_cells_seat_may_see

# Worlds that a seat cannot tell from the true one, for search, for hints and for the leak test.

_MOST_STEPS = 20_000
_TRIAL = 100  # steps of a random game
_MOST_DEALS = 1_000  # deals tried until one leaves the seat the same choices
_ALL_KNOWN = "nothing is hidden from this seat"
_EXACT = "drawn from all states that fit what the seat has observed, as likely as they are"
_DEALT = "hidden cards dealt anew: fits what the table shows now, not what the seat only remembers"
_REMEMBERED = "{} worlds that fit all that the seat has observed; some come more often than they should"
_REPLAYED = "fits all that the seat has observed, but some worlds come more often than they should"


class CannotResample(RuntimeError):
    """No other world could be made. The message says why, or what the game must declare."""


@dataclass(frozen=True, slots=True)
class PossibleWorlds:
    """The worlds that a seat may imagine at one moment of a match. `draw` raises CannotResample if
    it finds none.

    Compiled code uses `weights`, which maps worlds to them, and deals their hidden cards anew if
    `dealt`. If there are none, only `draw` can make a world. No field holds the true state unless
    nothing is hidden.
    """

    exact: bool
    how: str
    draw: Callable[[Stream], list[int]]
    weights: Mapping[tuple[int, ...], float] = field(default_factory=dict)
    dealt: bool = False
    history: Callable[[Stream], tuple[list[list[int]], list[int]]] | None = None


def make_possible_worlds_for_seat(
    play: Interpreter,
    states: Sequence[Sequence[int]],
    actions: Sequence[int],
    seat: int,
    *,
    ignore_memory_if_exchangeable: bool = False,
) -> PossibleWorlds:
    """Return the worlds a seat may imagine now.

    With `ignore_memory_if_exchangeable`, a game with exchangeable cards deals them anew even if the seat remembers
    more. Use it if each decision needs only one world, because the exact belief then costs too much.
    """
    game = play.game
    if all(get_flags_of_cells_seat_may_see(game, seat)):
        now = tuple(states[-1])
        return PossibleWorlds(True, _ALL_KNOWN, lambda stream: list(now), {now: 1.0})
    dealt = bool(game.facts.get("exchangeable"))
    belief = (
        None
        if dealt and (ignore_memory_if_exchangeable or not has_small_beliefs_in_random_game(game))
        else get_shared_exact_belief_or_none(game, states, actions, seat)
    )
    if belief is not None:
        return PossibleWorlds(
            True,
            _EXACT,
            belief.draw_possible_state,
            belief.weights,
            history=belief.draw_states_and_actions_of_possible_match,
        )
    if (
        dealt
        and not ignore_memory_if_exchangeable
        and (fitting := _find_some_states_fitting_observations(game, states, actions, seat))
    ):
        return PossibleWorlds(
            False,
            _REMEMBERED.format(len(fitting)),
            lambda stream: list(fitting[stream.below(len(fitting))]),
            {world: float(count) for world, count in Counter(fitting).items()},
        )
    if dealt:
        world = _redeal_or_raise_if_seat_sees_change(game, states[-1], seat, Stream(len(states)))
        return PossibleWorlds(
            False,
            _DEALT,
            lambda stream: _redeal_keeping_choices_of_seat_or_raise(game, world, seat, stream),
            {tuple(world): 1.0},
            dealt=True,
        )
    met = _list_cached_steps_seen_by_seat(game, states, actions, seat)
    seen = [
        observe_start_as_seat(get_cached_observation_model(game), states[0], seat),
        *(step.observation for step in met),
    ]
    own = [-1 if step.own is None else step.own for step in met]
    return PossibleWorlds(
        False, _REPLAYED, lambda stream: draw_fitting_history_end_or_raise(play, seen, own, seat, stream)
    )


def get_shared_exact_belief_or_none(
    game: Game, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> Belief | None:
    """Return the seat's exact belief, or None if it has too many states. The result is valid
    until the next call."""
    witness = get_cached_observation_model(game)
    with _LOCK:
        belief = _get_cached_belief(id(witness), witness, tuple(states[0]), seat)
        try:
            belief.update_to_seen_steps(_list_cached_steps_seen_by_seat(game, states, actions, seat))
        except TooManyStates:
            return None
        return belief


def _find_some_states_fitting_observations(
    game: Game, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> list[State]:
    """Return a few worlds that fit all that the seat has observed; none if the search fails."""
    witness = get_cached_observation_model(game)
    with _LOCK:
        histories = _get_cached_histories(id(witness), witness, tuple(states[0]), seat)
        histories.update_to_seen_steps(_list_cached_steps_seen_by_seat(game, states, actions, seat))
        return histories.worlds


@lru_cache(maxsize=16)
def _get_cached_histories(_: int, model: ObservationModel, start: tuple[int, ...], seat: int) -> Histories:
    return Histories(model, start, seat)


def _list_cached_steps_seen_by_seat(
    game: Game, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
) -> list[SeenStep]:
    """Return what a seat met, step by step. Reuses the steps shared with the match asked for
    before."""
    log = _logs.setdefault((id(game), seat), _SeenStepLog(game))
    return log.list_steps_seen_reusing_log(states, actions, seat)


class _SeenStepLog:
    """A record of what one seat met in the match it asked for last."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._steps: list[tuple[Sequence[int], int, SeenStep]] = []

    def list_steps_seen_reusing_log(
        self, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int
    ) -> list[SeenStep]:
        """Return what the seat met in each step of a match."""
        with _LOCK:
            same = 0
            for (before, ident, _), state, action in zip(self._steps, states, actions, strict=False):
                if ident != action or before != state:
                    break
                same += 1
            del self._steps[same:]
            for before, ident in zip(states[same:], actions[same:], strict=False):
                self._steps.append(
                    (
                        before,
                        ident,
                        make_step_seen_by_seat(get_cached_observation_model(self.game), before, ident, seat),
                    )
                )
            return [seen for _, _, seen in self._steps]


_LOCK = RLock()
_logs: dict[tuple[int, int], _SeenStepLog] = {}


def has_small_beliefs_in_random_game(game: Game) -> bool:
    """Return whether a seat's exact belief stays small enough along a random game.

    Used for games that declare what is exchangeable, so that their matches avoid a long attempt
    that would fail. The answer does not depend on the match.
    """
    with _LOCK:
        return _has_small_beliefs_in_random_game_cached(id(game), game)


@lru_cache(maxsize=64)
def _has_small_beliefs_in_random_game_cached(_: int, game: Game) -> bool:
    witness, stream = get_cached_observation_model(game), Stream(0)
    state, steps = Interpreter(game).start(), 0
    beliefs = [Belief(witness, state, seat) for seat in range(game.players)]
    while not state[1] and steps < _TRIAL:
        legal, weights = witness.list_legal_actions_and_weights(state)
        if not legal:
            break
        chance = witness.get_seat_or_chance_to_act(state) == CHANCE
        ident = legal[stream.draw_weighted_index(weights) if chance else stream.below(len(legal))]
        try:
            for belief in beliefs:
                belief.update_to_seen_steps([*belief.seen, make_step_seen_by_seat(witness, state, ident, belief.seat)])
        except TooManyStates:
            return False
        state, steps = witness.list_states_after_action_and_auto_phases(state, ident)[-1], steps + 1
    return True


@lru_cache(maxsize=64)
def _get_cached_belief(_: int, model: ObservationModel, start: tuple[int, ...], seat: int) -> Belief:
    return Belief(model, start, seat)


def draw_indistinguishable_state_or_raise(
    play: Interpreter, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int, stream: Stream
) -> list[int]:
    """Return a state that `seat` cannot tell from the present one. Raises CannotResample if it
    finds none."""
    return make_possible_worlds_for_seat(play, states, actions, seat).draw(stream)


def _redeal_or_raise_if_seat_sees_change(game: Game, state: Sequence[int], seat: int, stream: Stream) -> list[int]:
    """Return a state with the hidden cards dealt anew. Raises CannotResample if that changes
    what the seat sees."""
    world, mask = (
        _redeal_keeping_choices_of_seat_or_raise(game, state, seat, stream),
        get_flags_of_cells_seat_may_see(game, seat),
    )
    if list(compress(world, mask)) != list(compress(state, mask)):
        raise CannotResample(f"`{game.name}`: the exchangeable groups change what seat {seat} sees")
    return world


def _redeal_keeping_choices_of_seat_or_raise(game: Game, state: Sequence[int], seat: int, stream: Stream) -> list[int]:
    """Return a state with the hidden cards dealt anew that leaves the seat the choices that it has. Raises
    CannotResample if none is found."""
    witness = get_cached_observation_model(game)
    choice = witness.encode_turn_and_choices_if_revealing(state, seat)
    for _ in range(_MOST_DEALS):
        world = copy_state_with_hidden_cards_redealt(game, state, seat, stream)
        if not choice or witness.encode_turn_and_choices_if_revealing(world, seat) == choice:
            return world
    raise CannotResample(f"`{game.name}`: no deal leaves seat {seat} the choices that it has")


def copy_state_with_hidden_cards_redealt(game: Game, state: Sequence[int], seat: int, stream: Stream) -> list[int]:
    """Return the same state with the hidden cards of each exchangeable group shuffled."""
    world = list(state)
    for held in _iter_holders_exchanging_hidden_cards(game, state, seat):
        _shuffle_cards_of_holders_in_state(held, world, stream)
    return world


_HeldCards = Sequence[tuple[CardHolder, list[int]]]


def _iter_holders_exchanging_hidden_cards(game: Game, state: Sequence[int], seat: int) -> Iterator[_HeldCards]:
    """Yield each group of holders that exchange hidden cards, with the kinds they hold. Each
    holder keeps its number of cards."""
    for pool in list_pools_of_cards_unseen_by_seat(game, seat):
        held = [(holder, cards) for holder in pool if (cards := holder.list_kinds_of_held_cards(state))]
        if len(held) > 1:
            yield held


def _shuffle_cards_of_holders_in_state(holders_with_cards: _HeldCards, state: list[int], stream: Stream) -> None:
    """Shuffle the cards of these holders and deal them back. They are sorted first, so that the worlds drawn do not
    depend on where the cards truly are."""
    pool = sorted(card for _, cards in holders_with_cards for card in cards)
    for last in range(len(pool) - 1, 0, -1):
        other = stream.below(last + 1)
        pool[last], pool[other] = pool[other], pool[last]
    for holder, cards in holders_with_cards:
        holder.write_cards_into_state(state, pool[: len(cards)])
        del pool[: len(cards)]


def draw_fitting_history_end_or_raise(
    play: Interpreter,
    observations: Sequence[Observation],
    own_actions_by_step: Sequence[int],
    seat: int,
    stream: Stream,
) -> list[int]:
    """Return the last state of another history that gives `seat` exactly these observations.

    Searches with backtracking. Reads only the seat's own actions from `own_actions_by_step`. Raises
    CannotResample if no history fits or the step budget runs out.
    """
    game = play.game
    budget = _MOST_STEPS
    path: list[tuple[list[int], list[int]]] = [(play.start(), [])]
    path[0] = (
        path[0][0],
        _list_own_or_shuffled_legal_actions(
            play, path[0][0], own_actions_by_step[0] if own_actions_by_step else -1, seat, stream
        ),
    )
    while len(path) <= len(own_actions_by_step):
        state, choices = path[-1]
        if not choices:
            path.pop()
            if not path:
                raise CannotResample(f"`{game.name}`: no history fits what seat {seat} saw")
            continue
        budget -= 1
        if budget < 0:
            raise CannotResample(f"`{game.name}`: hidden fields need g.fact(exchangeable=[...]) for search")
        ident, depth = choices.pop(), len(path)
        if observe_step_as_seat(get_cached_observation_model(game), state, ident, seat) != observations[depth]:
            continue
        after = play.apply(state, ident)
        path.append(
            (
                after,
                []
                if depth == len(own_actions_by_step)
                else _list_own_or_shuffled_legal_actions(play, after, own_actions_by_step[depth], seat, stream),
            )
        )
    return path[-1][0]


def _list_own_or_shuffled_legal_actions(
    play: Interpreter, state: Sequence[int], known_own_action: int, seat: int, stream: Stream
) -> list[int]:
    """Return the actions to try here: the seat's own known action, else all legal ones in random
    order."""
    if play.terminal(state):
        return []
    legal = play.legal(state)
    actor = play.actor(state)
    if actor == seat:
        return [known_own_action] if known_own_action in legal else []
    weights = [play.weight(state, i) if actor == CHANCE else 1 for i in legal]
    order: list[int] = []  # reversed below: the first drawn is popped first
    while legal:
        place = stream.draw_weighted_index(weights)
        order.append(legal.pop(place))
        weights.pop(place)
    return order[::-1]


# -- histories -----------------------------------------------------------------------------------------------
# Histories that give a seat exactly what it has observed, for games with too many to count.

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
