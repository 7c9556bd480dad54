"""Trick-taking: who leads chooses the suit, the others must follow, the highest card of that suit takes the trick.

Two players, six cards in two suits, three tricks. Hands are hidden.
"""

from playproof import CHANCE, Game, Local, Options, Sees, any_of, goto, keep, pick, require, score, when

CARDS = [f"{rank} of {suit}" for suit in ("cups", "swords") for rank in ("six", "queen", "king")]
RANKS, TRICKS = 3, 3


def build(options: Options) -> Game:
    """`trick` holds 0 or 1 + the card that a seat has played."""
    g = Game("trick_taking", players=2)
    s = g.state
    g.array("deck", len(CARDS), start=1, sees=Sees.NOBODY)
    g.array("hand", (2, len(CARDS)), sees=Sees.OWNER)
    g.array("trick", 2, labels=["nothing", *CARDS])
    g.array("tricks", 2, 0, TRICKS)
    g.integer("turn", 0, 1)
    g.integer("dealt", 0, len(CARDS))
    g.returns(s.tricks[0], s.tricks[1])
    g.fact(ends_within=len(CARDS), names={"hand": [None, CARDS], "deck": CARDS}, hidden=["dealt"])
    deal = g.phase("deal", CHANCE, text="the cards are dealt")
    play = g.phase("play", s.turn, text="play a card")
    take = g.automatic("take", text="the trick is taken")

    @g.action(deal, "deal {card}", card=CARDS, rule="T1")
    def dealing(card: Local) -> None:
        require(s.deck[card] == 1, "T1", "the card is dealt")
        s.deck[card] = 0
        s.hand[s.turn, card] = 1
        s.turn = 1 - s.turn
        s.dealt += 1
        with when(s.dealt == len(CARDS)):
            goto(play)

    @g.action(play, "play {card}", card=CARDS, public="card", rule="T2")
    def playing(card: Local) -> None:
        led = keep(s.trick[1 - s.turn])
        follows = (led == 0) | (card // RANKS == (led - 1) // RANKS)
        able = any_of(len(CARDS), lambda c: (s.hand[s.turn, c] == 1) & (c // RANKS == (led - 1) // RANKS))
        require(s.hand[s.turn, card] == 1, "T2", "that card is not in your hand")
        require(follows | ~able, "T3", "follow the suit that was led")
        s.hand[s.turn, card] = 0
        s.trick[s.turn] = card + 1
        s.turn = 1 - s.turn
        with when(led > 0):
            goto(take)

    @g.on(take, rule="T4")
    def taking() -> None:
        leader, other = s.trick[s.turn], s.trick[1 - s.turn]
        is_higher = ((other - 1) // RANKS == (leader - 1) // RANKS) & (other > leader)
        s.turn = pick(is_higher, 1 - s.turn, s.turn)
        s.tricks[s.turn] += 1
        for seat in range(2):
            s.trick[seat] = 0
        goto(play)
        with when(s.tricks[0] + s.tricks[1] == TRICKS):
            score("all tricks are taken")

    return g
