"""Worlds of games with too many states to count: none contradicts what the seat remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from playproof.language import CHANCE
from playproof.language.compiled import Compiled
from playproof.language.machine.lazy_parts import REPLAYS
from playproof.language.random import Stream
from playproof.referee import Match, Variant
from playproof.referee.belief import Belief, TooManyStates, make_step_seen_by_seat
from playproof.referee.bots import Sight
from playproof.referee.engine import Engine
from playproof.referee.histories import Histories, _get_cached_replay_rules
from playproof.referee.observations import collect_observations_of_seat_from_start, get_cached_observation_model
from playproof.referee.view import View
from playproof.referee.worlds import copy_state_with_hidden_cards_redealt, make_possible_worlds_for_seat

Tiny = Callable[..., Variant]
RANKS, SEATS, COUNT = 7, 4, 28


def random_game(variant: Variant, seed: int, most: int) -> Match:
    """The first steps of a random game."""
    match, stream = Match(variant, seed), Stream(seed)
    while not match.over and len(match.steps) < most:
        if match.actor == CHANCE:
            match.take_chance_action_of_seed_or_raise()
        else:
            legal = match.play.legal(match.state)
            match.apply(legal[stream.below(len(legal))])
    return match


def moments(match: Match, first: int) -> Iterator[Match]:
    """The match before each decision of a player, from a step on."""
    for cut in range(first, len(match.steps)):
        if match.steps[cut].actor != CHANCE:
            yield Match(match.variant, match.seed).apply_all(match.actions[:cut])


def agrees(match: Match, seat: int, world: list[int]) -> bool:
    """Whether a world of `tricks` has the card that the seat passed where it must be, and no suit that a player did
    not follow. Written for this game alone, from the moves."""
    game, plays = match.game, list[tuple[int, int]]()
    hand, trick = game.get_field("hand").offset, game.get_field("trick").offset
    voids, passed = list[tuple[int, int, int]](), -1
    for state, step in zip(match.states, match.steps, strict=False):
        action = game.get_action_of_ground_action_number(step.ident)
        card = action.get_values_of_ground_action(step.ident)[0]
        if action.name == "passing" and step.actor == seat:
            passed = card
        if action.name == "playing":
            led = state[trick + state[game.get_field("leader").offset]]
            suit = (led - 1) // RANKS
            if state[game.get_field("laid").offset] and suit != card // RANKS and step.actor != seat:
                voids.append((len(plays), step.actor, suit))
            plays.append((step.actor, card))
    held = [{card for card in range(COUNT) if world[hand + COUNT * player + card]} for player in range(SEATS)]
    for number, player, suit in voids:
        later = held[player] | {card for who, card in plays[number:] if who == player}
        if any(card // RANKS == suit for card in later):
            return False
    left = (seat + 1) % SEATS
    return passed < 0 or passed in held[left] or (left, passed) in plays


def test_no_world_contradicts_a_card_that_was_passed_or_a_suit_that_was_not_followed(tiny: Tiny) -> None:
    """Cards dealt anew contradict it in half of the worlds."""
    worlds = dealt = wrong = 0
    for match in list(moments(random_game(tiny("tricks"), 1, 60), 32))[::6]:
        seat = match.actor
        found = make_possible_worlds_for_seat(match.play, match.states, match.actions, seat)
        if "fit all that the seat has observed" not in found.how:
            assert "not what the seat only remembers" in found.how
            continue
        for world in found.weights:
            assert agrees(match, seat, list(world))
            assert View.of(match.game, world, seat) == View.of(match.game, match.state, seat)
            worlds += 1
        for number in range(10):
            dealt += 1
            wrong += not agrees(
                match, seat, copy_state_with_hidden_cards_redealt(match.game, match.state, seat, Stream(number))
            )
    assert worlds > 10
    assert wrong > dealt / 4


def test_worlds_are_among_those_of_the_exact_belief() -> None:
    """Later in this game a sixth of the worlds that are dealt anew could never have come about."""
    match = random_game(Variant("eurydice"), 0, 60)
    witness = get_cached_observation_model(match.game)
    belief, histories = Belief(witness, match.states[0], 0), Histories(witness, match.states[0], 0)
    dealt = wrong = 0
    for length in range(20, 60):
        try:
            belief.update_to_match_as_seen_by_seat(match.states[: length + 1], match.actions[:length])
        except TooManyStates:
            continue
        histories.update_to_seen_steps(belief.seen)
        assert set(histories.worlds) <= belief.weights.keys()
        assert histories.worlds
        dealt += 1
        wrong += (
            tuple(copy_state_with_hidden_cards_redealt(match.game, match.states[length], 0, Stream(length)))
            not in belief.weights
        )
    assert dealt > 10
    assert wrong > 2


def paths_of(histories: Histories) -> list[tuple[list[tuple[int, ...]], list[int]]]:
    """Return the states and actions of all histories."""
    paths = []
    for actions in histories._actions[: histories._count, : len(histories.seen)].tolist():
        states = [tuple(histories._start.tolist())]
        for ident in actions:
            states.append(tuple(histories.witness.list_states_after_action_and_auto_phases(states[-1], ident)[-1]))
        paths.append((states, actions))
    return paths


@pytest.mark.parametrize("name", ["secret", "hands", "parlour"])
def test_whole_histories_are_the_same_to_the_seat(tiny: Tiny, name: str) -> None:
    match = random_game(tiny(name), 2, 14)
    witness = get_cached_observation_model(match.game)
    for seat in range(match.game.players):
        belief = Belief(witness, match.states[0], seat, most=10**6)
        belief.update_to_match_as_seen_by_seat(match.states, match.actions)
        histories = Histories(witness, match.states[0], seat)
        histories.update_to_seen_steps(belief.seen)
        assert histories.worlds
        seen = collect_observations_of_seat_from_start(witness, match.states, match.actions, seat)
        for states, actions in paths_of(histories):
            assert collect_observations_of_seat_from_start(witness, states, actions, seat) == seen
            assert all(
                match.play.apply(state, ident) == list(after)
                for state, ident, after in zip(states[:-1], actions, states[1:], strict=True)
            )


def test_worlds_do_not_depend_on_the_truth_nor_on_when_they_were_asked_for(tiny: Tiny) -> None:
    """Two matches that look alike to a seat give it the same worlds, asked at every step or only now."""
    match = random_game(tiny("tricks"), 3, 36)
    witness, seat = get_cached_observation_model(match.game), match.actor
    belief = [Histories(witness, match.states[0], seat) for _ in range(2)]
    sight = Sight.of(Engine(match.game), match.states, match.actions, seat, "worlds")
    assert sight.worlds is not None
    seen = [make_step_seen_by_seat(witness, *step, seat) for step in zip(match.states, match.actions, strict=False)]
    for length in range(len(seen) + 1):
        belief[0].update_to_seen_steps(seen[:length])
    belief[1].update_to_seen_steps(seen)
    assert belief[0].worlds == belief[1].worlds
    path = next(path for path in paths_of(belief[0]) if list(path[0][-1]) != match.state)
    other = Match(match.variant, 3).apply_all(path[1])
    assert other.state != match.state
    for one in (match, other):
        found = make_possible_worlds_for_seat(one.play, one.states, one.actions, seat)
        assert sorted(found.weights) == sorted(set(belief[0].worlds))
        assert [found.draw(Stream(n)) for n in range(9)] == [sight.worlds.draw(Stream(n)) for n in range(9)]


def test_without_a_fitting_history_the_seat_is_told_how_worlds_are_made(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playproof.referee.histories._TRIES", 0)
    monkeypatch.setattr("playproof.referee.histories._LAST_TRIES", 0)
    match = random_game(tiny("tricks"), 4, 50)
    found = make_possible_worlds_for_seat(match.play, match.states, match.actions, match.actor)
    assert not found.exact
    assert "not what the seat only remembers" in found.how


def test_plain_python_and_machine_code_keep_the_same_histories(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    match = random_game(tiny("tricks"), 5, 34)
    witness = get_cached_observation_model(match.game)
    seen = [make_step_seen_by_seat(witness, *step, 1) for step in zip(match.states, match.actions, strict=False)]
    paths = []
    for switch in ("1", "0"):
        monkeypatch.setenv("PLAYPROOF_MACHINE", switch)
        _get_cached_replay_rules.cache_clear()
        histories = Histories(witness, match.states[0], 1, most=4)
        histories.update_to_seen_steps(seen)
        paths.append(paths_of(histories))
    _get_cached_replay_rules.cache_clear()
    assert paths[0]
    assert paths[0] == paths[1]


@pytest.mark.parametrize("name", ["tricks", "secret", "parlour", "opale", "eurydice"])
def test_the_replay_allows_what_is_legal(tiny: Tiny, name: str) -> None:
    """And only an action that is legal is at no distance, of those of its phase."""
    variant = Variant(name) if name in ("opale", "eurydice") else tiny(name)
    match = random_game(variant, 6, 40)
    module = Compiled(match.game, machine=False, replays=True).load_functions_of_game_and_parts((REPLAYS,))
    for state in match.states[:-1]:
        legal = match.play.legal(state)
        assert [ident for ident in range(match.game.ground) if module.allowed(state, ident)] == sorted(legal)
        assert all(module.far(state, ident) == 0 for ident in legal)


def test_a_match_that_is_taken_back_keeps_its_worlds(tiny: Tiny) -> None:
    match = random_game(tiny("tricks"), 7, 40)
    witness = get_cached_observation_model(match.game)
    seen = [make_step_seen_by_seat(witness, *step, 2) for step in zip(match.states, match.actions, strict=False)]
    histories = Histories(witness, match.states[0], 2)
    histories.update_to_seen_steps(seen)
    for length in (35, 20, 33, 0, 40):
        fresh = Histories(witness, match.states[0], 2)
        histories.update_to_seen_steps(seen[:length])
        fresh.update_to_seen_steps(seen[:length])
        assert paths_of(histories) == paths_of(fresh)
