"""The claims of a game as questions, by the game's name or folder and with seats called by their names:
what `prove` answers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, InputError
from playproof.database.game import load_game
from playproof.language import RulesError
from playproof.language.game import Game
from playproof.language.options import OptionError
from playproof.language.registry import has_rules_but_no_cards, load_cards_if_rules_need_them
from playproof.referee.notation import find_seat_or_chance_by_name_or_none
from playproof.verifier.questions.claim_check import (
    GameBuilder,
    make_cached_game_builder,
    readable_claims_to_questions_by_id,
)
from playproof.verifier.questions.claims import Question

# The claims of a game as questions, by the game's name or folder: what `prove` answers.


def load_claims_as_questions_or_raise(game_ref: str, errata: bool | str = True) -> dict[str, Question]:
    """Return the questions in a game's claims.yaml, by id; none for rules that have no such file."""
    claims, wrong = load_readable_claims_and_findings(game_ref, errata)
    if wrong:
        raise InputError(wrong)
    return claims


def load_readable_claims_and_findings(
    game_ref: str, errata: bool | str = True
) -> tuple[dict[str, Question], list[Finding]]:
    """Do what `load_claims_as_questions_or_raise` does for those claims that can be read; return also what is
    wrong with the others."""
    if has_rules_but_no_cards(game_ref) and not (Path(game_ref) / "claims.yaml").is_file():
        return {}, []
    game = load_game(game_ref, errata=errata)
    questions, wrong = readable_claims_to_questions_by_id(game.readable_claims)
    return replace_seat_names_by_numbers(game_ref, questions, errata), [*game.unread_claim_findings, *wrong]


def option_values_to_texts(option_values: Mapping[str, Any]) -> dict[str, str]:
    """Return options or rulings as texts, the form that a game takes. The kernel has a function of its own for it."""
    return {str(key): str(value) for key, value in option_values.items()}


# -- seats ---------------------------------------------------------------------------------------------------
# Seats that claims call by their names: `{score: north}`, where the game says `g.fact(seats=["north",
# "south"])`.

_KEYS = ("seat", "score", "from", "whose")


def replace_seat_names_by_numbers(
    game_ref: str, questions: Mapping[str, Question], errata: bool | str = True, build_game: GameBuilder | None = None
) -> dict[str, Question]:
    """Return the questions with the number of each seat that they call by its name. A name that no seat has stays, and
    so do all names if the rules cannot be built: whoever reads the question then says what is wrong."""
    if not any(_does_spec_name_a_seat(question.of) for question in questions.values()):
        return dict(questions)
    build_game = build_game or make_cached_game_builder(game_ref, load_cards_if_rules_need_them(game_ref, errata))
    numbered = dict[str, Question]()
    for name, question in questions.items():
        of = question.of
        if _does_spec_name_a_seat(of):
            with suppress(RulesError, OptionError):
                of = _replace_seat_names_in_spec(of, build_game(question))
        lemmas = tuple(numbered.get(other.id, other) for other in question.given)
        numbered[name] = replace(question, of=of, given=lemmas)
    return numbered


def _does_spec_name_a_seat(claim_spec: Any) -> bool:
    """Return whether a seat is called by a name somewhere."""
    if isinstance(claim_spec, list):
        return any(map(_does_spec_name_a_seat, claim_spec))
    if not isinstance(claim_spec, Mapping):
        return False
    return any(
        isinstance(value, str) if key in _KEYS else _does_spec_name_a_seat(value) for key, value in claim_spec.items()
    )


def _replace_seat_names_in_spec(claim_spec: Any, game: Game) -> Any:
    if isinstance(claim_spec, list):
        return [_replace_seat_names_in_spec(each, game) for each in claim_spec]
    if not isinstance(claim_spec, Mapping):
        return claim_spec
    return {
        key: _seat_name_to_number_or_same_name(value, game)
        if key in _KEYS and isinstance(value, str)
        else _replace_seat_names_in_spec(value, game)
        for key, value in claim_spec.items()
    }


def _seat_name_to_number_or_same_name(seat_name: str, game: Game) -> Any:
    seat = find_seat_or_chance_by_name_or_none(game, seat_name)
    return seat_name if seat is None or seat < 0 else seat
