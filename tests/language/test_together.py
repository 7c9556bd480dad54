"""Shared wins, teams, and choices made at once: made of the ordinary parts, read alike by every reading."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from playproof.language import (
    EVERYBODY,
    Game,
    Interpreter,
    Local,
    RulesError,
    Sees,
    Together,
    Value,
    goto,
    max_of,
    otherwise,
    sum_of,
    when,
    win,
)
from playproof.language.compiled import Compiled
from playproof.language.description import read, write
from playproof.language.explorer import evaluate_term_in_many_states, explore
from playproof.language.expr import as_term
from playproof.language.random import make_game_seed
from playproof.referee.events import make_events_of_step_as_heard_by_seat
from playproof.referee.match import list_action_ids_seat_may_choose_or_empty, list_seats_still_to_choose_or_empty
from playproof.referee.observations import WATCHER, get_cached_observation_model
from playproof.referee.openspiel import is_shown_to_be_zero_sum
from tests.language.reference_playout import random_game


def ending(winner: object, **how: object) -> Game:
    """A game of one step that this winner wins; the winner `state` is a field's."""
    g = Game("ends", **how)  # type: ignore[arg-type]  # teams are what is tested
    g.integer("who", 0, g.players - 1)
    choose = g.phase("choose", 0)

    @g.action(choose, "{seat} wins", seat=g.players)
    def choosing(seat: Local) -> None:
        g.state.who = seat
        win("it is over", winner=g.state.who if winner == "state" else winner)  # type: ignore[arg-type]  # see above

    return g.seal()


def returns(game: Game) -> list[tuple[int, ...]]:
    """The returns after each choice: by the interpreter, by generated source, by machine code."""
    play, found = Interpreter(game), []
    for ident in range(game.ground):
        after = play.apply(play.start(), ident)
        for machine in (False, None):
            compiled = Compiled(game, machine=machine)
            state = compiled.start()
            compiled.apply(state, ident)
            assert tuple(compiled.returns(state)) == play.returns(after)
        assert evaluate_term_in_many_states(game.results[0], np.array(after)[:, None])[0] == play.returns(after)[0]
        found.append(play.returns(after))
    return found


def test_everybody_may_win() -> None:
    assert returns(ending(EVERYBODY, players=3)) == [(1, 1, 1)] * 3
    assert returns(ending(None, players=2, teams=[(0, 1)])) == [(1, 1)] * 2


def test_a_team_wins_with_its_seat() -> None:
    game = ending("state", players=4, teams=[(0, 2), (1, 3)])
    assert returns(game) == [(1, -1, 1, -1), (-1, 1, -1, 1)] * 2
    assert returns(ending("state", players=3, teams=[(0,), (1, 2)])) == [(1, -1, -1), (-1, 1, 1), (-1, 1, 1)]


def test_a_seat_alone_wins_as_ever() -> None:
    assert returns(ending("state", players=2)) == [(1, -1), (-1, 1)]
    assert is_shown_to_be_zero_sum(ending("state", players=2))
    assert not is_shown_to_be_zero_sum(ending(EVERYBODY, players=2))


@pytest.mark.parametrize("teams", [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (2, 3)]])
def test_teams_hold_each_seat_once(teams: list[tuple[int, ...]]) -> None:
    with pytest.raises(RulesError, match="PP354"):
        Game("teams", players=3, teams=teams)


def test_a_win_of_several_players_still_says_by_whom() -> None:
    with pytest.raises(RulesError, match=r"PP344.*does not say which.*\n.*EVERYBODY"):
        ending(None, players=2)
    with pytest.raises(RulesError, match=r"PP344.*'nobody'"):
        ending("nobody", players=2)


# -- choices made at once ---------------------------------------------------------------------------------------------


