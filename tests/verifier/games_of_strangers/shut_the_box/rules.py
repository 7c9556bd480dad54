"""Shut the box: nine flaps, two dice; shut flaps that sum to the throw; the score is the sum of the shut flaps."""

from itertools import combinations

from playproof import CHANCE, Game, Local, Options, any_of, goto, require, score, sum_of, weight, when

FLAPS = 9
SETS = [c for n in range(1, 5) for c in combinations(range(FLAPS), n) if 2 <= sum(c) + n <= 12]


def build(options: Options) -> Game:
    """One player; the score is what was shut, so 45 is shutting the box."""
    g = Game("shut_the_box")
    s = g.state
    g.array("open", FLAPS, start=1)
    g.integer("thrown", 0, 12)
    ways = g.table("ways", [0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1])
    sums = g.table("sums", [sum(c) + len(c) for c in SETS])
    g.quantity("shut", 45 - sum_of(FLAPS, lambda f: s.open[f] * (f + 1)))
    g.returns(45 - sum_of(FLAPS, lambda f: s.open[f] * (f + 1)))
    throw = g.phase("throw", CHANCE, text="the dice fall")
    shut = g.phase("shut", text="shut flaps")

    def can(n: int):  # type: ignore[no-untyped-def]
        term = sums[n] == s.thrown
        for f in SETS[n]:
            term = term & (s.open[f] == 1)
        return term

    @g.action(throw, "{total} is thrown", total=range(2, 13))
    def thrown(total: Local) -> None:
        weight(ways[total])
        s.thrown = total
        goto(shut)
        with when(~any_of([can(n) for n in range(len(SETS))])):
            score("no flap can be shut")

    for n, flaps in enumerate(SETS):

        @g.action(shut, "shut " + " and ".join(str(f + 1) for f in flaps), name=f"shut {n}")
        def close(n: int = n, flaps: tuple[int, ...] = flaps) -> None:
            require(can(n), "S1", "they are not open, or another sum")
            for f in flaps:
                s.open[f] = 0
            s.thrown = 0
            goto(throw)
            with when(sum_of(FLAPS, lambda f: s.open[f]) == 0):
                score("the box is shut")

    return g
