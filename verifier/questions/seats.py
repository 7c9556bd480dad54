"""Seats that claims call by their names: `{score: north}`, where the game says `g.fact(seats=["north", "south"])`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from playproof.language import RulesError
from playproof.language.game import Game
from playproof.language.options import OptionError
from playproof.language.registry import data_of
from playproof.referee.notation import seat_of
from playproof.verifier.questions.claim_check import Build, built_once
from playproof.verifier.questions.claims import Question

_KEYS = ("seat", "score", "from", "whose")


def with_seats(
    ref: str, questions: Mapping[str, Question], errata: bool | str = True, game_of: Build | None = None
) -> dict[str, Question]:
    """Return the questions with the number of each seat that they call by its name. A name that no seat has stays, and
    so do all names if the rules cannot be built: whoever reads the question then says what is wrong."""
    if not any(_calls(question.of) for question in questions.values()):
        return dict(questions)
    game_of = game_of or built_once(ref, data_of(ref, errata))
    numbered = dict[str, Question]()
    for name, question in questions.items():
        of = question.of
        if _calls(of):
            with suppress(RulesError, OptionError):
                of = _numbered(of, game_of(question))
        lemmas = tuple(numbered.get(other.id, other) for other in question.given)
        numbered[name] = replace(question, of=of, given=lemmas)
    return numbered


def _calls(of: Any) -> bool:
    """Return whether a seat is called by a name somewhere."""
    if isinstance(of, list):
        return any(map(_calls, of))
    if not isinstance(of, Mapping):
        return False
    return any(isinstance(value, str) if key in _KEYS else _calls(value) for key, value in of.items())


def _numbered(of: Any, game: Game) -> Any:
    if isinstance(of, list):
        return [_numbered(each, game) for each in of]
    if not isinstance(of, Mapping):
        return of
    return {
        key: _number(value, game) if key in _KEYS and isinstance(value, str) else _numbered(value, game)
        for key, value in of.items()
    }


def _number(name: str, game: Game) -> Any:
    seat = seat_of(game, name)
    return name if seat is None or seat < 0 else seat
