"""Cooperative crisis deck: the players win or lose together, against a deck.

Two players guard three towns. After each turn a town is hit; a town that burns and is hit again is lost, and so is the
game. When all six cards of the deck are drawn, everybody has won. Every win is everybody's, so the claims let the
players play together: nobody has to say that they are a team.
"""

from playproof import CHANCE, EVERYBODY, Bag, Game, Local, Options, goto, lose, otherwise, require, when, win

TOWNS = ["north", "east", "south"]
HITS = [2, 2, 2]
LOST = 2


def build(options: Options) -> Game:
    """A player puts out a fire here, or goes to another town."""
    g = Game("crisis_deck", players=2)
    s = g.state
    deck = Bag(g, "crisis", len(TOWNS), most=2, start=HITS)
    g.array("fires", len(TOWNS), 0, LOST - 1, 0)
    g.array("at", 2, labels=TOWNS)
    g.integer("turn", 0, 1)
    g.fact(ends_within=sum(HITS), names={"fires": TOWNS, "crisis_bag": TOWNS})
    act = g.phase("act", s.turn, text="put out a fire or move")
    hit = g.phase("hit", CHANCE, text="a town is hit")

    @g.action(act, "put out a fire", rule="F1")
    def put_out() -> None:
        require(s.fires[s.at[s.turn]] > 0, "F1", "nothing burns here")
        s.fires[s.at[s.turn]] -= 1
        goto(hit)

    @g.action(act, "go to the {town}", town=TOWNS, rule="F2")
    def going(town: Local) -> None:
        require(s.at[s.turn] != town, "F2", "you are there")
        s.at[s.turn] = town
        goto(hit)

    def hitting(town: Local) -> None:
        goto(act)
        with when(s.fires[town] == LOST - 1):
            lose("a town is lost", rule="F3")
        with otherwise():
            s.fires[town] += 1
            s.turn = 1 - s.turn
            with when(deck.size() == 0):
                win("the towns stand", winner=EVERYBODY, rule="F4")

    deck.draw(g, hit, "the {card} is hit", hitting, labels=TOWNS, rule="F3")
    return g
