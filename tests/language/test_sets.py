"""Sets as bits, and conditions on rows of cells asked at once: the same answers in every reading."""

from __future__ import annotations

import random

import numpy as np
import pytest

from playproof.rules.language import Game, all_of, any_of, count_of, min_of, otherwise, pick, require, when, win
from playproof.rules.language.compiled import Compiled, generate
from playproof.rules.language.interpreter import Interpreter
from playproof.rules.language.machine import sets
from playproof.rules.language.machine.functions import Code
from playproof.rules.language.machine.native import _features, has_machine
from playproof.rules.language.machine.parts import Part
from playproof.rules.language.machine.translate import translate
from playproof.rules.language.random import seed_of

needs_machine = pytest.mark.skipif(not has_machine(), reason="LLVM is not here")


def test_members_by_number() -> None:
    r = random.Random(5)
    for _ in range(200):
        bits = r.getrandbits(sets.MOST)
        members = [i for i in range(sets.MOST) if bits >> i & 1]
        assert sets.ones(bits) == len(members)
        assert [sets.kth(bits, k) for k in range(len(members))] == members
        assert not members or sets.lowest(bits) == members[0]


@needs_machine
def test_a_processor_without_the_instruction_walks_through_the_bits() -> None:
    source = "def chosen(bits, k):\n    return kth(bits, k)\n"
    codes = [Code.of(source, "generated", total=True),
             *(Code.of(text, name, total=False) for name, text in Part("p", (), ("chosen",)).texts)]
    plain = translate(codes, ["chosen"], 8)
    assert "pdep" not in plain
    assert "@kth(" in plain
    assert "pdep" in translate(codes, ["chosen"], 8, frozenset({"bmi2"}))
    assert isinstance(_features(), frozenset)


def board(cells: int) -> Game:
    """Mark cells that are empty; who has three ends wins; counts, the first and whether any is taken are asked."""
    g = Game("board", players=2)
    s = g.state
    g.array("pad", 3, 0, 4)
    g.array("cell", cells, 0, 2)
    g.integer("turn", 0, 1)
    g.integer("seen", 0, 200)
    play = g.phase("play", text="mark", actor=s.turn)

    @g.action(play, "mark {place}", place=range(cells))
    def mark(place):  # type: ignore[no-untyped-def]
        require(s.cell[place] == 0, "R1", "it is taken")
        require(s.seen < 200, "R1", "enough")
        s.cell[place] = s.turn + 1
        mine = s.turn + 1
        ends = all_of(s.cell[i] == mine for i in (0, cells // 2, cells - 1))
        first = min_of(cells, lambda i: pick(s.cell[i] == mine, i, cells))
        s.seen = (count_of(cells, lambda i: s.cell[i] != 0) * 3 + first
                  + any_of(range(2, cells - 1), lambda i: s.cell[i] == 2))
        with when(ends | (count_of(cells, lambda i: s.cell[i] == 0) == 0)):
            win("ends", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    g.start(play)
    return g


@pytest.mark.parametrize("cells", [5, 9, 33])
@needs_machine
def test_rows_of_cells_are_asked_at_once_and_alike(cells: int) -> None:
    game = board(cells)
    text = generate(game)
    assert f"ones((equals(S, 5, {cells}, 0) ^ {(1 << cells) - 1}))" in text
    assert "lowest(" in text
    assert f"equals(S, 7, {cells - 3}, 2) != 0" in text
    assert "equals(" not in generate(game, checked=True)
    fast, plain = Compiled(game, machine=True).playouts(300, 4), Compiled(game, machine=False).playouts(300, 4)
    for name in ("endings", "decisions", "returns", "taken", "worth"):
        assert np.array_equal(getattr(fast, name), getattr(plain, name))


@needs_machine
def test_each_step_leaves_the_interpreters_state() -> None:
    game = board(7)
    play, fast = Interpreter(game), Compiled(game, machine=True)
    for number in range(20):
        r = random.Random(seed_of(1, number))
        state, cells = play.start(), fast.start()
        while not state[1]:
            legal = play.legal(state)
            assert fast.legal(cells) == legal
            ident = r.choice(legal)
            state = play.apply(state, ident)
            fast.apply(cells, ident)
            assert cells.tolist() == state
