"""Drafting an engine: 45 cards of nine kinds in a market of three; pay with what your cards make; thirty points in
ten rounds win."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, min_of, otherwise, require, when, win

KINDS = ["hut", "boat", "mill", "dock", "tower", "garden", "market", "temple", "palace"]
COPIES = [7, 6, 6, 5, 5, 5, 4, 4, 3]
COST = [1, 2, 2, 3, 3, 4, 4, 5, 6]
MAKES = [1, 1, 0, 2, 1, 1, 2, 0, 1]
POINTS = [0, 1, 2, 1, 3, 3, 2, 6, 8]
GOAL, ROUNDS, STORE = 30, 10, 8


def build(options: Options) -> Game:
    goal = options.number("goal", range(6, 60), GOAL)
    g = Game("island_engine")
    s = g.state
    deck = Bag(g, "deck", 9, 7, COPIES)
    g.array("market", 3, 0, 9)  # kind + 1
    g.integer("income", 1, 12)
    g.integer("store", 0, STORE, 2)
    g.integer("points", 0, goal)
    g.integer("round", 1, ROUNDS)
    cost, makes, points = g.table("cost", COST), g.table("makes", MAKES), g.table("points of", POINTS)
    g.fact(ends_within=ROUNDS + 1, evaluate=2 * s.points + 3 * s.income + s.store, values={"market": ["-", *KINDS]})
    fill = g.phase("fill", CHANCE, text="the market")
    act = g.phase("act", text="buy a card")
    check = g.automatic("check")

    def filled(card: Local) -> None:
        with when(s.market[0] == 0):
            s.market[0] = card + 1
        with otherwise(s.market[1] == 0):
            s.market[1] = card + 1
        with otherwise():
            s.market[2] = card + 1
        goto(check)

    deck.draw(g, fill, "{card} comes to the market", filled, labels=KINDS)

    @g.on(check)
    def checking() -> None:
        with when((s.market[0] > 0) & (s.market[1] > 0) & (s.market[2] > 0)):
            goto(act)
        with otherwise():
            goto(fill)

    @g.procedure()
    def on() -> None:
        s.store = min_of(s.store + s.income, STORE)
        with when(s.points >= goal):
            win("a splendid island")
        with otherwise(s.round == ROUNDS):
            lose("the ships leave")
        with otherwise():
            s.round += 1
            goto(check)

    @g.action(act, "buy from place {place}", place=3)
    def buying(place: Local) -> None:
        require(s.store >= cost[s.market[place] - 1], "I1", "it costs {}", cost[s.market[place] - 1])
        s.store -= cost[s.market[place] - 1]
        s.income = min_of(s.income + makes[s.market[place] - 1], 12)
        s.points = min_of(s.points + points[s.market[place] - 1], goal)
        s.market[place] = 0
        on()

    @g.action(act, "sweep place {place} away", place=3)
    def sweeping(place: Local) -> None:
        s.market[place] = 0
        on()

    return g
