"""Views, what others hear of an action, information states, look-alike worlds, and the leak test."""

from collections.abc import Callable
from itertools import product

import pytest

from playproof.language.random import Stream
from playproof.referee import Match, Variant, View
from playproof.referee.observations import (
    Observation,
    collect_observations_of_seat_from_start,
    get_cached_observation_model,
)
from playproof.referee.view import can_seat_see_all_fields_of_term, has_fields_hidden_from_any_seat
from playproof.referee.worlds import (
    CannotResample,
    copy_state_with_hidden_cards_redealt,
    draw_fitting_history_end_or_raise,
    draw_indistinguishable_state_or_raise,
)
from tests.look_alikes import list_observable_differences_of_states

Tiny = Callable[..., Variant]


def dealt(seed: int = 5, *moves: str) -> Match:
    """Kuhn poker after the deal."""
    match = Match(Variant("kuhn_poker"), seed)
    match.settle()
    return match.apply_all(moves)


def hand(match: Match, cells: object, seat: int) -> object:
    assert isinstance(cells, list | tuple)
    return cells[match.game.get_field("hand").offset + seat]


def test_a_seat_sees_its_own_hand_and_neither_the_others_nor_the_deck() -> None:
    match = dealt()
    deck = match.game.get_field("deck").offset
    for seat in (0, 1):
        cells = View.of(match.game, match.state, seat).cells
        assert hand(match, cells, seat) == hand(match, match.state, seat)
        assert hand(match, cells, 1 - seat) is None
        assert cells[deck : deck + 3] == (None, None, None)
    assert View.of(match.game, match.state, None).cells == tuple(match.state)


def test_open_games_have_no_secrets() -> None:
    assert has_fields_hidden_from_any_seat(Variant("kuhn_poker").game)
    assert not has_fields_hidden_from_any_seat(Variant("tic_tac_toe").game)


def test_a_deal_is_heard_in_full_only_by_whom_it_concerns() -> None:
    match = dealt()
    heard = [[match.heard(n, seat)[0].words for seat in (0, 1)] for n in (0, 1)]
    assert heard == [["deal jack to player 1", "deal ? to player 1"], ["deal ? to player 2", "deal queen to player 2"]]


def test_a_secret_choice_is_not_heard(tiny: Tiny) -> None:
    match = Match(tiny("secret")).apply_all(["hide heads"])
    heard = {seat: match.events(seat)[0].sentence for seat in (0, 1, None)}
    assert heard == {0: "player 1: hide heads", 1: "player 1: hide ?", None: "player 1: hide heads"}


def test_a_quantity_that_reads_something_hidden_is_not_seen() -> None:
    game = Variant("kuhn_poker").game
    assert can_seat_see_all_fields_of_term(game, game.state.pot[0] + game.state.turn, 0)
    assert not can_seat_see_all_fields_of_term(game, game.state.hand[0] + 1, 0)


def test_information_is_alike_exactly_where_own_card_and_bets_are() -> None:
    """The first player's information sets in Kuhn poker: 3 cards x (nothing heard, or pass and bet)."""
    seen = set()
    for seed, moves in product(range(30), [(), ("pass", "bet")]):
        match = dealt(seed, *moves)
        seen.add(
            collect_observations_of_seat_from_start(
                get_cached_observation_model(match.game), match.states, match.actions, 0
            )
        )
    assert len(seen) == 6


def test_resampling_keeps_the_view_and_reaches_every_world() -> None:
    match = dealt(3, "pass")
    for way in (draw_indistinguishable_state_or_raise, None):
        worlds = set()
        for n in range(40):
            if way is draw_indistinguishable_state_or_raise:
                world = draw_indistinguishable_state_or_raise(match.play, match.states, match.actions, 1, Stream(n))
            else:
                seen = collect_observations_of_seat_from_start(
                    get_cached_observation_model(match.game), match.states, match.actions, 1
                )
                world = draw_fitting_history_end_or_raise(match.play, seen, match.actions, 1, Stream(n))
            assert list_observable_differences_of_states(match.play, match.state, world, 1) == []
            worlds.add(tuple(world))
        assert len(worlds) == 2


def test_both_ways_of_resampling_reach_the_same_worlds() -> None:
    match = dealt(8)
    seen = collect_observations_of_seat_from_start(
        get_cached_observation_model(match.game), match.states, match.actions, 0
    )
    dealt_anew = {
        tuple(draw_indistinguishable_state_or_raise(match.play, match.states, match.actions, 0, Stream(n)))
        for n in range(40)
    }
    replayed = {
        tuple(draw_fitting_history_end_or_raise(match.play, seen, match.actions, 0, Stream(n))) for n in range(40)
    }
    assert dealt_anew == replayed


