"""The verb lint: check that the data is consistent in itself and with the rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import games_argument, json_option, report_findings, status

if TYPE_CHECKING:
    from playproof.database.errors import Finding


@click.command()
@games_argument()
@json_option
def lint(games: tuple[str, ...], as_json: bool) -> int:
    """Check the cards of GAMES: counts, numbers, calls, costs, icons, texts and provenance.

    Also draw every face once, lay the table of layouts, and check that rulebook and rules name the
    same things, that each claim can be understood, and that the printed pieces are enough to play.
    Of rules without cards, check the rules alone. If there is no error, some hundred steps of
    random games look for rules that break, and for what they tell of hidden cards.
    """
    from playproof.database.errors import short_path
    from playproof.database.garbage_collection import uncollected
    from playproof.database.source import keep_parsed

    keep_parsed()  # a game is read once for its findings, and again with each proposed erratum
    findings: list[Finding] = []
    names = [str(short_path(Path(game))) for game in games]
    with status(f"checking {names[0]}") as say, uncollected():
        for game, name in zip(games, names, strict=True):
            say(f"checking {name}")
            findings += _findings(game)
    return report_findings(findings, as_json=as_json, good=f"no errors in {', '.join(names)}")


def _findings(game: str) -> list[Finding]:
    """Return the findings of a game; one without cards has only rules and claims to check."""
    from playproof.language.registry import without_cards

    if without_cards(game):
        from playproof.language.rulebook_check import check_alone

        return _and_played(game, [*check_alone(game), *_of_claims(game)])
    from playproof.cli.failures import of_rules
    from playproof.database.errors import InputError
    from playproof.database.game import find_game
    from playproof.language import RulesError
    from playproof.linting.whole_game import lint_of, of_layouts

    try:
        return _and_played(game, lint_of(game, jobs=os.cpu_count() or 1))
    except RulesError as error:  # it hides no mistake of the layouts
        raise InputError([*of_rules(error), *of_layouts(find_game(game))]) from None


def _and_played(game: str, findings: list[Finding]) -> list[Finding]:
    """Return findings with those of random games, if there is no error and there are rules."""
    from playproof.language.registry import UnknownGame, build
    from playproof.linting.random_play import findings_of_play

    if any(finding.severity == "error" for finding in findings):
        return findings
    try:
        return [*findings, *findings_of_play(build(game))]
    except UnknownGame:  # cards without rules
        return findings


def _of_claims(game: str) -> list[Finding]:
    """Return what is wrong in the claims of a game without cards, if it has any."""
    from playproof.language.registry import is_installed

    if is_installed(game) or not (Path(game) / "claims.yaml").is_file():
        return []
    from playproof.database.game import load_game
    from playproof.verifier.questions.claim_check import misunderstood
    from playproof.verifier.questions.claims_file import questions_of
    from playproof.verifier.questions.seats import with_seats

    claims = with_seats(game, questions_of(load_game(game).claims))
    return misunderstood(game, claims.values(), claims)
