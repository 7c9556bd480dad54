"""Machine code does what the same source does as plain Python: random programs, corners of arithmetic, the cache."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.language import Game, require, win
from playproof.language.compiled import Compiled
from playproof.language.machine import generated_functions, native
from playproof.language.machine.lazy_parts import PARTS, CodePart
from playproof.language.machine.native import NativeModule, can_make_machine_code
from playproof.language.machine.translate import SourceCode, UntranslatableError, translate_functions_to_assembly
from playproof.language.registry import build
from tests.language import machine_entry

pytestmark = pytest.mark.skipif(not can_make_machine_code(), reason="no machine code here")
CONSTANTS = {"CELLS": 4, "SEATS": 1, "WIDTH": 1, "WORDS": 1, "FIVE": 5}
INPUTS = [(a, b) for a in (-7, -1, 0, 1, 2, 13) for b in (-3, 0, 1, 5)]


class Programs:
    """Random functions of four cells and two numbers, in the Python that generated source is written in."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.names = ["a", "b"]

    def source(self) -> str:
        """A table, a helper and the program."""
        helper = ["def g(S, x):", *self.indented(self.block(2, ["x"])), f"    return {self.number(2, ['x'])}"]
        names = ["a", "b"]
        body = [line for _ in range(5) for line in self.statement(3, names)]
        return "\n".join(
            [
                "T1 = _table([3, -2, 0, 7, 1])",
                "",
                *helper,
                "",
                "def f(S, a, b):",
                *self.indented(body),
                f"    return {self.number(3, names)}",
                "",
            ]
        )

    def indented(self, lines: list[str]) -> list[str]:
        return [f"    {line}" for line in lines]

    def number(self, depth: int, names: list[str]) -> str:
        if depth == 0 or self.r.random() < 0.15:
            return self.r.choice([*names, *(f"S[{i}]" for i in range(4)), str(self.r.randint(-9, 9)), "FIVE"])
        one, two = self.number(depth - 1, names), self.number(depth - 1, names)
        size = self.r.randint(1, 9)
        return self.r.choice(
            [
                f"({one} + {two})",
                f"({one} - {two})",
                f"({one} * ({two} % 7))",
                f"({one} // {size})",
                f"({one} % {size})",
                f"min({one}, {two})",
                f"max({one}, {two})",
                f"abs({one})",
                f"(-({one}))",
                f"(({one}) & ({two}))",
                f"(({one}) | ({two}))",
                f"(({one}) ^ ({two}))",
                f"(({one} % 256) << {self.r.randint(0, 9)})",
                f"(({one}) >> {self.r.randint(0, 63)})",
                f"(({one}) >> (({two}) % 80))",
                f"S[({one}) % 4]",
                f"T1[({one}) % 5]",
                f"({one} if {self.truth(depth - 1, names)} else {two})",
                f"int({self.truth(depth - 1, names)})",
                f"({one} + int({self.truth(depth - 1, names)}))",
            ]
        )

    def truth(self, depth: int, names: list[str]) -> str:
        if depth <= 0:
            how = self.r.choice(["==", "!=", "<", "<=", ">", ">="])
            return f"({self.number(0, names)} {how} {self.number(0, names)})"
        one, two = self.truth(depth - 1, names), self.truth(depth - 1, names)
        return self.r.choice(
            [
                f"({one} and {two})",
                f"({one} or {two})",
                f"(not {one})",
                f"({one} & {two})",
                f"({one} | {two})",
                f"({one} == {two})",
                f"({one} if {two} else {one})",
                f"(-2 <= {self.number(depth - 1, names)} <= {self.number(depth - 1, names)})",
            ]
        )

    def statement(self, depth: int, names: list[str]) -> list[str]:
        if depth == 0 or self.r.random() < 0.3:
            value = f"({self.number(2, names)}) % 1000"
            into = self.r.choice(
                [f"S[{self.r.randrange(4)}] =", f"S[({self.number(1, names)}) % 4] =", f"{names[0]} ="]
            )
            if self.r.random() < 0.2 and "x" not in names:
                return [f"S[0], {names[0]} = {names[0]} % 99, S[0]", f"S[1] += g(S, {value})", "S[1] = S[1] % 5000"]
            return [f"{into} {value}"]
        how = self.r.randrange(5)
        inner = self.indented(self.block(depth - 1, names))
        if how == 0:
            return [f"if {self.truth(2, names)}:", *inner, "else:", *self.indented(self.block(depth - 1, names))]
        if how == 1:
            return [f"if {self.truth(1, names)}:", *inner]
        name = f"i{depth}{self.r.randrange(1000)}"
        if how == 2:
            leave = self.r.choice(["break", "continue", f"{name} = 0"])
            start, stop = f"({self.number(1, names)}) % 5 - 2", f"({self.number(1, names)}) % 4"
            return [
                f"{name} = 0",
                f"for {name} in range({start}, {stop}):",
                *self.indented(self.block(depth - 1, [*names, name])),
                f"    if {self.truth(1, [*names, name])}:",
                f"        {leave}",
                f"S[3] = S[3] % 77 + {name}",
            ]
        if how == 3:
            return [f"{name} = 3", f"while {name} > 0:", f"    {name} -= 1", *inner]
        return [f"if {self.truth(1, names)}:", f"    return {self.number(1, names)}"]

    def block(self, depth: int, names: list[str]) -> list[str]:
        return [line for _ in range(self.r.randint(1, 2)) for line in self.statement(depth, list(names))]


