"""Escape with events: a cave of nine chambers in a ring with a way out in the middle; an event card a turn (18 of them)
floods, opens or wakes something; find three lamps' oil and get out."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, otherwise, when, win

SIDES = 8
EVENTS = ["water", "draught", "bats", "quiet"]
COPIES = [8, 4, 3, 3]


def build(options: Options) -> Game:
    g = Game("flooded_cave")
    s = g.state
    deck = Bag(g, "events", 4, 8, COPIES)
    g.integer("at", 0, SIDES - 1)
    g.integer("water", 0, 6)
    g.integer("light", 0, 6, 6)
    g.array("found", 3)
    g.integer("bats", 0, 1)
    places = g.table("places", [-1, -1, 0, -1, 1, -1, 2, -1])
    g.fact(ends_within=19, evaluate=5 * (s.found[0] + s.found[1] + s.found[2]) - s.water + s.light)
    act = g.phase("act", text="go, search or wait")
    event = g.phase("event", CHANCE, text="an event")

    @g.procedure()
    def dark() -> None:
        with when((s.at == 0) & (s.found[0] + s.found[1] + s.found[2] == 3)):
            win("out with all three")
        with otherwise(s.light <= 0):
            lose("dark")
        with otherwise():
            goto(event)

    @g.action(act, "go left")
    def left() -> None:
        s.at = (s.at + SIDES - 1) % SIDES
        s.light -= s.bats
        dark()

    @g.action(act, "go right")
    def right() -> None:
        s.at = (s.at + 1) % SIDES
        s.light -= s.bats
        dark()

    @g.action(act, "search")
    def searching() -> None:
        for n in range(3):
            with when(places[s.at] == n):
                s.found[n] = 1
        dark()

    @g.action(act, "wait")
    def waiting() -> None:
        s.bats = 0
        dark()

    def happens(card: Local) -> None:
        goto(act)
        with when(card == 0):
            with when(s.water == 6):
                lose("drowned")
            with otherwise():
                s.water += 1
        with otherwise(card == 1):
            s.light -= 1
        with otherwise(card == 2):
            s.bats = 1
        with when(s.light <= 0):
            lose("blown out")
        with otherwise(deck.size() == 0):
            lose("the cave is full")

    deck.draw(g, event, "{card}", happens, labels=EVENTS)
    return g
