"""The verb lint: check that the data is consistent in itself and with the rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import games_argument, json_option, report_findings, show_progress_text

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
    from playproof.database.errors import shorten_path
    from playproof.database.garbage_collection import pause_garbage_collection
    from playproof.database.source import enable_parse_cache

    enable_parse_cache()  # a game is read once for its findings, and again with each proposed erratum
    findings: list[Finding] = []
    names = [str(shorten_path(Path(game))) for game in games]
    with show_progress_text(f"checking {names[0]}") as say, pause_garbage_collection():
        for game, name in zip(games, names, strict=True):
            say(f"checking {name}")
            findings += _lint_game(game)
    return report_findings(findings, as_json=as_json, success_message=f"no errors in {', '.join(names)}")


def _lint_game(game: str) -> list[Finding]:
    """Return the findings of a game; one without cards has only rules and claims to check."""
    from playproof.language.registry import is_without_cards

    if is_without_cards(game):
        from playproof.language.rulebook_check import collect_findings_without_cards

        return _add_random_play_findings(
            game, [*collect_findings_without_cards(game), *_check_claims_without_cards(game)]
        )
    from playproof.cli.failures import findings_from_rules_error
    from playproof.database.errors import InputError
    from playproof.database.game import find_game_folder
    from playproof.language import RulesError
    from playproof.linting.whole_game import check_layout_files, lint_whole_game

    try:
        return _add_random_play_findings(game, lint_whole_game(game, jobs=os.cpu_count() or 1))
    except RulesError as error:  # it hides no mistake of the layouts
        raise InputError(
            [*findings_from_rules_error(error), *check_layout_files(find_game_folder(game))]
        ) from None


def _add_random_play_findings(game: str, findings: list[Finding]) -> list[Finding]:
    """Return findings with those of random games, if there is no error and there are rules."""
    from playproof.language.registry import UnknownGame, build
    from playproof.linting.random_play import find_problems_by_random_play

    if any(finding.severity == "error" for finding in findings):
        return findings
    try:
        return [*findings, *find_problems_by_random_play(build(game))]
    except UnknownGame:  # cards without rules
        return findings


def _check_claims_without_cards(game: str) -> list[Finding]:
    """Return what is wrong in the claims of a game without cards, if it has any."""
    from playproof.language.registry import is_installed

    if is_installed(game) or not (Path(game) / "claims.yaml").is_file():
        return []
    from playproof.database.game import load_game
    from playproof.verifier.questions.claim_check import find_claim_mistakes
    from playproof.verifier.questions.claims_file import questions_from_claims
    from playproof.verifier.questions.seats import replace_seat_names_in_questions

    claims = replace_seat_names_in_questions(game, questions_from_claims(load_game(game).claims))
    return find_claim_mistakes(game, claims.values(), claims)
