"""Masked guests: a game of deduction with 16 cards. Each of two players holds a guest, draws a
second, plays one.

Known: the first player holds one card and draws another, so 14 are unseen; a guess of the other's
card is then right with probability (copies unseen) / 14, and after a look it is certain.
tests/examples counts what is possible.
"""

from playproof.language import (
    CHANCE,
    Game,
    Local,
    Sees,
    Term,
    Value,
    goto,
    otherwise,
    require,
    sum_of,
    tie,
    weight,
    when,
    win,
)
from playproof.language.options import Options

GUESTS = ["guard", "spy", "duke", "duchess", "queen"]
COPIES = [6, 4, 3, 2, 1]
GUARD, SPY, DUKE = 0, 1, 2


def build(options: Options) -> Game:
    """A guard names the other's guest, a spy looks at it, a duke fights it; at the end the higher
    guest wins."""
    g = Game("masked_guests", players=2)
    s = g.state
    n = len(GUESTS)
    g.array("deck", n, 0, max(COPIES), COPIES, sees=Sees.NOBODY)
    g.array("hand", (2, n), 0, 2, sees=Sees.OWNER)
    g.array("seen", 2, labels=["nobody", *GUESTS], sees=Sees.OWNER)
    g.array("laid", n, 0, max(COPIES))
    g.integer("turn", 0, 1)
    g.integer("dealt", 0, 3)
    g.fact(
        title="Masked guests",
        ends_within=14,
        steps_within=30,
        hidden=["dealt"],
        names={name: [None, GUESTS] if name == "hand" else GUESTS for name in ("hand", "deck", "laid")},
    )
    deal = g.phase("deal", CHANCE, text="a card is drawn")
    play = g.phase("play", s.turn, text="play one of two guests")

    def holds(seat: Value, guest: Value) -> Term:
        held: Term = s.hand[seat, guest] > 0
        return held

    @g.action(deal, "draw {guest}", guest=GUESTS, rule="M1")
    def drawing(guest: Local) -> None:
        require(s.deck[guest] > 0, "M1", "no such guest is in the deck")
        weight(s.deck[guest])
        s.deck[guest] -= 1
        s.hand[s.turn, guest] += 1
        with when(s.dealt == 2):  # one card each, then the first player's second
            goto(play)
        with otherwise():
            s.dealt += 1
            s.turn = 1 - s.turn

    def lay(guest: Value) -> None:
        s.hand[s.turn, guest] -= 1
        s.laid[guest] += 1
        s.seen[s.turn] = 0  # what was seen is remembered by the player, not by the table

    def guest_of(seat: Value) -> Term:
        """The one guest that a player holds after laying the other."""
        return sum_of(n, lambda k: s.hand[seat, k] * k)

    def higher_wins(reason: str) -> None:
        with when(guest_of(s.turn) > guest_of(1 - s.turn)):
            win(reason, winner=s.turn)
        with otherwise(guest_of(s.turn) < guest_of(1 - s.turn)):
            win(reason, winner=1 - s.turn)

    def next_turn() -> None:
        with when(sum_of(n, lambda k: s.deck[k]) == 0):
            higher_wins("the higher guest")
            with otherwise():
                tie("equal guests")
        with otherwise():
            s.turn = 1 - s.turn
            goto(deal)

    @g.action(play, "the guard names the {guest}", guest=GUESTS[1:], public="guest", rule="M2")
    def guard(guest: Local) -> None:
        require(holds(s.turn, GUARD), "M2", "you hold no guard")
        lay(GUARD)
        with when(holds(1 - s.turn, guest + 1)):
            win("named", winner=s.turn)
        with otherwise():
            next_turn()

    @g.action(play, "the spy looks", rule="M3")
    def spy() -> None:
        require(holds(s.turn, SPY), "M3", "you hold no spy")
        lay(SPY)
        s.seen[s.turn] = guest_of(1 - s.turn) + 1
        next_turn()

    @g.action(play, "the duke fights", rule="M4")
    def duke() -> None:
        require(holds(s.turn, DUKE), "M4", "you hold no duke")
        lay(DUKE)
        higher_wins("the fight")
        with otherwise():
            next_turn()

    @g.action(play, "the {guest} leaves", guest=GUESTS[3:], public="guest", rule="M5")
    def leaves(guest: Local) -> None:
        require(holds(s.turn, guest + 3), "M5", "you hold no such guest")
        lay(guest + 3)
        next_turn()

    return g
