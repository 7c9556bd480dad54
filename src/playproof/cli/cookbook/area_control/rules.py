"""Area control: who has most pieces in a region has its points.

Two players place three pieces each in three regions; a region holds three at most. Equal numbers give nothing.
"""

from typing import Any

from playproof import Game, Local, Options, require, score, sum_of, when

REGIONS = ["hills", "river", "forest"]
POINTS = [3, 2, 2]
PIECES, ROOM = 3, 3


def build(options: Options) -> Game:
    """The game, for two players."""
    g = Game("area_control", players=2)
    s = g.state
    g.array("pieces", (2, len(REGIONS)), 0, PIECES)
    g.integer("turn", 0, 1)
    g.fact(ends_within=2 * PIECES, names={"pieces": [None, REGIONS]})

    def points(seat: int) -> Any:
        return sum_of((s.pieces[seat, r] > s.pieces[1 - seat, r]) * POINTS[r] for r in range(len(REGIONS)))

    g.returns(points(0), points(1))
    g.quantity("points of the first", points(0))
    place = g.phase("place", s.turn, text="place a piece")

    @g.action(place, "a piece in the {region}", region=REGIONS, rule="C1")
    def placing(region: Local) -> None:
        require(s.pieces[0, region] + s.pieces[1, region] < ROOM, "C1", "the region is full")
        s.pieces[s.turn, region] += 1
        s.turn = 1 - s.turn
        with when(sum_of(len(REGIONS), lambda r: s.pieces[0, r] + s.pieces[1, r]) == 2 * PIECES):
            score("all pieces are placed")

    return g
