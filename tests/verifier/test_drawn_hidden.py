"""Random games in which something is hidden, against functions written apart from the language.

* What a seat knows in drawn games whose requirement reads a coin that nobody sees: histories are grouped here by what
  the rules of sight say, and the referee's information and beliefs must group them alike.
* What a game is worth in which both choose at once (`Together`), and in which what the first seat may choose depends on
  a coin that it does not see: the value of the matrix of both seats' plans, solved here in fractions.

`PLAYPROOF_DRAWN=1600` tries so many seeds, as `make walks` does.
"""

from __future__ import annotations

import os
import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.referee.belief import Belief
from playproof.referee.observations import collect_observations_of_seat_from_start, get_cached_observation_model
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from tests.verifier.matrices import solve_matrix

MANY = int(os.environ.get("PLAYPROOF_DRAWN", "0"))


# -- what a seat knows ----------------------------------------------------------------------------------------------

HIDDEN = """\
from playproof import CHANCE, Game, Sees, goto, otherwise, require, score, when

MAY, AFTER, PASSES = {may}, {after}, {passes}


def build(options):
    g = Game("drawn_hidden", players={players})
    s = g.state
    g.integer("coin", 0, 2, sees=Sees.NOBODY)
    g.integer("x", 0, 3)
    g.integer("turn", 0, {players} - 1)
    g.integer("step", 0, {steps})
    may, after, passes = g.table("may", MAY), g.table("after", AFTER), g.table("passes", PASSES)
    toss, play = g.phase("toss", CHANCE), g.phase("play", s.turn)

    @g.action(toss, "toss {{side}}", side=3)
    def tossing(side):
        s.coin = side
        goto(play)

    @g.action(play, "{{choice}}", choice=3, reveals="coin"{secret})
    def choosing(choice):
        require(may[s.coin, s.x, choice] == 1, "R1", "not now")
        s.step += 1
        s.x = after[s.coin, s.x, choice]
        with when(s.step == {steps}):
            score("it is over")
        with otherwise(passes[choice] == 1):
            s.turn = (s.turn + 1) % {players}

    g.returns(*[s.x] * {players})
    return g
"""
STEPS = 4


class HiddenGame:
    """A coin that nobody sees decides what may be chosen, and now and then what follows."""

    def __init__(self, seed: int) -> None:
        r = random.Random(seed)
        self.players, self.is_secret = r.choice([1, 2, 2, 3]), r.random() < 0.3
        self.may = [[[1, r.choice([0, 1]), r.choice([0, 1, 1])] for _ in range(4)] for _ in range(3)]
        plain = [[r.randrange(4) for _ in range(3)] for _ in range(4)]
        self.after = [[[*row] for row in plain] for _ in range(3)]
        if r.random() < 0.3:
            self.after[r.randrange(3)][r.randrange(4)][r.randrange(3)] = r.randrange(4)
        self.passes = [1, r.choice([0, 1]), 1]

    def rules(self) -> str:
        secret = ', secret="choice"' if self.is_secret else ', public="choice"'
        return HIDDEN.format(
            may=self.may, after=self.after, passes=self.passes, players=self.players, steps=STEPS, secret=secret
        )

    def legal(self, coin: int, x: int) -> tuple[int, ...]:
        return tuple(choice for choice in range(3) if self.may[coin][x][choice])

    def histories(self) -> list[tuple[list[int], list[tuple[Any, ...]]]]:
        """Every history as action numbers, with what each seat was sent in it."""
        found = []
        for coin in range(3):
            told = [(self.choices(coin, 0, 0, seat),) for seat in range(self.players)]
            self._follow([coin], (coin, 0, 0, 0), told, found)
        return found

    def _follow(self, actions: list[int], at: tuple[int, int, int, int], told: Any, found: Any) -> None:
        found.append((actions, told))
        coin, x, turn, step = at
        if step == STEPS:
            return
        for choice in self.legal(coin, x):
            to, over = self.after[coin][x][choice], step + 1 == STEPS
            following = (turn + self.passes[choice]) % self.players if not over else turn
            more = []
            for seat in range(self.players):
                heard = "?" if self.is_secret and seat != turn else choice
                now = () if over else self.choices(coin, to, following, seat)
                more.append((*told[seat], turn, heard, to, following, now))
            self._follow([*actions, 3 + choice], (coin, to, following, step + 1), more, found)

    def choices(self, coin: int, x: int, turn: int, seat: int) -> tuple[int, ...]:
        return self.legal(coin, x) if seat == turn else ()


