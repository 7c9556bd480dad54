"""Hexapawn: three pawns each on a board of 3 x 3; reach the far row, or leave the other without a move.

Published: the second player wins. Source: Gardner, "How to build a game-learning machine", Scientific American 206
(March 1962), https://en.wikipedia.org/wiki/Hexapawn
"""

from playproof import Game, Local, Options, Term, any_of, otherwise, pick, require, when, win


def build(options: Options) -> Game:
    """The game on `size` x `size` cells. Cells hold 0, 1 (a pawn of the first player) or 2."""
    n = options.number("size", range(3, 5), 3)
    g = Game("hexapawn", players=2)
    s = g.state
    start = [1] * n + [0] * (n * (n - 2)) + [2] * n
    g.array("cell", n * n, start=start, labels=[".", "x", "o"])
    g.integer("turn", 0, 1)
    g.fact(grid={"cell": n})
    play = g.phase("play", actor=s.turn, text="move a pawn")
    steps = [
        (seat, row * n + column, (row + 1 - 2 * seat) * n + column + aside, aside)
        for seat in range(2)
        for row in range(n)
        for column in range(n)
        for aside in (-1, 0, 1)
        if 0 <= column + aside < n and 0 <= row + 1 - 2 * seat < n
    ]
    seat_of, here, there, aside_of = (
        g.table(name, [step[k] for step in steps]) for k, name in enumerate(("seat", "from", "to", "aside"))
    )

    def possible(step: Local | int, seat: Term) -> Term:
        straight = (aside_of[step] == 0) & (s.cell[there[step]] == 0)
        captures = (aside_of[step] != 0) & (s.cell[there[step]] == 2 - seat)
        free: Term = (seat_of[step] == seat) & (s.cell[here[step]] == seat + 1) & (straight | captures)
        return free

    @g.action(play, lambda step: f"{steps[step][1]} to {steps[step][2]}", step=len(steps))
    def move(step: Local) -> None:
        require(possible(step, s.turn), "H1", "a pawn steps ahead, and captures aslant")
        s.cell[here[step]] = 0
        s.cell[there[step]] = s.turn + 1
        far = (any_of(s.cell[c] == 1 for c in range(n * n - n, n * n)), any_of(s.cell[c] == 2 for c in range(n)))
        with when(pick(s.turn == 0, far[0], far[1]) != 0):
            win("reached the far row", winner=s.turn)
        with otherwise(~any_of(possible(k, 1 - s.turn) for k in range(len(steps)))):
            win("the other cannot move", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g
