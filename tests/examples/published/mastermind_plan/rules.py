"""Mastermind with four pegs of six colours, played by a plan: what to guess after which answers, whatever the code is.

The code is drawn and hidden. Who guesses keeps to the plan, and sees only where in the plan the answers led. So the
best plan needs no more guesses than this one. The rules trust nothing in it: a bad plan would need more, or never end.

Published: the best plan needs 5625 guesses for all 1296 codes. Source: Koyama and Lai, "An Optimal Mastermind
Strategy", Journal of Recreational Mathematics 25 (1993); the number is also at http://serkangur.freeservers.com/

That no plan needs fewer is not claimed here. The branch and bound that found the plan (C++, 96,000 sets of codes, 7 s)
says it too; but evidence for a least number goes through all states, and the sets of codes that guesses leave are too
many for that.
"""

from itertools import product

from playproof import CHANCE, Game, Local, Options, Sees, goto, keep, min_of, otherwise, sum_of, when, win
from tests.examples.published.mastermind.rules import told

CODES = list(product(range(6), repeat=4))
ANSWERS = sorted({told(CODES[8], c) for c in CODES} | {told(CODES[9], c) for c in CODES})
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# The guesses where three codes or more are left, each before those behind its answers: the number of a code to the
# base 36. With two codes or fewer left, the first is guessed.
PLAN = (
    "08ltsmtmtsmymxmsllmzmnmm9mz5ext5n5vzwtghhxpzgfhrqrm5nvjvptmvhnqsqyegtghgfhazelxfn4l5ftbp7xax"
    "jspnfrlvjylpftbj7sbnem9tl4bl9r1n9j9fs0gov5t1q5e5e4eug5eogiqvdzdyjogpdma5hcgc7o7475phg38sq38z"
    "dgdhjg8j8a9u73ahag8r8l898mh1f1b0bcd4853mbbhw7bywb9pba7qehqgenwgwmwota9itzk7aba5zuy99gkjarwiy"
    "oy3t3r3s34bwdb8b7wjeb6g78976awd9pwaejkupaka6clcx6n6j6p6rouh21vda9ecs1x2n4h1t2tcg4u6m1r2y502g"
    "3u1m3o3u346hcjci1h5ca22j1o1u23141c1mczfbowa8t86biv0u2tck3e4bcx5a1mcbc90h0v291w1q121m68020v09"
)


def planned() -> tuple[list[int], list[list[int]]]:
    """Return the guess at each place of the plan, and the place behind each answer there; place 0 is the first. An
    answer that no code gives leads back to the first."""
    numbers = iter(PLAN[i : i + 2] for i in range(0, len(PLAN), 2))
    guesses: list[int] = []
    behind: list[list[int]] = []

    def place(left: list[int]) -> int:
        here = len(guesses)
        guess = int(next(numbers), 36) if len(left) > 2 else left[0]
        guesses.append(guess)
        behind.append([0] * len(ANSWERS))
        for number, answer in enumerate(ANSWERS[:-1]):
            rest = [c for c in left if told(CODES[guess], CODES[c]) == answer]
            if rest:
                behind[here][number] = place(rest)
        return here

    place([*range(len(CODES))])
    return guesses, behind


def build(options: Options) -> Game:
    """A code is drawn, and found by the plan."""
    guesses, behind = planned()
    g = Game("mastermind plan")
    s = g.state
    g.array("code", 4, 0, 5, sees=Sees.NOBODY)
    g.integer("place", 0, len(guesses) - 1)
    g.integer("guesses", 0, 6)
    hide, find = g.phase("hide", actor=CHANCE, text="a code is drawn"), g.phase("find", text="guess")
    planned_peg = g.table("guess", [CODES[guess] for guess in guesses])
    place_behind = g.table("behind", behind)
    numbers = [[ANSWERS.index((r, n)) if (r, n) in ANSWERS else 0 for n in range(5)] for r in range(5)]
    answer = g.table("answer", numbers)

    @g.action(hide, "{code}", code=["".join("ABCDEF"[p] for p in code) for code in CODES])
    def hidden(code: Local) -> None:
        for peg in range(4):
            s.code[peg] = code // 6 ** (3 - peg) % 6
        goto(find)

    @g.action(find, "guess as planned")
    def guess() -> None:
        right = keep(sum_of(4, lambda peg: s.code[peg] == planned_peg[s.place, peg]))
        alike = keep(
            sum_of(6, lambda colour: min_of(
                sum_of(4, lambda peg: s.code[peg] == colour),
                sum_of(4, lambda peg: planned_peg[s.place, peg] == colour),
            ))
        )  # fmt: skip
        s.guesses += 1
        with when(right == 4):
            win("the code is found")
        with otherwise():
            s.place = place_behind[s.place, answer[right, alike - right]]

    return g
