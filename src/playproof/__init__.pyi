"""The public face: what a designer's rules.py and a script import from `playproof`, nothing else.

This stub is read twice: by type checkers, and by `__init__.py`, which loads each name when it is first asked for.
"""

from .database.errors import (
    InputError as InputError,
)
from .database.game import (
    load_game as load_game,
)
from .database.lint import (
    lint as lint,
)
from .generator.build.run import (
    build as build,
)
from .referee.bots import (
    make_bot as make_bot,
)
from .referee.errors import (
    MoveError as MoveError,
)
from .referee.errors import (
    NotLegal as NotLegal,
)
from .referee.judging import (
    judge as judge,
)
from .referee.match import (
    Match as Match,
)
from .referee.simulate import (
    simulate as simulate,
)
from .referee.variant import (
    Variant as Variant,
)
from .referee.view import (
    View as View,
)
from .rules.language.errors import (
    BoundsError as BoundsError,
)
from .rules.language.errors import (
    Broken as Broken,
)
from .rules.language.errors import (
    IllegalAction as IllegalAction,
)
from .rules.language.errors import (
    Place as Place,
)
from .rules.language.errors import (
    RulesError as RulesError,
)
from .rules.language.expr import (
    Const as Const,
)
from .rules.language.expr import (
    Local as Local,
)
from .rules.language.expr import (
    Table as Table,
)
from .rules.language.expr import (
    Term as Term,
)
from .rules.language.expr import (
    Value as Value,
)
from .rules.language.expr import (
    clamp as clamp,
)
from .rules.language.expr import (
    pick as pick,
)
from .rules.language.fields import (
    Array as Array,
)
from .rules.language.fields import (
    Field as Field,
)
from .rules.language.fields import (
    Sees as Sees,
)
from .rules.language.fields import (
    Var as Var,
)
from .rules.language.game import (
    AUTOMATIC as AUTOMATIC,
)
from .rules.language.game import (
    CHANCE as CHANCE,
)
from .rules.language.game import (
    EVERYBODY as EVERYBODY,
)
from .rules.language.game import (
    Action as Action,
)
from .rules.language.game import (
    Ending as Ending,
)
from .rules.language.game import (
    Game as Game,
)
from .rules.language.game import (
    Parameter as Parameter,
)
from .rules.language.game import (
    Phase as Phase,
)
from .rules.language.game import (
    State as State,
)
from .rules.language.gather import (
    all_of as all_of,
)
from .rules.language.gather import (
    any_of as any_of,
)
from .rules.language.gather import (
    count_of as count_of,
)
from .rules.language.gather import (
    max_of as max_of,
)
from .rules.language.gather import (
    min_of as min_of,
)
from .rules.language.gather import (
    sum_of as sum_of,
)
from .rules.language.interpreter import (
    Interpreter as Interpreter,
)
from .rules.language.interpreter import (
    Move as Move,
)
from .rules.language.together import (
    Together as Together,
)
from .rules.language.verbs import (
    cases as cases,
)
from .rules.language.verbs import (
    cite as cite,
)
from .rules.language.verbs import (
    each as each,
)
from .rules.language.verbs import (
    goto as goto,
)
from .rules.language.verbs import (
    keep as keep,
)
from .rules.language.verbs import (
    let as let,
)
from .rules.language.verbs import (
    lose as lose,
)
from .rules.language.verbs import (
    otherwise as otherwise,
)
from .rules.language.verbs import (
    require as require,
)
from .rules.language.verbs import (
    score as score,
)
from .rules.language.verbs import (
    tie as tie,
)
from .rules.language.verbs import (
    variable as variable,
)
from .rules.language.verbs import (
    weight as weight,
)
from .rules.language.verbs import (
    when as when,
)
from .rules.language.verbs import (
    win as win,
)
from .rules.language.zones import (
    Bag as Bag,
)
from .rules.language.zones import (
    Deck as Deck,
)
from .rules.language.zones import (
    Pile as Pile,
)
from .rules.options import (
    Options as Options,
)
from .verifier.prove import (
    prove as prove,
)
