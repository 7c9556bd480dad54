"""Everyone but you sees: each player's cards face the others, as in a game of hints.

Three players hold a card each, which only the others see. Cards are played in the order 1, 2, 3; a hint tells a player
the number of one card. Two wrong cards lose the game.
"""

from playproof import CHANCE, EVERYBODY, Game, Local, Options, Sees, goto, lose, otherwise, require, when, win

SEATS, NUMBERS, HINTS, WRONG = 3, 3, 2, 2


def build(options: Options) -> Game:
    """`hand` holds 0 for no card; `heard` is what a hint has told, which all hear."""
    g = Game("everyone_but_you", players=SEATS)
    s = g.state
    g.array("deck", NUMBERS, start=1, sees=Sees.NOBODY)
    g.array("hand", SEATS, 0, NUMBERS, sees=Sees.OTHERS)
    g.array("heard", SEATS, 0, NUMBERS)
    g.integer("pile", 0, NUMBERS)
    g.integer("hints", 0, HINTS, HINTS)
    g.integer("wrong", 0, WRONG - 1)
    g.integer("turn", 0, SEATS - 1)
    deal = g.phase("deal", CHANCE, text="the cards are dealt")
    play = g.phase("play", s.turn, text="play your card or give a hint")

    @g.action(deal, "a {number}", number=["1", "2", "3"], rule="O1")
    def dealing(number: Local) -> None:
        require(s.deck[number] > 0, "O1", "it is dealt")
        s.deck[number] = 0
        s.hand[s.turn] = number + 1
        with when(s.turn == SEATS - 1):
            goto(play)
        s.turn = (s.turn + 1) % SEATS

    @g.action(play, "play your card", rule="O2")
    def playing() -> None:
        require(s.hand[s.turn] > 0, "O2", "it is played")
        with when(s.hand[s.turn] == s.pile + 1):
            s.pile += 1
            with when(s.pile == NUMBERS):
                win("all three lie in order", winner=EVERYBODY)
            s.hand[s.turn] = 0
        with otherwise(s.wrong == WRONG - 1):
            lose("two wrong cards", rule="O4")
        with otherwise():
            s.wrong += 1  # the card stays in hand
        s.turn = (s.turn + 1) % SEATS

    @g.action(play, "tell player {seat}", seat=["1", "2", "3"], public="seat", reveals="hand", rule="O3")
    def telling(seat: Local) -> None:
        require((seat != s.turn) & (s.hand[seat] > 0), "O3", "tell another player who holds a card")
        require((s.hints > 0) & (s.heard[seat] == 0), "O3", "no hint is left, or it is known")
        s.heard[seat] = s.hand[seat]
        s.hints -= 1
        s.turn = (s.turn + 1) % SEATS

    @g.action(play, "wait", rule="O5")
    def waiting() -> None:
        require(s.hand[s.turn] == 0, "O5", "play your card or give a hint")
        s.turn = (s.turn + 1) % SEATS

    return g
