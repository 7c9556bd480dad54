"""Sums of weights: what they exclude, that no false one is accepted, and that they are what they say in real games."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from playproof.language import Game, Interpreter
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.weights import WeighingCertificate, WeightedSum
from playproof.verifier.proof.weighing import (
    explain_why_weighing_excludes_event,
    find_weighing_kernel_accepts_or_none,
    iter_nullspace_basis_modulo_prime,
)
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import Budget, GameCase
from tests.published_games import get_published_game

WIN = Event({"outcome": "win"})
CANNOT = {
    "mutilated board": (get_published_game("mutilated_board"), {"size": "4"}),
    "soldiers": (get_published_game("soldiers"), {"row": "4", "columns": "3", "below": "2"}),
    "fifteen": (get_published_game("sliding_tiles"), {"columns": "3", "rows": "2", "start": "exchanged"}),
}
CAN = {
    "whole board": (get_published_game("mutilated_board"), {"size": "4", "board": "whole"}),
    "soldiers": (get_published_game("soldiers"), {"row": "2"}),
    "fifteen": (get_published_game("sliding_tiles"), {"columns": "3", "rows": "2"}),
    "triangle": ("peg_solitaire", {"board": "triangle"}),
}
_MADE: dict[str, tuple[GameCase, WeighingCertificate]] = {}


def made(name: str) -> tuple[GameCase, WeighingCertificate]:
    if name not in _MADE:
        case = GameCase(*CANNOT[name], machine=False)
        [target] = TargetReader(case.game).read_targets_of_spec(WIN.of)
        certificate = find_weighing_kernel_accepts_or_none(case, WIN, target, Budget(30))
        assert certificate is not None
        _MADE[name] = case, certificate
    return _MADE[name]


def shown(case: GameCase, certificate: WeighingCertificate) -> bool:
    try:
        Theorem(certificate, case.game, Context())
    except NotShown:
        return False
    return True


@pytest.mark.parametrize("name", CANNOT)
def test_weights_show_what_cannot_be(name: str) -> None:
    case, certificate = made(name)
    assert shown(case, certificate)
    assert decode_json_as_type_or_raise(WeighingCertificate, encode_typed_value_as_json(certificate)) == certificate
    says = explain_why_weighing_excludes_event(case.game, certificate).split("; and ")
    for number, words in zip(certificate.sums, says, strict=True):
        assert ("the sum always leaves" if number.modulus else "at the start, no step raises it") in words


@pytest.mark.parametrize("name", CAN)
def test_no_weights_exclude_what_can_be(name: str) -> None:
    case = GameCase(*CAN[name], machine=False)
    [target] = TargetReader(case.game).read_targets_of_spec(WIN.of)
    assert find_weighing_kernel_accepts_or_none(case, WIN, target, Budget(30)) is None


@pytest.mark.parametrize("name", CANNOT)
def test_the_sums_are_kept_in_games(name: str) -> None:
    """Added up by hand, over games of a plain random player."""
    case, certificate = made(name)
    play, draw = Interpreter(case.game), random.Random(1)
    for _ in range(5):
        state = play.start()
        sums = [weigh(case.game, number, state) for number in certificate.sums]
        for _ in range(40):
            legal = play.legal(state)
            if play.terminal(state) or not legal:
                break
            state = play.apply(state, draw.choice(legal))
            now = [weigh(case.game, number, state) for number in certificate.sums]
            for number, before, after in zip(certificate.sums, sums, now, strict=True):
                assert after <= before if not number.modulus else (after - before) % number.modulus == 0
            sums = now


def weigh(game: Game, number: WeightedSum, state: list[int]) -> int:
    total = sum(weight for cell, value, weight in number.weights if state[cell] == value)
    if number.permutation:
        held = game.get_field(number.permutation)
        values = state[held.offset : held.offset + held.size]
        places = [held.start.index(value) for value in values]
        swaps = sum(a > b for n, b in enumerate(places) for a in places[:n])  # inversions
        total += number.modulus // 2 * (swaps % 2)
    return total


@pytest.mark.parametrize("name", CANNOT)
def test_no_changed_weight_shows_what_can_be(name: str) -> None:
    """The certificate of a board that has no line, changed at random, on the same board with one: it never holds."""
    _, certificate = made(name)
    other = {"mutilated board": "whole board", "soldiers": "soldiers", "fifteen": "fifteen"}[name]
    options = {"soldiers": {"row": "2", "columns": "3", "below": "2"}}.get(name, CAN[other][1])
    case, draw = GameCase(CAN[other][0], options, machine=False), random.Random(7)
    cells = case.game.cells
    for _ in range(6):
        sums = []
        for number in certificate.sums:
            weights = [
                (cell, value, weight + draw.choice((0, 0, 0, 1, -1)))
                for cell, value, weight in number.weights
                if cell < cells
            ]
            sums.append(replace(number, weights=tuple(weights), modulus=draw.choice((number.modulus, 2, 4))))
        assert not shown(case, replace(certificate, sums=tuple(sums)))


def false_ones() -> dict[str, tuple[str, WeighingCertificate]]:
    _, board = made("mutilated board")
    [number] = board.sums
    *fewer, (cell, value, _) = number.weights
    heavier = (cell, value, 5)
    _, tiles = made("fifteen")
    [parity] = tiles.sums
    return {
        "no sums": ("mutilated board", replace(board, sums=())),
        "no weights": ("mutilated board", replace(board, sums=(replace(number, weights=()),))),
        "modulus 1": ("mutilated board", replace(board, sums=(replace(number, modulus=1),))),
        "modulus -3": ("mutilated board", replace(board, sums=(replace(number, modulus=-3),))),
        "rises": ("mutilated board", replace(board, sums=(replace(number, modulus=0),))),
        "one weight more": ("mutilated board", replace(board, sums=(replace(number, weights=(*fewer, heavier)),))),
        "two weights of one value": (
            "mutilated board",
            replace(board, sums=(replace(number, weights=(*number.weights, number.weights[0])),)),
        ),
        "a cell that is not there": (
            "mutilated board",
            replace(board, sums=(replace(number, weights=(*number.weights, (999, 0, 1))),)),
        ),
        "no layer": ("fifteen", replace(tiles, layers=())),
        "a false layer": ("fifteen", replace(tiles, layers=(Lemma(("gap == 5",), True, ()),))),
        "no places": ("fifteen", replace(tiles, places=())),
        "a place twice": ("fifteen", replace(tiles, places=(*tiles.places, *tiles.places))),
        "a place that is not there": ("fifteen", replace(tiles, places=(999,))),
        "no permutation": ("fifteen", replace(tiles, sums=(replace(parity, permutation=""),))),
        "a permutation of no field": ("fifteen", replace(tiles, sums=(replace(parity, permutation="other"),))),
        "another end": ("fifteen", replace(tiles, sums=(replace(parity, at=(*parity.at[1::-1], *parity.at[2:])),))),
        "no end": ("fifteen", replace(tiles, sums=(replace(parity, at=()),))),
        "an odd modulus": ("fifteen", replace(tiles, sums=(replace(parity, modulus=3),))),
        "a permutation of one cell": ("fifteen", replace(tiles, sums=(replace(parity, permutation="gap"),))),
    }


FALSE = (
    "no sums", "no weights", "modulus 1", "modulus -3", "rises", "one weight more", "two weights of one value",
    "a cell that is not there", "no layer", "a false layer", "no places", "a place twice", "a place that is not there",
    "no permutation", "a permutation of no field", "another end", "no end", "an odd modulus",
    "a permutation of one cell",
)  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_false_certificate_is_refused(name: str) -> None:
    of, certificate = false_ones()[name]
    case, _ = made(of)
    assert not shown(case, certificate)


def test_another_event_is_not_excluded() -> None:
    case, certificate = made("mutilated board")
    other = Event({"outcome": "loss"})
    assert not shown(case, replace(certificate, about=other))
    assert not shown(case, replace(certificate, about=Event({"holds": "covered[1] == 1"})))
    # true at the start
    assert not shown(case, replace(certificate, about=Event({"holds": "covered[0] == 1"})))


@pytest.mark.parametrize("prime", [2, 3, 5])
def test_a_basis_is_all_that_every_row_takes_to_0(prime: int) -> None:
    draw = random.Random(prime)
    for _ in range(30):
        columns = draw.randint(1, 4)
        rows = [
            {c: value for c in range(columns) if (value := draw.randrange(prime))} for _ in range(draw.randint(0, 4))
        ]
        basis = list(iter_nullspace_basis_modulo_prime(rows, columns, prime))
        spanned = {
            tuple(sum(k * v.get(c, 0) for k, v in zip(by, basis, strict=True)) % prime for c in range(columns))
            for by in product(range(prime), repeat=len(basis))
        }
        wanted = {
            x
            for x in product(range(prime), repeat=columns)
            if all(sum(v * x[c] for c, v in row.items()) % prime == 0 for row in rows)
        }
        assert spanned == wanted
        assert len(spanned) == prime ** len(basis)


TOKENS = '''
import random

from playproof import Game, Options, lose, require, win


def build(options: Options) -> Game:
    """Cells with random exchanges: an action asks for values of some cells and gives them others."""
    draw = random.Random(options.number("seed", range(1_000), 0))
    g = Game("tokens")
    s = g.state
    g.array("cell", 5, 0, 2, [draw.randrange(3) for _ in range(5)])
    play = g.phase("play")
    for n in range(6):
        cells = draw.sample(range(5), draw.randint(2, 3))
        before = [draw.randrange(3) for _ in cells]
        after = draw.choice((before[1:] + before[:1], [draw.randrange(3) for _ in cells]))

        @g.action(play, f"a{n}", name=f"a{n}")
        def act(cells=cells, before=before, after=after) -> None:
            for c, v in zip(cells, before):
                require(s.cell[c] == v, "T1", "no")
            for c, v in zip(cells, after):
                s.cell[c] = v

    @g.action(play, "stop")
    def stop() -> None:
        lose("enough")

    return g
'''
_SEEDS = 4


def test_no_weights_exclude_what_a_plain_search_finds(tmp_path: Path) -> None:
    """Random exchanges of tokens, with every pair of values of two cells as an event."""
    (tmp_path / "rules.py").write_text(TOKENS)
    excluded = open_ = 0
    for seed in range(_SEEDS):
        case = GameCase(str(tmp_path), {"seed": str(seed)}, machine=False)
        play = Interpreter(case.game)
        seen = {tuple(play.start())}
        queue = list(seen)
        for state in queue:
            for ident in () if state[1] else play.legal(list(state)):
                after = tuple(play.apply(list(state), ident))
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
        for a, b in product(range(3), repeat=2):
            event = Event({"holds": f"cell[{seed % 4}] == {a} and cell[4] == {b}"})
            [target] = TargetReader(case.game).read_targets_of_spec(event.of)
            if find_weighing_kernel_accepts_or_none(case, event, target, Budget(5)) is None:
                open_ += 1
                continue
            excluded += 1
            assert not any(state[2 + seed % 4] == a and state[6] == b for state in seen)
    assert excluded > 3
    assert open_ > 3
