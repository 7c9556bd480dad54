"""Checkers: men step and jump forward, kings both ways; jumps are forced and go on with the same piece."""

from __future__ import annotations

from playproof import Game, Local, Options, any_of, keep, otherwise, pick, require, tie, when, win

SIZE, QUIET = 8, 40
THEIRS = "checkers"
SQUARES = [f"{'abcdefgh'[n % SIZE]}{SIZE - n // SIZE}" for n in range(SIZE * SIZE)]
DARK = [n for n in range(SIZE * SIZE) if (n // SIZE + n % SIZE) % 2]
WAYS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]  # rows, columns; row 0 is the last one


def _beyond(square: int, way: tuple[int, int], steps: int) -> int:
    row, column = square // SIZE + steps * way[0], square % SIZE + steps * way[1]
    return row * SIZE + column if 0 <= row < SIZE and 0 <= column < SIZE else SIZE * SIZE


def build(options: Options) -> Game:
    """`board` has a square more, beyond the edge, which is always taken. 1 and 2 are men, 3 and 4 kings."""
    g = Game("checkers_port", players=2)
    s = g.state
    none = SIZE * SIZE
    pieces = [(2, 0, 1)[(n // SIZE >= 3) + (n // SIZE >= 5)] if n in DARK else 0 for n in range(none)]
    g.array("board", none + 1, 0, 5, [*pieces, 5])
    g.integer("turn", 0, 1)
    g.integer("goes_on", 0, none, none)
    g.integer("quiet", 0, QUIET)
    near = g.table("near", [[_beyond(n, way, 1) for way in WAYS] for n in range(none)] + [[none] * 4])
    far = g.table("far", [[_beyond(n, way, 2) for way in WAYS] for n in range(none)] + [[none] * 4])
    play = g.phase("play", s.turn)

    def may_go(seat, square, way):  # type: ignore[no-untyped-def]  # terms
        forward = pick(seat == 0, way < 2, way > 1)
        return (s.board[square] == seat + 3) | ((s.board[square] == seat + 1) & forward)

    @g.function(seat=2, square=none + 1, way=4)
    def can_jump(seat, square, way):  # type: ignore[no-untyped-def]  # terms
        over = s.board[near[square, way]]
        return may_go(seat, square, way) & ((over == 2 - seat) | (over == 4 - seat)) & (s.board[far[square, way]] == 0)

    @g.function(seat=2)
    def jumps(seat):  # type: ignore[no-untyped-def]  # terms
        return any_of(none, lambda i: any_of(4, lambda way: can_jump(seat, i, way)))

    @g.function(seat=2)
    def steps(seat):  # type: ignore[no-untyped-def]  # terms
        return any_of(none, lambda i: any_of(4, lambda w: may_go(seat, i, w) & (s.board[near[i, w]] == 0)))

    def end_turn() -> None:
        s.goes_on = none
        other = keep(1 - s.turn)
        with when(~jumps(other) & ~steps(other)):
            win("the other cannot move", winner=s.turn)
        with otherwise(s.quiet == QUIET):
            tie("nothing was taken for long")
        with otherwise():
            s.turn = other

    def crown(to) -> None:  # type: ignore[no-untyped-def]  # a term
        with when((s.board[to] == 1) & (to < SIZE)):
            s.board[to] = 3
        with when((s.board[to] == 2) & (to >= none - SIZE) & (to < none)):
            s.board[to] = 4

    @g.action(play, "{square} steps {way}", square=SQUARES, way=4)
    def step(square: Local, way: Local) -> None:
        to = near[square, way]
        require(may_go(s.turn, square, way) & (s.board[to] == 0), "K1", "no such step")
        require(~jumps(s.turn), "K2", "a jump is possible")
        s.board[to] = s.board[square]
        s.board[square] = 0
        crown(to)
        s.quiet += 1
        end_turn()

    @g.action(play, "{square} jumps {way}", square=SQUARES, way=4)
    def jump(square: Local, way: Local) -> None:
        to = far[square, way]
        require(can_jump(s.turn, square, way), "K3", "nothing is jumped over")
        require((s.goes_on == none) | (s.goes_on == square), "K4", "another piece is jumping")
        man = keep(s.board[square] < 3)
        s.board[to] = s.board[square]
        s.board[square] = 0
        s.board[near[square, way]] = 0
        crown(to)
        s.quiet = 0
        crowned = keep(man & (s.board[to] > 2))
        with when(~crowned & any_of(4, lambda w: can_jump(s.turn, to, w))):
            s.goes_on = to
        with otherwise():
            end_turn()

    return g


def words(theirs: str) -> str:
    """`a3b4` is a step, `a3c5` a jump."""
    columns, rows = ord(theirs[2]) - ord(theirs[0]), int(theirs[1]) - int(theirs[3])
    way = WAYS.index((rows // abs(rows), columns // abs(columns)))
    return f"{theirs[:2]} {'steps' if abs(rows) == 1 else 'jumps'} {way}"
