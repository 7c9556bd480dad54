"""Sets as bits, and conditions on rows of cells asked at once: the same answers in every reading."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.language import Game, all_of, any_of, count_of, min_of, otherwise, pick, require, when, win
from playproof.language.compiled import Compiled, generate_module_source
from playproof.language.explorer import explore
from playproof.language.interpreter import Interpreter
from playproof.language.machine import native, sets
from playproof.language.machine.functions import SourceCode
from playproof.language.machine.lazy_parts import CodePart
from playproof.language.machine.native import NativeModule, _get_processor_features, can_make_machine_code
from playproof.language.machine.translate import translate_functions_to_assembly
from playproof.language.random import make_game_seed
from tests.language import planes_entry

needs_machine = pytest.mark.skipif(not can_make_machine_code(), reason="LLVM is not here")


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
    codes = [
        SourceCode.parse_module_text(source, "generated", total=True),
        *(SourceCode.parse_module_text(text, name, total=False) for name, text in CodePart("p", (), ("chosen",)).texts),
    ]
    plain = translate_functions_to_assembly(codes, ["chosen"], 8)
    assert "pdep" not in plain
    assert "@kth(" in plain
    assert "pdep" in translate_functions_to_assembly(codes, ["chosen"], 8, frozenset({"bmi2"}))
    assert isinstance(_get_processor_features(), frozenset)


def test_bits_go_to_the_places_of_a_mask_and_back() -> None:
    r = random.Random(6)
    for _ in range(200):
        mask, bits = r.getrandbits(60), r.getrandbits(60)
        places = [i for i in range(60) if mask >> i & 1]
        assert sets.deposit(bits, mask) == sum(1 << place for k, place in enumerate(places) if bits >> k & 1)
        assert sets.extract(bits, mask) == sum(1 << k for k, place in enumerate(places) if bits >> place & 1)


_PLANES = """
def f(S, first, i, value, wanted):
    spread(S, 2, 3, 9, -1)
    hold(S, 2, 3, i, value + 1)
    return (held(S, 2, 3, first) - 1) * 1000 + alike(S, 2, 3, 9, wanted + 1)


def g(S, bits, mask, i, value):
    return deposit(bits, mask) * 7 + extract(bits, mask)
"""


@needs_machine
@pytest.mark.parametrize(("level", "least"), [(0, False), (3, False), (0, True), (3, True)])
def test_cells_in_planes_read_as_they_were_written(
    level: int, least: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On this processor, and in code for the least of its kind."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    if least:
        monkeypatch.setattr(native, "_get_processor_features", frozenset)
    made = NativeModule(
        _PLANES,
        {"CELLS": 12, "SEATS": 1, "WIDTH": 1, "WORDS": 1},
        (CodePart("test", (planes_entry,), ("run", "scatter")),),
    )
    made.parts["run"]._load_cached_object_or_compile_it(level)
    made.parts["run"].is_good = True
    plain: dict[str, Any] = {name: getattr(sets, name) for name in dir(sets)}
    exec(_PLANES, plain)
    r = random.Random(level)
    for _ in range(100):
        cells = [r.randrange(-1, 7) for _ in range(12)]
        first, i, value, wanted = r.randrange(9), r.randrange(9), r.randrange(-1, 7), r.randrange(-1, 7)
        after = [*cells[2:11]]
        after[i] = value
        expected = after[first] * 1000 + sum(1 << k for k, cell in enumerate(after) if cell == wanted)
        ours, theirs = np.array(cells, dtype=np.int64), list(cells)
        assert made.run(ours, first, i, value, wanted) == plain["f"](theirs, first, i, value, wanted) == expected
        assert ours.tolist() == theirs
        bits, mask = r.getrandbits(40), r.getrandbits(40)
        assert made.scatter(ours, bits, mask, 0, 0) == plain["g"](theirs, bits, mask, 0, 0)


def board(cells: int, empty: int = 0) -> Game:
    """Mark cells that are empty; who has three ends wins; counts, the first and whether any is taken are asked."""
    g = Game("board", players=2)
    s = g.state
    g.array("pad", 3, 0, 4)
    g.array("cell", cells, empty, empty + 2)
    g.integer("turn", 0, 1)
    g.integer("seen", 0, 200)
    play = g.phase("play", text="mark", actor=s.turn)

    @g.action(play, "mark {place}", place=range(cells))
    def mark(place):  # type: ignore[no-untyped-def]
        require(s.cell[place] == empty, "R1", "it is taken")
        require(s.seen < 200, "R1", "enough")
        s.cell[place] = s.turn + 1 + empty
        mine = s.turn + 1 + empty
        ends = all_of(s.cell[i] == mine for i in (0, cells // 2, cells - 1))
        first = min_of(cells, lambda i: pick(s.cell[i] == mine, i, cells))
        s.seen = (
            count_of(cells, lambda i: s.cell[i] != empty) * 3
            + first
            + any_of(cells, lambda i: s.cell[i] == s.pad[0] + 7)
            + any_of(range(2, cells - 1), lambda i: s.cell[i] == empty + 2)
        )
        with when(ends | (count_of(cells, lambda i: s.cell[i] == empty) == 0)):
            win("ends", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    g.start(play)
    return g


@pytest.mark.parametrize("cells", [5, 9, 33])
@needs_machine
def test_rows_of_cells_are_asked_at_once_and_alike(cells: int) -> None:
    game = board(cells)
    text = generate_module_source(game)
    assert f"ones((equals(S, 5, {cells}, 0) ^ {(1 << cells) - 1}))" in text
    assert "lowest(" in text
    assert f"equals(S, 7, {cells - 3}, 2) != 0" in text
    assert "equals(" not in generate_module_source(game, checked=True)
    fast, plain = (
        Compiled(game, machine=True).run_playouts(300, 4),
        Compiled(game, machine=False).run_playouts(300, 4),
    )
    for name in ("endings", "decisions", "returns", "taken", "worth"):
        assert np.array_equal(getattr(fast, name), getattr(plain, name))


@pytest.mark.parametrize(("cells", "empty"), [(5, 0), (9, -3), (33, 1)])
@needs_machine
def test_inside_machine_code_cells_are_planes_and_nobody_sees_it(cells: int, empty: int) -> None:
    """Values that no cell can hold are asked for too; 33 cells lie across two words."""
    game = board(cells, empty)
    fast, plain = Compiled(game, machine=True), Compiled(game, machine=False)
    assert "alike(S, 5, 2" in fast.inner_source
    assert "alike(" not in fast.source
    assert fast.inner_source != plain.inner_source == plain.source
    ours, theirs = fast.run_playouts(300, 4), plain.run_playouts(300, 4)
    for name in ("endings", "decisions", "returns", "starters", "taken", "worth"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name))
    found, expected = explore(fast, states=700), explore(plain, states=700)
    assert (found.states, found.steps) == (expected.states, expected.steps)
    assert np.array_equal(found.packed[: found.states], expected.packed[: found.states])
    assert np.array_equal(found.end_count, expected.end_count)
    assert found.unpack_state_of_row(found.states - 1) == expected.unpack_state_of_row(found.states - 1)


@needs_machine
def test_each_step_leaves_the_interpreters_state() -> None:
    game = board(7)
    play, fast = Interpreter(game), Compiled(game, machine=True)
    for number in range(20):
        r = random.Random(make_game_seed(1, number))
        state, cells = play.start(), fast.start()
        while not state[1]:
            legal = play.legal(state)
            assert fast.legal(cells) == legal
            ident = r.choice(legal)
            state = play.apply(state, ident)
            fast.apply(cells, ident)
            assert cells.tolist() == state
