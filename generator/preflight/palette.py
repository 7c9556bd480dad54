"""The colours and icons of a game's terms, as swatches that players must be able to tell apart."""

from __future__ import annotations

from collections.abc import Mapping

from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.generator.art.icons import Icons
from playproof.generator.layout.layout_files import LAYOUTS, layouts_of
from playproof.generator.preflight.vision import Swatch, look_alikes
from playproof.generator.scene import Colour, Node, Symbol, Transform, Use


def game_colours(game: Game, icons: Mapping[str, Symbol] | None = None) -> list[Finding]:
    """Return findings for the terms of one group (resources, zones, colours of backs ...) that some
    players cannot tell apart."""
    symbols = icons or Icons(layouts_of(game.folder) / "icons", LAYOUTS / "icons")
    groups = [palette(game, group, symbols) for group in game.vocabulary.terms]
    findings = [finding for group in groups for finding in look_alikes(group)]
    return sorted(findings, key=lambda finding: (finding.code, finding.message))


def palette(game: Game, group: str, icons: Mapping[str, Symbol]) -> list[Swatch]:
    """Return the coloured terms of a group as swatches, with their icons if they have any."""
    where = Where(game.folder / "vocabulary.yaml")
    swatches = []
    for name, term in game.vocabulary.group(group).items():
        colour, icon = term.spec.colour, term.icon
        if colour is None:
            continue
        drawing, size = _drawing(icons[icon]) if icon in icons else ((), 10.0)
        swatches.append(Swatch(f"{group} {name}", Colour.parse(colour), drawing, size, where))
    return swatches


def _drawing(symbol: Symbol) -> tuple[tuple[Node, ...], float]:
    """Return the icon, moved to the origin, and the side of the square that holds it."""
    box = symbol.bounds
    return (Use(symbol, Transform.move(-box.x, -box.y)),), max(box.width, box.height)
