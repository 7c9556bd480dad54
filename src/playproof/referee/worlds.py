"""Worlds that a seat cannot tell from the true one, for search, for hints and for the leak test; in
games with too many to count, histories that give the seat exactly what it has observed.

    worlds = make_possible_worlds_for_seat(match.play, match.states, match.actions, 0)
    worlds.draw(stream)     # a state
    worlds.exact            # whether draws have the stated weights and cover all that fits the observations
    worlds.how              # the same in words

There are four ways. The first that is possible is used:

1. Keep every possible state, step by step (`playproof.referee.belief`). This is exact, but works
   only while there are few such states.

2. Keep a few histories that fit all that the seat has observed (`playproof.referee.histories`). Some
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
   should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from threading import RLock

from playproof.language import CHANCE, Interpreter
from playproof.language.game import Game
from playproof.language.game_analysis import CardHolder, list_pools_of_cards_unseen_by_seat
from playproof.language.random import Stream
from playproof.referee.belief import Belief, SeenStep, State, TooManyStates, make_step_seen_by_seat
from playproof.referee.histories import Histories
from playproof.referee.observations import (
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
