"""Plays any game in rules/: matches, views, bots, transcripts, playtests.

    from playproof.referee import Match, Variant
    match = Match(Variant("tic_tac_toe"), seed=7)
    match.apply("mark 4")

Only the light half is imported here; `simulate`, `bots` and `terminal` are imported by whoever
needs them.
"""

from playproof.referee.errors import Ambiguous, CannotRead, MoveError, NotLegal
from playproof.referee.judging import judge, load
from playproof.referee.match import Match, Step
from playproof.referee.transcript import save
from playproof.referee.variant import Variant
from playproof.referee.view import View

__all__ = ["Ambiguous", "CannotRead", "Match", "MoveError", "NotLegal", "Step", "Variant", "View", "judge", "load",
           "save"]
