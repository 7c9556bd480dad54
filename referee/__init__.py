"""Plays any game in rules/: matches, views, bots, transcripts, playtests.

    from referee import Match, Variant
    match = Match(Variant("tic_tac_toe"), seed=7)
    match.apply("mark 4")

Only the light half is imported here; `referee.simulate`, `referee.bots` and `referee.terminal` are imported by whoever
needs them.
"""

from referee.errors import Ambiguous, CannotRead, MoveError, NotLegal
from referee.judging import judge, load
from referee.match import Match, Step
from referee.transcript import save
from referee.variant import Variant
from referee.view import View

__all__ = ["Ambiguous", "CannotRead", "Match", "MoveError", "NotLegal", "Step", "Variant", "View", "judge", "load",
           "save"]
