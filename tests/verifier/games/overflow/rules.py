"""Small games whose rules break, for the tests of what proofs rest on.

kind       what breaks, and when
only       the only legal action has a value leave its bounds, at the first step
late       the same after three steps, beside others that do not
begin      before anybody has acted
endless    automatic phases run for ever behind one of two actions
at once    automatic phases run for ever before anybody has acted
sound      nothing
countdown  nothing either: an automatic phase comes round to itself, and lowers `x` each time
nested     nor here: two phases take turns, one lowers `y` to 0 and then `x`, the other sets `y` back
"""

from playproof.language import Game, goto, otherwise, require, when, win
from playproof.language.options import Options

KINDS = ("only", "late", "begin", "endless", "at once", "sound", "countdown", "nested")


def build(options: Options) -> Game:
    """`kind` names the game."""
    kind = options.choice("kind", KINDS)
    g = Game("overflow")
    s = g.state
    g.integer("x", 0, 5, 5 if kind in ("only", "begin") else 2 if kind == "late" else 0)
    g.integer("turns", 0, 9)
    if kind == "nested":
        g.integer("y", 0, 3)
    first, play, spin = g.automatic("first"), g.phase("play"), g.automatic("spin")
    g.quantity("x", s.x)
    g.start(first)

    @g.on(first)
    def begin() -> None:
        if kind == "begin":
            s.x += 1
        goto(spin if kind == "at once" else play)

    if kind == "nested":
        back = g.automatic("back")

        @g.on(back)
        def set_back() -> None:
            s.y = 3
            goto(spin)

    @g.on(spin)
    def again() -> None:
        if kind == "nested":
            with when(s.y > 0):
                s.y -= 1
            with otherwise(s.x > 0):
                s.x -= 1
                goto(back)
            with otherwise():
                goto(play)
        elif kind == "countdown":
            with when(s.x > 0):
                s.x -= 1
                goto(spin)
            with otherwise():
                goto(play)
        else:
            goto(spin if kind in ("endless", "at once") else play)

    @g.action(play, "more")
    def more() -> None:
        if kind in ("sound", "endless", "countdown", "nested"):
            require(s.x < 5, "O1", "no room")
        s.x += 1
        if kind in ("countdown", "nested"):
            with when(s.x == 4):
                goto(spin)
        if kind == "endless":
            with when(s.x == 2):
                goto(spin)

    if kind != "only":

        @g.action(play, "stop")
        def stop() -> None:
            win("stopped")
    else:

        @g.action(play, "stop")
        def stop_with_room() -> None:
            require(s.x < 5, "O1", "no room")
            win("stopped")

    return g
