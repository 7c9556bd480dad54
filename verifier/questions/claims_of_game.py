"""The claims of a game as questions, by the game's name or folder: what `prove` answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, InputError
from playproof.database.game import load_game
from playproof.language.registry import is_without_cards
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.claims_file import read_questions_and_findings
from playproof.verifier.questions.seats import replace_seat_names_in_questions


def load_claims(ref: str, errata: bool | str = True) -> dict[str, Question]:
    """Return the questions in a game's claims.yaml, by id; none for rules that have no such file."""
    claims, wrong = load_readable_claims(ref, errata)
    if wrong:
        raise InputError(wrong)
    return claims


def load_readable_claims(ref: str, errata: bool | str = True) -> tuple[dict[str, Question], list[Finding]]:
    """Do what `load_claims` does for those claims that can be read; return also what is wrong with the others."""
    if is_without_cards(ref) and not (Path(ref) / "claims.yaml").is_file():
        return {}, []
    game = load_game(ref, errata=errata)
    questions, wrong = read_questions_and_findings(game.readable_claims)
    return replace_seat_names_in_questions(ref, questions, errata), [*game.unread_claim_findings, *wrong]


def values_to_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return options or rulings as texts, the form that a game takes. The kernel has a function of its own for it."""
    return {str(key): str(value) for key, value in values.items()}
