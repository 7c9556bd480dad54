"""Mastermind with few pegs and colours: guess a code; each guess is told how many pegs are right, and how many colours.

The state is what the player knows: which codes are possible. Chance gives an answer as often as possible codes give
it, so that the player is alone and nothing is hidden.

Published: the least average number of guesses is 2.333, 2.813 and 3.240 for two pegs of three, four and five colours,
and 2.250 for three pegs of two. Source: Goddard, "Mastermind Revisited", Journal of Combinatorial Mathematics and
Combinatorial Computing 51 (2004), https://people.computing.clemson.edu/~goddard/papers/mastermindRevisited.pdf
"""

from itertools import product

from playproof import CHANCE, Game, Local, Options, Term, goto, pick, require, sum_of, weight, when, win


def told(guess: tuple[int, ...], code: tuple[int, ...]) -> tuple[int, int]:
    """Return how many pegs are right, and how many more colours are."""
    right = sum(g == c for g, c in zip(guess, code, strict=True))
    alike = sum(min(guess.count(colour), code.count(colour)) for colour in set(guess))
    return right, alike - right


def build(options: Options) -> Game:
    """Codes of so many `pegs` and `colours`."""
    pegs, colours = options.number("pegs", range(1, 4), 2), options.number("colours", range(2, 6), 3)
    codes = list(product(range(colours), repeat=pegs))
    answers = sorted({told(g, c) for g in codes for c in codes}, reverse=True)
    n = len(codes)
    g = Game("mastermind")
    s = g.state
    g.array("possible", n, 0, 1, 1)
    g.integer("asked", 0, n - 1)
    ask = g.phase("ask", text="guess")
    answer = g.phase("answer", actor=CHANCE, text="the guess is answered")
    table = g.table("told", [[answers.index(told(a, b)) for b in codes] for a in codes])

    def fitting(guess: Local, tells: int | Local) -> Term:
        """Return how many possible codes answer a guess so."""
        return sum_of(n, lambda c: pick(table[guess, c] == tells, s.possible[c], 0))

    @g.action(ask, "guess {code}", code=["".join("ABCDE"[p] for p in code) for code in codes])
    def guess(code: Local) -> None:
        useless = sum_of(len(answers), lambda a: pick(fitting(code, a) > 0, 1, 0)) == 1
        require(~useless | (fitting(code, 0) == 1), "M1", "the answer is known before")
        s.asked = code
        goto(answer)

    @g.action(answer, "{tells}", tells=[f"{right} right, {near} near" for right, near in answers])
    def tell(tells: Local) -> None:
        weight(fitting(s.asked, tells))
        for code in range(n):
            with when(table[s.asked, code] != tells):
                s.possible[code] = 0
        with when(tells == 0):
            win("the code is found")
        s.asked = 0
        goto(ask)

    return g
