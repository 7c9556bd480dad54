"""Take a sure coin or throw a die, three times; the sum is the score. Best play is worth 10.5: always throw."""

from playproof.language import CHANCE, Game, Local, goto, otherwise, score, weight, when
from playproof.language.options import Options


def build(options: Options) -> Game:
    """One player, an evaluation, a round, and chance."""
    g = Game("dice")
    s = g.state
    g.integer("coins", 0, 18)
    g.integer("turn", 1, 3)
    g.quantity("turn", s.turn)
    g.quantity("coins", s.coins)
    g.fact(round="turn", evaluate=s.coins, ends_within=6)
    g.returns(s.coins)
    choose = g.phase("choose", 0)
    roll = g.phase("roll", CHANCE)

    def go_on() -> None:
        with when(s.turn == 3):
            score("three turns are over")
        with otherwise():
            s.turn += 1
            goto(choose)

    @g.action(choose, "take a coin", rule="D1")
    def take() -> None:
        s.coins += 1
        go_on()

    @g.action(choose, "throw", rule="D2")
    def throw() -> None:
        goto(roll)

    @g.action(roll, "the die shows {pips}", pips=range(1, 7), rule="D3")
    def show(pips: Local) -> None:
        weight(1)
        s.coins = s.coins + pips
        go_on()

    return g
