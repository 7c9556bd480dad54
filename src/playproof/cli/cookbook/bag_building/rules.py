"""Bag building: you draw blindly, and buy what goes into the bag.

One player draws two beads a turn, puts them back, and buys one more bead for the coins that they show. Two stars in one
turn win; five turns are all there are.
"""

from playproof import CHANCE, Bag, Game, Local, Options, goto, keep, lose, otherwise, require, when, win

BEADS = ["blank", "coin", "star"]
TURNS = 5


def build(options: Options) -> Game:
    """A bead costs its number in coins: a coin one, a star two. Coins that are not spent are lost."""
    g = Game("bag_building")
    s = g.state
    bag = Bag(g, "bag", 3, most=9, start=[1, 3, 0])
    g.array("out", 3, 0, 2)
    g.integer("turn", 1, TURNS)
    g.fact(ends_within=TURNS, names={"out": BEADS, "bag_bag": BEADS})
    draw = g.phase("draw", CHANCE, text="draw a bead")
    buy = g.phase("buy", text="buy a bead")

    def drawing(bead: Local) -> None:
        s.out[bead] += 1
        with when(s.out[2] == 2):
            win("two stars", rule="B4")
        with otherwise(s.out[0] + s.out[1] + s.out[2] == 2):
            goto(buy)

    bag.draw(g, draw, "a {card}", drawing, labels=BEADS, rule="B1")

    def end_turn() -> None:
        for bead in range(3):
            s.bag_bag[bead] += keep(s.out[bead])
            s.out[bead] = 0
        goto(draw)
        with when(s.turn == TURNS):
            lose("no turn is left", rule="B3")
        with otherwise():
            s.turn += 1

    @g.action(buy, "buy a {bead}", bead=["coin", "star"], rule="B2")
    def buying(bead: Local) -> None:
        require(s.out[1] > bead, "B2", "you have {} coins", s.out[1])
        bag.put(bead + 1)
        end_turn()

    @g.action(buy, "buy nothing", rule="B2")
    def passing() -> None:
        end_turn()

    return g
