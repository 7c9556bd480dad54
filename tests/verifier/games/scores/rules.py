"""Small games of turns with scores, for the tests of worths in turns.

kind     what a turn is
sheet    two dice of three sides, one of which may be rolled again; then one of four boxes is filled: ones, twos,
         a pair (2 more if the twos are used), both dice
pig      a die of three sides as often as one likes, up to a heap of 6: a 1 ends the turn with nothing
peek     as `sheet`, but the rules ask how many points there are
loss     as `pig`, but a 1 costs a point
"""

from playproof.language import CHANCE, Game, Local, goto, keep, otherwise, pick, require, score, weight, when
from playproof.language.options import Options

TURNS = 3


def build(options: Options) -> Game:
    """`kind` names the game."""
    kind = options.choice("kind", ("sheet", "pig", "peek", "loss"))
    g = Game("scores")
    g.integer("points", 0, 50, 10 if kind == "loss" else 0)
    {"sheet": _sheet, "peek": _sheet, "pig": _pig, "loss": _pig}[kind](g, kind)
    g.returns(g.state.points)
    return g


def _sheet(g: Game, kind: str) -> None:
    s = g.state
    g.array("dice", 3, 0, 2)
    g.flag("again", True)
    g.array("open", 4, 0, 1, [1] * 4)
    g.array("written", 4, 0, 9)  # what nothing reads
    roll, choose = g.phase("roll", CHANCE), g.phase("choose")

    @g.action(roll, "{face}", face=3)
    def shown(face: Local) -> None:
        weight(1 + face)  # the dice are loaded
        with when(s.dice[0] + s.dice[1] + s.dice[2] == 1):
            goto(choose)
        s.dice[face] += 1

    @g.action(choose, "again {face}", face=3)
    def anew(face: Local) -> None:
        require(s.again & (s.dice[face] > 0), "S1", "it may not be rolled")
        s.again = False
        s.dice[face] -= 1
        goto(roll)

    @g.action(choose, "fill {box}", box=4)
    def fill(box: Local) -> None:
        require(s.open[box] == 1, "S2", "the box is used")
        pair = (s.dice[0] == 2) | (s.dice[1] == 2) | (s.dice[2] == 2)
        both = s.dice[0] + 2 * s.dice[1] + 3 * s.dice[2]
        doubled = 4 + pick(s.open[1] == 0, 2, 0)
        if kind == "peek":
            doubled = pick(s.points > 3, 7, doubled)
        of = (s.dice[0], 2 * s.dice[1], pick(pair, doubled, 0), both)
        gained = keep(sum((pick(box == n, each, 0) for n, each in enumerate(of)), start=pick(box < 0, 1, 0)))
        s.points += gained
        s.written[box] = gained
        s.open[box] = 0
        for face in range(3):
            s.dice[face] = 0
        s.again = True
        goto(roll)
        with when(s.open[0] + s.open[1] + s.open[2] + s.open[3] == 0):
            score("the sheet is full")


def _pig(g: Game, kind: str) -> None:
    s = g.state
    g.integer("heap", 0, 8)
    g.integer("left", 0, TURNS, TURNS)
    choose, roll = g.phase("choose"), g.phase("roll", CHANCE)

    @g.procedure()
    def over() -> None:
        s.heap = 0
        s.left -= 1
        goto(choose)
        with when(s.left == 0):
            score("no turn is left")

    @g.action(choose, "roll")
    def go() -> None:
        require(s.heap < 6, "P1", "the heap is high")
        goto(roll)

    @g.action(choose, "hold")
    def hold() -> None:
        s.points += s.heap
        over()

    @g.action(roll, "{face}", face=range(1, 4))
    def shown(face: Local) -> None:
        with when(face == 1):
            if kind == "loss":
                s.points -= 1
            over()
        with otherwise():
            s.heap += face
            goto(choose)
