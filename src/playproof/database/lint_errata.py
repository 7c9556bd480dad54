"""Finds what is doubtful in errata: names that the game does not have, and proposals that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from playproof.database.errors import Finding, did_you_mean
from playproof.database.game import Game
from playproof.database.patch import Change, Erratum
from playproof.database.sheet_cells import flow
from playproof.database.source import Data


def errata(game: Game) -> Iterator[Finding]:
    """PP407: an erratum names rulings and languages of the game. PP406: two proposed errata do not change one value
    differently, unless one builds on the other. PP238: what it says of claims is in every language of the game."""
    for unread in game.unread_errata:
        yield from unread.findings
    for erratum in game.errata:
        yield from _names(game, erratum)
        yield from _untranslated(game, erratum)
    proposed = [erratum for erratum in game.errata if erratum.proposed]
    for number, erratum in enumerate(proposed):
        for earlier in proposed[:number]:
            if not _builds_on(game, erratum, earlier):
                yield from _conflicts(erratum, earlier)


def _names(game: Game, erratum: Erratum) -> Iterator[Finding]:
    for fate in erratum.rulings:
        if fate.id not in game.rulings:
            message = f'erratum {erratum.version}: there is no ruling "{fate.id}"'
            yield Finding("PP407", fate.where, message, did_you_mean(fate.id, game.rulings))
    printed = [language for printing in erratum.printings for language in printing.languages]
    for key, languages in (("languages", erratum.languages), ("printings", printed)):
        for language in languages:
            if language not in game.languages:
                message = f'erratum {erratum.version}: the game is not written in "{language}"'
                yield Finding("PP407", erratum.place(key), message, did_you_mean(language, game.languages))


def _untranslated(game: Game, erratum: Erratum) -> Iterator[Finding]:
    for ident, claim in erratum.claims.items():
        says = claim.get("says")
        texts = says.data if says is not None and isinstance(says.data, dict) else {"en": says}
        missing = [language for language in game.languages if language not in texts]
        if says is not None and missing:
            message = f"erratum {erratum.version}: what claim `{ident}` says lacks {', '.join(missing)}"
            yield Finding("PP238", says.where, message, severity="warning")


def _builds_on(game: Game, erratum: Erratum, earlier: Erratum) -> bool:
    by_version = {each.version: each for each in game.errata}
    below = erratum.follows or erratum.undoes
    while below in by_version:
        if below == earlier.version:
            return True
        below = by_version[below].follows or by_version[below].undoes
    return False


def _conflicts(erratum: Erratum, earlier: Erratum) -> Iterator[Finding]:
    before = {(change.target, change.path): change for change in earlier.changes}
    for change in erratum.changes:
        other = before.get((change.target, change.path)) if change.path else None
        if other is not None and _value(other) != _value(change):
            message = (
                f"erratum {erratum.version} makes `{'.'.join(change.path)}` of {change.target} "
                f"`{flow(_value(change))}`, erratum {earlier.version} makes it `{flow(_value(other))}`"
            )
            hint = f"{other.where}; if one builds on the other, say `follows: {earlier.version}`"
            yield Finding("PP406", change.where, message, hint, severity="warning")


def _value(change: Change) -> Data:
    return change.new.data if change.new else None
