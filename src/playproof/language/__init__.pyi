"""The words of the rules language; `__init__.py` loads each when it is first asked for."""

from .aggregates import (
    all_of as all_of,
    any_of as any_of,
    count_of as count_of,
    max_of as max_of,
    min_of as min_of,
    sum_of as sum_of,
)
from .authoring import Game as Game
from .errors import (
    BoundsError as BoundsError,
    Broken as Broken,
    IllegalAction as IllegalAction,
    Place as Place,
    RulesError as RulesError,
)
from .expr import (
    Const as Const,
    Local as Local,
    Table as Table,
    Term as Term,
    Value as Value,
    clamp as clamp,
    pick as pick,
)
from .fields import Field as Field, Sees as Sees
from .game import (
    AUTOMATIC as AUTOMATIC,
    CHANCE as CHANCE,
    EVERYBODY as EVERYBODY,
    Action as Action,
    Ending as Ending,
    Parameter as Parameter,
    Phase as Phase,
    State as State,
)
from .interpreter import Interpreter as Interpreter, Move as Move
from .mechanisms import Bag as Bag, Deck as Deck, Pile as Pile, Together as Together
from .state_handles import Array as Array, Var as Var
from .trace import (
    cases as cases,
    cite as cite,
    each as each,
    goto as goto,
    keep as keep,
    let as let,
    lose as lose,
    otherwise as otherwise,
    require as require,
    score as score,
    tie as tie,
    variable as variable,
    weight as weight,
    when as when,
    win as win,
)
