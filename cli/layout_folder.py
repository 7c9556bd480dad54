"""Where a game's looks are: beside its own cards, or in layouts/."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.generator.layout.bind import Looks


def looks_of(game: Game, rulings: Mapping[str, str] | None = None) -> Looks | None:
    """The looks in the game's own folder where it brings them; None for those of its name in layouts/.

    With ``rulings`` always the looks, which print them.
    """
    from playproof.generator.layout.bind import Looks

    own = game.folder / "layouts"
    if rulings:
        return Looks(game, own if own.is_dir() else None, rulings=rulings)
    return Looks(game, own) if own.is_dir() else None
