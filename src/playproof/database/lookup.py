"""Finds what a person names: an erratum by its version, a card by its number or title."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playproof.database.components import Component
from playproof.database.errors import InputError, Where, did_you_mean, shorten_path
from playproof.database.game import Game, find_game_folder
from playproof.database.patch import Erratum

_A_CHANGE = "`{component: ID, path: title, from: OLD, to: NEW}`"


def find_erratum(ref: str | Path, errata: Sequence[Erratum], version: str) -> Erratum:
    """Return the erratum of this version. Raises InputError if there is none."""
    for erratum in errata:
        if erratum.version == version:
            return erratum
    where = Where(shorten_path(find_game_folder(ref) / "errata"))
    if not errata:
        hint = f"write {where.file}/1.1.yaml with `version`, `date`, `note` and `changes`, of which each is {_A_CHANGE}"
        raise InputError.from_single_finding("PP404", where, "this game has no errata", hint)
    message = f'there is no erratum with the version "{version}"'
    raise InputError.from_single_finding(
        "PP404", where, message, did_you_mean(version, [e.version for e in errata])
    )


def find_component(game: Game, name: str, language: str) -> Component:
    """Return the component with this number or title. Raises InputError if there is none."""
    if name in game.components:
        return game.components[name]
    titles = {
        component.title.text(language).casefold(): component
        for component in game.components.values()
        if component.title is not None
    }
    if name.casefold() in titles:
        return titles[name.casefold()]
    hint = did_you_mean(name, [*game.components, *(component.name for component in titles.values())])
    raise InputError.from_single_finding("PP210", Where(game.name), f'there is no card "{name}"', hint)


def describe_missing_component(game: Game, ident: str) -> tuple[str, str]:
    """Return that a game has no component of this id, and the way out: another one, or what to do for one that left the
    box."""
    if ident in game.removed:
        hint = f"name another component here, write around it, or leave {ident} in the box"
        return f"{ident} is no longer in the box: it has 0 copies", hint
    return f'there is no component "{ident}"', did_you_mean(ident, game.components)
