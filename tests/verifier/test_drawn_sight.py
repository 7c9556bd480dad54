"""Chances of players who do not see all, in drawn small games, against a count of all pure plans written apart.

Two coins fall, which one seat, both or nobody sees; players choose, a wind blows now and then, and what chance and they
have made of a public number is won or not. Alone and together, the best of all joint plans is the chance; against each
other, the value of the matrix of plans.

`PLAYPROOF_DRAWN=1600` tries more seeds, as `make walks` does.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import Theorem
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof.plans_by_view import bound_chance_by_views
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.conftest import recheck
from tests.verifier.matrices import solve_matrix

MANY = int(os.environ.get("PLAYPROOF_DRAWN", "0"))
RULES = """\
from playproof import CHANCE, EVERYBODY, Game, Sees, goto, lose, otherwise, require, weight, when, win

MAY, AFTER, WON, TOSS, WIND, BLOWS = {may}, {after}, {won}, {toss}, {wind}, {blows}


def build(options):
    g = Game("drawn_sight", players={players})
    s = g.state
    g.integer("coin", 0, 1, sees={coin})
    g.integer("other", 0, 1, sees={other})
    g.integer("x", 0, 3)
    g.integer("turn", 0, 1)
    g.integer("step", 0, 2)
    may, after, won = g.table("may", MAY), g.table("after", AFTER), g.table("won", WON)
    chances, winds = g.table("chances", TOSS), g.table("winds", WIND)
    toss, play, wind = g.phase("toss", CHANCE), g.phase("play", {actor}), g.phase("wind", CHANCE)
    end = g.automatic("end")

    @g.action(toss, "toss {{side}} and {{another}}", side=2, another=2)
    def tossing(side, another):
        weight(chances[side, another])
        s.coin = side
        s.other = another
        goto(play)

    @g.action(play, "{{choice}}", choice=2, reveals=["coin", "other"])
    def choosing(choice):
        require(may[s.x, choice] == 1, "R1", "not now")
        s.x = after[s.coin, s.other, s.x, choice]
        s.step += 1
        s.turn = 1 - s.turn
        with when(s.step == 1):
            goto({behind})
        with otherwise():
            goto(end)

    @g.action(wind, "the wind blows {{far}}", far=2, public="far")
    def blowing(far):
        weight(winds[far])
        s.x = (s.x + far) % 4
        goto(play)

    @g.on(end, reveals=["coin", "other"])
    def ending():
        with when(won[s.coin, s.other, s.x] == 1):
            win("won", winner={winner})
        with otherwise():
            {loses}

    return g
