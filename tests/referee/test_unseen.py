"""Greedy players in machine code deal what they do not see as the interpreter's do, and so choose alike."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from playproof.language import Interpreter
from playproof.language.compiled import Compiled, load_source_as_cached_python_module
from playproof.language.machine.lazy_parts import GAMES
from playproof.language.random import Stream
from playproof.referee.batches import (
    Batch,
    can_compiled_code_play_bots,
    play_batch_stepwise,
    play_checked_batch_compiled_until_stopped,
)
from playproof.referee.engine import Engine
from playproof.referee.variant import Variant
from playproof.referee.worlds import copy_state_with_hidden_cards_redealt

GAMES_OF_TESTS = Path(__file__).parent / "games"
DEALT = [
    *(("opale", {}), ("opale", {"foreshadowing": "yes"}), ("eurydice", {}), ("olith", {"players": "3"})),
    *((str(GAMES_OF_TESTS / name), {}) for name in ("hands", "tricks", "manor")),
    ("kuhn_poker", {}),
]


@pytest.mark.parametrize(("name", "options"), DEALT)
def test_hidden_cards_are_dealt_as_in_the_interpreter(name: str, options: dict[str, str]) -> None:
    game = Variant(name, options).game
    source = Compiled(game, machine=False).source
    module, play, draw = load_source_as_cached_python_module(source, [GAMES]), Interpreter(game), random.Random(5)
    dealt = 0
    for number in range(4):
        state = play.start()
        for _ in range(60):
            legal = [] if play.terminal(state) else play.legal(state)
            if not legal:
                break
            state = play.apply(state, draw.choice(legal))
            seat = draw.randrange(game.players)
            stream, dice = Stream(number), np.array([number], dtype=np.uint64)
            world = np.zeros(module.WORLD, dtype=np.int64)
            module.write_world_with_unseen_cards_redealt(np.array(state), world, dice, seat)
            assert world[: game.cells].tolist() == copy_state_with_hidden_cards_redealt(game, state, seat, stream)
            assert int(dice[0]) == stream.state
            dealt += stream.state != number
    assert dealt > 2


@pytest.mark.parametrize(("name", "games"), [("opale", 4), ("eurydice", 10), ("olith", 2)])
def test_greedy_players_choose_alike_in_both_readings(name: str, games: int) -> None:
    variant = Variant(name)
    engine = Engine(variant.game)
    assert engine.has_hidden_fields
    assert can_compiled_code_play_bots(engine, ["greedy"])
    batch = Batch(variant, ("greedy",) * variant.game.players, 11, 0, games)
    quick, slow = play_checked_batch_compiled_until_stopped(batch, engine), play_batch_stepwise(batch, engine)
    assert (quick.endings, quick.returns, quick.decisions) == (slow.endings, slow.returns, slow.decisions)
    assert quick.taken.tolist() == slow.taken.tolist()


def test_a_game_that_does_not_say_what_is_exchangeable_is_played_step_by_step() -> None:
    assert not can_compiled_code_play_bots(Engine(Variant(str(GAMES_OF_TESTS / "secret")).game), ["greedy"])
