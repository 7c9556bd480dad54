"""Small steps of a game as Z3 terms of the least size, for one method: the classes of steps of a relaxation
(`verifier/proof/step_classes.py`).

    from playproof.language.symbolic import Symbolic

Why a second reading beside the kernel's: a relaxation asks Z3 hundreds of small questions about each step. The
kernel gives all numbers of a game one width. For the largest chapter of Eila, Z3 then took more than three times
the work, and the fewest rounds stayed open. Here each number has the bits of its bounds, and what bounds decide is
folded. It decides nothing: the kernel proves each sum that a relaxation proposes.
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
