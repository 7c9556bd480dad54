"""lint: does the data hold together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.arguments import games_argument, json_option, report_findings

if TYPE_CHECKING:
    from database.errors import Finding


@click.command(short_help="Check the cards of games.")
@games_argument
@json_option
def lint(games: tuple[str, ...], as_json: bool) -> int:
    """Check the cards of GAMES: counts, numbers, calls, costs, icons, texts, provenance."""
    from database.game import load_game
    from database.lint import lint as lint_game

    findings: list[Finding] = []
    for game in games:
        findings += lint_game(load_game(game))
    return report_findings(findings, as_json=as_json, good=f"no errors in {', '.join(games)}")
