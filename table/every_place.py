"""Check that every place of the rules lies on paper or in a hand. `lint` uses it, and a test for
every game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.database.errors import Finding, InputError
from playproof.generator.layout.bind import Looks
from playproof.referee.variant import Variant
from playproof.referee.view import View, drawn_fields
from playproof.rules.language import Sees
from playproof.table.placing import NoTable, Spread, Throw


def findings(variant: Variant, looks: Looks | None = None) -> list[Finding]:
    """Return all findings on the table of a game under its options; empty if it has no table.

    `looks` are the game's looks if they have been read already.
    """
    try:
        spread = Spread(variant, looks)
        state = variant.play.start()
        spread.scene(state)
    except NoTable:
        return []
    except InputError as error:
        return list(error.findings)
    return [*_missing(spread), *_unthrown(spread, state)]


def _missing(spread: Spread) -> Iterator[Finding]:
    """Yield a finding for each field that somebody sees and that the table shows nowhere."""
    accounted = spread.shown() | set(spread.spec.off)
    for field in drawn_fields(spread.game):
        if field.sees is not Sees.NOBODY and field.name not in accounted:
            message = f"`{field.name}` lies nowhere: expected it in a place's `shows`, or in `off` with the reason"
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
