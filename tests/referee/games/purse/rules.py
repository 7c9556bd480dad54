"""Three coins between two purses and the table; `--option fault=...` plants a mistake that few games meet."""

from playproof.language import CHANCE, Game, Local, goto, require, when, win
from playproof.language.options import Options

FAULTS = ("none", "coin", "overflow", "stuck")


def build(options: Options) -> Game:
    """Chance deals coins; after ten of them the game is won. What goes wrong: a coin too many, a purse beyond its
    size, nobody who can act."""
    fault = options.choice("fault", FAULTS, "none")
    g = Game("purse")
    s = g.state
    g.array("coins", 2, 0, 3)
    g.integer("table", 0, 3, 3)
    g.integer("turns", 0, 10)
    g.fact(invariants={"coins-conserved": s.coins[0] + s.coins[1] + s.table == 3})
    deal, choose = g.phase("deal", CHANCE), g.phase("choose", 0)
    over = g.automatic("over")

    @g.action(deal, "deal to purse {purse}", purse=2, rule="P1")
    def to(purse: Local) -> None:
        with when(s.table > 0):
            s.table -= 1
            s.coins[purse] += 1
        goto(choose)

    @g.action(choose, "take back from purse {purse}", purse=2, rule="P2")
    def back(purse: Local) -> None:
        require(s.coins[purse] > 0, "P2", "the purse is empty")
        if fault == "stuck":
            require(s.coins[0] < 3, "P2", "the first purse is full")
        s.coins[purse] -= 1
        s.table += 1
        if fault == "coin":
            with when((s.turns == 7) & (purse == 1)):
                s.table -= 1
        goto(over)

    @g.action(choose, "leave them", rule="P3")
    def leave() -> None:
        if fault == "stuck":
            require(s.coins[0] < 3, "P3", "the first purse is full")
        if fault == "overflow":
            with when(s.coins[0] == 3):
                s.coins[0] += 1
        goto(over)

    @g.on(over)
    def tidy() -> None:
        s.turns += 1
        with when(s.turns == 10):
            win("ten turns")
        with when(s.turns < 10):
            goto(deal)

    return g
