"""Everyone but you sees: each player's cards face the others, as in a game of hints.

Three players hold two cards each, which only the others see. Cards are played in the order 1, 2, 3; a hint tells a
player the number of one card. Two wrong cards lose the game.
"""

from playproof import (
    CHANCE,
    EVERYBODY,
    Game,
    Local,
    Options,
    Sees,
    goto,
    lose,
    otherwise,
    require,
    weight,
    when,
    win,
)

SEATS, HELD, NUMBERS, HINTS, WRONG = 3, 2, 3, 3, 2


def build(options: Options) -> Game:
    """`hand` holds 0 for no card; `heard` is what a hint has told, which all hear."""
    g = Game("everyone_but_you", players=SEATS)
    s = g.state
    g.array("deck", NUMBERS, 0, 2, 2, sees=Sees.NOBODY)
    g.array("hand", (SEATS, HELD), 0, NUMBERS, sees=Sees.OTHERS)
    g.array("heard", (SEATS, HELD), 0, NUMBERS)
    g.integer("pile", 0, NUMBERS)
    g.integer("hints", 0, HINTS, HINTS)
    g.integer("wrong", 0, WRONG - 1)
    g.integer("turn", 0, SEATS - 1)
    g.integer("dealt", 0, SEATS * HELD)
    g.fact(steps_within=24, ends_within=18, hidden=["dealt"])
    deal = g.phase("deal", CHANCE, text="the cards are dealt")
    play = g.phase("play", s.turn, text="play a card or give a hint")

    @g.action(deal, "a {number}", number=["1", "2", "3"], rule="O1")
    def dealing(number: Local) -> None:
        require(s.deck[number] > 0, "O1", "all of them are dealt")
        weight(s.deck[number])
        s.deck[number] -= 1
        s.hand[s.dealt // HELD, s.dealt % HELD] = number + 1
        s.dealt += 1
        with when(s.dealt == SEATS * HELD):
            goto(play)

    @g.action(play, "play card {place}", place=["one", "two"], public="place", rule="O2")
    def playing(place: Local) -> None:
        require(s.hand[s.turn, place] > 0, "O2", "it is played")
        with when(s.hand[s.turn, place] == s.pile + 1):
            s.pile += 1
            with when(s.pile == NUMBERS):
                win("all three lie in order", winner=EVERYBODY)
        with otherwise(s.wrong == WRONG - 1):
            lose("two wrong cards", rule="O4")
        with otherwise():
            s.wrong += 1
        s.hand[s.turn, place] = 0
        s.turn = (s.turn + 1) % SEATS

    @g.action(
        play,
        "tell {seat} of card {place}",
        seat=SEATS,
        place=["one", "two"],
        public=("seat", "place"),
        reveals="hand",
        rule="O3",
    )
    def telling(seat: Local, place: Local) -> None:
        require((seat != s.turn) & (s.hand[seat, place] > 0), "O3", "tell another player of a card")
        require((s.hints > 0) & (s.heard[seat, place] == 0), "O3", "no hint is left, or it is known")
        s.heard[seat, place] = s.hand[seat, place]
        s.hints -= 1
        s.turn = (s.turn + 1) % SEATS

    @g.action(play, "say nothing", rule="O5")
    def silent() -> None:
        require((s.hand[s.turn, 0] == 0) & (s.hand[s.turn, 1] == 0), "O5", "play a card or give a hint")
        s.turn = (s.turn + 1) % SEATS

    return g
