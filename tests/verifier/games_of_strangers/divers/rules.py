"""Divers: two players share the air, swim down past treasures and must be back in time; carrying costs air."""

from playproof import CHANCE, Game, Local, Options, goto, keep, min_of, otherwise, require, score, sum_of, when

DEEP, AIR, WORTH = 5, 14, [1, 2, 3, 5, 8]


def build(options: Options) -> Game:
    """A turn uses a breath per treasure carried and one more; who is not back without breath loses all it carries."""
    g = Game("divers", players=2)
    s = g.state
    g.array("depth", 2, 0, DEEP)
    g.array("up", 2)
    g.array("back", 2)
    g.array("carries", (2, DEEP))
    g.array("there", DEEP, start=1)
    g.integer("air", 0, AIR, AIR)
    g.integer("turn", 0, 1)
    worth = g.table("worth", WORTH)
    g.returns(*[sum_of(DEEP, lambda t, p=p: s.carries[p, t] * worth[t]) for p in range(2)])
    move = g.phase("move", s.turn, text="down or up")
    swim = g.phase("swim", CHANCE, text="how far")
    take = g.phase("take", s.turn, text="take the treasure or not")
    pass_on = g.automatic("pass on")

    @g.action(move, "{way}", way=["down", "up"])
    def chooses(way: Local) -> None:
        require((way == 1) | (s.up[s.turn] == 0), "D1", "you are on the way up")
        require((way == 0) | (s.depth[s.turn] > 0), "D2", "you are up")
        s.up[s.turn] = way
        goto(swim)

    @g.action(swim, "{far} far", far=range(1, 3))
    def swims(far: Local) -> None:
        me = keep(s.turn)
        with when(s.up[me] == 0):
            s.depth[me] = min_of(s.depth[me] + far, DEEP)
            goto(take)
        with otherwise(s.depth[me] <= far):
            s.depth[me] = 0
            s.back[me] = 1
            goto(pass_on)
        with otherwise():
            s.depth[me] = s.depth[me] - far
            goto(take)

    @g.action(take, "take it")
    def takes() -> None:
        require(s.there[s.depth[s.turn] - 1] == 1, "D3", "nothing is there")
        s.there[s.depth[s.turn] - 1] = 0
        s.carries[s.turn, s.depth[s.turn] - 1] = 1
        goto(pass_on)

    @g.action(take, "leave it")
    def leaves() -> None:
        goto(pass_on)

    @g.on(pass_on)
    def passes() -> None:
        me = keep(s.turn)
        load = keep(1 + (1 - s.back[me]) * sum_of(DEEP, lambda t: s.carries[me, t]))
        with when(s.back[1 - me] == 0):
            s.turn = 1 - me
        goto(move)
        with when((s.back[0] == 1) & (s.back[1] == 1)):
            score("both are back")
        with otherwise(s.air <= load):
            s.air = 0
            for p in range(2):
                with when(s.back[p] == 0):
                    for t in range(DEEP):
                        s.carries[p, t] = 0
            score("the air is used up")
        with otherwise():
            s.air -= load

    return g
