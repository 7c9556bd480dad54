"""A game that can go round in circles: no exact player by plain recursion."""

from playproof.language import Game, goto, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """Step between two rooms, or leave."""
    g = Game("loop")
    here, there = g.phase("here"), g.phase("there")

    @g.action(here, "go there")
    def go() -> None:
        goto(there)

    @g.action(there, "come back")
    def back() -> None:
        goto(here)

    @g.action(there, "leave")
    def leave() -> None:
        win("left")

    return g
