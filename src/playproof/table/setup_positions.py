"""The prepared table of an export: where the set-up of a game puts its pieces. Only this part of
an export needs the referee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.generator.exports.virtual_table import StartPlace, TableSetup
from playproof.language.registry import UnknownGame
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.table import TableLayout
from playproof.table.table_layout import NoTable

if TYPE_CHECKING:
    from playproof.generator.build.run import Builder


def compute_new_game_positions_or_empty(press_builder: Builder, language: str) -> TableSetup:
    """Return the places of the printed components on the table of a new game before its first
    decision, all hands open.

    Empty for a game without rules or without a `table.yaml`.
    """
    try:
        match = Match(Variant(str(press_builder.press.game.folder), {}, press_builder.press.looks.rulings))
        match.settle()
        scene = TableLayout(match.variant, press_builder.press.looks, language).make_scene_seen_by_seat(match.state)
    except (UnknownGame, NoTable):
        return TableSetup()
    corner = {surface.key: (surface.x - scene.width / 2, surface.y - scene.height / 2) for surface in scene.surfaces}
    places: dict[str, list[StartPlace]] = {}
    grounds = [(surface, surface.picture) for surface in scene.surfaces if surface.picture is not None]
    for surface, picture in grounds:
        x, y = corner[surface.key]
        middle = StartPlace(round(x + surface.width / 2, 2), round(y + surface.height / 2, 2))
        places.setdefault(picture.component, []).append(middle)
    for piece in scene.pieces:
        x, y = corner[piece.surface]
        lying = StartPlace(round(x + piece.x, 2), round(y + piece.y, 2), piece.turn, piece.count or 1)
        places.setdefault(piece.picture.component, []).append(lying)
    laid = {name: tuple(at) for name, at in places.items()}
    return TableSetup(scene.width, scene.height, laid, frozenset(picture.component for _, picture in grounds))
