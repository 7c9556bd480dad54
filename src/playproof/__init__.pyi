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
from .language.authoring import (
    Game as Game,
)
from .language.errors import (
    BoundsError as BoundsError,
)
from .language.errors import (
    Broken as Broken,
)
from .language.errors import (
    IllegalAction as IllegalAction,
)
from .language.errors import (
    Place as Place,
)
from .language.errors import (
    RulesError as RulesError,
)
from .language.expr import (
    Const as Const,
)
from .language.expr import (
    Local as Local,
)
from .language.expr import (
    Table as Table,
)
from .language.expr import (
    Term as Term,
)
from .language.expr import (
    Value as Value,
)
from .language.expr import (
    clamp as clamp,
)
from .language.expr import (
    pick as pick,
)
from .language.fields import (
    Field as Field,
)
from .language.fields import (
    Sees as Sees,
)
from .language.game import (
    AUTOMATIC as AUTOMATIC,
)
from .language.game import (
    CHANCE as CHANCE,
)
from .language.game import (
    EVERYBODY as EVERYBODY,
)
from .language.game import (
    Action as Action,
)
from .language.game import (
    Ending as Ending,
)
from .language.game import (
    Parameter as Parameter,
)
from .language.game import (
    Phase as Phase,
)
from .language.game import (
    State as State,
)
from .language.gather import (
    all_of as all_of,
)
from .language.gather import (
    any_of as any_of,
)
from .language.gather import (
    count_of as count_of,
)
from .language.gather import (
    max_of as max_of,
)
from .language.gather import (
    min_of as min_of,
)
from .language.gather import (
    sum_of as sum_of,
)
from .language.handles import (
    Array as Array,
)
from .language.handles import (
    Var as Var,
)
from .language.interpreter import (
    Interpreter as Interpreter,
)
from .language.interpreter import (
    Move as Move,
)
from .language.options import (
    Options as Options,
)
from .language.together import (
    Together as Together,
)
from .language.verbs import (
    cases as cases,
)
from .language.verbs import (
    cite as cite,
)
from .language.verbs import (
    each as each,
)
from .language.verbs import (
    goto as goto,
)
from .language.verbs import (
    keep as keep,
)
from .language.verbs import (
    let as let,
)
from .language.verbs import (
    lose as lose,
)
from .language.verbs import (
    otherwise as otherwise,
)
from .language.verbs import (
    require as require,
)
from .language.verbs import (
    score as score,
)
from .language.verbs import (
    tie as tie,
)
from .language.verbs import (
    variable as variable,
)
from .language.verbs import (
    weight as weight,
)
from .language.verbs import (
    when as when,
)
from .language.verbs import (
    win as win,
)
from .language.zones import (
    Bag as Bag,
)
from .language.zones import (
    Deck as Deck,
)
from .language.zones import (
    Pile as Pile,
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
from .verifier.prove import (
    prove as prove,
)
