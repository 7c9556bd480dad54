"""Hare and hedgehog: two runners pay carrots for squares (1, 3, 6, 10, 15 for one to five), and eat."""

from playproof import Game, Local, Options, keep, min_of, otherwise, require, tie, when, win

SQUARES, MOST = 12, 12


def build(options: Options) -> Game:
    """Who leaves the field first wins; who eats gets three carrots, at most twelve; a tie after thirty turns."""
    g = Game("hedgehogs", players=2)
    s = g.state
    g.array("at", 2, 0, SQUARES - 1)
    g.array("carrots", 2, 0, MOST, 8)
    g.integer("turn", 0, 1)
    g.integer("clock", 0, 30)
    price = g.table("price", [0, 1, 3, 6, 10, 15])
    run = g.phase("run", s.turn, text="run or eat")

    def next_runner(me) -> None:  # type: ignore[no-untyped-def]
        s.turn = 1 - me
        s.clock += 1
        with when(s.clock == 30):
            tie("the evening comes")

    @g.action(run, "run {squares}", squares=range(1, 6))
    def runs(squares: Local) -> None:
        me = keep(s.turn)
        require(s.carrots[me] >= price[squares], "H1", "so many carrots you do not have")
        require((s.at[me] + squares != s.at[1 - me]), "H2", "the other stands there")
        s.carrots[me] = s.carrots[me] - price[squares]
        with when(s.at[me] + squares >= SQUARES):
            win("first at the end of the field", winner=s.turn)
        with otherwise():
            s.at[me] = s.at[me] + squares
            next_runner(me)

    @g.action(run, "eat")
    def eat() -> None:
        me = keep(s.turn)
        s.carrots[me] = min_of(s.carrots[me] + 3, MOST)
        next_runner(me)

    return g
