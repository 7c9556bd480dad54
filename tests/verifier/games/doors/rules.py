"""Monty Hall's doors, for the tests of hidden fields: switching wins 2/3 (Selvin, The American Statistician 29, 1975).

Who sees through the doors always wins; so best play on states is worth 1, and is no player's chance.
"""

from playproof.language import CHANCE, Game, Local, Sees, goto, lose, otherwise, require, when, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """`open`: whether the prize is seen by all. `win`: whether it can be won at all."""
    is_open = options.choice("open", ("no", "yes")) == "yes"
    can_win = options.choice("win", ("yes", "no")) == "yes"
    g = Game("doors")
    s = g.state
    g.integer("prize", 0, 2, sees=Sees.ALL if is_open else Sees.NOBODY)
    g.integer("choice", 0, 2)
    g.integer("shown", 0, 2)
    hide, choose = g.phase("hide", CHANCE), g.phase("choose")
    show, decide = g.phase("show", CHANCE), g.phase("decide")

    @g.action(hide, "the prize is behind door {door}", door=3)
    def hidden(door: Local) -> None:
        s.prize = door
        goto(choose)

    @g.action(choose, "choose door {door}", door=3)
    def pick(door: Local) -> None:
        s.choice = door
        goto(show)

    @g.action(show, "door {door} is opened", door=3)
    def opened(door: Local) -> None:
        require((door != s.prize) & (door != s.choice), "M1", "not that door")
        s.shown = door
        goto(decide)

    def end(won: object) -> None:
        with when(won if can_win else 0):
            win("a car")
        with otherwise():
            lose("a goat")

    @g.action(decide, "stay")
    def stay() -> None:
        end(s.choice == s.prize)

    @g.action(decide, "switch")
    def switch() -> None:
        end(s.choice != s.prize)

    return g
