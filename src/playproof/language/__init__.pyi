"""The words of the rules language; `__init__.py` loads each when it is first asked for."""

from .authoring import (
    Game as Game,
)
from .errors import (
    BoundsError as BoundsError,
)
from .errors import (
    Broken as Broken,
)
from .errors import (
    IllegalAction as IllegalAction,
)
from .errors import (
    Place as Place,
)
from .errors import (
    RulesError as RulesError,
)
from .expr import (
    Const as Const,
)
from .expr import (
    Local as Local,
)
from .expr import (
    Table as Table,
)
from .expr import (
    Term as Term,
)
from .expr import (
    Value as Value,
)
from .expr import (
    clamp as clamp,
)
from .expr import (
    pick as pick,
)
from .fields import (
    Field as Field,
)
from .fields import (
    Sees as Sees,
)
from .game import (
    AUTOMATIC as AUTOMATIC,
)
from .game import (
    CHANCE as CHANCE,
)
from .game import (
    EVERYBODY as EVERYBODY,
)
from .game import (
    Action as Action,
)
from .game import (
    Ending as Ending,
)
from .game import (
    Parameter as Parameter,
)
from .game import (
    Phase as Phase,
)
from .game import (
    State as State,
)
from .gather import (
    all_of as all_of,
)
from .gather import (
    any_of as any_of,
)
from .gather import (
    count_of as count_of,
)
from .gather import (
    max_of as max_of,
)
from .gather import (
    min_of as min_of,
)
from .gather import (
    sum_of as sum_of,
)
from .handles import (
    Array as Array,
)
from .handles import (
    Var as Var,
)
from .interpreter import (
    Interpreter as Interpreter,
)
from .interpreter import (
    Move as Move,
)
from .together import (
    Together as Together,
)
from .verbs import (
    cases as cases,
)
from .verbs import (
    cite as cite,
)
from .verbs import (
    each as each,
)
from .verbs import (
    goto as goto,
)
from .verbs import (
    keep as keep,
)
from .verbs import (
    let as let,
)
from .verbs import (
    lose as lose,
)
from .verbs import (
    otherwise as otherwise,
)
from .verbs import (
    require as require,
)
from .verbs import (
    score as score,
)
from .verbs import (
    tie as tie,
)
from .verbs import (
    variable as variable,
)
from .verbs import (
    weight as weight,
)
from .verbs import (
    when as when,
)
from .verbs import (
    win as win,
)
from .zones import (
    Bag as Bag,
)
from .zones import (
    Deck as Deck,
)
from .zones import (
    Pile as Pile,
)
