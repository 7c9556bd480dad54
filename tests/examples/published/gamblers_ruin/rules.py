"""The gambler's ruin: win or lose one coin a game until all are won or lost; play may go on for ever.

Published: with odds r = q / p the gambler with a of b coins wins with (1 - r**a) / (1 - r**b), and a / b if fair.
Source: Feller, "An Introduction to Probability Theory and Its Applications" 1 (1950), chapter XIV;
https://mathworld.wolfram.com/GamblersRuin.html
"""

from playproof import CHANCE, Game, Local, Options, lose, otherwise, weight, when, win


def build(options: Options) -> Game:
    """The gambler has `coins` of `all` and wins a game with `odds`, e.g. 9-10."""
    coins, everything = options.number("coins", range(1, 100), 3), options.number("all", range(2, 101), 10)
    for_me, against = options.numbers("odds", range(1, 1_000), (1, 1), count=2)
    g = Game("gamblers_ruin")
    s = g.state
    g.integer("coins", 0, everything, coins)
    play = g.phase("play", actor=CHANCE, text="a game is played")

    @g.action(play, "the gambler {does}", does=["loses", "wins"])
    def over(does: Local) -> None:
        weight(against + (for_me - against) * does)
        s.coins += 2 * does - 1
        with when(s.coins == everything):
            win("all coins are won")
        with otherwise(s.coins == 0):
            lose("all coins are lost")

    return g
