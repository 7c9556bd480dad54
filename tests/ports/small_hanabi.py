"""A small Hanabi: two players, two colours, two ranks, two cards in each hand, which only the other player sees."""

from __future__ import annotations

from playproof import (
    CHANCE,
    Game,
    Local,
    Options,
    Sees,
    any_of,
    goto,
    keep,
    otherwise,
    pick,
    require,
    score,
    weight,
    when,
)

HINTS, COPIES = 2, (3, 1)
THEIRS = "hanabi(players=2,colors=2,ranks=2,hand_size=2,max_information_tokens=2,max_life_tokens=1)"
CARDS = ["R1", "R2", "Y1", "Y2"]


def build(options: Options) -> Game:
    """`hand` holds 0 for no card, else a card and 1. `colour` and `rank` are what was told of it: 0 nothing."""
    g = Game("hanabi_port", players=2)
    s = g.state
    g.array("deck", 4, 0, 3, [COPIES[card % 2] for card in range(4)], sees=Sees.NOBODY)
    g.integer("left", 0, 8, 8)
    g.array("hand", (2, 2), 0, 4, sees=Sees.OTHERS)
    g.array("colour", (2, 2), 0, 2)
    g.array("rank", (2, 2), 0, 2)
    g.array("pile", 2, 0, 2)
    g.array("discards", 4, 0, 3)
    g.integer("hints", 0, HINTS, HINTS)
    g.integer("lives", 0, 1, 1)
    g.integer("dealt", 0, 4)
    g.integer("turns", 0, 1, 1)
    g.integer("turn", 0, 1)
    made = pick(s.lives == 0, 0, s.pile[0] + s.pile[1])
    g.returns(made, made)
    deal, play = g.phase("deal", CHANCE), g.phase("play", s.turn)
    draw = g.phase("draw", CHANCE)

    def take(card, seat, slot) -> None:  # type: ignore[no-untyped-def]  # terms
        s.deck[card] -= 1
        s.left -= 1
        s.hand[seat, slot] = card + 1

    @g.action(deal, "(Deal {card})", card=CARDS)
    def dealing(card: Local) -> None:
        require(s.deck[card] > 0, "H1", "none is left")
        weight(s.deck[card])
        take(card, s.dealt // 2, s.dealt % 2)
        with when(s.dealt == 3):
            goto(play)
        s.dealt += 1

    @g.action(draw, "(Deal {card})", card=CARDS)
    def drawing(card: Local) -> None:
        require(s.deck[card] > 0, "H1", "none is left")
        weight(s.deck[card])
        take(card, 1 - s.turn, 1)
        goto(play)

    def end_turn(gone: bool, slot=0) -> None:  # type: ignore[no-untyped-def]  # a term
        """Close the gap in the hand; draw, or count the last turns."""
        if gone:
            with when(slot == 0):
                for array in (s.hand, s.colour, s.rank):
                    array[s.turn, 0] = array[s.turn, 1]
            for array in (s.hand, s.colour, s.rank):
                array[s.turn, 1] = 0
        with when((s.lives == 0) | (s.pile[0] + s.pile[1] == 4)):
            score("it is over")
        with otherwise(s.left > 0):
            s.turn = 1 - s.turn
            if gone:
                goto(draw)
        with otherwise(s.turns == 0):
            score("the deck is empty")
        with otherwise():
            s.turns -= 1
            s.turn = 1 - s.turn

    @g.action(play, "(Discard {slot})", slot=2, public="slot", reveals="hand")
    def discard(slot: Local) -> None:
        require(s.hints < HINTS, "H2", "no hint is spent")
        require(s.hand[s.turn, slot] > 0, "H3", "no card is there")
        s.discards[s.hand[s.turn, slot] - 1] += 1
        s.hints += 1
        end_turn(True, slot)

    @g.action(play, "(Play {slot})", slot=2, public="slot", reveals="hand")
    def lay(slot: Local) -> None:
        require(s.hand[s.turn, slot] > 0, "H3", "no card is there")
        card = keep(s.hand[s.turn, slot] - 1)
        with when(s.pile[card // 2] == card % 2):
            s.pile[card // 2] += 1
            with when((card % 2 == 1) & (s.hints < HINTS)):
                s.hints += 1
        with otherwise():
            s.discards[card] += 1
            s.lives -= 1
        end_turn(True, slot)

    @g.action(play, "(Reveal player +1 color {colour})", colour=["R", "Y"], public="colour", reveals="hand")
    def tell_colour(colour: Local) -> None:
        other = 1 - s.turn
        require(s.hints > 0, "H4", "no hint is left")
        require(any_of(2, lambda i: (s.hand[other, i] + 1) // 2 == colour + 1), "H5", "no such card")
        s.hints -= 1
        for slot in range(2):
            with when((s.hand[other, slot] + 1) // 2 == colour + 1):
                s.colour[other, slot] = colour + 1
        end_turn(False)

    @g.action(play, "(Reveal player +1 rank {rank})", rank=["1", "2"], public="rank", reveals="hand")
    def tell_rank(rank: Local) -> None:
        other = 1 - s.turn
        require(s.hints > 0, "H4", "no hint is left")
        require(
            any_of(2, lambda i: (s.hand[other, i] > 0) & ((s.hand[other, i] + 1) % 2 == rank)), "H5", "no such card"
        )
        s.hints -= 1
        for slot in range(2):
            with when((s.hand[other, slot] > 0) & ((s.hand[other, slot] + 1) % 2 == rank)):
                s.rank[other, slot] = rank + 1
        end_turn(False)

    return g


def words(theirs: str) -> str:
    return theirs
