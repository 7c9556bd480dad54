"""What is published about the examples, found again; sources stand in each example's first lines."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from playproof.language import Game, Interpreter
from playproof.language.compiled import Compiled
from playproof.language.explorer import BEST, Exploration, SuccessorGraph, explore, graph, solve
from playproof.language.options import Options
from playproof.language.registry import build
from tests.examples.published.mastermind_plan import rules as mastermind_plan

SOLUTION = (
    (
        "d2 over d3; b3 over c3; c1 over c2; e1 over d1; d3 over c3; a3 over b3; e3 over e2; g3 over f3; c4 "
        "over c3; c1 over c2; a4 over b4; c4 over c3; e4 over d4; g4 over f4; e4 over e3; e1 over e2; c5 over "
        "c4; c2 over c3; a5 over b5; d5 over c5; e6 over e5; g5 over f5; c7 over c6; c4 over c5; e7 over d7; "
        "c7 over c6; b5 over c5; d5 over e5; e3 over e4; f5 over e5; d6 over d5 "
    )
    .strip()
    .split("; ")
)


def explored(name: str, **options: str) -> tuple[Compiled, Exploration, SuccessorGraph]:
    """A game's complete graph."""
    compiled = Compiled(build(name, Options(options)))
    seen = explore(compiled)
    assert seen.complete
    return compiled, seen, graph(seen)


def games(game: Game) -> int:
    """Number of different games, counted over states (a state's games do not depend on how it was reached)."""
    play, known = Interpreter(game), dict[tuple[int, ...], int]()

    def count(state: list[int]) -> int:
        key = tuple(state)
        if key not in known:
            known[key] = 1 if play.terminal(state) else sum(count(play.apply(state, i)) for i in play.legal(state))
        return known[key]

    return count(play.start())


def test_tic_tac_toe_has_255168_games() -> None:
    assert games(build("tic_tac_toe")) == 255_168


def test_connect_four_on_4_by_4_is_a_draw() -> None:
    compiled, _, net = explored("connect_four")
    assert solve(compiled, net, net.returned).low == 0


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_clock_patience_comes_out_once_in_ranks(ranks: int) -> None:
    compiled, _, net = explored("clock_patience", ranks=str(ranks))
    assert solve(compiled, net, net.returned).low == pytest.approx(2 / ranks - 1)


def test_clock_patience_with_a_full_pack_by_playouts() -> None:
    run = Compiled(build("clock_patience")).run_playouts(200_000, seed=1)
    # Five standard deviations of 200,000 games around 1/13.
    assert abs((run.endings == 1).mean() - 1 / 13) < 0.003


def test_blackjack_dealer_goes_over_as_published() -> None:
    """Standing at once is the play under which the dealer goes over most often, so its best value is the figure."""
    compiled, seen, net = explored("blackjack", deck="endless")
    over = next(e.number for e in compiled.game.endings if "dealer went over" in e.reason)
    ends = np.zeros(seen.states)
    outcome = seen.unpack_rows_into_columns(0, seen.states)[1]
    ends[outcome == over] = 1
    assert solve(compiled, net, ends).low == pytest.approx(0.2816, abs=0.00005)


def test_english_peg_solitaire_takes_31_jumps() -> None:
    """Beasley 1985: a known solution, replayed; every solution has 31 jumps since each removes one peg of 32."""
    game = build("peg_solitaire")
    play = Interpreter(game)
    by_name = {game.show(i): i for i in range(game.ground)}
    state = play.start()
    for jump in SOLUTION:
        state = play.apply(state, by_name[jump])
    ending = play.ending(state)
    assert ending is not None
    assert (ending.kind, len(SOLUTION)) == ("win", 31)


def test_depth_first_search_solves_english_peg_solitaire() -> None:
    """A line of 31 jumps is found deep, long before the millions of states above it are all seen."""
    compiled = Compiled(build("peg_solitaire"))
    seen = explore(compiled, depth_first=True, states=2_000_000, progress=lambda now: now.end_count[1] == 0)
    line = seen.list_action_numbers_from_start_to_row(int(seen.end_first[1]))
    assert len(line) == 31
    play, state = Interpreter(compiled.game), Interpreter(compiled.game).start()
    for ident in line:
        state = play.apply(state, ident)
    ending = play.ending(state)
    assert ending is not None
    assert ending.kind == "win"


def test_triangle_and_plus_boards_are_decided_by_the_explorer() -> None:
    for board, can_be_won in (("triangle", True), ("plus", False)):
        compiled, _, net = explored("peg_solitaire", board=board)
        assert (solve(compiled, net, net.returned, BEST).low == 1) is can_be_won


def test_the_plan_of_mastermind_finds_all_codes_with_5625_guesses() -> None:
    """Koyama and Lai, 1993. The plan is followed here with answers that are counted another way."""
    guesses, behind = mastermind_plan.planned()
    needed = Counter[int]()
    for code in mastermind_plan.CODES:
        place, asked = 0, 1
        while (guess := mastermind_plan.CODES[guesses[place]]) != code:
            right = sum(map(int.__eq__, guess, code))
            near = (Counter(guess) & Counter(code)).total() - right
            place, asked = behind[place][mastermind_plan.ANSWERS.index((right, near))], asked + 1
        needed[asked] += 1
    assert sum(asked * codes for asked, codes in needed.items()) == 5625
    assert max(needed) == 6
