"""Check that every place of the rules lies on paper or in a hand. `lint` uses it, and a test for
every game."""

from __future__ import annotations

from collections.abc import Iterator

from playproof.database.errors import Finding, InputError
from playproof.generator.layout.bind import Looks
from playproof.referee.variant import Variant
from playproof.referee.view import drawn_fields
from playproof.rules.language import Sees
from playproof.table.placing import NoTable, Spread


def findings(variant: Variant, looks: Looks | None = None) -> list[Finding]:
    """Return all findings on the table of a game under its options; empty if it has no table.

    `looks` are the game's looks if they have been read already.
    """
    try:
        spread = Spread(variant, looks)
        spread.scene(variant.play.start())
    except NoTable:
        return []
    except InputError as error:
        return list(error.findings)
    return list(_missing(spread))


def _missing(spread: Spread) -> Iterator[Finding]:
    """Yield a finding for each field that somebody sees and that the table shows nowhere."""
    accounted = spread.shown() | set(spread.spec.off)
    for field in drawn_fields(spread.game):
        if field.sees is not Sees.NOBODY and field.name not in accounted:
            message = f"`{field.name}` lies nowhere: expected it in a place's `shows`, or in `off` with the reason"
            yield Finding("PP626", spread.node.at(["places"]).where, message)
