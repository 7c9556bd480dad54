"""What lies in the box beside the cards that are read: how many Victory Tokens and units a player has. All else there
is as the rules count on it, or is refused with what they count on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from playproof.database.components import (
    raise_error_of_conflicting_components,
    raise_error_of_unplayable_value,
    require_playable_copy_count,
)
from playproof.database.errors import Where

from .cards import COLOURS, DECKS, Mana, Slot

PLAYS = ("combat", "expedition", "tactics")
MOST_PLAYERS = 4


def refuse_wrong_pieces(card_database: Any, peoples: Iterable[str]) -> None:
    """Check mats, Action Cards, crystals, dice, tokens and figures. Raises InputError."""
    for mat in card_database.of_kind("mat"):
        _refuse_wrong_mat(mat)
    for card in card_database.of_kind("action"):
        require_playable_copy_count(card, (1,), "each player has one Expedition, one Tactics and one Combat card (R18)")
        if card.get("after") != "return":
            raise_error_of_unplayable_value(
                card, "after", "return: Action Cards come back at the end of each turn (R34)"
            )
    _refuse_unless_one_for_each_value(card_database, "mat", [(p,) for p in peoples], ("player",))
    _refuse_unless_one_for_each_value(
        card_database, "action", [(p, play) for p in peoples for play in PLAYS], ("player", "play")
    )
    for crystal in card_database.of_kind("crystal"):
        require_playable_copy_count(crystal, (1,), "one crystal of each mana lies on the Fate Wheel (R9)")
    _refuse_unless_one_for_each_value(card_database, "crystal", [(m.name.lower(),) for m in Mana], ("mana",))
    _refuse_wrong_dice(card_database)
    _refuse_too_few_tokens(card_database)
    _refuse_wrong_figures(card_database)


def count_tokens_per_player_or_refuse(card_database: Any, peoples: Iterable[str]) -> int:
    """The Victory Tokens of a player: as many for each people."""
    return _count_pieces_per_people_or_refuse(
        card_database, {p: [f"victory-{p}"] for p in peoples}, "Victory Tokens (R1)"
    )


def count_units_per_player_or_refuse(card_database: Any, peoples: Iterable[str]) -> int:
    """The Basic Units of a player: as many for each people."""
    units = {p: [c.id for c in card_database.of_kind("unit") if c.get("player") == p] for p in peoples}
    return _count_pieces_per_people_or_refuse(card_database, units, "Basic Units (R17)")


def _count_pieces_per_people_or_refuse(
    card_database: Any, ids_by_people: dict[str, list[str]], description: str
) -> int:
    """The number that every people has of some pieces."""
    counts = {
        p: sum(_count_copies_of_component(card_database, name) for name in names) for p, names in ids_by_people.items()
    }
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{count} of {people}" for people, count in counts.items())
        name = next((n for names in ids_by_people.values() for n in names), "")
        raise_error_of_conflicting_components(
            _get_source_place_of_component(card_database, name),
            f"as many {description} for everybody",
            found,
            "change all of them",
        )
    return next(iter(counts.values()))


def _count_copies_of_component(card_database: Any, component_id: str) -> int:
    component = card_database.components.get(component_id)
    return 0 if component is None else int(component.count)


def _get_source_place_of_component(card_database: Any, component_id: str) -> Where:
    component = card_database.components.get(component_id)
    where: Where = card_database.node.where if component is None else component.where
    return where


def _refuse_unless_one_for_each_value(
    card_database: Any, kind: str, wanted_values: list[tuple[str, ...]], fields: tuple[str, ...]
) -> None:
    """Check that a kind has one component for each of these values."""
    rows = [c for c in card_database.of_kind(kind) if c.count > 0]
    found = Counter(tuple(c.get(field) for field in fields) for c in rows)
    if found == Counter(wanted_values):
        return
    values = next(iter((found - Counter(wanted_values)) or (Counter(wanted_values) - found)))
    row = next((c for c in rows if tuple(c.get(field) for field in fields) == values), None)
    named, number = " ".join(map(str, values)), found[values]
    where = card_database.node.where if row is None else row.where
    expected = f"one {kind} for each {' and '.join(fields)}"
    raise_error_of_conflicting_components(where, expected, f"{number} for {named}", f"mend its `{fields[-1]}`")


def _refuse_wrong_mat(mat: Any) -> None:
    require_playable_copy_count(mat, (1,), "each player has one mat (R4)")
    slots, colours = [slot.name.lower() for slot in Slot], list(COLOURS)
    for field, wanted in (("slots", slots), ("atlas", colours)):
        if list(mat.get(field)) != wanted:
            raise_error_of_unplayable_value(mat, field, ", ".join(wanted), ", ".join(mat.get(field)))


def refuse_wrong_board(card_database: Any) -> None:
    """Check the parts of the board that are not read: its shop and its decks."""
    (board,) = card_database.of_kind("board")
    require_playable_copy_count(board, (1,), "there is one board")
    if board.get("shop") != 3:
        raise_error_of_unplayable_value(board, "shop", "3 places for face-up shop cards (R7)")
    decks = [deck.replace(" ", "-") for deck in DECKS]
    if sorted(board.get("decks")) != sorted(decks):
        raise_error_of_unplayable_value(
            board, "decks", f"one place for each deck: {', '.join(decks)}", ", ".join(board.get("decks"))
        )
    for length, spaces in board.get("wheels").items():
        for icon, number in (("god", len(Mana)), ("corruption", 1)):
            if list(spaces).count(icon) != number:
                found = f"{list(spaces).count(icon)} on the wheel of {length}"
                hint = "a crystal lies on each" if icon == "god" else "it begins once"
                raise_error_of_unplayable_value(board, "wheels", f"{number} spaces of {icon}", found, hint)


def _refuse_wrong_dice(card_database: Any) -> None:
    needs = {"combat-die": 2 * card_database.constant("combat_dice"), "colour-die": 1, "level-die": 1}
    for name, least in needs.items():
        _refuse_too_few_copies(
            card_database, name, least, "a fighter and a defender roll them" if least > 1 else "they are rolled (R10)"
        )
    ranges = {"combat-die": range(-1, 2), "colour-die": range(len(COLOURS)), "level-die": range(1, 5)}
    for name, values in ranges.items():
        die = card_database.components[name]
        wrong = next((f["value"] for f in die.get("faces") if f["value"] not in values), None)
        if wrong is not None:
            raise_error_of_unplayable_value(die, "faces", f"values from {values[0]} to {values[-1]}", wrong)


def _refuse_too_few_tokens(card_database: Any) -> None:
    """Check that tokens and markers suffice, which the rules do not count."""
    (board,) = card_database.of_kind("board")
    sites = sum(region["sites"] for region in board.get("regions"))
    _refuse_too_few_copies(card_database, "site-token", sites, "each site is excavated once")
    for name in ("atlas-blue", "atlas-red", "atlas-yellow", "soul-cube", "power-cube", "wisdom-cube"):
        _refuse_too_few_copies(card_database, name, MOST_PLAYERS, "each player has one")
    for name in (
        "wheel-marker",
        "first-player",
        *(c.id for c in card_database.of_kind("token") if c.id[:7] == "combat-"),
    ):
        _refuse_too_few_copies(card_database, name, 1, "it is laid out before the game")


def _refuse_too_few_copies(card_database: Any, component_id: str, least_count: int, hint: str) -> None:
    if _count_copies_of_component(card_database, component_id) < least_count:
        raise_error_of_conflicting_components(
            _get_source_place_of_component(card_database, component_id),
            f"at least {least_count} of {component_id}",
            str(_count_copies_of_component(card_database, component_id)),
            hint,
        )


def _refuse_wrong_figures(card_database: Any) -> None:
    """Check that each Mercenary in the shop has a figure of its own, and that no unit is both."""
    figures = Counter({c.get("mercenary"): 0 for c in card_database.of_kind("unit") if c.get("mercenary")})
    for unit in card_database.of_kind("unit"):
        if bool(unit.get("player")) == bool(unit.get("mercenary")):
            raise_error_of_unplayable_value(
                unit, "mercenary", "a `player` or a `mercenary`, one of the two", "both or neither"
            )
        if unit.get("mercenary"):
            figures[unit.get("mercenary")] += unit.count
    for card in card_database.of_kind("mercenary"):
        if card.count > figures[card.id]:
            found = f"{figures[card.id]} for {card.count}"
            hint = "change the `count` of its figure with it"
            raise_error_of_conflicting_components(
                card.where, f"a figure for each {card.id} {card.name} (R71)", found, hint
            )
