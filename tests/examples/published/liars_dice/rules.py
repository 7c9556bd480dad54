"""Liar's dice with one die each: bid how many dice show a face, higher each time, or call the other a liar.

Published: worth -0.027131782945736 to the first player; the highest face is wild. Source: Lanctot and others,
OpenSpiel, sequence_form_lp_test.py, https://github.com/google-deepmind/open_spiel (Neller and Lanctot, "An Introduction
to Counterfactual Regret Minimization", 2013)
"""

from playproof import CHANCE, Game, Local, Options, Sees, goto, keep, otherwise, pick, require, when, win


def build(options: Options) -> Game:
    """The game with dice of so many `faces`. Bids are 1 of the first face, 1 of the second, ..., 2 of the last."""
    faces = options.number("faces", range(2, 7), 6)
    g = Game("liars_dice", players=2)
    s = g.state
    g.array("die", 2, 0, faces, sees=Sees.OWNER)
    g.integer("bid", 0, 2 * faces)
    g.integer("turn", 0, 1)
    g.fact(ends_within=2 * faces + 1)
    roll = g.phase("roll", actor=CHANCE, text="each rolls a die")
    speak = g.phase("speak", actor=s.turn, text="bid or call")

    @g.action(roll, "the die of player {seat} shows {face}", seat=2, face=range(1, faces + 1))
    def rolled(seat: Local, face: Local) -> None:
        require((s.die[seat] == 0) & ((seat == 0) | (s.die[0] != 0)), "L1", "the die is rolled")
        s.die[seat] = face
        with when(seat == 1):
            goto(speak)

    @g.action(speak, "bid {bid}", bid=range(1, 2 * faces + 1))
    def bid(bid: Local) -> None:
        require(bid > s.bid, "L2", "a bid is higher than the last")
        s.bid = bid
        s.turn = 1 - s.turn

    @g.action(speak, "call the liar")
    def call() -> None:
        require(s.bid > 0, "L3", "nobody has bid")
        face = keep((s.bid - 1) % faces + 1)
        count = keep((s.bid - 1) // faces + 1)
        count_shown = sum(pick((s.die[seat] == face) | (s.die[seat] == faces), 1, 0) for seat in range(2))
        with when(count_shown < count):
            win("it was a lie", winner=s.turn)
        with otherwise():
            win("it was true", winner=1 - s.turn)

    return g
