"""The Monty Hall problem: choose a door, see a goat behind another, and stay or change.

Published: the car is won two times of three, by changing.
Source: Selvin, "A problem in probability", The American Statistician 29 (1975),
https://doi.org/10.1080/00031305.1975.10479121
"""

from playproof import CHANCE, Game, Local, Options, Sees, goto, otherwise, require, score, when


def build(options: Options) -> Game:
    """Three doors. The game is worth 1 if the car is won, else 0."""
    g = Game("monty_hall")
    s = g.state
    g.integer("car", 0, 3, sees=Sees.NOBODY)
    g.integer("chosen", 0, 3)
    g.integer("opened", 0, 3)
    g.flag("won")
    g.returns(s.won)
    g.fact(ends_within=2)
    hide = g.phase("hide", actor=CHANCE, text="the car is hidden")
    choose = g.phase("choose", text="choose a door")
    show = g.phase("show", actor=CHANCE, text="a door is opened")
    again = g.phase("again", text="stay or change")

    @g.action(hide, "the car is behind {door}", door=range(1, 4))
    def hidden(door: Local) -> None:
        s.car = door
        goto(choose)

    @g.action(choose, "choose door {door}", door=range(1, 4))
    def chosen(door: Local) -> None:
        s.chosen = door
        goto(show)

    @g.action(show, "door {door} is opened", door=range(1, 4), public="door")
    def opened(door: Local) -> None:
        require((door != s.car) & (door != s.chosen), "M1", "a goat is shown, behind another door")
        s.opened = door
        goto(again)

    @g.action(again, "{what}", what=["stay", "change"])
    def last(what: Local) -> None:
        with when(what == 0), when(s.chosen == s.car):
            s.won = 1
        with otherwise(s.chosen != s.car):
            s.won = 1
        score("the door is opened")

    return g