def auction(players: int = 3, absent: int | None = None) -> Game:
    """One sealed bid each, none above one's purse; the highest wins, the lowest seat among equals."""
    g = Game("auction", players=players)
    purse = g.table("purse", [2, 3, 1][:players])
    start, award = g.automatic("start"), g.automatic("award")

    def asked(seat: Value) -> Value:
        return as_term(seat) != absent

    bids = Together(
        g,
        "bid",
        range(4),
        text="bid {bid}",
        then=award,
        rule="A1",
        asked=None if absent is None else asked,
        may=lambda seat, bid: bid <= purse[seat],
        refusal="you have not so much",
    )
    g.start(start)

    @g.on(start)
    def starting() -> None:
        bids.begin()

    @g.on(award)
    def awarding() -> None:
        best = max_of(players, bids.of)
        for seat in range(players):
            with when(bids.took_part(seat) & (bids.of(seat) == best)):
                win("the highest bid", winner=seat)

    return g.seal()


def test_all_choose_and_the_highest_bid_wins() -> None:
    game = auction()
    play = Interpreter(game)
    legal = [range(3), range(4), range(2)]
    for bids in product(*legal):
        state = play.start()
        for seat, bid in enumerate(bids):
            assert play.actor(state) == seat
            assert [m.text for m in play.moves(state)] == [f"bid {n}" for n in legal[seat]]
            state = play.apply(state, bid)
        assert play.returns(state)[bids.index(max(bids))] == 1
    assert "you have not so much" in str(play.why_not(play.start(), 3))


def test_nobody_hears_a_choice_before_all_have_chosen() -> None:
    game = auction()
    play, witness = Interpreter(game), get_cached_observation_model(game)
    state, told = play.start(), []
    for number, bid in enumerate((1, 3, 0), 1):
        told += [e.sentence for e in make_events_of_step_as_heard_by_seat(witness, state, bid, 0, number)]
        state = play.apply(state, bid)
    assert told == ["player 1: bid 1", "player 2: bid ?", "player 3: bid ?", SHOWN]
    shown = game.get_field("bid").offset
    assert state[shown : shown + 3] == [2, 4, 1]


SHOWN = "each bid is revealed: player 1 1, player 2 3, player 3 0"


def rounds(first_text: str = "") -> Game:
    """Two rounds of choices, of which nothing stays on the table."""
    g = Game("rounds", players=2)
    s = g.state
    g.integer("round", 0, 2)
    between = g.automatic("between", text=first_text)
    picks = Together(g, "pick", ["stone", "paper"], then=between)
    g.start(between)

    @g.on(between)
    def again() -> None:
        with when(s.round == 2):
            win("played", winner=0)
        with otherwise():
            s.round += 1
            picks.begin()

    return g.seal()


@pytest.mark.parametrize("seat", [None, WATCHER, 0, 1])
def test_what_is_revealed_and_cleared_at_once_is_told_to_all(seat: int | None) -> None:
    game = rounds("a new round")
    play, witness = Interpreter(game), get_cached_observation_model(game)
    state = play.apply(play.start(), 0)
    events = make_events_of_step_as_heard_by_seat(witness, state, 1, seat, 2)
    after = play.apply(state, 1)
    shown = game.get_field("pick").offset
    assert after[shown : shown + 2] == [0, 0]  # nothing is left to see
    assert events[1].sentence == "each pick is revealed: player 1 stone, player 2 paper"
    assert events[2].sentence == "a new round"


def test_a_phase_that_copies_hidden_cells_names_them() -> None:
    """Without `Together`, and without a text: an open hand that the next phase clears."""
    g = Game("hands", players=2)
    s = g.state
    g.array("hand", (2, 2), 0, 3, sees=Sees.OWNER)
    g.array("open", (2, 2), 0, 3, labels=["-", "ace", "king", "queen"])
    take = g.phase("take", 0)
    show, clear = g.automatic("show"), g.automatic("clear", text="the hands are cleared")
    g.start(take)

    @g.action(take, "take {card}", card=range(1, 4), secret="card")
    def taking(card: Local) -> None:
        s.hand[1, 0] = card
        goto(show)

    @g.on(show, reveals="hand")
    def showing() -> None:
        for seat in range(2):
            s.open[seat, 0] = s.hand[seat, 0]
        goto(clear)

    @g.on(clear)
    def clearing() -> None:
        s.open[1, 0] = 0
        win("shown", winner=0)

    game = g.seal()
    events = make_events_of_step_as_heard_by_seat(
        get_cached_observation_model(game), Interpreter(game).start(), 1, 1, 1
    )
    assert [event.words for event in events][1:] == ["show: player 2: open 0 king", "the hands are cleared"]


