"""The claims of a game as questions, by the game's name or folder: what `prove` answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, InputError
from playproof.database.game import load_game
from playproof.language.registry import without_cards
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.claims_file import readable_questions
from playproof.verifier.questions.seats import with_seats


def claims_of(ref: str, errata: bool | str = True) -> dict[str, Question]:
    """Return the questions in a game's claims.yaml, by id; none for rules that have no such file."""
    claims, wrong = readable_claims(ref, errata)
    if wrong:
        raise InputError(wrong)
    return claims


def readable_claims(ref: str, errata: bool | str = True) -> tuple[dict[str, Question], list[Finding]]:
    """Do what `claims_of` does for those claims that can be read; return also what is wrong with the others."""
    if without_cards(ref) and not (Path(ref) / "claims.yaml").is_file():
        return {}, []
    game = load_game(ref, errata=errata)
    questions, wrong = readable_questions(game.readable_claims)
    return with_seats(ref, questions, errata), [*game.unread, *wrong]


def as_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return options or rulings as texts, the form that a game takes. The kernel has a function of its own for it."""
    return {str(key): str(value) for key, value in values.items()}
