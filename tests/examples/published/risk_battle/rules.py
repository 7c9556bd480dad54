"""Risk: the attacker rolls up to three dice, the defender up to two; the highest are compared, ties defend.

Published: with three dice against two the defender loses two armies in 2,890 of 7,776 rolls, each loses one in 2,611,
the attacker loses two in 2,275; chances of whole battles. Source: Osborne, "Markov chains for the RISK board game
revisited", Mathematics Magazine 76 (2003), https://doi.org/10.1080/0025570X.2003.11953165
"""

from playproof import CHANCE, Game, Local, Options, keep, lose, min_of, otherwise, pick, require, tie, when, win


def build(options: Options) -> Game:
    """One roll, or a battle to the last army. `attackers` does not count the army that stays behind."""
    attackers = options.number("attackers", range(1, 11), 3)
    defenders = options.number("defenders", range(1, 11), 2)
    whole = options.choice("rolls", ["one", "all"]) == "all"
    g = Game("risk_battle")
    s = g.state
    g.integer("attackers", 0, attackers, attackers)
    g.integer("defenders", 0, defenders, defenders)
    g.integer("rolled", 0, 4)
    g.array("best", 2, 0, 6)  # the attacker's highest die and the next
    g.array("guard", 2, 0, 6)  # the defender's
    roll = g.phase("roll", actor=CHANCE, text="the dice are rolled")
    dice = min_of(s.attackers, 3)
    shields = min_of(s.defenders, 2)

    @g.action(roll, "attack {face}", face=range(1, 7))
    def attack(face: Local) -> None:
        require(s.rolled < dice, "B1", "the attacker has rolled")
        with when(face > s.best[0]):
            s.best[1] = s.best[0]
            s.best[0] = face
        with otherwise(face > s.best[1]):
            s.best[1] = face
        s.rolled += 1

    def end_of_roll() -> None:
        """Compare the highest dice, and the next ones if both have rolled two."""
        second = (s.attackers > 1) & (s.defenders > 1)
        first_lost = keep(pick(s.best[0] > s.guard[0], 1, 0))
        second_lost = keep(pick(second & (s.best[1] > s.guard[1]), 1, 0))
        fell = keep(pick(s.best[0] > s.guard[0], 0, 1) + pick(second & (s.best[1] <= s.guard[1]), 1, 0))
        s.defenders -= first_lost + second_lost
        s.attackers -= fell
        s.rolled = 0
        for die in range(2):
            s.best[die] = 0
            s.guard[die] = 0
        if whole:
            with when(s.defenders == 0):
                win("no defender is left")
            with otherwise(s.attackers == 0):
                lose("no attacker is left")
        else:
            with when(fell == 0):
                win("the defender loses all at stake")
            with otherwise(first_lost + second_lost == 0):
                lose("the attacker loses all at stake")
            with otherwise():
                tie("each loses one")

    @g.action(roll, "defend {face}", face=range(1, 7))
    def defend(face: Local) -> None:
        require(s.rolled >= dice, "B2", "the attacker rolls first")
        with when(face > s.guard[0]):
            s.guard[1] = s.guard[0]
            s.guard[0] = face
        with otherwise():
            s.guard[1] = face
        with when(s.rolled - dice + 1 == shields):
            end_of_roll()
        with otherwise():
            s.rolled += 1

    return g
