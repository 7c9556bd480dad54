"""Black hole, small: thirteen ranks in a ring, the ace in the hole, four fans of three whose top cards are open.

A top card goes into the hole if it is one higher or one lower (the ring closes) than what lies on top there.
"""

from playproof import CHANCE, Bag, Game, Local, Options, all_of, any_of, goto, lose, otherwise, require, when, win

RANKS, FANS, EACH = 13, 4, 3


def build(options: Options) -> Game:
    """Won when every card lies in the hole; lost when none can go."""
    g = Game("black_hole")
    s = g.state
    g.integer("hole", 0, RANKS - 1)
    g.array("top", FANS, 0, RANKS)
    g.array("left", FANS, 0, EACH, EACH)
    show = g.phase("show", CHANCE, text="the top of a fan is seen")
    play = g.phase("play", text="play a card")
    look = g.automatic("look")
    fans = Bag(g, "loose", RANKS, 1, [0] + [1] * (RANKS - 1))

    def fits(fan: int):  # type: ignore[no-untyped-def]
        return (s.top[fan] > 0) & (
            (s.top[fan] - 1 == (s.hole + 1) % RANKS) | (s.top[fan] - 1 == (s.hole + RANKS - 1) % RANKS)
        )

    def seen(card: Local) -> None:
        with when((s.top[0] == 0) & (s.left[0] > 0)):
            s.top[0] = card + 1
        with otherwise((s.top[1] == 0) & (s.left[1] > 0)):
            s.top[1] = card + 1
        with otherwise((s.top[2] == 0) & (s.left[2] > 0)):
            s.top[2] = card + 1
        with otherwise():
            s.top[3] = card + 1
        with when(all_of(FANS, lambda f: (s.top[f] > 0) | (s.left[f] == 0))):
            goto(look)

    fans.draw(g, show, "{card} is seen", seen)

    @g.on(look)
    def looking() -> None:
        goto(play)
        with when(all_of(FANS, lambda f: s.left[f] == 0)):
            win("all cards are in the hole")
        with otherwise(~any_of(FANS, fits)):
            lose("no card fits")

    @g.action(play, "play fan {fan}", fan=FANS)
    def put(fan: Local) -> None:
        require(fits(fan), "B1", "the card does not fit")
        s.hole = s.top[fan] - 1
        s.top[fan] = 0
        s.left[fan] -= 1
        goto(look)
        with when(s.left[fan] > 0):
            goto(show)

    return g
