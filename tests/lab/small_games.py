"""Two small games solved by a few lines of exact fractions, without Playproof: what random players do in them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations

HALF = Fraction(1, 2)
JACK, QUEEN, KING = 1, 2, 3
Deal = tuple[int, int]
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


# -- Kuhn poker -----------------------------------------------------------------------------------------------------


def kuhn_first_wins(deal: Deal, line: str = "") -> Fraction:
    """The chance that the first player wins with these cards, after a line of bets and passes."""
    if line in ("pp", "bb", "pbb"):
        return Fraction(deal[0] > deal[1])
    if line in ("bp", "pbp"):
        return Fraction(line == "bp")
    return HALF * (kuhn_first_wins(deal, line + "b") + kuhn_first_wins(deal, line + "p"))


def kuhn_seat_wins(deal: Deal, seat: int) -> Fraction:
    first = kuhn_first_wins(deal)
    return first if seat == 0 else 1 - first


def kuhn_held(card: int, seat: int) -> Fraction:
    """A seat's chance with this card in hand; the other's card is each of the two others alike."""
    deals = [deal for deal in permutations((JACK, QUEEN, KING), 2) if deal[seat] == card]
    return sum((kuhn_seat_wins(deal, seat) for deal in deals), Fraction(0)) / len(deals)


def kuhn_withheld(card: int, seat: int) -> Fraction:
    """A seat's chance if the dealer draws card by card, and draws again where the seat would get this card."""
    total = Fraction(0)
    for first in (c for c in (JACK, QUEEN, KING) if seat != 0 or c != card):
        firsts = 2 if seat == 0 else 3
        seconds = [c for c in (JACK, QUEEN, KING) if c != first and (seat != 1 or c != card)]
        for second in seconds:
            total += kuhn_seat_wins((first, second), seat) / (firsts * len(seconds))
    return total


def kuhn_worth(card: int) -> Fraction:
    """What a card is worth to a seat, over both seats alike."""
    return sum((kuhn_held(card, seat) - kuhn_withheld(card, seat) for seat in (0, 1)), Fraction(0)) / 2


def kuhn_association(card: int) -> Fraction:
    """How much oftener a seat wins that holds this card than one that does not: no cause, only a fact."""
    deals = list(permutations((JACK, QUEEN, KING), 2))
    seats = [(kuhn_seat_wins(deal, seat), deal[seat] == card) for deal in deals for seat in (0, 1)]
    means = [[wins for wins, has in seats if has == wanted] for wanted in (True, False)]
    return sum(means[0], Fraction(0)) / len(means[0]) - sum(means[1], Fraction(0)) / len(means[1])


def kuhn_leverage() -> tuple[Fraction, Fraction]:
    """The parts of the variance of who wins that the choices and the deal decide. Both cards are one step of chance
    after the other."""

    def steps(values: list[Fraction]) -> tuple[Fraction, Fraction]:
        mean = sum(values, Fraction(0)) / len(values)
        return mean, sum(((v - mean) ** 2 for v in values), Fraction(0)) / len(values)

    def choices(deal: Deal, line: str) -> Fraction:
        if line in ("pp", "bb", "pbb", "bp", "pbp"):
            return Fraction(0)
        _, here = steps([kuhn_first_wins(deal, line + step) for step in "bp"])
        return here + HALF * (choices(deal, line + "b") + choices(deal, line + "p"))

    cards = (JACK, QUEEN, KING)
    seconds = {a: [kuhn_first_wins((a, b)) for b in cards if b != a] for a in cards}
    luck = steps([steps(values)[0] for values in seconds.values()])[1]
    luck += sum((steps(values)[1] for values in seconds.values()), Fraction(0)) / 3
    deals = list(permutations(cards, 2))
    return sum((choices(deal, "") for deal in deals), Fraction(0)) / len(deals), luck


# -- tic-tac-toe ----------------------------------------------------------------------------------------------------


@cache
def tic_tac_toe(board: str = "." * 9) -> tuple[Fraction, Fraction, Fraction]:
    """The chance that the first player wins, the chance of a tie, and the mean number of moves from here."""
    if any(len({board[i] for i in line}) == 1 and board[line[0]] != "." for line in _LINES):
        return Fraction(board.count("x") > board.count("o")), Fraction(0), Fraction(0)
    if "." not in board:
        return Fraction(0), Fraction(1), Fraction(0)
    after = [tic_tac_toe(following) for following in _moves(board)]
    wins, ties, moves = (sum(column, Fraction(0)) / len(after) for column in zip(*after, strict=True))
    return wins, ties, 1 + moves


def _moves(board: str) -> Iterator[str]:
    mark = "xo"[9 - board.count(".") & 1]
    for place, there in enumerate(board):
        if there == ".":
            yield board[:place] + mark + board[place + 1 :]
