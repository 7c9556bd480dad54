"""Golf patience, small: three columns of three face-up cards of ranks 1 to 6, a stock of six, one card played.

Move the lowest card of a column onto the open card if their ranks are neighbours, else turn the next of the stock.
"""

from playproof import CHANCE, Bag, Game, Local, Options, all_of, goto, lose, otherwise, require, when, win

RANKS, SUITS, COLUMNS, DEEP = 6, 3, 3, 3


def build(options: Options) -> Game:
    """Won if the columns are empty, lost if the stock is empty and no move is left."""
    g = Game("golf")
    s = g.state
    g.array("left", COLUMNS, 0, DEEP, DEEP)
    g.array("top", COLUMNS, 0, RANKS)
    g.integer("open", 0, RANKS)
    g.integer("stock", 0, 6, 6)
    show = g.phase("show", CHANCE, text="a covered card is turned")
    play = g.phase("play", text="play or turn")
    pack = Bag(g, "unseen", RANKS, SUITS, SUITS)

    def turned(card: Local) -> None:
        with when(s.top[0] == 0):
            s.top[0] = card + 1
        with otherwise(s.top[1] == 0):
            s.top[1] = card + 1
        with otherwise(s.top[2] == 0):
            s.top[2] = card + 1
        with otherwise():
            s.open = card + 1
            s.stock -= 1
        with when((s.open != 0) & all_of(COLUMNS, lambda c: s.top[c] != 0)):
            goto(play)

    pack.draw(g, show, "{card} is turned", turned)

    @g.action(play, "play column {column}", column=COLUMNS)
    def put(column: Local) -> None:
        require((s.left[column] > 0), "G1", "the column is empty")
        require((s.top[column] == s.open + 1) | (s.top[column] == s.open - 1), "G2", "not a neighbour")
        s.open = s.top[column]
        s.left[column] -= 1
        with when(all_of(COLUMNS, lambda c: s.left[c] == 0)):
            win("the columns are empty")
        with otherwise(s.left[column] > 0):
            s.top[column] = 0  # a column that is used up keeps its last card, so that no other falls into it
            goto(show)

    @g.action(play, "turn the stock")
    def turn() -> None:
        with when(s.stock == 0):
            lose("the stock is empty")
        with otherwise():
            goto(show)

    return g
