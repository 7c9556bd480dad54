"""Certificates of one version of a game, with the places of their splits as another version numbers its cells.

A split names a cell by its number. With one player more, or one card, all cells behind the longer array have other
numbers, and Z3 would be asked by the values of cells that have nothing to do with the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate
from playproof.verifier.kernel.induction import Split

_CELL = "cell "


def renumber_certificate_splits(certificate: Certificate, source: Game, game: Game) -> Certificate:
    """Return a certificate that was made for the game `source` with the places of its splits as `game` numbers them. A
    cell that `game` does not have is no place there."""
    if _list_field_shapes(source) == _list_field_shapes(game):
        return certificate
    return cast(
        Certificate, _renumber_splits_in_part(certificate, partial(_renumber_cell_place, source, game))
    )


def _list_field_shapes(game: Game) -> list[tuple[str, tuple[int, ...]]]:
    return [(field.name, field.shape) for field in game.fields]


def _renumber_splits_in_part(part: Any, renumber_place: Callable[[str], str]) -> Any:
    """Return a certificate, or a part of one, with its splits by other places."""
    if isinstance(part, Split):
        return replace(part, places=tuple(filter(None, map(renumber_place, part.places))))
    if isinstance(part, tuple):
        return tuple(_renumber_splits_in_part(each, renumber_place) for each in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(
            part,
            **{
                each.name: _renumber_splits_in_part(getattr(part, each.name), renumber_place)
                for each in fields(part)
            },
        )
    return part


def _renumber_cell_place(source: Game, game: Game, place: str) -> str:
    """Return where a place of a split is in another version of the game; "" if it is not there."""
    if not place.startswith(_CELL):
        return place
    cell = int(place.removeprefix(_CELL))
    held = next(field for field in source.fields if field.offset <= cell < field.offset + field.size)
    there = next((field for field in game.fields if field.name == held.name), None)
    if there is None or len(there.shape) != len(held.shape):
        return ""
    at = np.unravel_index(cell - held.offset, held.shape) if held.shape else ()
    if any(index >= size for index, size in zip(at, there.shape, strict=True)):
        return ""
    return f"{_CELL}{there.offset + (int(np.ravel_multi_index(at, there.shape)) if at else 0)}"
