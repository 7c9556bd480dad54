"""A solo game in which what is looked for is rare: one key in a thousand opens a chest of forty, each with its toy."""

from playproof.language import CHANCE, Game, Local, goto, lose, require, weight, win
from playproof.language.options import Options

CHESTS = 40


def build(_: Options) -> Game:
    """There is nothing to choose."""
    g = Game("attic")
    s = g.state
    g.flag("key")
    search = g.phase("search", CHANCE)
    open_ = g.phase("open")

    @g.action(search, "find {thing}", thing=("dust", "a key"))
    def find(thing: Local) -> None:
        weight(999 - 998 * thing)
        s.key = thing
        goto(open_)

    @g.action(open_, "open chest {number}", number=range(CHESTS))
    def chest(number: Local) -> None:
        require(s.key == 1, "T1", "it is locked")
        win("a toy")

    @g.action(open_, "go to bed")
    def bed() -> None:
        lose("no toy")

    g.start(search)
    return g
