"""Simultaneous choice: all choose in secret, and all choices count at once.

Rock, scissors, paper; who wins two rounds first wins the game.
"""

from playproof import Game, Options, Together, goto, when, win

HANDS = ["rock", "scissors", "paper"]
GOAL = 2


def build(options: Options) -> Game:
    """The game, for two players. A hand beats the next one of the list."""
    g = Game("simultaneous_choice", players=2)
    s = g.state
    g.array("wins", 2, 0, GOAL)
    start = g.automatic("start", text="a new round")
    show = g.automatic("show", text="all hands are shown")
    hands = Together(g, "hand", HANDS, then=show, rule="H1")

    @g.on(start, rule="H1")
    def starting() -> None:
        hands.begin()

    @g.on(show, rule="H2")
    def showing() -> None:
        ahead = (hands.of(1) - hands.of(0) + 3) % 3
        for seat, lead in ((0, 1), (1, 2)):
            with when(ahead == lead):
                s.wins[seat] += 1
        goto(start)
        for seat in (0, 1):
            with when(s.wins[seat] == GOAL):
                win("two rounds won", winner=seat, rule="H3")

    return g
