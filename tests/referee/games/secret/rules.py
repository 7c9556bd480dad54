"""Each player hides a coin in a hand, then both show: a secret choice that nothing declares exchangeable."""

from playproof.language import Game, Local, Sees, goto, otherwise, when, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """Matching pennies, one player after the other. The second wins if the sides agree."""
    g = Game("secret", players=2)
    s = g.state
    g.array("side", 2, labels=["none", "heads", "tails"], sees=Sees.OWNER)
    g.integer("turn", 0, 1)
    hide = g.phase("hide", s.turn)
    show = g.automatic("show")

    @g.action(hide, "hide {side}", side=["heads", "tails"], secret="side")
    def put(side: Local) -> None:
        s.side[s.turn] = side + 1
        with when(s.turn == 1):
            goto(show)
        with otherwise():
            s.turn = 1

    @g.on(show)
    def compare() -> None:
        with when(s.side[0] == s.side[1]):
            win("the sides agree", winner=1)
        with otherwise():
            win("the sides differ", winner=0)

    return g
