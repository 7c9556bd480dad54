"""A small game of rooms for the tests of k-induction: who starts in room 0 never leaves rooms 0 and 1.

Rooms 4 and 6 lead to 5, 5 leads to 7, and nothing leads to 4 or 6. So room 7 is not excluded by one good step, nor by
two, but by three: before 5 come only 4 and 6, and before those nothing.
"""

from playproof.language import Game, Local, require, win
from playproof.language.options import Options

DOORS = [(0, 1), (1, 0), (4, 5), (6, 5), (5, 7)]


def build(options: Options) -> Game:
    """Walk, or stop wherever you are."""
    g = Game("ring")
    s = g.state
    g.integer("room", 0, 7)
    here, there = g.table("here", [a for a, _ in DOORS]), g.table("there", [b for _, b in DOORS])
    walk = g.phase("walk")

    @g.action(walk, "go through door {door}", door=len(DOORS))
    def go(door: Local) -> None:
        require(s.room == here[door], "R1", "the door is in another room")
        s.room = there[door]

    @g.action(walk, "stop")
    def stop() -> None:
        win("stopped")

    return g
