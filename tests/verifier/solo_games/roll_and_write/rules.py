"""Roll and write: twelve rolls of two dice; write one into one of three rows of four, each of which must rise; eleven
written numbers win, a number that fits nowhere is lost."""

from playproof import CHANCE, Game, Local, Options, goto, lose, otherwise, require, sum_of, when, win

ROWS, LONG, ROLLS, GOAL = 3, 4, 12, 11


def build(options: Options) -> Game:
    goal = options.number("goal", range(4, 17), GOAL)
    g = Game("roll_and_write")
    s = g.state
    g.array("last", ROWS, 0, 6)
    g.array("count", ROWS, 0, LONG)
    g.array("dice", 2, 0, 6)
    g.integer("rolls", 0, ROLLS, ROLLS)
    g.quantity("written", sum_of(ROWS, lambda r: s.count[r]))
    g.fact(ends_within=ROLLS + 1, evaluate=sum_of(ROWS, lambda r: 3 * s.count[r] - s.last[r]))
    roll = g.phase("roll", CHANCE, text="two dice")
    write = g.phase("write", text="write a number")
    over = g.automatic("over")

    @g.action(roll, "{a} and {b} are rolled", a=range(1, 7), b=range(1, 7))
    def rolled(a: Local, b: Local) -> None:
        s.dice[0] = a
        s.dice[1] = b
        s.rolls -= 1
        goto(write)

    @g.action(write, "write die {die} in row {row}", die=2, row=ROWS)
    def writing(die: Local, row: Local) -> None:
        require(s.count[row] < LONG, "W1", "the row is full")
        require(s.dice[die] >= s.last[row], "W2", "the row must not fall")
        s.last[row] = s.dice[die]
        s.count[row] += 1
        goto(over)

    @g.action(write, "write nothing")
    def skipping() -> None:
        goto(over)

    @g.on(over)
    def ending() -> None:
        s.dice[0] = 0
        s.dice[1] = 0
        with when(sum_of(ROWS, lambda r: s.count[r]) >= goal):
            win("written enough")
        with otherwise(s.rolls == 0):
            lose("too few are written")
        with otherwise():
            goto(roll)

    return g
