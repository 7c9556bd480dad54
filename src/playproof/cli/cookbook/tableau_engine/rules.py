"""Tableau engine: what lies before you works again each turn.

One player has five turns. Each turn every workshop gives its coins or points, then one may be built. How many points
can it be?
"""

from playproof import Game, Local, Options, goto, min_of, otherwise, require, score, sum_of, when

NAMES = ["farm", "mill", "school", "palace"]
PRICE, COINS, POINTS = [1, 2, 2, 4], [1, 2, 0, 0], [0, 0, 1, 3]
TURNS, MOST = 6, 12


def build(options: Options) -> Game:
    """A workshop can be built once."""
    g = Game("tableau_engine")
    s = g.state
    g.array("built", len(NAMES))
    g.integer("coins", 0, MOST, 1)
    g.integer("points", 0, 4 * TURNS)
    g.integer("turn", 1, TURNS)
    g.returns(s.points)
    g.quantity("points", s.points)
    g.fact(ends_within=TURNS, names={"built": NAMES})
    build_ = g.phase("build", text="build a workshop")
    work = g.automatic("work", text="the workshops work")
    price = g.table("price", PRICE)

    @g.action(build_, "build the {workshop}", workshop=NAMES, rule="E1")
    def building(workshop: Local) -> None:
        require(s.built[workshop] == 0, "E1", "it is built")
        require(s.coins >= price[workshop], "E2", "it costs {}", price[workshop])
        s.coins -= price[workshop]
        s.built[workshop] = 1
        goto(work)

    @g.action(build_, "build nothing", rule="E1")
    def waiting() -> None:
        goto(work)

    @g.on(work, rule="E3")
    def working() -> None:
        s.coins = min_of(s.coins + sum_of(s.built[n] * COINS[n] for n in range(len(NAMES))), MOST)
        s.points += sum_of(s.built[n] * POINTS[n] for n in range(len(NAMES)))
        goto(build_)
        with when(s.turn == TURNS):
            score("the last turn is over")
        with otherwise():
            s.turn += 1

    return g
