"""Random games, every action counted as in `simulate`, on one core: the compiled reading against
OpenSpiel's C++ rollouts and against Playproof's own interpreter.

OpenSpiel's rollouts run inside its C++ evaluator, in one search step that asks for N rollouts of a
position. Where its search refuses the game, its random bots play in C++, one call a game.
"""

from __future__ import annotations

import os
from importlib import import_module
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pyspiel

from playproof.language import Interpreter
from playproof.language.compiled import Compiled
from playproof.language.options import Options
from playproof.language.random import make_game_seed
from playproof.language.registry import build, list_bundled_game_names
from tests.benchmarks.measure import Row, by_turns, cpu
from tests.language.reference_playout import random_game

PAIRS = {"tic_tac_toe": 400_000, "pig": 20_000, "blackjack": 400_000}
BOARDS = {
    "battleship": 50_000,
    "oshi_zumo": 200_000,
    "phantom_tic_tac_toe": 200_000,
    "small_hanabi": 50_000,
    "dots_and_boxes": 100_000,
    "einstein_wuerfelt_nicht": 20_000,
    "clobber": 100_000,
    "clobber_on_thirty": 50_000,
    "breakthrough": 20_000,
    "breakthrough_on_eight": 10_000,
    "checkers": 5_000,
}
OURS = {"eila": 200_000, "opale": 20_000, "eurydice": 50_000, "olith": 2_000}
WANTED = {"eila": "600,000 a second", "opale": "10,000", "eurydice": "30,000", "olith": "1,000"}


def rollouts(name: str, games: int) -> None:
    """Play N random games in OpenSpiel's C++."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    if game.get_type().reward_model != pyspiel.GameType.RewardModel.TERMINAL:
        bots = [pyspiel.make_uniform_random_bot(seat, seat + 1) for seat in range(game.num_players())]
        for number in range(games):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, number)
        return
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    evaluator = pyspiel.RandomRolloutEvaluator(games, 1)
    pyspiel.MCTSBot(game, evaluator, 1.4, 1, 100, False, 42, False).mcts_search(state)


def run() -> list[Row]:
    """Measure rates of random games."""
    rows = []
    for name, games in PAIRS.items():
        compiled = Compiled(build(name))
        ours, other, ratio = by_turns(
            lambda c=compiled, n=games: c.run_playouts(n, 1), lambda g=name, n=games: rollouts(g, n)
        )
        rows.append(
            Row(
                f"{name}, {games:,} games",
                f"{games / ours:,.0f}/s",
                f"OpenSpiel {games / other:,.0f}/s",
                f"{ratio:.1f}",
                "3",
            )
        )
    rows += [row for name, games in BOARDS.items() for row in compare_board(name, games)]
    for name in (n for n in OURS if n in list_bundled_game_names()):
        rows.append(against_interpreter(name, OURS[name]))
    return rows


def compare_board(name: str, games: int) -> list[Row]:
    """Compare a board game of `tests/ports` with OpenSpiel's: once its machine code is there, and a first run that has
    to make it."""
    port = import_module(f"tests.ports.{name}")
    game = port.build(Options()).seal()
    compiled = Compiled(game)
    while not compiled.module.is_optimized_code_of_function_ready("playouts"):
        compiled.run_playouts(games, 1)
    ours, other, ratio = by_turns(lambda: compiled.run_playouts(games, 1), lambda: rollouts(port.THEIRS, games // 5))
    with TemporaryDirectory() as empty, patch.dict(os.environ, PLAYPROOF_CACHE=empty):
        first = cpu(lambda: Compiled(port.build(Options()).seal()).run_playouts(games, 1))
    return [
        Row(
            f"{name}, {games:,} games{when}",
            f"{games / seconds:,.0f}/s",
            f"OpenSpiel {games / (5 * other):,.0f}/s",
            f"{ratio_of:.1f}",
            wanted,
        )
        for when, seconds, ratio_of, wanted in (
            ("", ours, 5 * ratio, "4"),
            (", first run", first, 5 * other / first, "1"),
        )
    ]


def against_interpreter(name: str, games: int, options: Options | None = None) -> Row:
    """Compare a game's compiled rate with the interpreter's."""
    game = build(name, options)
    compiled, play = Compiled(game), Interpreter(game)
    while not compiled.module.is_optimized_code_of_function_ready("playouts"):
        compiled.run_playouts(games, 1)
    ours = cpu(lambda: compiled.run_playouts(games, 1)) / games
    few = 20
    other = cpu(lambda: [random_game(play, make_game_seed(1, i)) for i in range(few)]) / few
    return Row(
        f"{name}, {games:,} games",
        f"{1 / ours:,.0f}/s",
        f"interpreter {1 / other:,.0f}/s",
        f"{other / ours:,.0f}",
        f"{WANTED[name]}; 20 times the interpreter",
    )
