"""Tower defence: 24 enemies come down three lanes, one a turn; build or upgrade a tower, or shoot with one. Each lane
has two steps; an enemy that gets through costs a life of two."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, max_of, min_of, otherwise, require, when, win

LANES, LIVES, COIN = 3, 2, 4
KINDS = ["runner", "brute", "giant"]
COPIES, STRENGTH = [12, 8, 4], [1, 2, 4]


def build(options: Options) -> Game:
    g = Game("tower_watch")
    s = g.state
    deck = Bag(g, "enemies", 3, 12, COPIES)
    g.array("far", LANES, 0, 4)
    g.array("near", LANES, 0, 4)
    g.array("tower", LANES, 0, 2)
    g.integer("coins", 0, COIN, 2)
    g.integer("lives", 0, LIVES, LIVES)
    strength = g.table("strength", STRENGTH)
    g.fact(ends_within=80, evaluate=10 * s.lives - s.near[0] - s.near[1] - s.near[2])
    act = g.phase("act", text="build, shoot or save")
    march = g.automatic("march")
    come = g.phase("come", CHANCE, text="the next enemy")
    lane_ = g.phase("lane", CHANCE, text="its lane")
    g.integer("coming", 0, 2)

    @g.action(act, "build in lane {lane}", lane=LANES)
    def building(lane: Local) -> None:
        require(s.tower[lane] < 2, "T1", "the tower is as high as can be")
        require(s.coins >= 2, "T2", "it costs 2 coins")
        s.coins -= 2
        s.tower[lane] += 1
        goto(march)

    @g.action(act, "shoot in lane {lane}", lane=LANES)
    def shooting(lane: Local) -> None:
        require(s.near[lane] + s.far[lane] > 0, "T3", "nobody is there")
        with when(s.near[lane] > 0):
            s.near[lane] = max_of(s.near[lane] - 2, 0)
        with otherwise():
            s.far[lane] = max_of(s.far[lane] - 2, 0)
        goto(march)

    @g.action(act, "save")
    def saving() -> None:
        s.coins = min_of(s.coins + 2, COIN)
        goto(march)

    @g.on(march)
    def marching() -> None:
        for lane in range(LANES):
            with when(s.near[lane] > 0):
                s.lives = max_of(s.lives - 1, 0)
            s.near[lane] = max_of(s.far[lane] - s.tower[lane], 0)
            s.far[lane] = 0
        with when(s.lives == 0):
            lose("the gate is open")
        with otherwise(deck.size() == 0):
            win("no enemy is left")
        with otherwise():
            goto(come)

    def coming(card: Local) -> None:
        s.coming = card
        goto(lane_)

    deck.draw(g, come, "a {card} comes", coming, labels=KINDS)

    @g.action(lane_, "down lane {lane}", lane=LANES)
    def down(lane: Local) -> None:
        s.far[lane] = strength[s.coming]
        s.coins = min_of(s.coins + 1, COIN)
        goto(act)

    return g
