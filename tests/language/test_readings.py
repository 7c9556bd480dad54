"""The interpreter, the compiled source (machine code and plain), the vector reading and the explorer say the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from playproof.language import BoundsError, Game, Interpreter, RulesError, goto, win
from playproof.language.compiled import Compiled
from playproof.language.explorer import BEST, MEAN, evaluate_term_in_many_states, explore, graph, solve
from playproof.language.options import Options
from playproof.language.random import Stream, make_game_seed, mix_bits
from playproof.language.registry import build, list_bundled_game_names, list_example_game_names
from tests.language.reference_playout import random_game

PERFT = Path(__file__).parent / "perft"
GAMES = [*list_example_game_names(), *list_bundled_game_names()]


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    """Every shipped game under its default options."""
    return build(request.param)


def test_compiled_random_games_replay_in_the_interpreter(game: Game) -> None:
    compiled, play = Compiled(game), Interpreter(game)
    run = compiled.run_playouts(3, seed=11, first_game=5)
    for row in range(3):
        _, state = random_game(play, make_game_seed(11, 5 + row))
        assert state[1] == run.endings[row]
        assert play.returns(state) == tuple(run.returns[row])


def test_plain_python_source_plays_the_same_games(game: Game) -> None:
    fast, plain = (Compiled(game).run_playouts(2, seed=3), Compiled(game, machine=False).run_playouts(2, seed=3))
    for name in ("endings", "decisions", "rounds", "returns", "taken", "worth"):
        assert np.array_equal(getattr(fast, name), getattr(plain, name)), name


def test_every_step_of_a_walk_agrees(game: Game) -> None:
    # Plain Python from the same source: `playouts` above already compiles it once, and compiling is slow.
    compiled, play = Compiled(game, machine=False), Interpreter(game)
    taken, _ = random_game(play, make_game_seed(1, 0))
    state = play.start()
    fast = compiled.start()
    for ident in taken[:120]:
        assert fast.tolist() == state
        assert compiled.legal(fast) == play.legal(state)
        assert compiled.actor(fast) == play.actor(state)
        state = play.apply(state, ident)
        compiled.apply(fast, ident)
    assert fast.tolist() == state


def test_packing_keeps_every_state(game: Game) -> None:
    compiled, play = Compiled(game, machine=False), Interpreter(game)
    taken, _ = random_game(play, make_game_seed(2, 0))
    packed = np.zeros((2, compiled.module.WORDS), dtype=np.uint64)
    state, back = play.start(), np.zeros(game.cells, dtype=np.int64)
    for ident in taken[:60]:
        compiled.module.pack(np.array(state, dtype=np.int64), packed, 0)
        compiled.module.unpack(packed, 0, back)
        assert back.tolist() == state
        state = play.apply(state, ident)


def test_quantities_agree_in_the_vector_reading(game: Game) -> None:
    play = Interpreter(game)
    taken, _ = random_game(play, make_game_seed(4, 0))
    states = [play.start()]
    for ident in taken[:60]:
        states.append(play.apply(states[-1], ident))
    cells = np.array(states, dtype=np.int64).T
    for name, term in game.quantities.items():
        assert evaluate_term_in_many_states(term, cells).tolist() == [play.quantity(name, s) for s in states], name


@pytest.mark.parametrize("path", sorted(PERFT.glob("*.txt")), ids=lambda p: p.stem)
def test_perft_counts(path: Path) -> None:
    """States of small games, counted by the explorer; the file says the options and the counts."""
    expected = dict(line.split(": ", 1) for line in path.read_text().splitlines() if ": " in line)
    options = dict(part.split("=") for part in expected["options"].split() if "=" in part)
    compiled = Compiled(build(expected["game"], Options(options)))
    seen = explore(compiled)
    assert seen.complete
    counted = {"states": str(seen.states), "steps": str(seen.steps)}
    counted |= {f"ending {e.reason}": str(seen.end_count[e.number]) for e in compiled.game.endings}
    assert counted == {k: v for k, v in expected.items() if k not in ("game", "options", "source")}


@pytest.mark.parametrize("machine", [True, False])
def test_explorer_agrees_with_a_plain_search(machine: bool) -> None:
    game = build("nim", Options({"heaps": "2-3"}))
    play = Interpreter(game)
    seen, todo = {tuple(play.start())}, [play.start()]
    while todo:
        state = todo.pop()
        for ident in play.legal(state):
            after = play.apply(state, ident)
            if tuple(after) not in seen:
                seen.add(tuple(after))
                todo.append(after)
    found = explore(Compiled(game, machine=machine))
    assert {tuple(found.unpack_state_of_row(i)) for i in range(found.states)} == seen


def test_explorer_stops_honestly_and_goes_on() -> None:
    compiled = Compiled(build("tic_tac_toe"))
    part = explore(compiled, states=1000)
    assert not part.complete
    assert "limit" in part.reason
    whole = explore(compiled, resumed=part)
    assert (whole.complete, whole.states) == (True, 5478)
    stopped = explore(compiled, progress=lambda seen: False)
    assert not stopped.complete
    assert "stopped" in stopped.reason
    assert "steps, the limit" in explore(compiled, steps=0).reason


@pytest.mark.parametrize("machine", [True, False])
def test_depth_first_visits_the_same_states(machine: bool) -> None:
    compiled = Compiled(build("nim", Options({"heaps": "2-3"})), machine=machine)
    wide, deep = explore(compiled), explore(compiled, depth_first=True)
    assert deep.complete
    assert {tuple(deep.unpack_state_of_row(i)) for i in range(deep.states)} == {
        tuple(wide.unpack_state_of_row(i)) for i in range(wide.states)
    }
    assert (deep.steps, deep.end_count.tolist()) == (wide.steps, wide.end_count.tolist())
    with pytest.raises(ValueError, match="depth first"):
        explore(compiled, depth_first=True, rounds=1)


def test_paths_of_the_explorer_replay() -> None:
    compiled = Compiled(build("tic_tac_toe"))
    seen = explore(compiled)
    play, state = Interpreter(compiled.game), None
    state = play.start()
    row = int(seen.end_first[1])
    for ident in seen.list_action_numbers_from_start_to_row(row):
        state = play.apply(state, ident)
    assert state == seen.unpack_state_of_row(row)


def test_pig_is_worth_what_was_published() -> None:
    """Neller and Presser 2004: 53.06 % for the first player."""
    compiled = Compiled(build("pig"))
    net = graph(explore(compiled))
    value = solve(compiled, net, net.returned, MEAN, tolerance=1e-6)
    assert value.gap < 1e-4
    assert round(50 * (1 + value.low), 2) == 53.06


def test_nim_is_won_exactly_when_the_sum_is_not_zero() -> None:
    for heaps, first in (("1-2-3", -1), ("3-4-5", 1), ("2-2", -1), ("1-1-1", 1)):
        compiled = Compiled(build("nim", Options({"heaps": heaps})), machine=False)
        net = graph(explore(compiled))
        assert solve(compiled, net, net.returned, BEST).low == first


def test_tic_tac_toe_is_a_draw() -> None:
    compiled = Compiled(build("tic_tac_toe"))
    net = graph(explore(compiled))
    assert solve(compiled, net, net.returned).low == 0


def test_stream_is_splitmix64() -> None:
    """First outputs of the reference implementation for seed 1234567 (Vigna, splitmix64.c)."""
    stream, found = 1234567, []
    for _ in range(3):
        stream = (stream + 0x9E3779B97F4A7C15) & (2**64 - 1)
        found.append(mix_bits(stream))
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert 0 <= Stream(5).below(7) < 7


def test_interpreter_refuses_a_value_outside_its_bounds() -> None:
    g = Game("overflow")
    s = g.state
    g.integer("food", 0, 2)
    play = g.phase("play")

    @g.action(play)
    def eat() -> None:
        s.food += 1

    @g.action(play)
    def stop() -> None:
        win("enough")

    reader = Interpreter(g)
    state = reader.apply(reader.apply(reader.start(), 0), 0)
    with pytest.raises(BoundsError, match="PP310"):
        reader.apply(state, 0)


def test_endless_automatic_phases_are_named() -> None:
    g = Game("endless")
    spin = g.automatic("spin")

    @g.on(spin)
    def again() -> None:
        with_end = g.state.outcome == 1
        del with_end
        goto(spin)

    play = g.phase("play")
    g.add_action(play, lambda: win("done"), "stop", name="stop")
    with pytest.raises(RulesError, match="PP330"):
        Interpreter(g).start()
