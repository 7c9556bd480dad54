"""Draft: take one card of the pack in your hand, pass the rest, and do it again.

Six cards lie in two packs of three. Both players take a card from the pack before them, then the packs change hands.
The second and the third card of a colour are worth more than the first.
"""

from typing import Any

from playproof import Game, Local, Options, goto, pick, require, score, sum_of, when

VALUES = [1, 2, 3, 1, 2, 3]
NAMES = ["red 1", "red 2", "red 3", "blue 1", "blue 2", "blue 3"]
PACK = [0, 1, 0, 1, 0, 1]
BONUS = 2


def build(options: Options) -> Game:
    """Nobody owns a card at first: `owner` is 0, else 1 + the seat."""
    g = Game("draft", players=2)
    s = g.state
    g.array("owner", 6, labels=["nobody", "first", "second"])
    g.integer("turn", 0, 1)
    g.integer("passed", 0, 1, rule="D2")  # 1 while each player holds the other's pack
    g.fact(ends_within=6, names={"owner": NAMES})

    def points(seat: int) -> Any:
        """The cards' values, and a bonus for each pair of one colour."""
        mine = [pick(s.owner[card] == seat + 1, 1, 0) for card in range(6)]
        pairs = [
            mine[a] * mine[b]
            for colour in (0, 3)
            for a, b in ((0, 1), (0, 2), (1, 2))
            for a, b in [(a + colour, b + colour)]
        ]
        return sum_of([card * value for card, value in zip(mine, VALUES, strict=True)]) + BONUS * sum_of(pairs)

    g.returns(points(0), points(1))
    take = g.phase("take", s.turn, text="take a card from your pack")
    pack = g.table("pack", PACK)

    @g.action(take, "take {card}", card=NAMES, rule="D1")
    def taking(card: Local) -> None:
        require(s.owner[card] == 0, "D1", "the card is taken")
        require(pack[card] == (s.turn + s.passed) % 2, "D1", "the card is in the other pack")
        s.owner[card] = s.turn + 1
        with when(s.turn == 1):
            s.passed = 1 - s.passed
        s.turn = 1 - s.turn
        goto(take)
        with when(sum_of(6, lambda c: pick(s.owner[c] == 0, 1, 0)) == 0):
            score("the packs are empty")

    return g
