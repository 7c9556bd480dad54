"""A game for two with a phase inside a phase: a trick is played in peace or in a quarrel, and play goes back there.

Known by hand: quarrels begin with card 3 only, so nobody quarrels beside another card (with ruling Q1 = any, somebody
can); a player takes a step of 1 or 2 in each turn, and whoever has gone five steps wins, in turn 5 at best.
"""

from playproof.language import CHANCE, Game, Local, goto, otherwise, require, weight, when, win
from playproof.language.options import Options

STEPS = 5


def build(options: Options) -> Game:
    """`Q1` says whether any card allows a quarrel."""
    any_card = options.ruling("Q1", "third", ["any"]) == "any"
    g = Game("quarrel", players=2)
    s = g.state
    g.integer("turn", 0, 1)
    g.integer("turns", 1, 40)
    g.integer("card", 0, 3)
    g.integer("target", 0, 2)
    g.array("gone", 2, 0, STEPS + 1)
    g.remember_phase("back")
    choose, act, strife = (g.phase(name, s.turn) for name in ("choose", "act", "strife"))
    trick = g.automatic("trick")
    stride = g.phase("stride", CHANCE)
    g.quantity("round", s.turns)
    g.quantity("quarrelling", s.target > 0)
    g.fact(round="round", evaluate=tuple(s.gone[q] * 10 for q in range(2)))

    @g.action(choose, "lay card {card}", card=range(1, 4))
    def lay(card: Local) -> None:
        s.card = card
        goto(act)

    @g.action(act, "quarrel over {place}", place=range(1, 3))
    def quarrel(place: Local) -> None:
        if not any_card:
            require(s.card == 3, "Q1", "it takes the third card")
        s.target = place
        goto(strife)

    @g.action((act, strife), "play a trick")
    def play_trick() -> None:
        s.back = s.phase
        goto(trick)

    @g.on(trick)
    def back_again() -> None:
        goto(s.back)

    @g.action(strife, "make peace")
    def peace() -> None:
        s.target = 0
        goto(act)

    @g.action(act, "stride on")
    def on() -> None:
        s.card = 0
        goto(stride)

    @g.action(stride, "{steps} steps", steps=range(1, 3))
    def go(steps: Local) -> None:
        weight(3 - steps)
        s.gone[s.turn] = s.gone[s.turn] + steps
        with when(s.gone[s.turn] >= STEPS):
            win("five steps gone", s.turn)
        with otherwise():
            s.turn = 1 - s.turn
            s.turns = s.turns + 1
            goto(choose)

    g.start(choose)
    return g
