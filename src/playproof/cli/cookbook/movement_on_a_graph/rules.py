"""Movement on a graph: places, and the ways between them.

A thief and two guards move along the streets of a small town, one step each turn. The guards win if one of them stands
where the thief is; the thief wins by seven free turns.
"""

from playproof import Game, Local, Options, goto, otherwise, require, when, win

PLACES = ["gate", "market", "well", "church", "mill", "bridge", "harbour"]
STREETS = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4), (3, 5), (4, 5), (5, 6)]
TURNS = 7


def build(options: Options) -> Game:
    """Seat 0 is the thief, seat 1 moves a guard of its choice."""
    g = Game("movement_on_a_graph", players=2)
    s = g.state
    ways = [[int((a, b) in STREETS or (b, a) in STREETS) for b in range(len(PLACES))] for a in range(len(PLACES))]
    way = g.table("streets", ways)
    g.integer("thief", 0, len(PLACES) - 1, 6, labels=PLACES)
    g.array("guard", 2, 0, len(PLACES) - 1, [0, 1], labels=PLACES)
    g.integer("turn", 0, TURNS)
    g.fact(seats=["thief", "guards"], ends_within=2 * TURNS)
    flee = g.phase("flee", 0, text="the thief moves")
    chase = g.phase("chase", 1, text="a guard moves")

    @g.action(flee, "to the {place}", place=PLACES, rule="G1")
    def fleeing(place: Local) -> None:
        require((way[s.thief, place] == 1) | (s.thief == place), "G1", "no street goes there")
        require((s.guard[0] != place) & (s.guard[1] != place), "G1", "a guard stands there")
        s.thief = place
        goto(chase)

    @g.action(chase, "guard {guard} to the {place}", guard=["one", "two"], place=PLACES, rule="G2")
    def chasing(guard: Local, place: Local) -> None:
        require(way[s.guard[guard], place] == 1, "G2", "no street goes there")
        s.guard[guard] = place
        goto(flee)
        with when(place == s.thief):
            win("caught", winner=1)
        with otherwise(s.turn == TURNS - 1):
            win("away", winner=0)
        with otherwise():
            s.turn += 1

    return g
