"""The referee plays any game in rules/: matches, views, bots, transcripts, playtests.

    from playproof.referee import Match, Variant
    match = Match(Variant("tic_tac_toe"), seed=7)
    match.apply("mark 4")

Each name is loaded when it is first used. Import `simulate`, `bots` and `terminal` yourself where
you need them.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from playproof.referee.errors import Ambiguous, CannotRead, MoveError, NotLegal
    from playproof.referee.match import Match, Step
    from playproof.referee.recorded_games import judge, load
    from playproof.referee.transcript import save
    from playproof.referee.variant import Variant
    from playproof.referee.view import View

__getattr__, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "errors": ["Ambiguous", "CannotRead", "MoveError", "NotLegal"],
        "recorded_games": ["judge", "load"],
        "match": ["Match", "Step"],
        "transcript": ["save"],
        "variant": ["Variant"],
        "view": ["View"],
    },
)

__all__ = [
    "Ambiguous",
    "CannotRead",
    "Match",
    "MoveError",
    "NotLegal",
    "Step",
    "Variant",
    "View",
    "judge",
    "load",
    "save",
]
