"""The things of a game that chance deals and players use, read from its description: cards by their words.

A thing is a word that names a value of an action's parameter, e.g. `face` of "draw {face}". It counts if chance
deals it, or if a seat has a place for it. What chance decides without a component (the side of a die) counts only
where a seat can hold it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.fields import Field
from playproof.language.game import Action, Game
from playproof.language.machine.records import DEALS, USES
from playproof.referee.screen_facts import Look
from playproof.referee.variant import Variant

Ints = npt.NDArray[np.int64]


@dataclass
class Thing:
    """A card or its like. `word` is what the rules call it, and `title` what is printed on it, if that is another name.
    `deals` and `uses` are ground actions of chance and of players that name it. `cells[seat]` lists the cells that hold
    it for a seat, each with the value that means it (-1: the cell counts it)."""

    word: str
    kind: str
    component: str | None = None
    title: str = ""
    deals: list[int] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)
    cells: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def marks(self, ground: int) -> Ints:
        """Return for each ground action what it has to do with the thing."""
        made = np.zeros(max(1, ground), dtype=np.int64)
        made[self.deals] = DEALS
        made[self.uses] = USES
        return made

    def places(self, seats: int) -> Ints:
        """Return the cells in the shape of `Recorder.treated`."""
        most = max((len(cells) for cells in self.cells.values()), default=0)
        made = np.zeros((seats, 1 + 2 * max(1, most)), dtype=np.int64)
        for seat, cells in self.cells.items():
            made[seat, 0] = len(cells)
            for number, pair in enumerate(cells):
                made[seat, 1 + 2 * number : 3 + 2 * number] = pair
        return made


def things_of(variant: Variant) -> list[Thing]:
    """Return the things of a game in the order of its actions."""
    game = variant.game
    components = _components(variant)
    made: dict[str, Thing] = {}
    for action in game.actions:
        chance = all(game.phases[phase].chance for phase in action.phases)
        for ident in action.idents:
            for word, kind in _words(game, action, ident):
                if word not in made:
                    component = components.get(word)
                    made[word] = Thing(word, kind, component, _title(variant, word, component))
                thing = made[word]
                (thing.deals if chance else thing.uses).append(ident)
    _find_cells(game, made)
    return [thing for thing in made.values() if _counts(thing)]


def _counts(thing: Thing) -> bool:
    dealt = bool(thing.deals) and thing.component is not None
    return dealt or (bool(thing.cells) and bool(thing.deals or thing.uses))


def _components(variant: Variant) -> dict[str, str]:
    """Return the id of the component for each word that names one: its id, its name or its title."""
    if variant.data is None:
        return {}
    made: dict[str, str] = {}
    for ident, component in variant.data.components.items():
        made.setdefault(ident, ident)
        made.setdefault(str(component.name), ident)
        title = component.fields.get("title") if hasattr(component, "fields") else None
        if isinstance(title, str):
            made.setdefault(title, ident)
    return made


def _title(variant: Variant, word: str, component: str | None) -> str:
    """Return the name on a component that the rules call by its id."""
    if variant.data is None or component is None or word != component:
        return ""
    name = str(variant.data.components[component].name)
    return "" if name == word else name


def _words(game: Game, action: Action, ident: int) -> Iterable[tuple[str, str]]:
    """Yield the names of the parameters' values of a ground action, each with its kind."""
    for parameter, value in zip(action.params, action.values(ident), strict=True):
        if parameter.labels:
            yield parameter.show(value), _kind(game, parameter.labels, parameter.local.name)


def _kind(game: Game, labels: tuple[str, ...], otherwise: str) -> str:
    """Return the family of a game's claims that these words belong to, or the parameter's name."""
    families: Mapping[str, Mapping[str, Any]] = game.facts.get("families") or {}
    for name, members in families.items():
        if set(labels) <= set(members):
            return name
    return otherwise


def _find_cells(game: Game, things: Mapping[str, Thing]) -> None:
    """Note for each thing the cells in which a seat holds it: a count under its name, or a value with its name."""
    look = Look.of(game)
    alone = game.players == 1 and not any(thing.component for thing in things.values())
    for held in game.fields:
        if held.name in (game.facts.get("hidden") or ()):
            continue
        if alone:
            _note_own(held, look, things)
        if not look.by_seat(held):
            continue
        if len(held.shape) == 2 and (names := look.axis(held, 1)) is not None:
            _note_counts(held, names, things)
        elif len(held.shape) == 1:
            _note_values(held, look.words(held), things)


def _note_own(held: Field, look: Look, things: Mapping[str, Thing]) -> None:
    """Note what the only player's fields hold: they need no place for a seat."""
    cells = range(held.offset, held.offset + prod(held.shape))
    names = look.axis(held, 0) if len(held.shape) == 1 else None
    for cell, name in zip(cells, names or (), strict=False):
        if name in things:
            things[name].cells.setdefault(0, []).append((cell, -1))
    for value, word in enumerate(look.words(held), held.lo):
        if word in things:
            things[word].cells.setdefault(0, []).extend((cell, value) for cell in cells)


def _note_counts(held: Field, names: Iterable[str], things: Mapping[str, Thing]) -> None:
    for place, word in enumerate(names):
        if word in things:
            for seat in range(held.shape[0]):
                cell = held.offset + seat * held.shape[1] + place
                things[word].cells.setdefault(seat, []).append((cell, -1))


def _note_values(held: Field, words: Iterable[str], things: Mapping[str, Thing]) -> None:
    for value, word in enumerate(words, held.lo):
        if word in things:
            for seat in range(held.shape[0]):
                things[word].cells.setdefault(seat, []).append((held.offset + seat, value))