"""
SEATS_THAT_SEE = {"Sees.NOBODY": (), "Sees.ALL": (0, 1), "[0]": (0,), "[1]": (1,)}
Plan = Mapping[Any, int]


class DrawnGame:
    """A drawn game, as tables and as functions on them."""

    def __init__(self, seed: int) -> None:
        r = random.Random(seed)
        self.kind = ("alone", "together", "against")[seed % 3]
        self.may = [[1, r.choice([0, 1, 1])] for _ in range(4)]
        public = r.random() < 0.5
        plain = [[r.randrange(4) for _ in range(2)] for _ in range(4)]
        self.after = [
            [plain if public else [[r.randrange(4) for _ in range(2)] for _ in range(4)] for _ in range(2)]
            for _ in range(2)
        ]
        self.won = [[[r.choice([0, 0, 1]) for _ in range(4)] for _ in range(2)] for _ in range(2)]
        self.toss = [[r.randint(1, 3) for _ in range(2)] for _ in range(2)]
        self.wind, self.blows = [r.randint(1, 3), 1], r.random() < 0.4
        seen = ["Sees.NOBODY", "[0]"] if self.kind == "alone" else list(SEATS_THAT_SEE)
        self.coin = r.choice(seen)
        self.other = r.choice(seen) if self.coin != "Sees.ALL" else "Sees.NOBODY"
        self.asks_number = r.random() < 0.3

    def rules(self) -> str:
        alone, against = self.kind == "alone", self.kind == "against"
        return RULES.format(
            **{name: getattr(self, name) for name in ("may", "after", "won", "toss", "wind", "blows", "coin", "other")},
            players=1 if alone else 2,
            actor="0" if alone else "s.turn",
            behind="wind" if self.blows else "play",
            winner="0" if alone or against else "EVERYBODY",
            loses='win("lost", winner=1)' if against else 'lose("lost")',
        )

    def asked(self) -> Any:
        if self.asks_number:
            return {"holds": "x == 3"}
        return {"outcome": "win", **({"seat": 0} if self.kind == "against" else {})}

    def knows(self, seat: int, coins: tuple[int, int]) -> tuple[int | None, ...]:
        sees = (self.coin, self.other)
        return tuple(c if seat in SEATS_THAT_SEE[who] else None for c, who in zip(coins, sees, strict=True))

    def winds(self) -> list[tuple[int, Fraction]]:
        if not self.blows:
            return [(0, Fraction(1))]
        return [(far, Fraction(w, sum(self.wind))) for far, w in enumerate(self.wind)]

    def tosses(self) -> Iterator[tuple[tuple[int, int], Fraction]]:
        total = sum(map(sum, self.toss))
        for coins in product(range(2), repeat=2):
            yield coins, Fraction(self.toss[coins[0]][coins[1]], total)

    def choices(self, x: int) -> list[int]:
        return [c for c in range(2) if self.may[x][c]]

    def information_sets(self) -> list[dict[Any, list[int]]]:
        """What each of both who choose may know when they do, with what they may choose."""
        found: list[dict[Any, list[int]]] = [{}, {}]
        second = 0 if self.kind == "alone" else 1
        for coins, _ in self.tosses():
            found[0][self.knows(0, coins)] = self.choices(0)
            for first in self.choices(0):
                x = self.after[coins[0]][coins[1]][0][first]
                for far, _ in self.winds():
                    now = (x + far) % 4
                    found[1][self.knows(second, coins), first, x, now] = self.choices(now)
        return found

    def chance(self, plan: Plan, answer: Plan) -> Fraction:
        """How likely the event is under two pure plans."""
        total, second = Fraction(0), 0 if self.kind == "alone" else 1
        for coins, often in self.tosses():
            first = plan[self.knows(0, coins)]
            x = self.after[coins[0]][coins[1]][0][first]
            if self.asks_number and x == 3:
                total += often
                continue
            for far, share in self.winds():
                now = (x + far) % 4
                if self.asks_number and now == 3:
                    total += often * share
                    continue
                last = answer[self.knows(second, coins), first, x, now]
                end = self.after[coins[0]][coins[1]][now][last]
                met = end == 3 if self.asks_number else self.won[coins[0]][coins[1]][end] == 1
                total += often * share * met
        return total

    def solve(self, most: int = 3_000) -> Fraction | None:
        """The chance, from all plans; None if they are more than `most`."""
        count = 1
        for sets in self.information_sets():
            for choices in sets.values():
                count *= len(choices)
        if count > most:
            return None
        first, second = (
            [dict(zip(sets, made, strict=True)) for made in product(*sets.values())] for sets in self.information_sets()
        )
        matrix = [[self.chance(plan, answer) for answer in second] for plan in first]
        if self.kind != "against":
            return max(map(max, matrix))
        rows = {tuple(row) for row in matrix}
        columns = set(zip(*rows, strict=True))
        return solve_matrix([list(row) for row in zip(*columns, strict=True)])


def check_chance(seed: int, folder: Path) -> bool:
    """Compare what is proved of a drawn game. Return whether it was small enough."""
    game = DrawnGame(seed)
    value = game.solve()
    if value is None:
        return False
    (folder / "rules.py").write_text(game.rules(), encoding="utf-8")
    question = Question("q", "luck", game.asked())
    [answer] = prove(str(folder), claims=[question], output=folder / "out", machine=False, games=50, work=6)
    assert answer.value == pytest.approx(float(value), abs=1e-9), f"seed {seed}, {game.kind}: {answer.reason}, {value}"
    assert recheck(answer, question, game=str(folder)) == []
    if game.kind != "against":
        check_sure_chance(seed, folder, game, value)
        check_choices_by_view(folder, game, value)
    return True


def check_sure_chance(seed: int, folder: Path, game: DrawnGame, value: Fraction) -> None:
    """Chance that hinders leaves what is sure."""
    question = Question("q", "luck", game.asked(), chance="worst")
    [answer] = prove(str(folder), claims=[question], output=folder / "out", machine=False, games=50, work=6)
    assert answer.value == (value == 1), f"seed {seed}"
    assert recheck(answer, question, game=str(folder)) == []


def check_choices_by_view(folder: Path, game: DrawnGame, value: Fraction) -> None:
    """What is found for each view is no more than can be, and the kernel confirms it."""
    case = GameCase(str(folder), machine=False)
    found = bound_chance_by_views(case, Event(game.asked()), 0, Budget(5))
    [[certificate]] = found.offers
    [statement] = [Theorem(certificate, build(str(folder), Options()), Context())]
    assert 0 <= statement.about.low <= value  # type: ignore[attr-defined]
    assert value == 0 or statement.about.low > 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(9))
def test_a_chance_by_sight_is_that_of_all_plans(seed: int, tmp_path: Path) -> None:
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        if check_chance(seed + 9 * attempt, folder):
            return
    raise AssertionError("no drawn game is small enough")


@pytest.mark.walks("PLAYPROOF_DRAWN")
def test_so_are_many_chances(tmp_path: Path) -> None:
    for seed in range(1000, 1000 + MANY // 8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        if check_chance(seed, folder):
            print(f"seed {seed}: as computed apart", flush=True)
