"""What a designer's rules.py and a script import from `playproof`, for type checkers: all words of the rules language,
and the tools that `__init__.py` lists."""

from .database.errors import InputError as InputError
from .database.game import load_game as load_game
from .database.lint import lint as lint
from .generator.build.run import build as build
from .language import *  # noqa: F403 (each word once, in that stub)
from .language.options import Options as Options
from .referee.bots import make_bot as make_bot
from .referee.errors import MoveError as MoveError, NotLegal as NotLegal
from .referee.match import Match as Match
from .referee.recorded_games import judge as judge
from .referee.simulate import simulate as simulate
from .referee.variant import Variant as Variant
from .referee.view import View as View
from .verifier.prove import prove as prove
