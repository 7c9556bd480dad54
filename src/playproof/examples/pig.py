"""Pig: roll a die as often as you dare; a 1 loses the turn's points; first to 100 wins.

Known: the first player wins 53.06 % under best play (Neller and Presser, "Optimal Play of the Dice Game Pig", The UMAP
Journal 25, 2004).
"""

from playproof import CHANCE, Game, Local, Options, goto, otherwise, when, win


def build(options: Options) -> Game:
    """The game, for two players; `goal` is 100 in the published rules."""
    goal = options.number("goal", range(2, 101), 100)
    g = Game("pig", players=2)
    s = g.state
    g.array("score", 2, 0, goal - 1)
    g.integer("turn", 0, 1)
    g.integer("pot", 0, goal)
    decide = g.phase("decide", actor=s.turn, text="roll or hold")
    roll = g.phase("roll", actor=CHANCE, text="the die is rolled")

    @g.action(decide, "roll")
    def throw() -> None:
        goto(roll)

    @g.action(decide, "hold")
    def hold() -> None:
        with when(s.score[s.turn] + s.pot >= goal):
            win("reached the goal", winner=s.turn)
        with otherwise():
            s.score[s.turn] = s.score[s.turn] + s.pot
            s.pot = 0
            s.turn = 1 - s.turn

    @g.action(roll, "the die shows {face}", face=range(1, 7))
    def fall(face: Local) -> None:
        with when(face == 1):
            s.pot = 0
            s.turn = 1 - s.turn
        with otherwise():
            with when(s.score[s.turn] + s.pot + face >= goal):
                s.pot = goal - s.score[s.turn]
            with otherwise():
                s.pot += face
        goto(decide)

    return g
