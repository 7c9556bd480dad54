"""Check that every place of the rules lies on paper or in a hand. `lint` uses it, and a test for
every game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from playproof.database.errors import Finding, InputError, Where
from playproof.generator.layout.bind import Looks
from playproof.language import Sees
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.referee.view import View, drawn_fields
from playproof.table.named_things import misnamed, untranslated
from playproof.table.placing import NoTable, Spread, Throw
from playproof.table.scene import Surface, TablePiece

STEPS = 40
"""Moves of the random game whose states are laid. Names are checked without a state."""


def findings(variant: Variant, looks: Looks | None = None) -> list[Finding]:
    """Return all findings on the table of a game under its options; empty if it has no table.

    `looks` are the game's looks if they have been read already.
    """
    try:
        spread = Spread(variant, looks)
    except NoTable:
        return []
    except InputError as error:
        return list(error.findings)
    wrong = misnamed(spread)
    if wrong:  # no state can be laid
        return wrong
    findings = [
        *_missing(spread),
        *_unthrown(spread, variant.play.start()),
        *_unlaid(spread),
        *untranslated(spread),
    ]
    return list(dict.fromkeys(findings))  # a throw and a state meet the same mistake


def _unlaid(spread: Spread) -> Iterator[Finding]:
    """Yield what cannot be laid in the states of a random game, and the pieces that lie beside their surface."""
    match, dice = Match(spread.variant, 0), Random(0)
    places = set[Where]()
    for _ in range(STEPS):
        match.settle()
        for finding in _laid(spread, match.state):
            if finding.where not in places:
                places.add(finding.where)
                yield finding
        if match.over:
            return
        match.apply(dice.choice(match.play.legal(match.state)))


def _touches(piece: TablePiece, surface: Surface) -> bool:
    """Return whether a piece lies at least partly on its surface: cards may be tucked under a mat.
    Half of its shorter side reaches that far, whichever way it is turned."""
    reach = min(piece.width, piece.height) / 2
    return -reach <= piece.x <= surface.width + reach and -reach <= piece.y <= surface.height + reach


def _laid(spread: Spread, state: Sequence[int]) -> Iterator[Finding]:
    try:
        scene = spread.scene(state)
    except InputError as error:
        yield from error.findings
        return
    surfaces = {surface.key: surface for surface in scene.surfaces}
    for piece in scene.pieces:
        surface = surfaces[piece.surface]
        if not _touches(piece, surface):
            place = int(piece.key[1:].partition(".")[0])  # `p3.0`: of the fourth place
            message = f"{piece.picture.component} lies beside its surface `{surface.key}` at {piece.x:g}, {piece.y:g}"
            size = f"it is {surface.width:g} x {surface.height:g} mm"
            yield spread.wrong("PP628", ["places", place], message, size)


def _missing(spread: Spread) -> Iterator[Finding]:
    """Yield a finding for each field that somebody sees and that the table shows nowhere."""
    accounted = spread.shown() | set(spread.spec.off)
    for field in drawn_fields(spread.game):
        if field.sees is not Sees.NOBODY and field.name not in accounted:
            message = (
                f"`{field.name}` lies nowhere: expected it in a place's `shows`, or in `off` with the reason"
            )
            yield Finding("PP626", spread.node.at(["places"]).where, message)


def _unthrown(spread: Spread, state: Sequence[int]) -> Iterator[Finding]:
    """Yield the first mistake of each throw: every value that chance may throw is laid once."""
    wrong: set[str] = set()
    view = View.of(spread.game, state, None)
    for _, action, values in spread.game.idents():
        if action.name not in spread.spec.throws or action.name in wrong:
            continue
        named = {param.local.name: value for param, value in zip(action.params, values, strict=True)}
        try:
            spread.lay(view, [Throw(action.name, named)])
        except InputError as error:
            wrong.add(action.name)
            yield from error.findings
