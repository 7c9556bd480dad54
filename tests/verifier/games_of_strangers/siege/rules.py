"""Siege: four regions in a row, armies of at most three, dice decide; take all, or hold more after eight turns."""

from playproof import CHANCE, Game, Local, Options, count_of, goto, keep, otherwise, require, tie, when, win

REGIONS, MOST, TURNS = 4, 3, 8


def build(options: Options) -> Game:
    """A turn: one army more in an own region, then attacks on neighbours; half of all attacks succeed."""
    g = Game("siege", players=2)
    s = g.state
    g.array("owner", REGIONS, 0, 1, [0, 0, 1, 1])
    g.array("armies", REGIONS, 1, MOST, [1, 2, 2, 1])
    g.integer("turn", 0, 1)
    g.integer("clock", 0, TURNS)
    g.integer("from_", 0, REGIONS - 1)
    g.integer("to", 0, REGIONS - 1)
    g.quantity("round", s.clock)
    g.fact(round="round")
    muster = g.phase("muster", s.turn, text="add an army")
    attack = g.phase("attack", s.turn, text="attack or stop")
    dice = g.phase("dice", CHANCE, text="the dice decide")

    @g.action(muster, "add to {region}", region=REGIONS)
    def add(region: Local) -> None:
        require(s.owner[region] == s.turn, "S1", "it is not yours")
        with when(s.armies[region] < MOST):
            s.armies[region] += 1
        goto(attack)

    @g.action(attack, "attack {to} from {start}", start=REGIONS, to=REGIONS)
    def strike(start: Local, to: Local) -> None:
        require((s.owner[start] == s.turn) & (s.owner[to] != s.turn), "S2", "from your region on another's")
        require((start - to == 1) | (to - start == 1), "S3", "they are no neighbours")
        require(s.armies[start] > 1, "S4", "one army must stay")
        s.from_ = start
        s.to = to
        goto(dice)

    @g.action(dice, "{who} loses an army", who=["the attacker", "the defender"])
    def decided(who: Local) -> None:
        goto(attack)
        with when(who == 0):
            s.armies[s.from_] -= 1
        with otherwise(s.armies[s.to] > 1):
            s.armies[s.to] -= 1
        with otherwise():
            s.owner[s.to] = s.turn
            s.armies[s.from_] -= 1
        s.from_ = 0
        s.to = 0

    @g.action(attack, "stop")
    def stop() -> None:
        me = keep(s.turn)
        mine = keep(count_of(REGIONS, lambda r: s.owner[r] == me))
        s.clock += 1
        s.turn = 1 - me
        goto(muster)
        with when(mine == REGIONS):
            win("all regions are taken", winner=1 - s.turn)
        with otherwise(s.clock == TURNS):
            with when(mine > 2):
                win("more regions are held", winner=1 - s.turn)
            with otherwise(mine < 2):
                win("more regions are held, after all", winner=s.turn)
            with otherwise():
                tie("as many each")

    return g
