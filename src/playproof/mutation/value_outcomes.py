"""The outcome of a changed value of a YAML file: refused, noticed by lint or a claim, or not
played.

A value that the description does not depend on may still be printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game as Cards, load_game
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.linting.refusals import REFUSALS
from playproof.linting.whole_game import lint_of
from playproof.mutation.detection import Noticed, cards_notice
from playproof.mutation.sampling import (
    NOTICED,
    SURVIVED,
    VALUE,
    Effort,
    Verdict,
    as_before,
    by_beliefs_first,
    fingerprint,
)
from playproof.mutation.values import Value, reading
from playproof.mutation.ways_to_play import Setting
from playproof.verifier.kernel.context import Context

NOT_PLAYED = "not played"
"""The rules do not depend on the value: it is only printed, or unused."""


def one_value(
    settings: Sequence[Setting], value: Value, effort: Effort, earlier: Mapping[str, Verdict] | None = None
) -> Verdict:
    """Return the outcome of one changed value, or that of the same changed cards from an `earlier` run."""
    verdict = Verdict(value.key, value.place, VALUE, value.said, value.card, SURVIVED)
    known(settings[0].ref)
    with reading(value):
        cards = refused(settings[0].ref)
        if isinstance(cards, Noticed):
            return verdict.outcome(NOTICED, cards)
        games = list[tuple[Setting, Game]]()
        for setting in settings:
            game = _built(setting, cards)
            if isinstance(game, Noticed):
                return verdict.outcome(NOTICED, game)
            noticed = _counted(setting, game)
            if noticed is not None:
                return verdict.outcome(NOTICED, noticed)
            if digest(game) != setting.digest:
                games.append((setting, game))
    if not games:
        return verdict.outcome(NOT_PLAYED)
    verdict = replace(verdict, of=fingerprint(games))
    if earlier and verdict.of in earlier:
        return as_before(verdict, earlier[verdict.of])
    return by_beliefs_first(verdict, games, effort)


def _counted(setting: Setting, game: Game) -> Noticed | None:
    """Return what a claim about the cards notices, also of a value that is not played."""
    context = Context()
    asked_of_cards = (q for q in setting.questions if q.ask == "ledger")
    return next(filter(None, (cards_notice(game, q, context) for q in asked_of_cards)), None)


def refused(ref: str) -> Cards | Noticed:
    """Return the cards of a game as they read now, or why they are refused: loading fails, or lint
    finds a new error (see `known`)."""
    try:
        cards = load_game(ref)
        new = [f for f in lint_of(ref) if f.severity == "error" and _said(f) not in known(ref)]
    except InputError as error:
        return Noticed(error.findings[0].code, error.findings[0].message)
    except REFUSALS as error:
        return Noticed("rules", f"the rules refuse the cards: {error}")
    return Noticed(new[0].code, new[0].message) if new else cards


@lru_cache
def known(ref: str) -> frozenset[tuple[str, str]]:
    """Return what lint finds in the unchanged game. Call it once before anything is changed."""
    return frozenset(map(_said, lint_of(ref)))


def _said(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.message


def _built(setting: Setting, cards: Cards) -> Game | Noticed:
    """Return the game under a setting with these cards, or why the rules refuse them."""
    try:
        return build(setting.ref, Options(dict(setting.values), dict(setting.rulings)), cards)
    except REFUSALS as error:
        return Noticed("rules", f"the rules refuse the cards: {error}")
