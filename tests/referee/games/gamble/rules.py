"""Leave with nothing, or gamble: a coin falls under a cup and you call it, 2 if you are right and -3 if you are wrong.

Best play is worth 0: leave. A search that knows the coin in its own tree thinks it can call it, and gambles.
"""

from playproof.language import CHANCE, Game, Local, Sees, goto, otherwise, score, when
from playproof.language.options import Options


def build(options: Options) -> Game:
    """One player; nobody sees the coin before it is called."""
    g = Game("gamble")
    s = g.state
    g.integer("coin", 0, 1, sees=Sees.NOBODY)
    g.integer("gain", -3, 2, 0)
    g.returns(s.gain)
    g.fact(ends_within=2)
    choose = g.phase("choose", 0)
    fall = g.phase("fall", CHANCE)
    call = g.phase("call", 0)

    @g.action(choose, "leave", rule="G1")
    def leave() -> None:
        score("left")

    @g.action(choose, "gamble", rule="G2")
    def gamble() -> None:
        goto(fall)

    @g.action(fall, "the coin falls {side}", side=["heads", "tails"], rule="G3")
    def lie(side: Local) -> None:
        s.coin = side
        goto(call)

    @g.action(call, "call {side}", side=["heads", "tails"], rule="G4")
    def name(side: Local) -> None:
        with when(s.coin == side):
            s.gain = 2
        with otherwise():
            s.gain = -3
        score("called")

    return g
