"""What is known of the examples with hidden cards, found again; sources stand in each example's first lines."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from playproof.language import CHANCE
from playproof.language.compiled import Compiled
from playproof.language.random import Stream
from playproof.referee import Match, Variant
from playproof.referee.belief import Belief
from playproof.referee.observations import get_cached_observation_model
from playproof.referee.worlds import make_possible_worlds_for_seat

# -- Leduc poker ----------------------------------------------------------------------------------------------------


class SequenceForm:
    """A two-player game of hidden information as a linear program (Koller, Megiddo and von Stengel, 1994)."""

    def __init__(self, game: Any) -> None:
        self.sequences: list[dict[Any, int]] = [{(): 0}, {(): 0}]
        self.information: list[dict[str, tuple[int, list[int]]]] = [{}, {}]
        self.payoff: dict[tuple[int, int], float] = {}
        self._walk(game.new_initial_state(), 1.0, (0, 0))

    def _walk(self, state: Any, chance: float, taken: tuple[int, int]) -> None:
        if state.is_terminal():
            self.payoff[taken] = self.payoff.get(taken, 0.0) + chance * state.returns()[0]
        elif state.is_chance_node():
            for action, probability in state.chance_outcomes():
                self._walk(state.child(action), chance * probability, taken)
        else:
            player = state.current_player()
            known = state.information_state_string(player)
            _, choices = self.information[player].setdefault(known, (taken[player], []))
            for action in state.legal_actions():
                number = self.sequences[player].setdefault((known, action), len(self.sequences[player]))
                if number not in choices:
                    choices.append(number)
                after = (number, taken[1]) if player == 0 else (taken[0], number)
                self._walk(state.child(action), chance, after)

    def value(self) -> float:
        """The first player's value under best play by both."""
        optimize = pytest.importorskip("scipy.optimize", reason="open_spiel brings scipy")
        one, other = (len(s) for s in self.sequences)
        paid = np.zeros((one, other))
        for place, worth in self.payoff.items():
            paid[place] = worth
        mine, theirs = self._flow(0), self._flow(1)
        most = np.concatenate([np.zeros(one), -np.eye(len(theirs))[0]])
        solved = optimize.linprog(
            most,
            A_ub=np.hstack([-paid.T, theirs.T]),
            b_ub=np.zeros(other),
            A_eq=np.hstack([mine, np.zeros((len(mine), len(theirs)))]),
            b_eq=np.eye(len(mine))[0],
            bounds=[(0, None)] * one + [(None, None)] * len(theirs),
        )
        return -float(solved.fun)

    def _flow(self, player: int) -> Any:
        """What is played of a sequence is what is played of those that go on from it."""
        rows = np.zeros((len(self.information[player]) + 1, len(self.sequences[player])))
        rows[0, 0] = 1
        for row, (before, choices) in enumerate(self.information[player].values(), 1):
            rows[row, before] = -1
            rows[row, choices] = 1
        return rows


@pytest.mark.parametrize(("name", "sets", "value"), [("kuhn_poker", 12, -1 / 18), ("leduc_poker", 288, -0.0856064)])
def test_poker_has_its_published_value_and_information_sets(name: str, sets: int, value: float) -> None:
    pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")
    from playproof.referee import openspiel

    form = SequenceForm(openspiel.load(name))
    assert sum(map(len, form.information)) == sets
    assert form.value() == pytest.approx(value, abs=1e-6)


# -- the prisoners' boxes ---------------------------------------------------------------------------------------------


def follow_the_cycle(match: Match) -> None:
    """Each prisoner opens the box of its own number, then the box of each number found."""
    found = match.game.get_field("found").offset
    n = match.game.players
    while not match.over:
        seat, place = match.actor, match.actor
        while (number := match.state[found + n * seat + place]) != 0:
            place = number - 1
        # A short cycle is closed before all tries are used; any other box will do then.
        match.apply(f"open box {place}")
        if match.state[found + n * seat + place] == seat + 1 and not match.over and match.actor == seat:
            match.apply(match.legal()[0].ident)


def test_four_prisoners_go_free_in_ten_of_24_cases() -> None:
    freed = 0
    for order in permutations(range(4)):
        match = Match(Variant("prisoners")).apply_all(f"put {number} into the next box" for number in order)
        follow_the_cycle(match)
        assert set(match.returns()) in ({1}, {-1})
        freed += match.returns() == (1, 1, 1, 1)
    assert freed == 10


