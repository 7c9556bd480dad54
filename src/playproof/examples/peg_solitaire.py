"""Peg solitaire on the English board: jump over a peg into a hole; the peg jumped over leaves.

Known: 32 pegs, one in the middle left after 31 jumps (Beasley, "The Ins and Outs of Peg Solitaire",
1985); the small triangle of 15 holes can be solved from each hole (Bell, "Solving Triangular Peg
Solitaire", 2008).
"""

from playproof import Game, Local, Options, any_of, lose, otherwise, require, sum_of, when, win

BOARDS = {
    "english": ["..ooo..", "..ooo..", "ooooooo", "ooo-ooo", "ooooooo", "..ooo..", "..ooo.."],
    "french": ["..ooo..", ".ooooo.", "ooooooo", "ooo-ooo", "ooooooo", ".ooooo.", "..ooo.."],
    "triangle": ["-....", "oo...", "ooo..", "oooo.", "ooooo"],
    "plus": ["..o..", "..o..", "oo-oo", "..o..", "..o.."],
}
LEVEL, TRIANGLE = [(0, 1), (1, 0)], [(0, 1), (1, 0), (1, 1)]
DIRECTIONS = {"english": LEVEL, "french": LEVEL, "plus": LEVEL, "triangle": TRIANGLE}


def build(options: Options) -> Game:
    """One board; the win is a single peg left (on the English board in the middle)."""
    board = options.choice("board", list(BOARDS))
    rows = BOARDS[board]
    cells = [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark != "."]
    holes = {cell: number for number, cell in enumerate(cells)}
    jumps = [
        (holes[r, c], holes[r + a, c + b], holes[r + 2 * a, c + 2 * b])
        for (r, c) in holes
        for dr, dc in DIRECTIONS[board]
        for a, b in ((dr, dc), (-dr, -dc))
        if (r + a, c + b) in holes and (r + 2 * a, c + 2 * b) in holes
    ]
    names = [f"{chr(97 + c)}{r + 1}" for r, c in holes]
    g = Game("peg_solitaire")
    s = g.state
    g.array("peg", len(holes), start=[int(rows[r][c] == "o") for r, c in holes], labels=["-", "o"])
    g.fact(
        ends_within=len(holes) - 1,
        grid={"peg": [[holes.get((r, c)) for c in range(len(row))] for r, row in enumerate(rows)]},
    )
    start = g.table("from", [j[0] for j in jumps])
    over = g.table("over", [j[1] for j in jumps])
    to = g.table("to", [j[2] for j in jumps])
    play = g.phase("jump")

    @g.function(jump=len(jumps))
    def possible(jump: Local):  # type: ignore[no-untyped-def]  # a derived quantity: its type is the language's
        return (s.peg[start[jump]] == 1) & (s.peg[over[jump]] == 1) & (s.peg[to[jump]] == 0)

    @g.action(play, lambda jump: f"{names[jumps[jump][0]]} over {names[jumps[jump][1]]}", jump=len(jumps))
    def leap(jump: Local) -> None:
        require(possible(jump), "P1", "a jump goes over a peg into a hole")
        s.peg[start[jump]] = 0
        s.peg[over[jump]] = 0
        s.peg[to[jump]] = 1
        alone = sum_of(len(holes), lambda i: s.peg[i]) == 1
        solved = alone & (s.peg[holes[3, 3]] == 1) if board == "english" else alone
        with when(solved):
            win("one peg left")
        with otherwise(~any_of(len(jumps), lambda j: possible(j))):
            lose("no jump left")

    return g
