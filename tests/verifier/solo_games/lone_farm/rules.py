"""Worker placement for one: two workers a round go to wood, field or market, of which an event card closes one;
16 event cards, eight rounds; fifteen points win."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, min_of, otherwise, require, when, win

PLACES = ["wood", "field", "market", "barn"]
EVENTS = ["calm", "rain", "frost", "fair"]
COPIES = [5, 4, 4, 3]
ROUNDS, GOAL = 8, 15


def build(options: Options) -> Game:
    goal = options.number("goal", range(6, 20), GOAL)
    g = Game("lone_farm")
    s = g.state
    deck = Bag(g, "event", 4, 5, COPIES)
    g.integer("wood", 0, 5)
    g.integer("grain", 0, 5)
    g.integer("barns", 0, 3)
    g.integer("points", 0, goal)
    g.integer("round", 1, ROUNDS)
    g.integer("workers", 0, 2, 2)
    g.integer("closed", 0, 4, 4)
    g.array("used", 4, 0, 1)
    g.quantity("round number", s.round)
    g.fact(ends_within=2 * ROUNDS + 2, evaluate=3 * s.points + s.wood + s.grain + 2 * s.barns)
    event = g.phase("event", CHANCE, text="the event of the round")
    work = g.phase("work", text="place a worker")

    def happens(card: Local) -> None:
        for place in range(4):
            s.used[place] = 0
        s.workers = 2
        with when(card == 1):  # rain: the grain grows
            s.grain = min_of(s.grain + s.barns, 5)
        with otherwise(card == 2):  # frost: no field
            s.used[1] = 1
        with otherwise(card == 3):  # a fair: wood sells
            s.points = min_of(s.points + s.wood // 2, goal)
        goto(work)

    deck.draw(g, event, "{card}", happens, labels=EVENTS)

    @g.procedure()
    def done() -> None:
        with when(s.workers == 2):
            s.workers = 1
        with otherwise(s.points >= goal):
            win("a rich farm")
        with otherwise(s.round == ROUNDS):
            lose("winter comes")
        with otherwise():
            s.round += 1
            goto(event)

    @g.action(work, "a worker to the {place}", place=PLACES)
    def placing(place: Local) -> None:
        require(s.used[place] == 0, "F1", "no room there this round")
        require((place != 3) | ((s.wood >= 2) & (s.barns < 3)), "F2", "a barn takes 2 wood")
        require((place != 2) | (s.grain > 0), "F3", "nothing to sell")
        s.used[place] = 1
        with when(place == 0):
            s.wood = min_of(s.wood + 2, 5)
        with otherwise(place == 1):
            s.grain = min_of(s.grain + 1 + s.barns, 5)
        with otherwise(place == 2):
            s.points = min_of(s.points + s.grain, goal)
            s.grain = 0
        with otherwise():
            s.wood -= 2
            s.barns += 1
        done()

    @g.action(work, "rest")
    def resting() -> None:
        done()

    return g
