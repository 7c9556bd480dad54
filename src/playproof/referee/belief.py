"""The exact belief of a seat: every state that fits its observations, with its weight.

After each step, every action that would have looked the same to the seat extends the states before
it. Histories that lead to the same state are counted together. So the number of states stays small
if hidden cards are counted and not ordered. The weights are defined as follows:

* the rules give the weights of chance actions;
* a hidden choice of another player is uniform over the actions it could have taken there;
* an open choice of another player is taken as given: nobody's skill is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from playproof.language import CHANCE
from playproof.language.random import Stream
from playproof.referee.observations import Observation, ObservationModel, observe_step_as_seat

State = tuple[int, ...]
MOST_STATES = 5_000
_AMPLE = 2_000_000  # cells of states up to which all levels stay; a state's cells may take 8 bytes each
_FINE = 1 << 32  # as fine as the stream


class TooManyStates(RuntimeError):
    """More states are possible than the belief may keep."""


@dataclass(frozen=True, slots=True)
class SeenStep:
    """A step as a seat met it: its observation, and the action's number if the action was its
    own."""

    observation: Observation
    own: int | None


def make_step_seen_by_seat(model: ObservationModel, state_before: Sequence[int], action_id: int, seat: int) -> SeenStep:
    """Return one step as a seat met it."""
    return SeenStep(
        observe_step_as_seat(model, state_before, action_id, seat),
        action_id if model.get_seat_or_chance_to_act(state_before) == seat else None,
    )


@dataclass(frozen=True, slots=True)
class WeightedTransition:
    """One way to reach a state: the state before, the action, and their joint weight."""

    before: State
    ident: int
    weight: float


@dataclass
class _BeliefLevel:
    """The possible states after a step: the weight of each, and the ways that lead to it."""

    weights: dict[State, float]
    ways: dict[State, list[WeightedTransition]] = field(default_factory=dict)

    def draw_state(self, stream: Stream) -> State:
        states = list(self.weights)
        return states[_draw_weighted_index([self.weights[s] for s in states], stream)]


class Belief:
    """The belief of one seat in one match, updated step by step. It receives only what the seat
    observed and did; it does not contain the true state.

    A level is what was possible after a step. Levels stay, so that moves can be taken back; if they
    would take too much memory, few of them stay, and those between are made again when they are needed.
    """

    def __init__(self, witness: ObservationModel, start: Sequence[int], seat: int, most: int = MOST_STATES) -> None:
        self.witness, self.seat, self.most = witness, seat, most
        self.seen: list[SeenStep] = []
        self._levels = {0: _BeliefLevel({tuple(start): 1.0})}  # by the number of steps before
        self._failed: int | None = None  # the step that could not be followed

    def update_to_match_as_seen_by_seat(self, states: Sequence[Sequence[int]], actions: Sequence[int]) -> None:
        """Update to a match, using only what the seat sees and does. Raises TooMany if too many
        states are possible."""
        self.update_to_seen_steps(
            [make_step_seen_by_seat(self.witness, *step, self.seat) for step in zip(states, actions, strict=False)]
        )

    def update_to_seen_steps(self, all_seen_steps: Sequence[SeenStep]) -> None:
        """Update to these steps, from the last level that they share with the steps before.
        Raises TooMany if too many states are possible."""
        same = 0
        while same < min(len(all_seen_steps), len(self.seen)) and all_seen_steps[same] == self.seen[same]:
            same += 1
        if self._failed is not None and self._failed < same:
            raise TooManyStates
        shared = max(steps for steps in self._levels if steps <= same)
        self._levels = {steps: level for steps, level in self._levels.items() if steps <= shared}
        del self.seen[shared:]
        self._failed = None
        for step in all_seen_steps[shared:]:
            self._extend_belief_by_step(step)

    def _extend_belief_by_step(self, seen_step: SeenStep) -> None:
        before = self._levels[len(self.seen)]
        self.seen.append(seen_step)
        try:
            self._levels[len(self.seen)] = self._compute_possible_states_after_step(before, seen_step)
        except TooManyStates:
            self._failed = len(self.seen) - 1
            raise
        self._drop_most_old_levels_if_too_big()

    def _drop_most_old_levels_if_too_big(self) -> None:
        """Drop most of the earlier levels if all of them take too much memory. About one stays for each doubling of the
        distance: few, and to go back some steps costs about as many."""
        now = len(self.seen)
        states = sum(len(level.weights) for level in self._levels.values())
        if states * len(next(iter(self.weights), ())) > _AMPLE:
            self._levels = {
                steps: level
                for steps, level in self._levels.items()
                if not steps or steps & -steps >= now - steps  # its greatest divisor that is a power of 2
            }

    def _compute_possible_states_after_step(self, previous_level: _BeliefLevel, seen_step: SeenStep) -> _BeliefLevel:
        """Return what is possible after one more step. Raises TooMany if too much is."""
        level = _BeliefLevel({})
        for state, weight in previous_level.weights.items():
            for way, after in self._iter_transitions_looking_like_step(state, weight, seen_step):
                level.ways.setdefault(after, []).append(way)
                level.weights[after] = level.weights.get(after, 0.0) + way.weight
            if len(level.weights) > self.most:
                raise TooManyStates
        mass = sum(level.weights.values())
        level.weights = {state: weight / mass for state, weight in level.weights.items()}
        return level

    def _iter_transitions_looking_like_step(
        self, state: State, weight: float, seen_step: SeenStep
    ) -> Iterator[tuple[WeightedTransition, State]]:
        """Yield each action that could have happened in a state and looks the same to the seat,
        as a way, with the state it leads to."""
        for ident, share in iter_actions_and_probabilities_matching_step(self.witness, state, seen_step):
            after = self.witness.get_next_state_if_views_match_or_none(
                state, ident, self.seat, seen_step.observation.views
            )
            if (
                after is not None
                and self.witness.encode_turn_and_choices_if_revealing(after, self.seat) == seen_step.observation.choice
            ):
                yield WeightedTransition(state, ident, weight * share), after

    # -- what is possible -----------------------------------------------------------------------------------

    @property
    def weights(self) -> dict[State, float]:
        """Return the weight of each state that is possible now."""
        return self._levels[max(self._levels)].weights

    def draw_possible_state(self, stream: Stream) -> list[int]:
        """Draw one possible state by weight."""
        return list(self._levels[max(self._levels)].draw_state(stream))

    def draw_states_and_actions_of_possible_match(self, stream: Stream) -> tuple[list[list[int]], list[int]]:
        """Draw the states and actions of a whole match that the seat cannot tell from this one."""
        state = self._levels[max(self._levels)].draw_state(stream)
        states, actions = [list(state)], list[int]()
        for level in self._iter_belief_levels_backwards():
            ways = level.ways[state]
            way = ways[_draw_weighted_index([w.weight for w in ways], stream)]
            state = way.before
            states.append(list(state))
            actions.append(way.ident)
        return states[::-1], actions[::-1]

    def _iter_belief_levels_backwards(self) -> Iterator[_BeliefLevel]:
        """Yield all levels from the last to the first step; those that were dropped are made again."""
        for before, after in reversed(list(pairwise(sorted(self._levels)))):
            between = [self._levels[before]]
            for step in self.seen[before : after - 1]:
                between.append(self._compute_possible_states_after_step(between[-1], step))
            yield from reversed([*between[1:], self._levels[after]])


def iter_actions_and_probabilities_matching_step(
    model: ObservationModel, state: State, seen_step: SeenStep
) -> Iterator[tuple[int, float]]:
    """Yield the actions that agree with what was said publicly, with the probability of each."""
    seen, own = seen_step.observation, seen_step.own
    heard = seen.heard
    if heard is None or state[1] or model.get_seat_or_chance_to_act(state) != heard.actor:
        return
    legal, weights = model.list_legal_actions_and_weights(state)
    if own is not None:
        yield from ((i, 1.0) for i in legal if i == own)
        return
    if heard.actor == CHANCE:
        mass = sum(weights)
        yield from (
            (i, w / mass)
            for i, w in zip(legal, weights, strict=True)
            if _is_action_consistent_with_heard(model, i, seen)
        )
        return
    aloud: dict[tuple[int | None, ...], list[int]] = {}
    for ident in legal:
        aloud.setdefault(_get_public_part_of_action(model, ident), []).append(ident)
    for alike in aloud.values():
        yield from ((i, 1 / len(alike)) for i in alike if _is_action_consistent_with_heard(model, i, seen))


def _get_public_part_of_action(model: ObservationModel, action_id: int) -> tuple[int | None, ...]:
    """Return the public part of a player's action: nothing if it is hidden, else all but its
    secrets."""
    action, own = model.get_action_and_parameter_values(action_id)
    if action.hidden:
        return (None,)
    values = zip(action.params, own, strict=True)
    return (action.number, *(None if p.local.name in action.secret else v for p, v in values))


def _is_action_consistent_with_heard(model: ObservationModel, action_id: int, observation: Observation) -> bool:
    """Return whether an action agrees with what the seat heard."""
    heard, (action, values) = observation.heard, model.get_action_and_parameter_values(action_id)
    if heard is None:
        return False
    if heard.action is None:
        return action.hidden
    return action.number == heard.action and all(
        announced is None or announced == value for announced, value in zip(heard.values, values, strict=True)
    )


def _draw_weighted_index(weights: Sequence[float], stream: Stream) -> int:
    """Draw an index in proportion to these weights."""
    sums = list(accumulate(weights))
    target = stream.below(_FINE) / _FINE * sums[-1]
    return next((place for place, upto in enumerate(sums) if target < upto), len(sums) - 1)
