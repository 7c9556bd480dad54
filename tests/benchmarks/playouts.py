"""Random games, every action counted as in `simulate`, on one core: the compiled reading against
OpenSpiel's C++ rollouts and against Playproof's own interpreter.

OpenSpiel's rollouts run inside its C++ evaluator, in one search step that asks for N rollouts of a
position.
"""

from __future__ import annotations

import pyspiel

from playproof.language import Interpreter
from playproof.language.compiled import Compiled
from playproof.language.options import Options
from playproof.language.random import make_game_seed
from playproof.language.registry import build, list_game_names
from tests.benchmarks.measure import Row, by_turns, cpu
from tests.language.reference_playout import random_game

PAIRS = {"tic_tac_toe": 400_000, "pig": 20_000, "blackjack": 400_000}
OURS = {"eila": 200_000, "opale": 20_000, "eurydice": 50_000, "olith": 2_000}
WANTED = {"eila": "600,000 a second", "opale": "10,000", "eurydice": "30,000", "olith": "1,000"}


def rollouts(name: str, games: int) -> None:
    """Play N random games in OpenSpiel's C++."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
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
    for name in (n for n in OURS if n in list_game_names()):
        rows.append(against_interpreter(name, OURS[name]))
    return rows


def against_interpreter(name: str, games: int, options: Options | None = None) -> Row:
    """Compare a game's compiled rate with the interpreter's."""
    game = build(name, options)
    compiled, play = Compiled(game), Interpreter(game)
    while not compiled.module.is_optimized("playouts"):
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
