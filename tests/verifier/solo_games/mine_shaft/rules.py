"""Push your luck: dig up gems and rocks from a bag of 30; two rocks bury what was not carried home. 16 points in five
trips win."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, min_of, otherwise, require, when, win

WORDS = ["rock", "small gem", "gem", "great gem"]
COPIES, WORTH = [10, 10, 7, 3], [0, 1, 2, 4]
GOAL, TRIPS = 16, 5


def build(options: Options) -> Game:
    goal = options.number("goal", range(5, 40), GOAL)
    g = Game("mine_shaft")
    s = g.state
    bag = Bag(g, "shaft", 4, 10, COPIES)
    g.integer("home", 0, goal)
    g.integer("sack", 0, goal)
    g.integer("rocks", 0, 1)
    g.integer("trips", 0, TRIPS, TRIPS)
    worth = g.table("worth", WORTH)
    g.fact(ends_within=40, evaluate=3 * s.home + 2 * s.sack)
    decide = g.phase("decide", text="dig or go home")
    dig = g.phase("dig", CHANCE, text="what comes up")

    @g.action(decide, "dig")
    def digging() -> None:
        require(bag.size() > 0, "M1", "the shaft is empty")
        goto(dig)

    @g.action(decide, "carry home")
    def carrying() -> None:
        s.home = min_of(s.home + s.sack, goal)
        s.sack = 0
        s.rocks = 0
        s.trips -= 1
        with when(s.home >= goal):
            win("rich enough")
        with otherwise(s.trips == 0):
            lose("the season is over")

    def up(card: Local) -> None:
        goto(decide)
        with when((card == 0) & (s.rocks == 1)):
            s.rocks = 0
            s.sack = 0
            s.trips -= 1
            with when(s.trips == 0):
                lose("buried")
        with otherwise(card == 0):
            s.rocks += 1
        with otherwise():
            s.sack = min_of(s.sack + worth[card], goal)

    bag.draw(g, dig, "{card} comes up", up, labels=WORDS)
    return g