def test_without_secrets_the_world_is_the_state() -> None:
    match = Match(Variant("tic_tac_toe")).apply_all(["mark 4"])
    assert draw_indistinguishable_state_or_raise(match.play, match.states, match.actions, 0, Stream(1)) == match.state


def test_secret_choices_are_replayed(tiny: Tiny) -> None:
    match = Match(tiny("secret")).apply_all(["hide heads"])
    sides = {
        draw_indistinguishable_state_or_raise(match.play, match.states, match.actions, 1, Stream(n))[2]
        for n in range(20)
    }
    assert sides == {1, 2}


def test_an_impossible_observation_cannot_be_resampled(tiny: Tiny) -> None:
    match = Match(tiny("secret")).apply_all(["hide heads"])
    seen = list(
        collect_observations_of_seat_from_start(
            get_cached_observation_model(match.game), match.states, match.actions, 1
        )
    )
    impossible = [seen[0], Observation(seen[1].heard, ((99, *seen[1].views[0][1:]),))]
    with pytest.raises(CannotResample, match="no history fits"):
        draw_fitting_history_end_or_raise(match.play, impossible, match.actions, 1, Stream(0))


def test_the_leak_test_finds_a_requirement_on_a_secret(tiny: Tiny) -> None:
    match = Match(tiny("leaky"), 2)
    match.settle()
    dealt = [copy_state_with_hidden_cards_redealt(match.game, match.state, 0, Stream(n)) for n in range(20)]
    found = [
        line for world in dealt for line in list_observable_differences_of_states(match.play, match.state, world, 0)
    ]
    assert found
    assert all("is legal in one world only" in line for line in found)


def test_worlds_leave_a_seat_the_choices_that_it_has(tiny: Tiny) -> None:
    """What it may choose tells it the number, so only the true one is left."""
    match = Match(tiny("leaky"), 2)
    match.settle()
    worlds = [
        draw_indistinguishable_state_or_raise(match.play, match.states, match.actions, 0, Stream(n)) for n in range(20)
    ]
    assert [
        line for world in worlds for line in list_observable_differences_of_states(match.play, match.state, world, 0)
    ] == []


def test_the_leak_test_names_a_field_that_looks_different() -> None:
    match = Match(Variant("tic_tac_toe"))
    other = match.play.apply(match.state, 0)
    assert (
        list_observable_differences_of_states(match.play, match.state, other, 0)[0]
        == "the field `board` looks different"
    )


def test_decks_of_ones_own_are_not_mixed(tiny: Tiny) -> None:
    """Each player's cards stay five of their own deck, hand sizes stay, and no seat's view changes."""
    variant = tiny("hands")
    match = Match(variant, 4)
    match.settle()
    match.apply(match.legal()[0].ident)
    fields = [match.game.get_field(name) for name in ("hand", "bag", "row")]
    hands = set()
    for n in range(40):
        world = copy_state_with_hidden_cards_redealt(match.game, match.state, 1, Stream(n))
        assert list_observable_differences_of_states(match.play, match.state, world, 1) == []
        for seat in (0, 1):
            kinds = [sum(world[f.offset + 3 * seat + kind] for f in fields) for kind in range(3)]
            assert kinds == [2, 2, 1]
        hand = fields[0].offset
        assert sum(world[hand : hand + 3]) == 2
        hands.add(tuple(world[hand : hand + 3]))
    assert len(hands) > 2


def test_decks_with_backs_of_their_own_are_dealt_apart(tiny: Tiny) -> None:
    """With `kinds`, the hidden cards of those kinds change places among themselves and all others stay."""
    variant = tiny("hands")
    match = Match(variant, 4)
    match.settle()
    variant.game.facts["exchangeable"] = [{"counts": ["hand", "bag"], "by_player": True, "kinds": [1, 3]}]
    hand = match.game.get_field("hand").offset
    met = set()
    for n in range(40):
        world = copy_state_with_hidden_cards_redealt(match.game, match.state, 1, Stream(n))
        assert world[hand] == match.state[hand]
        assert sum(world[hand : hand + 3]) == 3
        met.add(tuple(world[hand : hand + 3]))
    assert len(met) > 1
