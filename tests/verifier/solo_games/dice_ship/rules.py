"""Dice allocation: four dice a round go to shield, engine or repair; 15 threat cards, three a level; reach the port
before the hull breaks."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, max_of, min_of, otherwise, require, when, win

FAR, HULL, ROUNDS, DICE = 14, 6, 8, 3
THREATS, COPIES = ["swell", "storm", "reef"], [7, 5, 3]
WANTS = [3, 6, 9]


def build(options: Options) -> Game:
    far = options.number("far", range(6, 40), FAR)
    g = Game("dice_ship")
    s = g.state
    deck = Bag(g, "threats", 3, 7, COPIES)
    g.integer("way", 0, far)
    g.integer("hull", 0, HULL, HULL)
    g.integer("round", 1, ROUNDS)
    g.integer("shield", 0, 9)
    g.integer("engine", 0, 9)
    g.integer("threat", 0, 2)
    g.integer("die", 0, 6)
    g.integer("dice", 0, DICE, DICE)
    wants = g.table("wants", WANTS)
    g.fact(ends_within=DICE * ROUNDS + 1, evaluate=2 * s.way + 3 * s.hull + s.engine + s.shield)
    sky = g.phase("sky", CHANCE, text="the threat of the round")
    roll = g.phase("roll", CHANCE, text="a die")
    put = g.phase("put", text="put the die somewhere")
    end = g.automatic("end")

    def shows(card: Local) -> None:
        s.threat = card
        s.dice = DICE
        s.shield = 0
        s.engine = 0
        goto(roll)

    deck.draw(g, sky, "{card}", shows, labels=THREATS)

    @g.procedure()
    def on() -> None:
        s.dice -= 1
        s.die = 0
        with when(s.dice > 0):
            goto(roll)
        with otherwise():
            goto(end)

    @g.action(roll, "{die} is rolled", die=range(1, 7))
    def rolled(die: Local) -> None:
        s.die = die
        goto(put)

    @g.action(put, "to the shield")
    def shielding() -> None:
        s.shield = min_of(s.shield + s.die, 9)
        on()

    @g.action(put, "to the engine")
    def driving() -> None:
        s.engine = min_of(s.engine + s.die, 9)
        on()

    @g.action(put, "repair")
    def repairing() -> None:
        require(s.die >= 5, "D1", "a repair takes a 5 or 6")
        s.hull = min_of(s.hull + 1, HULL)
        on()

    @g.on(end)
    def ending() -> None:
        s.way = min_of(s.way + s.engine // 3, far)
        with when(s.shield < wants[s.threat]):
            s.hull = max_of(s.hull - 1 - (wants[s.threat] - s.shield) // 3, 0)
        with when(s.hull == 0):
            lose("the ship sinks")
        with otherwise(s.way >= far):
            win("in the port")
        with otherwise(s.round == ROUNDS):
            lose("no water is left")
        with otherwise():
            s.round += 1
            goto(sky)

    return g
