"""The rules language: a game is a finite transition system of guarded actions, written once and
read four ways.

    from playproof.language import Game, goto, require, tie, when, win

`Game` declares fields, phases and actions; the verbs are used inside rule bodies; `Interpreter` is
the reference reading. docs/tutorial-rules.md teaches it on tic-tac-toe.
"""

from playproof.language.errors import RENAMED, BoundsError, Broken, IllegalAction, Place, RulesError
from playproof.language.expr import Const, Local, Table, Term, Value, clamp, pick
from playproof.language.fields import Field, Sees
from playproof.language.game import (
    AUTOMATIC,
    CHANCE,
    EVERYBODY,
    Action,
    Ending,
    Game,
    Parameter,
    Phase,
    State,
)
from playproof.language.gather import all_of, any_of, count_of, max_of, min_of, sum_of
from playproof.language.handles import Array, Var
from playproof.language.interpreter import Interpreter, Move
from playproof.language.together import Together
from playproof.language.verbs import (
    cases,
    cite,
    each,
    goto,
    keep,
    let,
    lose,
    otherwise,
    require,
    score,
    tie,
    variable,
    weight,
    when,
    win,
)
from playproof.language.zones import Bag, Deck, Pile

__all__ = [
    "AUTOMATIC",
    "CHANCE",
    "EVERYBODY",
    "Action",
    "Array",
    "Bag",
    "BoundsError",
    "Broken",
    "Const",
    "Deck",
    "Ending",
    "Field",
    "Game",
    "IllegalAction",
    "Interpreter",
    "Local",
    "Move",
    "Parameter",
    "Phase",
    "Pile",
    "Place",
    "RulesError",
    "Sees",
    "State",
    "Table",
    "Term",
    "Together",
    "Value",
    "Var",
    "all_of",
    "any_of",
    "cases",
    "cite",
    "clamp",
    "count_of",
    "each",
    "goto",
    "keep",
    "let",
    "lose",
    "max_of",
    "min_of",
    "otherwise",
    "pick",
    "require",
    "score",
    "sum_of",
    "tie",
    "variable",
    "weight",
    "when",
    "win",
]


def __getattr__(name: str) -> object:
    if name in RENAMED:
        raise ImportError(f"`{name}` is called `{RENAMED[name]}` now")
    raise AttributeError(f"the rules language has no `{name}`")
