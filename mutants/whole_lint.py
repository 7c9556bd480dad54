"""Everything that lint says of a game, for the command and for a changed game."""

from __future__ import annotations

from pathlib import Path

from playproof.database.errors import Finding, Where
from playproof.database.game import load_game
from playproof.database.lint import lint
from playproof.database.rulebook_text import read_document
from playproof.generator.art.icons import Icons
from playproof.generator.book.checked import checked
from playproof.generator.book.told import told
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.layout_files import LAYOUTS, layouts_of
from playproof.generator.playability import playability
from playproof.referee.transcript import read
from playproof.referee.variant import Variant
from playproof.rules.registry import UnknownGame
from playproof.rules.rulebook_check import check
from playproof.table.every_place import findings
from playproof.verifier.questions.claims_file import questions_of
from playproof.verifier.questions.understood import misunderstood


def lint_of(ref: str) -> list[Finding]:
    """Return all that lint finds in a game. Raises InputError if the game cannot be read."""
    game = load_game(ref)
    icons = Icons(layouts_of(game.folder) / "icons", LAYOUTS / "icons")
    found = [*lint(game, set(icons)), *told(game), *check(ref, game)]
    for document in filter(None, (read_document(game.folder, language) for language in game.languages)):
        found += checked(game, document, icons, _recorded)
    looks = Looks(game)
    claims = questions_of(game.claims)
    try:
        found += findings(Variant.with_cards(ref, game), looks)
        found += misunderstood(ref, claims.values(), claims)
    except UnknownGame as error:  # cards without rules have no states, and nothing to claim
        found += [_groundless(claim.where, error) for claim in [*game.claims.values()][:1]]
    return [*found, *playability(game, looks)] if looks.layouts else found


def _recorded(transcript: Path) -> int:
    """Return how many moves a transcript has, without a judgement of them."""
    return len(read(transcript).entries)


def _groundless(where: Where, error: UnknownGame) -> Finding:
    return Finding("PP802", where, f"the claims are about rules that are not there: {error}",
                   "write the rules, or remove claims.yaml")


__all__ = ["lint_of"]
