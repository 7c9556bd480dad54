"""Two players with a deck of their own each: hands are hidden, what lies on the table is not."""

from playproof.language import CHANCE, Game, Local, Sees, goto, otherwise, require, score, weight, when
from playproof.language.options import Options

KINDS = ["pearl", "shell", "coral"]


def build(options: Options) -> Game:
    """Draw three cards each, lay one a turn; a pearl counts 2, a shell 1."""
    g = Game("hands", players=2)
    s = g.state
    g.integer("turn", 0, 1)
    g.array("hand", (2, 3), 0, 2, sees=Sees.OWNER)
    g.array("bag", (2, 3), 0, 2, [[2, 2, 1], [2, 2, 1]], sees=Sees.NOBODY)
    g.array("held", 2, 0, 3)
    g.array("row", (2, 3), 0, 2)
    g.array("points", 2, 0, 6)
    g.quantity("cards held", s.held[0] + s.held[1])
    g.quantity("pearls of first", s.hand[0, 0])
    g.fact(
        ends_within=12,
        names={"hand": [None, KINDS], "bag": [None, KINDS], "row": [None, KINDS]},
        exchangeable=[{"counts": ["hand", "bag"], "by_player": True}],
        seats=["blue", "red"],
    )
    g.returns(s.points[0] - s.points[1], s.points[1] - s.points[0])
    deal = g.phase("deal", CHANCE)
    lay = g.phase("lay", s.turn)

    @g.action(deal, "{seat} draws {kind}", seat=["blue", "red"], kind=KINDS, rule="H1")
    def draw(seat: Local, kind: Local) -> None:
        require(seat == s.turn, "H1", "blue draws first")
        require(s.bag[seat, kind] > 0, "H1", "none left")
        weight(s.bag[seat, kind])
        s.bag[seat, kind] = s.bag[seat, kind] - 1
        s.hand[seat, kind] = s.hand[seat, kind] + 1
        s.held[seat] = s.held[seat] + 1
        with when(s.held[seat] == 3):
            s.turn = 1 - s.turn
            with when(s.turn == 0):
                goto(lay)

    @g.action(lay, "lay {kind}", kind=KINDS, rule="H2", public="kind")
    def put(kind: Local) -> None:
        require(s.hand[s.turn, kind] > 0, "H2", "you hold no such card")
        s.hand[s.turn, kind] = s.hand[s.turn, kind] - 1
        s.held[s.turn] = s.held[s.turn] - 1
        s.row[s.turn, kind] = s.row[s.turn, kind] + 1
        s.points[s.turn] = s.points[s.turn] + (kind == 0) * 2 + (kind == 1)
        with when(s.held[0] + s.held[1] == 0):
            score("all cards are laid")
        with otherwise():
            s.turn = 1 - s.turn

    return g
