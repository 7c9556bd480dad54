"""lint: does the data hold together, and with the rules."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import games_argument, json_option, report_findings

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.database.game import Game


@click.command(short_help="Check the cards and the rulebook of games.")
@games_argument
@json_option
def lint(games: tuple[str, ...], as_json: bool) -> int:
    """Check the cards of GAMES: counts, numbers, calls, costs, icons, texts and provenance.

    Also check that rulebook and rules name the same things, that each claim can be understood, and that the printed
    pieces are enough to play.
    """
    found = [finding for game in games for finding in findings_of(game)]
    return report_findings(found, as_json=as_json, good=f"no errors in {', '.join(games)}")


def findings_of(game: str) -> list[Finding]:
    """All that lint finds in one game. Raises InputError where it cannot be read."""
    from playproof.cli.layout_folder import looks_of
    from playproof.database.game import load_game
    from playproof.database.lint import lint as lint_game
    from playproof.generator.book.told import told
    from playproof.generator.layout.bind import Looks
    from playproof.generator.playability import playability
    from playproof.referee.variant import Variant
    from playproof.rules.registry import UnknownGame
    from playproof.rules.rulebook_check import check
    from playproof.table.lint import findings as table_findings
    from playproof.verifier.questions.claims import questions_of
    from playproof.verifier.questions.understood import misunderstood

    loaded = load_game(game)
    findings = [*lint_game(loaded, _icons(loaded)), *told(loaded), *check(game, loaded)]
    looks = looks_of(loaded) or Looks(loaded)
    with suppress(UnknownGame):  # cards without rules have no state that could lie anywhere, and nothing to claim
        findings += table_findings(Variant.with_cards(game, loaded), looks)
        claims = questions_of(loaded.claims)
        findings += misunderstood(game, claims.values(), claims)
    if looks.layouts:
        findings += playability(loaded, looks)
    return findings


def _icons(game: Game) -> Collection[str]:
    """The names of all icons that can be drawn for a game."""
    from playproof.generator.art.icons import Icons
    from playproof.generator.layout.layout_files import LAYOUTS

    own = game.folder / "layouts" / "icons"
    return set(Icons(own, LAYOUTS / game.name / "icons", LAYOUTS / "icons"))