def test_a_table_can_ask_who_may_still_choose_and_what() -> None:
    game = auction()
    play = Interpreter(game)
    state = play.start()
    assert list_seats_still_to_choose_or_empty(play, state) == (0, 1, 2)
    assert [list_action_ids_seat_may_choose_or_empty(play, state, seat) for seat in range(3)] == [
        [0, 1, 2],
        [0, 1, 2, 3],
        [0, 1],
    ]
    state = play.apply(state, 2)
    assert list_seats_still_to_choose_or_empty(play, state) == (1, 2)
    assert list_action_ids_seat_may_choose_or_empty(play, state, 0) == []
    assert list_action_ids_seat_may_choose_or_empty(play, state, 2) == [0, 1]
    assert list_seats_still_to_choose_or_empty(
        Interpreter(auction(absent=1)), Interpreter(auction(absent=1)).start()
    ) == (0, 2)
    over = play.apply(play.apply(state, 0), 0)
    assert list_seats_still_to_choose_or_empty(play, over) == ()
    assert list_seats_still_to_choose_or_empty(Interpreter(ending(0, players=2)), [0, 0, 0]) == (0,)


def test_the_description_keeps_who_may_choose() -> None:
    game = read(write(auction()))
    assert list_seats_still_to_choose_or_empty(Interpreter(game), Interpreter(game).start()) == (0, 1, 2)


def test_a_choice_of_numbers_is_shown_as_the_number_that_it_is() -> None:
    game = auction()
    bid = game.get_field("bid")
    assert [bid.format_value(value) for value in range(5)] == ["nothing", "0", "1", "2", "3"]


def test_who_is_not_asked_does_not_choose() -> None:
    play = Interpreter(auction(absent=1))
    state = play.start()
    actors = []
    while not play.terminal(state):
        actors.append(play.actor(state))
        state = play.apply(state, play.legal(state)[0])
    assert actors == [0, 2]


def test_every_reading_counts_the_same_states() -> None:
    """1 + 3 + 12 moments in which somebody bids, and 24 ends."""
    seen = explore(Compiled(auction()))
    assert seen.complete
    assert seen.states == 1 + 3 + 12 + 24


def test_machine_code_plays_as_the_interpreter() -> None:
    game = auction()
    run, play = Compiled(game).run_playouts(20, seed=3), Interpreter(game)
    for number in range(20):
        _, final = random_game(play, make_game_seed(3, number))
        assert (run.endings[number], tuple(run.returns[number])) == (final[1], play.returns(final))


def test_rounds_of_bids_can_be_played_again() -> None:
    """What was shown is cleared when the next round begins, so rounds do not run into each other."""
    g = Game("rounds", players=2)
    s = g.state
    g.integer("round", 0, 2)
    between = g.automatic("between")
    picks = Together(g, "pick", ["stone", "paper"], then=between)
    g.start(between)

    @g.on(between)
    def again() -> None:
        with when(s.round == 2):
            with when(sum_of(2, picks.of) == 1):
                win("they differ", winner=0)
            with otherwise():
                win("they agree", winner=1)
        with otherwise():
            s.round += 1
            picks.begin()
            goto(picks.asking)

    play = Interpreter(g)
    state = play.start()
    for words in ("stone", "paper", "paper", "paper"):
        move = next(m for m in play.moves(state) if words in m.text)
        state = play.apply(state, move.ident)
    assert play.ending(state).reason == "they agree"  # type: ignore[union-attr]  # it is over
