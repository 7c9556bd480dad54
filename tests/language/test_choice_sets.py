"""Choices as sets of bits: on random boards, the same legal actions, draws and states as in the interpreter."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import numpy as np
import pytest

from playproof import Game, Local, require, win
from playproof.language.action_sets import find_set_plan_for_legal_choices
from playproof.language.compiled import Compiled, generate_module_source, load_source_as_cached_python_module
from playproof.language.interpreter import Interpreter
from playproof.language.machine.native import can_make_machine_code
from playproof.language.random import Stream, make_game_seed
from tests.language.board_zoo import BoardZoo
from tests.language.reference_playout import random_game

BOARDS = int(os.environ.get("PLAYPROOF_RANDOM_BOARDS", "12"))
"""How many random boards are played; each takes about half a second."""


def make_random_states(game: Game, r: Random, count: int) -> list[list[int]]:
    """States with every cell within its bounds, in which somebody may act."""
    states = []
    for _ in range(count):
        state = Interpreter(game).start()
        for held in game.fields:
            for cell in range(held.offset, held.offset + held.size):
                if cell > 1:
                    state[cell] = r.randint(held.lo, held.hi)
        states.append(state)
    return states


@pytest.mark.parametrize("seed", range(BOARDS))
def test_sets_have_the_members_that_the_interpreter_finds_legal(seed: int) -> None:
    """In unchecked source, run as plain Python: `legal` lists them in order, `step` draws as from the list."""
    game = BoardZoo(seed).game.seal()
    play, plain = Interpreter(game), load_source_as_cached_python_module(generate_module_source(game))
    out, weights = (np.zeros(game.ground + 1, dtype=np.int64) for _ in range(2))
    for number, state in enumerate(make_random_states(game, Random(seed), 12)):
        expected = play.legal(state)
        cells: Any = np.array(state, dtype=np.int64)
        assert out[: plain.legal(cells, out, weights)].tolist() == expected
        dice = np.array([number], dtype=np.uint64)
        drawn = plain.step(cells, dice, out, weights)
        assert drawn == expected[Stream(number).below(len(expected))]
        plain.settle(cells)
        assert cells.tolist() == play.apply(state, drawn)


@pytest.mark.skipif(not can_make_machine_code(), reason="LLVM is not here")
@pytest.mark.parametrize("seed", range(max(1, BOARDS // 2)))
def test_machine_code_plays_the_interpreters_games_on_random_boards(seed: int) -> None:
    game = BoardZoo(1000 + seed).game.seal()
    compiled, play = Compiled(game, machine=True), Interpreter(game)
    for number in range(2):
        taken, state = random_game(play, make_game_seed(seed, number))
        result = compiled.run_playouts(1, seed, first_game=number)
        assert result.endings.tolist() == [state[1]]
        assert np.flatnonzero(result.taken).tolist() == sorted(set(taken))
    for state in make_random_states(game, Random(seed), 6):
        assert compiled.legal(np.array(state, dtype=np.int64)) == play.legal(state)


def test_random_boards_are_mostly_answered_by_sets() -> None:
    actions = [a for seed in range(12) for a in BoardZoo(seed).game.seal().actions if a.count > 16]
    planned = [find_set_plan_for_legal_choices(a) for a in actions]
    assert sum(plan is not None for plan in planned) > len(actions) // 3
    assert any(plan is not None and plan.by_lane for plan in planned)
    assert any(plan is not None and not plan.by_lane for plan in planned)


def test_a_guard_beyond_64_bits_is_not_worked_out_beforehand() -> None:
    """Arrays here hold 64 bits; a greater number would wrap around without a word."""
    g = Game("great", players=1)
    g.array("board", 40, 0, 1)
    play = g.phase("play")

    @g.action(play, "{square}", square=40)
    def move(square: Local) -> None:
        great = square * 2**40 * 2**40
        require((g.state.board[square] == 0) & (great % 7 == 1), "R1", "no")
        win("there")

    game = g.seal()
    state = Interpreter(game).start()
    expected = [n for n in range(40) if n * 2**80 % 7 == 1]
    assert find_set_plan_for_legal_choices(game.actions[0]) is None
    assert Compiled(game).legal(np.array(state, dtype=np.int64)) == Interpreter(game).legal(state) == expected


def test_the_same_game_has_the_same_plans_whenever_its_source_is_written() -> None:
    first, second = (generate_module_source(BoardZoo(3).game.seal()) for _ in range(2))
    assert first == second
