"""The Royal Game of Ur by Finkel's rules: race along fourteen squares, eight of which both walk.

Published: with one piece each on the last square, who throws wins 4/7; from the square before it against the last one
116/161; and from the last one against the square before it 74/161. Source: https://github.com/jheled/royalur; rules:
Finkel, "On the Rules for the Royal Game of Ur" (2007).
"""

from playproof import CHANCE, Game, Local, Options, Term, any_of, goto, otherwise, pick, require, weight, when, win

SQUARES = 14
ROSETTES = (4, 8, 14)
SHARED = range(5, 13)  # where pieces of both walk
SAFE = 8  # nobody is taken there


def build(options: Options) -> Game:
    """The game with `pieces` for each. `first` and `second` are where a piece of each stands at the start; 0 is off the
    board, where all others wait."""
    pieces = options.number("pieces", range(1, 8), 7)
    starts = [options.number(name, range(SQUARES + 1), 0) for name in ("first", "second")]
    g = Game("game_of_ur", players=2)
    s = g.state
    stands = [[int(square == start > 0) for square in range(SQUARES + 1)] for start in starts]
    g.array("piece", (2, SQUARES + 1), 0, 1, stands)  # square 0 stays empty: `waiting` counts
    g.array("waiting", 2, 0, pieces, [pieces - int(start > 0) for start in starts])
    g.array("home", 2, 0, pieces)
    g.integer("turn", 0, 1)
    g.integer("throw", 0, 4)
    ways = g.table("ways", [1, 4, 6, 4, 1])
    rosette = g.table("rosette", [int(square in ROSETTES) for square in range(SQUARES + 2)])
    shared = g.table("shared", [int(square in SHARED) for square in range(SQUARES + 2)])
    dice = g.phase("dice", actor=CHANCE, text="four dice are thrown")
    move = g.phase("move", actor=s.turn, text="move a piece")

    def on_board(seat: Term, square: Local | int) -> Term:
        """Whether a piece stands there; on 0 wait all that have not begun."""
        return pick(square == 0, s.waiting[seat] > 0, s.piece[seat, square] == 1)

    def may_go(square: Local | int, throw: Local | Term) -> Term:
        """Whether a piece may go so far: home, to a free square, or to one where it takes."""
        to = square + throw
        there = pick(to > SQUARES, 0, to)
        free = (to == SQUARES + 1) | (
            (s.piece[s.turn, there] == 0) & ~((there == SAFE) & (s.piece[1 - s.turn, there] == 1))
        )
        legal: Term = on_board(s.turn, square) & (throw > 0) & (to <= SQUARES + 1) & free
        return legal

    @g.action(dice, "{eyes} is thrown", eyes=5)
    def thrown(eyes: Local) -> None:
        weight(ways[eyes])
        with when(any_of(may_go(square, eyes) for square in range(SQUARES + 1))):
            s.throw = eyes
            goto(move)
        with otherwise():
            s.turn = 1 - s.turn

    @g.action(move, "go from {square}", square=SQUARES + 1)
    def go(square: Local) -> None:
        require(may_go(square, s.throw), "U1", "no piece may go there")
        to = square + s.throw
        with when(square == 0):
            s.waiting[s.turn] -= 1
        with otherwise():
            s.piece[s.turn, square] = 0
        with when(to > SQUARES):
            s.home[s.turn] += 1
            with when(s.home[s.turn] == pieces):
                win("all pieces are home", s.turn)
        with otherwise():
            s.piece[s.turn, to] = 1
            with when((shared[to] == 1) & (s.piece[1 - s.turn, to] == 1)):
                s.piece[1 - s.turn, to] = 0
                s.waiting[1 - s.turn] += 1
        with when((rosette[to] == 0) & (s.home[s.turn] < pieces)):
            s.turn = 1 - s.turn
        s.throw = 0
        goto(dice)

    return g
