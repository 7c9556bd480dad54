"""A small solo game for the verifier's tests: each card works once a day for gold, gold buys points.

The first three cards are alike. By a long night the cards are woken one at a time and in order, so it has as many
automatic steps as cards worked; by a short one they are woken at once. Known by hand: five gold a day, three gold
a point, so a goal of g points takes 3 g / 5 days, rounded up.
"""

from playproof.language import Game, Local, all_of, goto, lose, min_of, otherwise, pick, require, when, win
from playproof.language.options import Options

GAIN = [1, 1, 1, 2]


def build(options: Options) -> Game:
    """`goal` is the points wanted, `days` the days there are."""
    goal, days = options.number("goal", range(1, 8), 2), options.number("days", range(1, 5), 2)
    long = options.choice("night", ["long", "short"]) == "long"
    g = Game("market")
    s = g.state
    g.integer("day", 1, days + 1)
    g.integer("gold", 0, 6 * days)
    g.integer("points", 0, goal)
    g.array("worked", len(GAIN))
    gain = g.table("gain", GAIN)
    by_day = g.phase("by day")
    night = g.automatic("night")
    g.quantity("round", s.day)
    g.fact(round="round", identical=[[f"worked[{c}]" for c in range(3)], ["worked[2]", "worked[3]"]])

    @g.action(by_day, "card {card} works", card=len(GAIN))
    def work(card: Local) -> None:
        require(s.worked[card] == 0, "M1", "it worked today")
        s.worked[card] = 1
        s.gold += gain[card]

    @g.action(by_day, "buy a point")
    def buy() -> None:
        require(s.gold >= 3, "M2", "a point costs 3 gold, you have {}", s.gold)
        s.gold -= 3
        s.points += 1
        with when(s.points == goal):
            win("enough points")

    @g.action(by_day, "sleep")
    def sleep() -> None:
        goto(night)

    @g.on(night)
    def wake() -> None:
        if not long:
            for card in range(len(GAIN)):
                s.worked[card] = 0
        with when(all_of(len(GAIN), lambda c: s.worked[c] == 0)):
            with when(s.day == days):
                lose("the market closes")
            with otherwise():
                s.day += 1
                goto(by_day)
        with otherwise():
            s.worked[min_of(len(GAIN), lambda c: pick(s.worked[c] == 1, c, len(GAIN) - 1))] = 0

    return g
