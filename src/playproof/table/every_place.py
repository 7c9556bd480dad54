"""Check that every place of the rules lies on paper or in a hand. `lint` uses it, and a test for
every game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from playproof.database.errors import Finding, InputError, Where
from playproof.generator.layout.bind import LayoutRenderer
from playproof.language import Sees
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.referee.view import View, list_drawn_fields
from playproof.table.named_things import find_unknown_names, iter_title_language_findings
from playproof.table.placing import DiceThrow, NoTable, TableLayout
from playproof.table.scene import Surface, TablePiece

STEPS = 40
"""Moves of the random game whose states are laid. Names are checked without a state."""


def check_table(variant: Variant, looks: LayoutRenderer | None = None) -> list[Finding]:
    """Return all findings on the table of a game under its options; empty if it has no table.

    `looks` are the game's looks if they have been read already.
    """
    try:
        spread = TableLayout(variant, looks)
    except NoTable:
        return []
    except InputError as error:
        return list(error.findings)
    wrong = find_unknown_names(spread)
    if wrong:  # no state can be laid
        return wrong
    findings = [
        *_check_all_fields_shown(spread),
        *_check_throws(spread, variant.play.start()),
        *_check_random_game(spread),
        *iter_title_language_findings(spread),
    ]
    return list(dict.fromkeys(findings))  # a throw and a state meet the same mistake


def _check_random_game(layout: TableLayout) -> Iterator[Finding]:
    """Yield what cannot be laid in the states of a random game, and the pieces that lie beside their surface."""
    match, dice = Match(layout.variant, 0), Random(0)
    places = set[Where]()
    for _ in range(STEPS):
        match.settle()
        for finding in _check_state(layout, match.state):
            if finding.where not in places:
                places.add(finding.where)
                yield finding
        if match.over:
            return
        match.apply(dice.choice(match.play.legal(match.state)))


def _is_on_surface(piece: TablePiece, surface: Surface) -> bool:
    """Return whether a piece lies at least partly on its surface: cards may be tucked under a mat.
    Half of its shorter side reaches that far, whichever way it is turned."""
    reach = min(piece.width, piece.height) / 2
    return -reach <= piece.x <= surface.width + reach and -reach <= piece.y <= surface.height + reach


def _check_state(layout: TableLayout, state: Sequence[int]) -> Iterator[Finding]:
    try:
        scene = layout.make_scene(state)
    except InputError as error:
        yield from error.findings
        return
    surfaces = {surface.key: surface for surface in scene.surfaces}
    for piece in scene.pieces:
        surface = surfaces[piece.surface]
        if not _is_on_surface(piece, surface):
            place = int(piece.key[1:].partition(".")[0])  # `p3.0`: of the fourth place
            message = f"{piece.picture.component} lies beside its surface `{surface.key}` at {piece.x:g}, {piece.y:g}"
            size = f"it is {surface.width:g} x {surface.height:g} mm"
            yield layout.make_finding("PP628", ["places", place], message, size)


def _check_all_fields_shown(layout: TableLayout) -> Iterator[Finding]:
    """Yield a finding for each field that somebody sees and that the table shows nowhere."""
    accounted = layout.list_shown_fields() | set(layout.spec.off)
    for field in list_drawn_fields(layout.game):
        if field.sees is not Sees.NOBODY and field.name not in accounted:
            message = (
                f"`{field.name}` lies nowhere: expected it in a place's `shows`, or in `off` with the reason"
            )
            yield Finding("PP626", layout.node.get_nearest(["places"]).where, message)


def _check_throws(layout: TableLayout, state: Sequence[int]) -> Iterator[Finding]:
    """Yield the first mistake of each throw: every value that chance may throw is laid once."""
    wrong: set[str] = set()
    view = View.of(layout.game, state, None)
    for _, action, values in layout.game.iter_ground_actions():
        if action.name not in layout.spec.throws or action.name in wrong:
            continue
        named = {param.local.name: value for param, value in zip(action.params, values, strict=True)}
        try:
            layout.lay_out_view(view, [DiceThrow(action.name, named)])
        except InputError as error:
            wrong.add(action.name)
            yield from error.findings
