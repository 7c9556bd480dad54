"""Can't Stop for one player: four dice are paired, and each pair moves a runner up the column of its sum. At most three
columns have runners. Who rolls on and can move none loses what the turn brought.

Published: how likely a roll is to move one of three runners, such as 92 % for 6, 7 and 8, and 44 % for 2, 3 and 12.
Source: Kaufman, "The probabilities of Can't Stop" (2005), https://www.jefftk.com/cantstop/index

Published: the fewest turns on average on small boards, from 1.298 for two-sided dice and columns of 1, 3 and 1 steps.
Source: Glenn, Fang and Kruskal, "A retrograde approximation algorithm for one-player Can't Stop" (2006). Only the
beginning of its text was at hand: the numbers are from memory, and a program written apart, which has no last turn,
gives the same digits. A game here has nine turns at most; those that need more change the fifth digit.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial, prod

import playproof as p
from playproof import Game, Local, Options, Term, any_of, goto, otherwise, pick, require, sum_of, when

RUNNERS = 3
OPEN = ["6-7-8", "2-3-12", "4-6-8", "2-3-4", "2-3-4-5-6"]


def pairs_of(roll: Sequence[int], columns: Sequence[int]) -> list[int]:
    """Return the columns of both pairs for each way to pair four dice, each way in both orders; their number stands for
    a column that is not open."""
    a, b, c, d = roll
    at = {column: n for n, column in enumerate(columns)}
    ways = ((a + b, c + d), (a + c, b + d), (a + d, b + c))
    return [at.get(total, len(columns)) for x, y in ways for total in (x, y, y, x)]


def build(options: Options) -> Game:
    """Dice with so many `sides`; of the `open` columns, so many are `needed` within `turns`. The outer columns have
    `short` steps, and each has `growth` more than its neighbour outside."""
    sides, turns = options.number("sides", range(2, 7), 6), options.number("turns", range(1, 10), 1)
    short, growth = options.number("short", range(1, 4), 1), options.number("growth", range(3), 0)
    columns = [int(c) for c in options.choice("open", OPEN).split("-")]
    needed = options.number("needed", range(1, 4), 1)
    n = len(columns)
    steps = [short + growth * min(c - 2, 2 * sides - c) for c in columns]
    rolls = list(combinations_with_replacement(range(1, sides + 1), 4))
    g = Game("cant_stop")
    s = g.state
    g.array("camp", n + 1, 0, max(steps))
    g.array("runner", n + 1, 0, max(steps))
    g.integer("turn", 1, turns + 1)
    g.integer("rolled", 0, len(rolls) - 1)
    g.quantity("turns taken", s.turn - 1)
    pairs = g.table("pairs", [pairs_of(roll, columns) for roll in rolls])
    top = g.table("top", [*steps, 0])
    likely = g.table("likely", [factorial(4) // prod(map(factorial, Counter(r).values())) for r in rolls])
    decide, roll, move = g.phase("decide"), g.phase("roll", actor=p.CHANCE), g.phase("move")

    def moves(column: Term) -> Term:
        free = sum_of(n, lambda c: pick(s.runner[c] > s.camp[c], 1, 0)) < RUNNERS
        moved: Term = (s.runner[column] < top[column]) & ((s.runner[column] > s.camp[column]) | free)
        return moved

    def turn_ends() -> None:
        s.turn += 1
        with when(sum_of(n, lambda c: pick(s.camp[c] == top[c], 1, 0)) >= needed):
            p.win("enough columns are climbed")
        with otherwise(s.turn > turns):
            p.lose("no turn is left")
        with otherwise():
            goto(decide)

    @g.action(decide, "roll")
    def throw() -> None:
        goto(roll)

    @g.action(decide, "stop")
    def stop() -> None:
        require(any_of(n, lambda c: s.runner[c] > s.camp[c]), "C1", "nothing was gained")
        for c in range(n):
            s.camp[c] = s.runner[c]
        turn_ends()

    @g.action(roll, "{dice}", dice=["".join(map(str, r)) for r in rolls])
    def fall(dice: Local) -> None:
        p.weight(likely[dice])
        with when(any_of(moves(pairs[dice, k]) for k in range(0, 12, 2))):
            s.rolled = dice
            goto(move)
        with otherwise():
            for c in range(n):
                s.runner[c] = s.camp[c]
            turn_ends()

    @g.action(move, "pairs {k}", k=6)
    def pair(k: Local) -> None:
        first, second = p.keep(pairs[s.rolled, 2 * k]), p.keep(pairs[s.rolled, 2 * k + 1])
        require(moves(first), "C2", "no runner moves there")
        s.runner[first] += 1
        with when(moves(second)):
            s.runner[second] += 1
        s.rolled = 0
        goto(decide)

    return g
