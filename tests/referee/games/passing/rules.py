"""Two players may pass for ever; with the option `declared`, the rules say that they do not."""

from playproof import Game, Options, require, when, win


def build(options: Options) -> Game:
    """A player may stop after three passes in the first ten; `stop=never` forgets to count them."""
    counts = options.choice("stop", ["never", "soon"]) == "soon"
    g = Game("passing", players=2)
    s = g.state
    g.integer("turn", 0, 1)
    g.integer("passes", 0, 3)
    if options.choice("declared", ["no", "yes"]) == "yes":
        g.fact(ends_within=4)
    play = g.phase("play", s.turn)

    @g.action(play, "pass")
    def passing() -> None:
        if counts:
            require(s.passes < 3, "E2", "you have to stop")
            s.passes += 1
        s.turn = 1 - s.turn

    @g.action(play, "stop")
    def stop() -> None:
        require(s.passes == 3, "E1", "not yet")
        with when(s.passes == 3):
            win("stopped", winner=s.turn)

    return g
