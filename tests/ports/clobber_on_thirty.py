"""Clobber on 6 columns and 5 rows."""

from __future__ import annotations

from playproof import Game, Options
from tests.ports.clobber import make_game, words

THEIRS = "clobber(rows=5,columns=6)"
__all__ = ["THEIRS", "build", "words"]


def build(options: Options) -> Game:
    return make_game(6, 5)