def test_prisoners_who_guess_go_free_once_in_16() -> None:
    run = Compiled(Variant("prisoners").game).run_playouts(40_000, seed=1)
    # Five standard deviations of 40,000 games around 1/16.
    assert abs((run.returns.min(axis=1) == 1).mean() - 1 / 16) < 0.006
    assert (run.returns == run.returns[:, :1]).all()


# -- three suits ------------------------------------------------------------------------------------------------------


def deals_that_agree(match: Match, seat: int) -> set[tuple[tuple[int, ...], ...]]:
    """The hands dealt that agree with what a seat held and all have played, by plain counting."""
    dealt: list[set[int]] = [set(), set(), set()]
    played: list[list[int]] = [[], [], []]
    broken: list[set[int]] = [set(), set(), set()]  # suits not followed, by who
    # (cards played before, suit) when a suit was not followed
    held_then: list[list[tuple[int, int]]] = [[], [], []]
    led = 0
    for number, step in enumerate(match.steps):
        card = match.game.get_action_of_ground_action_number(step.ident).get_values_of_ground_action(step.ident)[0]
        if step.actor == CHANCE:
            dealt[number % 3].add(card)
            continue
        count = sum(map(len, played))
        if count % 3 == 0:
            led = card // 4
        elif card // 4 != led:
            broken[step.actor].add(led)
            held_then[step.actor].append((len(played[step.actor]), led))
        played[step.actor].append(card)
    unknown = set(range(12)) - dealt[seat]
    one, other = (s for s in range(3) if s != seat)
    found = set()
    for hand in combinations(sorted(unknown), 4):
        hands = {one: set(hand), other: unknown - set(hand), seat: dealt[seat]}
        if all(
            set(played[s]) <= hands[s]
            and all(
                not any(c // 4 == suit for c in hands[s] - set(played[s][:before])) for before, suit in held_then[s]
            )
            for s in (one, other)
        ):
            found.add(tuple(tuple(sorted(hands[s] - set(played[s]))) for s in range(3)))
    return found


@pytest.mark.parametrize("seed", range(2))
def test_whoever_does_not_follow_is_known_to_be_void(seed: int) -> None:
    """70 deals are possible to each seat at first, and then just those that agree with all that was played."""
    match, stream = Match(Variant("three_suits"), seed), Stream(seed)
    hand = match.game.get_field("hand").offset
    belief = [Belief(get_cached_observation_model(match.game), match.states[0], seat) for seat in range(3)]
    while not match.over:
        legal = match.legal()
        match.apply(legal[stream.below(len(legal))].ident)
        if len(match.steps) < 12 or match.over:
            continue
        for seat in range(3):
            belief[seat].update_to_match_as_seen_by_seat(match.states, match.actions)
            possible = {
                tuple(tuple(c for c in range(12) if state[hand + 12 * s + c]) for s in range(3))
                for state in belief[seat].weights
            }
            assert possible == deals_that_agree(match, seat)
            if len(match.steps) == 12:
                assert len(possible) == 70
            assert len(set(np.round(list(belief[seat].weights.values()), 12))) == 1  # all as likely


# -- masked guests ----------------------------------------------------------------------------------------------------


def test_a_guess_is_right_as_often_as_unseen_copies_say_and_a_look_makes_it_certain() -> None:
    match = Match(Variant("masked_guests")).apply_all(["draw spy", "draw duke", "draw guard"])
    hand = match.game.get_field("hand").offset + 5
    witness = get_cached_observation_model(match.game)
    belief = Belief(witness, match.states[0], 0)
    belief.update_to_match_as_seen_by_seat(match.states, match.actions)
    chances = [sum(w for s, w in belief.weights.items() if s[hand + guest]) for guest in range(5)]
    assert chances == pytest.approx([5 / 14, 3 / 14, 3 / 14, 2 / 14, 1 / 14])
    match.apply_all(["the spy looks", "draw guard", "the guard names the spy", "draw guard"])
    worlds = make_possible_worlds_for_seat(match.play, match.states, match.actions, 0)
    assert {worlds.draw(Stream(n))[hand + 2] for n in range(50)} == {1}
    match.apply_all(["the guard names the duke"])
    assert match.returns() == (1, -1)
