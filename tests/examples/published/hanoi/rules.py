"""The tower of Hanoi: move a tower from peg to peg, one disc at a time, none onto a smaller one.

Published: 2**n - 1 moves with three pegs; 9 and 13 moves for four and five discs with four pegs (Frame and Stewart
1941; Bousch 2014 proved that fewer are not enough). Source: Bousch, "La quatrieme tour de Hanoi", Bulletin of the
Belgian Mathematical Society 21 (2014), https://doi.org/10.36045/bbms/1420071861
"""

from playproof import Game, Local, Options, all_of, require, when, win


def build(options: Options) -> Game:
    """So many `discs` (0 is the smallest) and `pegs`."""
    discs, pegs = options.number("discs", range(1, 6), 4), options.number("pegs", range(3, 5), 3)
    g = Game("hanoi")
    s = g.state
    g.array("peg", discs, 0, pegs - 1)
    play = g.phase("play", text="move a disc")

    @g.action(play, "disc {disc} to peg {to}", disc=discs, to=pegs)
    def move(disc: Local, to: Local) -> None:
        for other in range(discs):  # no smaller disc may lie on it, or where it goes
            bare = (s.peg[other] != s.peg[disc]) & (s.peg[other] != to)
            require((disc <= other) | bare, "T1", "a smaller disc is in the way")
        require(s.peg[disc] != to, "T2", "the disc is there")
        s.peg[disc] = to
        with when(all_of(s.peg[d] == pegs - 1 for d in range(discs))):
            win("the tower is moved")

    return g
