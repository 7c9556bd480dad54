"""The things of a game that chance deals and players use, read from its description: cards by their words.

A thing is a value of an action's parameter, e.g. `face` of "draw {face}": known by its word, or by its number where
chance takes it from a zone. It counts if chance deals it (it is a component, or chance takes it from a zone), or if a
seat has a place for it. What chance decides otherwise (the side of a die) counts only where a seat can hold it. A word
names a component if it is the component's id, name or title, or holds its name beside its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.expr import Local, Op
from playproof.language.fields import Field
from playproof.language.game import Action, Game
from playproof.language.machine.records import DEALS, EVERY_DEAL, USES
from playproof.language.traced_statements import Assign, iter_statements
from playproof.language.walks import iter_subterms
from playproof.referee.screen_facts import DisplayFacts
from playproof.referee.variant import Variant

IntArray = npt.NDArray[np.int64]


@dataclass
class CardLikeThing:
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
    from_zone: bool = False
    for_all: bool = False
    """Whether it counts as held once chance deals it: no side plays against another, so it comes to all."""

    def mark_actions(self, ground: int) -> IntArray:
        """Return for each ground action what it has to do with the thing."""
        made = np.zeros(max(1, ground), dtype=np.int64)
        made[self.deals] = DEALS
        made[self.uses] = USES
        return made

    def cells_by_seat(self, seats: int) -> IntArray:
        """Return the cells in the shape of `Recorder.treated`."""
        most = max((len(cells) for cells in self.cells.values()), default=0)
        made = np.zeros((seats, 1 + 2 * max(1, most)), dtype=np.int64)
        if self.for_all:
            made[:, 0] = EVERY_DEAL
            return made
        for seat, cells in self.cells.items():
            made[seat, 0] = len(cells)
            for number, pair in enumerate(cells):
                made[seat, 1 + 2 * number : 3 + 2 * number] = pair
        return made


def find_card_like_things(variant: Variant) -> list[CardLikeThing]:
    """Return the things of a game in the order of its actions."""
    game = variant.game
    components = _component_by_name(variant)
    made: dict[str, CardLikeThing] = {}
    for action in game.actions:
        chance = _is_chance_action(game, action)
        zones = zones_lowered_by_action(action) if chance else {}
        for ident in action.idents:
            for word, kind, parameter in _iter_parameter_values(game, action, ident, zones):
                if word not in made:
                    component = components.get(word) or _find_component_in_word(variant, word)
                    made[word] = CardLikeThing(
                        word, kind, component, _title_of_component(variant, word, component)
                    )
                thing = made[word]
                thing.from_zone |= parameter in zones
                (thing.deals if chance else thing.uses).append(ident)
    _find_cells_holding_things(game, made)
    for thing in made.values():
        thing.for_all = bool(thing.deals) and len(game.sides) == 1
    return [thing for thing in made.values() if _is_card_like(thing)]


def zones_lowered_by_action(action: Action) -> dict[str, Field]:
    """Return the array that an action takes something from, by the parameter that says what: a place of the array that
    its body lowers, as `draw` of a zone does."""
    names = {parameter.local.number: parameter.local.name for parameter in action.params}
    made: dict[str, Field] = {}
    for statement in iter_statements(action.body):
        if not isinstance(statement, Assign) or not statement.field.shape:
            continue
        # A bag's count is lowered by one where the card itself is the index.
        locals_in = [t for t in iter_subterms(statement.index) if isinstance(t, Local) and t.number in names]
        lowered = isinstance(statement.value, Op) and statement.value.op == "-"
        if len(locals_in) == 1 and lowered:
            made.setdefault(names[locals_in[0].number], statement.field)
    return made


def _is_card_like(thing: CardLikeThing) -> bool:
    dealt = bool(thing.deals) and (thing.component is not None or thing.from_zone)
    return dealt or (bool(thing.cells) and bool(thing.deals or thing.uses))


def _component_by_name(variant: Variant) -> dict[str, str]:
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


def _find_component_in_word(variant: Variant, word: str) -> str | None:
    """Return the component whose id and name a word holds, as "01 The Path" does; None if none, or several."""
    if variant.data is None:
        return None
    found = [
        ident
        for ident, component in variant.data.components.items()
        if str(component.name) in word and ident in word.replace(str(component.name), "")
    ]
    return found[0] if len(found) == 1 else None


def _title_of_component(variant: Variant, word: str, component: str | None) -> str:
    """Return the name on a component that the rules call by its id."""
    if variant.data is None or component is None or word != component:
        return ""
    name = str(variant.data.components[component].name)
    return "" if name == word else name


def _iter_parameter_values(
    game: Game, action: Action, ident: int, zones: Mapping[str, Field]
) -> Iterable[tuple[str, str, str]]:
    """Yield the names of the parameters' values of a ground action, each with its kind and its parameter's name. A
    value without a name counts where it is taken from a zone."""
    for parameter, value in zip(action.params, action.get_parameter_values(ident), strict=True):
        name = parameter.local.name
        if parameter.labels:
            yield parameter.format_value(value), _family_of_labels(game, parameter.labels, name), name
        elif name in zones:
            yield f"{name} {parameter.format_value(value)}", name, name


def _family_of_labels(game: Game, labels: tuple[str, ...], otherwise: str) -> str:
    """Return the family of a game's claims that these words belong to, or the parameter's name."""
    families: Mapping[str, Mapping[str, Any]] = game.facts.get("families") or {}
    for name, members in families.items():
        if set(labels) <= set(members):
            return name
    return otherwise


def _is_chance_action(game: Game, action: Action) -> bool:
    return all(game.phases[phase].chance for phase in action.phases)


def _find_cells_holding_things(game: Game, things: Mapping[str, CardLikeThing]) -> None:
    """Note for each thing the cells in which a seat holds it: a count under its name, or a value with its name."""
    look = DisplayFacts.from_game(game)
    zones = {
        held.name
        for action in game.actions
        for held in zones_lowered_by_action(action).values()
        if _is_chance_action(game, action)
    }
    alone = game.players == 1 and not any(thing.component for thing in things.values())
    for held in game.fields:
        if held.name in (game.facts.get("hidden") or ()) or held.name in zones:
            continue
        if alone:
            _note_cells_of_only_player(held, look, things)
        if not look.has_part_per_seat(held):
            continue
        if len(held.shape) == 2 and (names := look.get_place_names(held, 1)) is not None:
            _note_count_cells(held, names, things)
        elif len(held.shape) == 1:
            _note_value_cells(held, look.get_value_names(held), things)


def _note_cells_of_only_player(
    field_held: Field, look: DisplayFacts, things: Mapping[str, CardLikeThing]
) -> None:
    """Note what the only player's fields hold: they need no place for a seat."""
    cells = range(field_held.offset, field_held.offset + prod(field_held.shape))
    names = look.get_place_names(field_held, 0) if len(field_held.shape) == 1 else None
    for cell, name in zip(cells, names or (), strict=False):
        if name in things:
            things[name].cells.setdefault(0, []).append((cell, -1))
    for value, word in enumerate(look.get_value_names(field_held), field_held.lo):
        if word in things:
            things[word].cells.setdefault(0, []).extend((cell, value) for cell in cells)


def _note_count_cells(field_held: Field, names: Iterable[str], things: Mapping[str, CardLikeThing]) -> None:
    for place, word in enumerate(names):
        if word in things:
            for seat in range(field_held.shape[0]):
                cell = field_held.offset + seat * field_held.shape[1] + place
                things[word].cells.setdefault(seat, []).append((cell, -1))


def _note_value_cells(field_held: Field, words: Iterable[str], things: Mapping[str, CardLikeThing]) -> None:
    for value, word in enumerate(words, field_held.lo):
        if word in things:
            for seat in range(field_held.shape[0]):
                things[word].cells.setdefault(seat, []).append((field_held.offset + seat, value))
