"""Conway's soldiers: pegs below a line jump over each other, as in peg solitaire; how far can one get?

Published: a peg can come to rows 1, 2, 3 and 4 above the line, and from no number of pegs to row 5.
Source: Berlekamp, Conway and Guy, "Winning Ways for your Mathematical Plays" (1982), chapter 23;
https://mathworld.wolfram.com/ConwaysSoldiers.html
"""

from playproof import Game, Local, Options, lose, require, when, win


def build(options: Options) -> Game:
    """A board of `columns`, with `below` full rows of pegs and `row` empty rows above them. The goal is the middle
    of the last row."""
    row = options.number("row", range(1, 6), 3)
    columns, below = options.number("columns", range(3, 12), 5), options.number("below", range(2, 7), 2)
    height = below + row
    g = Game("soldiers")
    s = g.state
    g.array("peg", (height, columns), start=[[int(r < below)] * columns for r in range(height)], labels=["-", "o"])
    g.fact(ends_within=below * columns)
    play = g.phase("play", text="jump")
    jumps = [
        ((r, c), (r + dr, c + dc), (r + 2 * dr, c + 2 * dc))
        for r in range(height)
        for c in range(columns)
        for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1))
        if 0 <= r + 2 * dr < height and 0 <= c + 2 * dc < columns
    ]
    goal = (height - 1, columns // 2)
    tables = [
        (g.table(f"row{k}", [j[k][0] for j in jumps]), g.table(f"column{k}", [j[k][1] for j in jumps]))
        for k in range(3)
    ]

    @g.action(play, lambda jump: f"{jumps[jump][0]} to {jumps[jump][2]}", jump=len(jumps))
    def leap(jump: Local) -> None:
        (r0, c0), (r1, c1), (r2, c2) = ((rows[jump], columns_[jump]) for rows, columns_ in tables)
        free = (s.peg[r0, c0] == 1) & (s.peg[r1, c1] == 1) & (s.peg[r2, c2] == 0)
        require(free, "S1", "a jump goes over a peg into a hole")
        s.peg[r0, c0] = 0
        s.peg[r1, c1] = 0
        s.peg[r2, c2] = 1
        with when(s.peg[goal] == 1):
            win("a peg is there")

    @g.action(play, "give up")
    def give_up() -> None:
        lose("no way is left")

    return g
