"""The symbolic reading: a game's step as Z3 terms, from the same description that the interpreter
reads.

    from playproof.language.symbolic import Symbolic

`Symbolic(game)` gives open states, one step by a ground action or by an open action number
(automatic phases folded in), the transition relation, and the value of any term of the game.
"""

from playproof.language.symbolic.reading import Move, Outcome, State, Symbolic, TooDeep
from playproof.language.symbolic.sized import Arithmetic, Num, Sym, Truth, as_z3, conj, disj, neg, truth
from playproof.language.symbolic.walk import Fault

__all__ = [
    "Arithmetic",
    "Fault",
    "Move",
    "Num",
    "Outcome",
    "State",
    "Sym",
    "Symbolic",
    "TooDeep",
    "Truth",
    "as_z3",
    "conj",
    "disj",
    "neg",
    "truth",
]
