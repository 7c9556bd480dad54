"""Worker placement: a place takes one worker, so to take it is also to deny it.

Two players place two workers each in two rounds. The mine gives ore, the forge turns ore into coins, the market pays a
little at once.
"""

from playproof import Game, Local, Options, goto, otherwise, require, score, when

PLACES = ["mine", "quarry", "forge", "market", "fair"]
ORE = [1, 1, -1, 0, 0]
COINS = [0, 0, 4, 1, 1]
WORKERS, ROUNDS = 2, 2


def build(options: Options) -> Game:
    """The game, for two players."""
    g = Game("worker_placement", players=2)
    s = g.state
    g.array("taken", len(PLACES), labels=["free", "first", "second"])
    g.array("ore", 2, 0, WORKERS * ROUNDS)
    g.array("coins", 2, 0, 10)
    g.integer("turn", 0, 1)
    g.integer("round", 1, ROUNDS)
    g.integer("placed", 0, 2 * WORKERS - 1)
    g.returns(s.coins[0], s.coins[1])
    g.quantity("coins of the first", s.coins[0])
    g.fact(ends_within=2 * WORKERS * ROUNDS, names={"taken": PLACES}, hidden=["placed"])
    place = g.phase("place", s.turn, text="place a worker")
    home = g.automatic("home", text="the workers go home")
    ore, coins = g.table("ore of a place", ORE), g.table("coins of a place", COINS)

    @g.action(place, "go to the {place}", place=PLACES, rule="W1")
    def going(place: Local) -> None:
        require(s.taken[place] == 0, "W1", "somebody works there")
        require(s.ore[s.turn] + ore[place] >= 0, "W2", "the forge needs ore")
        s.taken[place] = s.turn + 1
        s.ore[s.turn] += ore[place]
        s.coins[s.turn] += coins[place]
        s.turn = 1 - s.turn
        with when(s.placed == 2 * WORKERS - 1):
            goto(home)
        with otherwise():
            s.placed += 1

    @g.on(home, rule="W3")
    def going_home() -> None:
        s.placed = 0
        for n in range(len(PLACES)):
            s.taken[n] = 0
        with when(s.round == ROUNDS):
            score("the last round is over")
        with otherwise():
            s.round += 1
            goto(place)

    return g
