"""The rules language: a game is a finite transition system of guarded actions, written once and read four ways.

    from playproof.rules.language import Game, draw, goto, require, when, win

`Game` declares fields, phases and actions; the verbs are used inside rule bodies; `Interpreter` is the
reference reading. docs/tutorial-rules.md teaches it on tic-tac-toe.
"""

from playproof.rules.language.errors import BoundsError, Broken, IllegalAction, Place, RulesError
from playproof.rules.language.expr import (
    Const,
    Local,
    Table,
    Term,
    Value,
    all_true,
    any_true,
    clamp,
    largest,
    pick,
    smallest,
    total,
)
from playproof.rules.language.fields import Array, Field, Sees, Var
from playproof.rules.language.game import AUTOMATIC, CHANCE, EVERYBODY, Action, Ending, Game, Parameter, Phase, State
from playproof.rules.language.interpreter import Interpreter, Move
from playproof.rules.language.together import Together
from playproof.rules.language.verbs import (
    all_of,
    any_of,
    cases,
    cite,
    count_of,
    draw,
    each,
    goto,
    keep,
    least_of,
    let,
    lose,
    most_of,
    otherwise,
    require,
    score,
    sum_of,
    variable,
    weight,
    when,
    win,
)
from playproof.rules.language.zones import Bag, Deck, Pile

__all__ = [
    "AUTOMATIC", "CHANCE", "EVERYBODY", "Action", "Array", "Bag", "BoundsError", "Broken", "Const", "Deck",
    "Ending", "Field", "Game", "IllegalAction", "Interpreter", "Local", "Move", "Parameter", "Phase", "Pile",
    "Place", "RulesError", "Sees", "State", "Table", "Term", "Together", "Value", "Var", "all_of", "all_true",
    "any_of", "any_true", "cases", "cite", "clamp", "count_of", "draw", "each", "goto", "keep", "largest",
    "least_of", "let", "lose", "most_of", "otherwise", "pick", "require", "score", "smallest", "sum_of", "total",
    "variable", "weight", "when", "win",
]
