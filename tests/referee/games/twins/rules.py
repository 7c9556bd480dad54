"""Two actions that read alike, and a round number: what a transcript must tell apart."""

from playproof.language import Game, goto, otherwise, require, tie, when
from playproof.language.options import Options


def build(options: Options) -> Game:
    """One player passes through `days` days, each with a left and a right path of the same name."""
    days = options.number("days", range(1, 4), 2)
    harsh = options.ruling("A1", "mild", ["harsh"])
    g = Game("twins")
    s = g.state
    g.integer("day", 1, 4)
    g.integer("left", 0, 4)
    g.quantity("day", s.day)
    g.fact(round="day", seats=["Wanderer"])
    walk = g.phase("walk", 0, rule="R1")
    rest = g.phase("rest", 0, rule="R2")

    @g.action(walk, "take the path", name="left path")
    def go_left() -> None:
        if harsh == "harsh":
            require(s.left == 0, "A1", "the left path may be taken once, you took it {} times", s.left)
        s.left += 1
        goto(rest)

    @g.action(walk, "take the path", name="right path")
    def go_right() -> None:
        goto(rest)

    @g.action(rest, "sleep", rule="R2")
    def sleep() -> None:
        with when(s.day == days):
            tie("the last day is over")
        with otherwise():
            s.day += 1
            goto(walk)

    return g
