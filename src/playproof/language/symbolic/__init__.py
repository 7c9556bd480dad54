"""Small steps of a game as Z3 terms of the least size, for one method: the classes of steps of a relaxation
(`verifier/proof/step_classes.py`).

    from playproof.language.symbolic import Symbolic

Why a second reading beside the kernel's: a relaxation asks Z3 hundreds of small questions about each step. The
kernel gives all numbers of a game one width. With it, the classes of steps of a solo game of 11 cards took 11 to
15 s of CPU and 18 to 40 units of work; here, where each number has the bits of its bounds and what bounds decide is
folded, 6 to 7 s and 12 units. It decides nothing: the kernel proves each sum that a relaxation proposes.
"""

from playproof.language.symbolic.reading import Move, Outcome, State, Symbolic
from playproof.language.symbolic.sized import Sym, Truth, as_z3, conj, disj, neg, truth

__all__ = [
    "Move",
    "Outcome",
    "State",
    "Sym",
    "Symbolic",
    "Truth",
    "as_z3",
    "conj",
    "disj",
    "neg",
    "truth",
]
