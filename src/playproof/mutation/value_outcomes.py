"""The outcome of a changed value of a YAML file: refused, noticed by lint or a claim, or not
played.

A value that the description does not depend on may still be printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game as Cards, load_game
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.linting.refusals import REFUSALS
from playproof.linting.whole_game import lint_whole_game
from playproof.mutation.detection import Detection, check_card_claim
from playproof.mutation.sampling import (
    NOTICED,
    SURVIVED,
    VALUE,
    MutantOutcome,
    MutationLimits,
    StoredOutcomes,
    describe_card_laws,
    detect_by_beliefs_then_recordings,
    fingerprint_changed_game,
    reuse_earlier_outcome,
)
from playproof.mutation.values import YamlValueChange, read_with_replacement
from playproof.mutation.ways_to_play import ClaimSetting
from playproof.verifier.kernel.context import Context

NOT_PLAYED = "not played"
"""The rules do not depend on the value: it is only printed, or unused."""


def examine_changed_value(
    settings: Sequence[ClaimSetting],
    value: YamlValueChange,
    effort: MutationLimits,
    earlier: StoredOutcomes | None = None,
) -> MutantOutcome:
    """Return the outcome of one changed value, or that of the same changed cards from an `earlier` run."""
    verdict = MutantOutcome(value.key, value.place, VALUE, value.change_text, value.card, SURVIVED)
    lint_keys_of_unchanged_game(settings[0].ref)
    with read_with_replacement(value):
        cards = load_and_lint_cards(settings[0].ref)
        if isinstance(cards, Detection):
            return verdict.with_state(NOTICED, cards)
        games = list[tuple[ClaimSetting, Game]]()
        for setting in settings:
            game = _build_game_with_cards(setting, cards)
            if isinstance(game, Detection):
                return verdict.with_state(NOTICED, game)
            noticed = _check_card_claims(setting, game)
            if noticed is not None:
                return verdict.with_state(NOTICED, noticed)
            if digest(game) != setting.digest or describe_card_laws(setting, game) != describe_card_laws(
                setting
            ):
                games.append((setting, game))
    if not games:
        return verdict.with_state(NOT_PLAYED)
    verdict = replace(verdict, of=fingerprint_changed_game(games))
    if earlier and (found := earlier(verdict.of)):
        return reuse_earlier_outcome(verdict, found)
    return detect_by_beliefs_then_recordings(verdict, games, effort)


def _check_card_claims(setting: ClaimSetting, game: Game) -> Detection | None:
    """Return what a claim about the cards notices, also of a value that is not played."""
    context = Context()
    asked_of_cards = (q for q in setting.questions if q.ask == "ledger")
    return next(filter(None, (check_card_claim(game, q, context) for q in asked_of_cards)), None)


def load_and_lint_cards(ref: str) -> Cards | Detection:
    """Return the cards of a game as they read now, or why they are refused: loading fails, or lint
    finds a new error (see `lint_keys_of_unchanged_game`)."""
    try:
        cards = load_game(ref)
        new = [
            f
            for f in lint_whole_game(ref)
            if f.severity == "error" and _lint_key(f) not in lint_keys_of_unchanged_game(ref)
        ]
    except InputError as error:
        return Detection(error.findings[0].code, error.findings[0].message)
    except REFUSALS as error:
        return Detection("rules", f"the rules refuse the cards: {error}")
    return Detection(new[0].code, new[0].message) if new else cards


@lru_cache
def lint_keys_of_unchanged_game(ref: str) -> frozenset[tuple[str, str]]:
    """Return what lint finds in the unchanged game. Call it once before anything is changed."""
    return frozenset(map(_lint_key, lint_whole_game(ref)))


def _lint_key(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.message


def _build_game_with_cards(setting: ClaimSetting, cards: Cards) -> Game | Detection:
    """Return the game under a setting with these cards, or why the rules refuse them."""
    try:
        return build(setting.ref, Options(dict(setting.values), dict(setting.rulings)), cards)
    except REFUSALS as error:
        return Detection("rules", f"the rules refuse the cards: {error}")
