"""Breakthrough on 8 columns and 8 rows: a board that fills a word to its last bit."""

from __future__ import annotations

from playproof import Game, Options
from tests.ports.breakthrough import make_game, words

THEIRS = "breakthrough"
__all__ = ["THEIRS", "build", "words"]


def build(options: Options) -> Game:
    return make_game(8, 8)
