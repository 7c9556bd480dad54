"""All that lint says of a game; and whether every place of the rules lies on paper or in a hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from playproof.database.errors import Finding, InputError
from playproof.database.game import Game, load_game
from playproof.database.lint import lint
from playproof.generator.art.icons import Icons
from playproof.generator.book.told import told
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.playability import playability
from playproof.referee.variant import Variant
from playproof.referee.view import drawn_fields
from playproof.rules.check import check
from playproof.rules.language import Sees
from playproof.rules.registry import UnknownGame
from playproof.table.placing import NoTable, Spread


def lint_of(ref: str) -> list[Finding]:
    """All that lint finds in a game. Raises InputError where it cannot be read."""
    loaded = load_game(ref)
    own = loaded.folder / "layouts"
    found = [*lint(loaded, _icons(loaded)), *told(loaded), *check(ref, loaded)]
    with suppress(UnknownGame):  # cards without rules have no state that could lie anywhere
        found += findings(Variant(ref))
    looks = Looks(loaded, own if own.is_dir() else None)
    if looks.layouts:
        found += playability(loaded, looks)
    return found


def _icons(game: Game) -> Collection[str]:
    """The names of all icons that can be drawn for a game."""
    return set(Icons(game.folder / "layouts" / "icons", LAYOUTS / game.name / "icons", LAYOUTS / "icons"))


def findings(variant: Variant) -> list[Finding]:
    """All that is wrong with the table of a game under its options; nothing where it has none."""
    try:
        spread = Spread(variant)
        spread.scene(variant.play.start())
    except NoTable:
        return []
    except InputError as error:
        return list(error.findings)
    return list(_missing(spread))


def _missing(spread: Spread) -> Iterator[Finding]:
    """Fields that somebody sees and nobody finds on the table."""
    accounted = spread.shown() | set(spread.spec.off)
    for field in drawn_fields(spread.game):
        if field.sees is not Sees.NOBODY and field.name not in accounted:
            message = f"`{field.name}` lies nowhere: expected it in a place's `shows`, or in `off` with the reason"
            yield Finding("PP586", spread.node.at(["places"]).where, message)
