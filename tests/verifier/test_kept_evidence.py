"""Evidence that a game keeps in its folder `evidence/` still fits its cards and rules. What does not fit costs time,
and no command would say so."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from playproof.database.installation import CARDS
from playproof.language import Game, Interpreter
from playproof.language.options import Options
from playproof.language.registry import build, load_cards_if_rules_need_them
from playproof.verifier.kernel.evidence import (
    EvidenceSetting,
    check_certificate_to_theorem,
    option_values_to_texts,
    parse_evidence_file_text as read_evidence,
)
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.strict_json import to_canonical_json_text
from playproof.verifier.kernel.transcript import TranscriptCertificate
from playproof.verifier.prove import load_claims_as_questions_or_raise
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context

FILES = sorted(CARDS.glob("*/evidence/*.json"))
_STEPS = 30
claims = cache(load_claims_as_questions_or_raise)


@cache
def described(name: str, key: str) -> Game:
    """The game under the setting of a claim."""
    values, rulings = next((q.values, q.rulings) for q in claims(name).values() if key_of(q) == key)
    return build(
        name,
        Options(option_values_to_texts(values), option_values_to_texts(rulings)),
        load_cards_if_rules_need_them(name),
    )


def key_of(question: Question) -> str:
    return to_canonical_json_text([option_values_to_texts(question.values), option_values_to_texts(question.rulings)])


@cache
def met(game: Game) -> list[tuple[int, ...]]:
    """States of two games at random."""
    play, states = Interpreter(game), []
    for seed in range(2):
        random, state = Random(seed), game.get_state_before_automatic_phases()
        for _ in range(_STEPS):
            states.append(tuple(state))
            legal = play.legal(state)
            if not legal:
                break
            state = play.apply(state, random.choice(legal))
    return states


def settings_of(path: Path) -> tuple[EvidenceSetting, ...]:
    return read_evidence(path.read_text("utf-8")).settings


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name} {path.stem}")
def test_kept_evidence_fits_the_game(path: Path) -> None:
    """It is about a claim of the game, under its setting; its lines of play are accepted, and what its conditions say
    holds in games at random. That every step keeps them is what `errata` asks the kernel."""
    name = path.parent.parent.name
    claim = claims(name)[path.stem]
    for setting in settings_of(path):
        assert setting.key == key_of(claim)
        game = described(name, setting.key)
        play = Interpreter(game)
        for certificate in setting.certificates:
            if isinstance(certificate, TranscriptCertificate):
                check_certificate_to_theorem(certificate, game, Context())
            elif isinstance(certificate, InvariantCertificate):
                conditions = {text for layer in certificate.layers for text in layer.conjuncts}
                broken = [
                    t
                    for t in conditions
                    if not all(play.value(Context().read_condition(game, t), s) for s in met(game))
                ]
                assert broken == []
