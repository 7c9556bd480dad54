"""Two numbers grow as far as a million; what is left of their squares when they are divided by a small number?

Published: the quadratic residues. By 3 a square leaves 0 or 1, by 5 also 4, by 8 it leaves 0, 1 or 4. A sum of two
squares never leaves 3 by 4. Source: "Quadratic Residue", https://mathworld.wolfram.com/QuadraticResidue.html
"""

from playproof import Game, Local, Options, lose, require

MOST = 1_000_000


def build(options: Options) -> Game:
    """The numbers `a` and `b`; `by` is what is divided by."""
    by = options.number("by", range(2, 17), 3)
    g = Game("squares")
    s = g.state
    g.integer("a", 0, MOST, 1)
    g.integer("b", 0, MOST, 2)
    g.quantity("left", s.a * s.a % by)
    g.quantity("left_of_sum", (s.a * s.a + s.b * s.b) % by)
    play = g.phase("play")

    @g.action(play, "a grows by {k}", k=range(1, 4))
    def grow_a(k: Local) -> None:
        require(s.a + k <= MOST, "N1", "the number would be too large")
        s.a += k

    @g.action(play, "b grows by {k}", k=range(1, 4))
    def grow_b(k: Local) -> None:
        require(s.b + k <= MOST, "N1", "the number would be too large")
        s.b += k

    @g.action(play, "stop")
    def stop() -> None:
        lose("enough")

    return g
