"""Domineering: one player lays dominoes upright, the other level; who cannot lay one loses.

Published: the first player wins on 2 x 2, 3 x 3 and 4 x 4, the second on 5 x 5; on 2 x 4 the one who lays level.
Source: Breuker, Uiterwijk and van den Herik, "Solving 8 x 8 Domineering", Theoretical Computer Science 230 (2000),
https://doi.org/10.1016/S0304-3975(99)00082-1
"""

from playproof import Game, Local, Options, any_of, otherwise, pick, require, when, win


def build(options: Options) -> Game:
    """The board of `rows` x `columns`; the first player lays upright."""
    rows, columns = options.number("rows", range(2, 7), 4), options.number("columns", range(2, 7), 4)
    g = Game("domineering", players=2)
    s = g.state
    g.array("cell", rows * columns, labels=[".", "#"])
    g.integer("turn", 0, 1)
    g.fact(ends_within=rows * columns // 2, grid={"cell": columns})
    play = g.phase("play", actor=s.turn, text="lay a domino")
    spots = [(0, r * columns + c, r * columns + c + columns) for r in range(rows - 1) for c in range(columns)]
    spots += [(1, r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    whose, first, second = (g.table(name, [spot[k] for spot in spots]) for k, name in enumerate(("by", "a", "b")))

    def fits(seat: int):  # type: ignore[no-untyped-def]  # a term of the language
        """Whether a player can lay a domino."""
        return any_of((s.cell[a] == 0) & (s.cell[b] == 0) for by, a, b in spots if by == seat)

    @g.action(play, lambda spot: f"lay on {spots[spot][1]} and {spots[spot][2]}", spot=len(spots))
    def lay(spot: Local) -> None:
        require(whose[spot] == s.turn, "D1", "you lay the other way")
        require((s.cell[first[spot]] == 0) & (s.cell[second[spot]] == 0), "D2", "a cell is covered")
        s.cell[first[spot]] = 1
        s.cell[second[spot]] = 1
        with when(pick(s.turn == 0, pick(fits(1), 1, 0), pick(fits(0), 1, 0)) == 0):
            win("the other cannot lay", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g