def machine(source: str, *entries: str) -> NativeModule:
    return NativeModule(source, CONSTANTS, (CodePart("test", (machine_entry,), entries),))


def plain(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"_table": list, **CONSTANTS}
    exec(source, space)
    return space


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("seed", range(20))
def test_random_programs_do_the_same(seed: int, level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    source = Programs(seed).source()
    made, python = machine(source, "run"), plain(source)["f"]
    made.parts["run"]._load_cached_object_or_compile_it(level)
    made.parts["run"].is_good = True  # stay with this form
    for a, b in INPUTS:
        cells = [a + 2, b, -5, 11]
        ours = np.array(cells, dtype=np.int64)
        assert (made.run(ours, a, b), ours.tolist()) == (python(cells, a, b), cells), source


def test_programs_differ_and_reach_every_operator() -> None:
    """The test above is worth something: its programs hold all there is, and their results vary."""
    sources = [Programs(seed).source() for seed in range(20)]
    for piece in ("//", "%", ">>", "<<", " and ", " or ", "not ", "while", "for ", "break", "continue", "else:", "abs"):
        assert any(piece in source for source in sources), piece
    results = set()
    for source in sources:
        for a, b in INPUTS:
            cells = [a + 2, b, -5, 11]
            results.add((plain(source)["f"](cells, a, b), *cells))
    assert len(results) > 200


@pytest.mark.parametrize("text", ["a * b", "a + b", "a - b", "(a << 7) ^ b", "-a", "a * a * b"])
def test_integers_wrap_at_64_bits(text: str) -> None:
    made = machine(f"def f(S, a, b):\n    return {text}\n", "run")
    for a in (1 << 62, (1 << 63) - 1, -(1 << 63), 3037000500):
        for b in (2, -1, (1 << 63) - 1):
            exact = eval(text, {"a": a, "b": b})
            assert (made.run(np.zeros(4, dtype=np.int64), a, b) - exact) % (1 << 64) == 0


def test_words_have_no_sign() -> None:
    made = machine("", "words")
    values = np.array([(1 << 64) - 1, 1 << 63, 5, 0], dtype=np.uint64)
    for by in (0, 1, 29, 63, 64, 70):
        assert made.words(values, by) == machine_entry.words(values, by)


def test_narrow_cells_doubles_and_room() -> None:
    made = machine("", "narrow", "real", "zeros")
    arrays = [
        (
            np.array([-127, 127, -1], dtype=np.int8),
            np.array([-(2**31), 2**31 - 1, 9], dtype=np.int32),
            np.zeros(3, dtype=np.int64),
        )
        for _ in range(2)
    ]
    assert made.narrow(*arrays[0]) == machine_entry.narrow(*arrays[1])
    assert all((a == b).all() for a, b in zip(*arrays, strict=True))
    grid = np.array([[0.1, 0.7], [1e300, -0.3], [0.2, 0.9]])
    for scale in (1.0, -3.7, 0.1):
        for high in (True, False):
            assert made.real(grid, scale, high) == machine_entry.real(grid, scale, high)
    assert [made.zeros(n) for n in (0, 9, 9)] == [machine_entry.zeros(n) for n in (0, 9, 9)]


def test_wrong_arrays_are_refused() -> None:
    made = machine("", "words")
    with pytest.raises(TypeError, match="uint64"):
        made.words(np.zeros(4, dtype=np.int64), 1)
    with pytest.raises(TypeError, match="contiguous"):
        made.words(np.zeros(8, dtype=np.uint64)[::2], 1)
    with pytest.raises(TypeError, match="takes 2"):
        made.words(np.zeros(8, dtype=np.uint64))
    with pytest.raises(AttributeError):
        made.nothing()


@pytest.mark.parametrize(
    "body",
    [
        "return a // b",
        "return a % (0 - 3)",
        "return [a]",
        "return h(a)",
        "for i in range(0, a, 2):\n        pass",
        "return S.sum()",
        "with a:\n        pass",
        "return a ** b",
        "return a in S",
        "return unknown",
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(body: str) -> None:
    code = SourceCode.parse_module_text(f"def f(S, a, b):\n    {body}\n", "here", total=True)
    with pytest.raises(UntranslatableError, match=r"here: f, line 2"):
        translate_functions_to_assembly([code], ["f"], 10)


# -- the cache, and when the good form is made ---------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    return tmp_path


def rows(played: Any) -> list[Any]:
    return [played.endings.tolist(), played.decisions.tolist(), played.returns.tolist(), played.taken.tolist()]


def test_the_good_form_comes_when_it_pays_and_plays_the_same(cache: Path) -> None:
    game = build("nim")
    few = Compiled(game)
    few.run_playouts(1, 1)
    assert [p.name.split("_")[1] for p in cache.glob("*.o")] == ["games"]  # the quick form of one part
    assert not few.module.is_optimized_code_of_function_ready("playouts")
    many = Compiled(game)
    expected = rows(Compiled(game, machine=False).run_playouts(300, 1))
    assert rows(many.run_playouts(300, 1)) == expected
    many.run_playouts(400_000, 2, count_actions=False)
    assert many.module.is_optimized_code_of_function_ready("playouts")
    assert rows(many.run_playouts(300, 1)) == expected
    again = Compiled(game)
    again.run_playouts(1, 1)
    assert again.module.is_optimized_code_of_function_ready("playouts")  # it lies in the cache


def test_a_damaged_object_is_made_again(cache: Path) -> None:
    game = build("nim")
    expected = rows(Compiled(game).run_playouts(50, 3))
    (file,) = cache.glob("*.o")
    whole = file.read_bytes()
    for damaged in (whole[:100], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
        file.write_bytes(damaged)
        assert rows(Compiled(game).run_playouts(50, 3)) == expected
        assert file.read_bytes()[32:] == whole[32:]


def test_another_processor_has_other_code(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = build("nim")
    Compiled(game).run_playouts(1, 1)
    here = native._list_machine_code_inputs_besides_source()
    monkeypatch.setattr(native, "_list_machine_code_inputs_besides_source", lambda: (*here, "another"))
    Compiled(game).run_playouts(1, 1)
    assert len(list(cache.glob("*.o"))) == 2


def test_without_a_place_to_write_games_are_played_all_the_same(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(native, "write_file_atomically", full)
    assert Compiled(build("nim")).run_playouts(2, 1).endings.all()
    assert not list(cache.glob("*.o"))


def test_long_games_get_room_for_their_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    game = build("nim")
    expected = rows(Compiled(game, machine=False).run_playouts(40, 1))
    monkeypatch.setattr("playproof.language.playouts._NOTES", 1)
    for machine_code in (True, False):
        assert rows(Compiled(game, machine=machine_code).run_playouts(40, 1)) == expected


def squares(largest: int) -> Game:
    """One decision: whether what is left of a large number's square by 17 is seen."""
    game = Game("squares", players=1)
    s = game.state
    game.integer("n", 0, largest, largest)
    look = game.phase("look", actor=0, text="look at the number")

    @game.action(look, "look")
    def see() -> None:
        require(s.n * s.n % 17 == largest * largest % 17, "Q1", "what is left")
        win("saw it")

    return game


def test_values_beyond_64_bits_run_as_plain_python() -> None:
    large, small = Compiled(squares(10**12 + 7)), Compiled(squares(10**6 + 7))
    assert (large.machine, small.machine) == (False, True)
    for compiled in (large, small):
        assert compiled.run_playouts(3, 1).endings.tolist() == [1, 1, 1]


def test_switched_off_it_is_plain_python() -> None:
    program = (
        "from playproof.language.compiled import Compiled\nfrom playproof.language.registry import build\n"
        "c = Compiled(build('nim'))\nprint(c.machine, c.run_playouts(1, 1).endings)\n"
        "import sys\nprint('llvmlite' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PLAYPROOF_MACHINE": "0"},
    )
    assert done.stdout.split()[0] == "False"
    assert done.stdout.split()[-1] == "False"


def test_modules_that_plain_python_binds_together_agree_on_their_numbers() -> None:
    """As plain Python they share one space, where the first of two constants of one name would hold for both."""
    values: dict[str, set[int]] = {}
    for module in {module for part in PARTS for module in part.modules}:
        for name, value in vars(module).items():
            if isinstance(value, int) and name not in vars(generated_functions):
                values.setdefault(name, set()).add(value)
    assert {name: several for name, several in values.items() if len(several) > 1} == {}
