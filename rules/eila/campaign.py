"""From one chapter to the next: what is kept after a win (R35-R37) and after a loss (A22)."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.rules.eila.names import Place
from playproof.rules.language import Game
from playproof.rules.options import Options


def kept(game: Game, state: Sequence[int]) -> tuple[str, ...]:
    """Ids of the items owned and of the habits that are out of their deck, wherever they lie (A9)."""
    own, found = game.facts["own"], []
    for name, ids, free in (("owned", own["items"], 0), ("where", own["cards"], int(Place.DECK))):
        if ids:
            offset = game.field_named(name).offset
            found += [i for n, i in enumerate(ids) if state[offset + n] != free]
    return tuple(i for i in found if i in own["items"] or i in own["habits"])


def next_chapter(game: Game, state: Sequence[int], options: Options) -> Options | None:
    """The options of the chapter after this one was won; None if it was not, or was the last.

    Habits stand in the order of `carried` at the back of the stand; reorder the names to choose another (R36).
    """
    following = game.facts["own"]["next_chapter"]
    if not state[1] or game.endings[state[1] - 1].kind != "win" or following is None:
        return None
    values = {**options.values, "chapter": following, "carried": " ".join(kept(game, state))}
    return Options(values, options.rulings)


def after_loss(options: Options) -> Options:
    """The options of the next try: the same chapter with what it began with, or the whole demo again (A22)."""
    if options.rulings.get("A22") != "from-the-start":
        return Options(options.values, options.rulings)
    values = {k: v for k, v in options.values.items() if k != "carried"}
    return Options({**values, "chapter": "0"}, options.rulings)
