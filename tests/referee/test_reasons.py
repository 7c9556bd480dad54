"""Why an action is not legal, as the seat that asks may know it."""

from __future__ import annotations

from itertools import product

import pytest

from playproof.language import Game, Interpreter, Local, Sees, goto, keep, pick, require, when, win
from playproof.referee.match import list_broken_requirements_known_to_seat


def guarded() -> Game:
    """Two hidden cells, and actions that ask for them in all the ways that rules can."""
    g = Game("guarded", players=2)
    s = g.state
    g.integer("trap", 0, 2, sees=Sees.NOBODY)
    g.integer("wall", 0, 2, sees=Sees.NOBODY)
    g.integer("open", 0, 2)
    g.array("hand", (2, 2), 0, 2, sees=Sees.OWNER)
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn)

    @g.action(play, "one")
    def one() -> None:
        require(s.open == 0, "R1", "it is closed")
        require(s.trap == 0, "R2", "a trap of {} lies there", s.trap)
        goto(play)

    @g.action(play, "two")
    def two() -> None:
        require(s.trap < 2, "R2", "a trap lies there")
        require(s.wall < 2, "R3", "a wall stands there")
        goto(play)

    @g.action(play, "own {place}", place=2, public="place")
    def own(place: Local) -> None:
        require(s.hand[s.turn, place] > 0, "R4", "you hold {} there", s.hand[s.turn, place])
        win("it is done", winner=s.turn)

    @g.action(play, "kept")
    def kept() -> None:
        both = keep(s.trap + s.wall)
        require(both < 2, "R5", "they are {}", both)
        require(s.open < 2, "R6", "{} is too much", pick(s.open == 2, s.open, s.trap))
        goto(play)

    @g.action(play, "if")
    def by_condition() -> None:
        with when(s.wall == 0):
            require(s.open == 0, "R7", "it is closed")
        require(s.trap == 0, "R8", "a trap lies there")
        goto(play)

    return g


@pytest.fixture(scope="module")
def play() -> Interpreter:
    return Interpreter(guarded())


def state_of(play: Interpreter, **cells: int) -> list[int]:
    state = play.start()
    for name, value in cells.items():
        state[play.game.handles[name].field.offset] = value
    return state


def reasons(play: Interpreter, words: str, **cells: int) -> list[str]:
    ident = next(n for n in range(play.game.ground) if play.game.show(n) == words)
    return [str(reason) for reason in list_broken_requirements_known_to_seat(play, state_of(play, **cells), ident, 0)]


def test_what_is_seen_is_named_and_what_is_hidden_is_not(play: Interpreter) -> None:
    assert reasons(play, "one", open=1, trap=1) == ["R1: it is closed"]
    assert reasons(play, "one", open=1, trap=0) == ["R1: it is closed"]
    assert reasons(play, "kept", open=2, trap=2) == ["R6: 2 is too much"]


def test_the_only_hidden_reason_is_known_but_not_its_number(play: Interpreter) -> None:
    assert reasons(play, "one", trap=2) == ["R2: a trap of ? lies there"]
    assert reasons(play, "kept", trap=2) == ["R5: they are ?"]


def test_of_several_hidden_reasons_none_is_singled_out(play: Interpreter) -> None:
    said = ["R2 R3: what you do not see forbids it: a trap lies there, or a wall stands there"]
    assert reasons(play, "two", trap=2) == reasons(play, "two", wall=2) == said


def test_own_cards_are_seen(play: Interpreter) -> None:
    assert reasons(play, "own 1") == ["R4: you hold 0 there"]
    assert reasons(play, "one") == []


def test_reasons_tell_nothing_but_that_the_action_is_not_legal(play: Interpreter) -> None:
    for ident in range(play.game.ground):
        for is_open in range(3):
            said = set()
            for trap, wall in product(range(3), repeat=2):
                state = state_of(play, open=is_open, trap=trap, wall=wall)
                found = list_broken_requirements_known_to_seat(play, state, ident, 0)
                assert bool(found) == bool(play.why_not(state, ident))
                said |= {found} if found else set()
            assert len(said) <= 1, play.game.show(ident)