def check_information(seed: int, folder: Path) -> int:
    """Compare what the seats of a drawn game know. Return in how many histories a belief is smaller than it would be
    without what choices tell."""
    game = HiddenGame(seed)
    (folder / "rules.py").write_text(game.rules(), encoding="utf-8")
    described = build(str(folder), Options())
    witness, play = get_cached_observation_model(described), Interpreter(described)
    for seat in range(game.players):
        knows: dict[tuple[Any, ...], set[Any]] = {}
        ends: dict[tuple[Any, ...], set[tuple[int, ...]]] = {}
        lines = []
        for actions, told in game.histories():
            states = [play.start()]
            for ident in actions:
                states.append(play.apply(states[-1], ident))
            knows.setdefault(told[seat], set()).add(
                collect_observations_of_seat_from_start(witness, states, actions, seat)
            )
            ends.setdefault(told[seat], set()).add(tuple(states[-1]))
            lines.append((states, actions, told[seat]))
        assert all(len(known) == 1 for known in knows.values()), f"seed {seed}: told apart by nothing that is sent"
        assert len(set().union(*knows.values())) == len(knows), f"seed {seed}: not told apart"
        for states, actions, told_here in lines[:: max(1, len(lines) // 12)]:
            belief = Belief(witness, states[0], seat)
            belief.update_to_match_as_seen_by_seat(states, actions)
            assert belief.weights.keys() == ends[told_here], f"seed {seed}, seat {seat}: {actions}"
    return len(game.histories())


@pytest.mark.parametrize("seed", range(6))
def test_seats_know_what_they_are_sent(seed: int, tmp_path: Path) -> None:
    assert check_information(seed, tmp_path) > 10


@pytest.mark.walks("PLAYPROOF_DRAWN")
def test_so_they_do_in_many_games(tmp_path: Path) -> None:
    for seed in range(100, 100 + MANY // 8):
        check_information(seed, tmp_path)
        print(f"seed {seed}: seats know what they are sent", flush=True)


# -- choices made at once, and requirements on what is hidden ----------------------------------------------------------

RULES = """\
from playproof import CHANCE, Game, Sees, Together, goto, require, score

COIN, MAY, WORTH, REVEAL = {coin}, {may}, {worth}, {reveal}


def build(options):
    g = Game("drawn_together", players=2)
    s = g.state
    g.integer("coin", 0, 1, sees=Sees.NOBODY)
    g.integer("gain", -9, 9)
    g.returns(s.gain, -s.gain)
    may = g.table("may", MAY)
    worth = g.table("worth", WORTH)
    toss = g.phase("toss", CHANCE)
    start, end = g.automatic("start"), g.automatic("end", text="the choices are shown")

    def can(seat, choice):
        return (seat == 1) & (choice < {narrow}) | (seat == 0) & (may[s.coin, choice] == 1)

    pick = Together(g, "pick", {wide}, then=end, may=can)

    @g.action(toss, "{{side}}", side=2)
    def tossing(side):
        s.coin = side
        goto(start)

    @g.on(start)
    def starting():
        pick.begin()

    @g.on(end, reveals="coin")
    def ending():
        s.gain = worth[s.coin, pick.of(0), pick.of(1)]
        score("both have chosen")

    return g
"""


def check_value(seed: int, folder: Path) -> None:
    """Draw a game, and compare its value with that of the matrix of plans."""
    r = random.Random(seed)
    wide, narrow = r.choice([2, 3]), r.choice([2, 3])
    narrow = min(wide, narrow)
    may = [[1] + [r.choice([0, 1, 1]) for _ in range(wide - 1)] for _ in range(2)]
    worth = [[[r.randint(-3, 3) for _ in range(wide)] for _ in range(wide)] for _ in range(2)]
    (folder / "rules.py").write_text(
        RULES.format(coin=0, may=may, worth=worth, reveal=0, wide=wide, narrow=narrow), encoding="utf-8"
    )
    options = [[c for c in range(wide) if may[coin][c]] for coin in range(2)]
    # A seat whose choices differ with the coin knows it; else it chooses once for both.
    plans = [*product(*options)] if may[0] != may[1] else [(c, c) for c in options[0]]
    matrix = [[Fraction(worth[0][a][c] + worth[1][b][c], 2) for c in range(narrow)] for a, b in plans]
    value = solve_matrix(matrix)
    question = Question("q", "equilibrium", {"seat": 0})
    [answer] = prove(str(folder), claims=[question], output=folder / "out", machine=False, games=50, work=3)
    assert answer.value == pytest.approx(float(value), abs=1e-6), f"seed {seed}: {answer.reason}"


@pytest.mark.parametrize("seed", range(5))
def test_a_game_of_choices_made_at_once_is_worth_its_matrix(seed: int, tmp_path: Path) -> None:
    check_value(seed, tmp_path)


@pytest.mark.walks("PLAYPROOF_DRAWN")
def test_so_are_many_games(tmp_path: Path) -> None:
    for seed in range(100, 100 + MANY // 8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        check_value(seed, folder)
        print(f"seed {seed}: as computed apart", flush=True)
