"""What the rules read from the cards: spots with their silhouettes and arrows, and the faces of one deck."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from playproof.database.components import (
    Component,
    Effect,
    raise_error_of_conflicting_components,
    raise_error_of_unplayable_value,
    require_playable_copy_count,
)
from playproof.database.game import Game as Cards

EACH_DECK = 50
SHELLS = ("again", "twice", "renew", "fetch", "bar")
MOMENTS = {"again": "end", "twice": "start", "renew": "start", "fetch": "start", "bar": "end"}
"""When each shell is played (R44-R48)."""
PLAYERS = 2
EFFECTS = ((), ("take",), ("take_own",), ("to_tray",), ("take", "to_tray"), ("take_tray", "set_pile"))
"""What a spot can do when its effect is triggered: the orders in which the rules carry it out."""


@dataclass(frozen=True, slots=True)
class Face:
    """One picture with its points; `place` is its number in a deck's list, `copies` how many a deck has."""

    place: int
    spot: int
    points: int
    copies: int


@dataclass(frozen=True, slots=True)
class Spot:
    """One spot of the board. `arrows` are the places of the spots it may take, `faces` the cards that belong here."""

    place: int
    name: str
    silhouettes: int
    arrows: tuple[int, ...]
    takes_own: bool
    to_tray: bool
    takes_tray: bool
    brings_pawn: bool
    faces: tuple[Face, ...]

    @property
    def is_pile(self) -> bool:
        """A spot with one silhouette: cards lie on one another, covered but for the top one (R10, R11)."""
        return self.silhouettes == 1

    @property
    def most_cards(self) -> int:
        """The most cards that can lie here: one a silhouette, or every copy of both decks."""
        return 2 * sum(f.copies for f in self.faces) if self.is_pile else self.silhouettes


@dataclass(frozen=True, slots=True)
class PrintedData:
    """Everything the rules take from the data."""

    spots: tuple[Spot, ...]
    faces: tuple[Face, ...]
    pawn_points: int
    pawn_cards: int
    city_piles: int
    shells: Mapping[str, str]  # the name of each shell in the game
    hand: int
    dealt_with_reserve: int
    reserve: int
    fetch: int

    @classmethod
    def read_from_cards_or_refuse(cls, cards: Cards) -> PrintedData:
        """Read the game's data. Raises InputError where the rules cannot play what it says."""
        rows = cards.of_kind("spot")
        for row in (*rows, *cards.of_kind("pawn", "board")):
            require_playable_copy_count(row, (1,), "the board is one, with every spot once, and so is the pawn")
        faces = _read_faces_common_to_both_decks_or_refuse(cards, rows)
        spots = tuple(_build_spot_or_refuse(place, row, rows, faces) for place, row in enumerate(rows))
        _refuse_unplayable_spots(rows, spots)
        pawn, board = cards.of_kind("pawn")[0], cards.of_kind("board")[0]
        return cls(
            spots,
            faces,
            _get_whole_number_field(pawn, "points"),
            _get_whole_number_field(pawn, "hand"),
            _get_whole_number_field(board, "piles"),
            _read_shell_names_or_refuse(cards),
            cards.constant("hand"),
            cards.constant("dealt_with_reserve"),
            cards.constant("reserve"),
            cards.constant("fetch"),
        )

    @property
    def most_in_hand(self) -> int:
        """Cards in the hand of whoever has the pawn (R24)."""
        return self.hand + self.pawn_cards


def _get_whole_number_field(component: Component, name: str) -> int:
    return int(str(component.fields[name]))


def _read_faces_common_to_both_decks_or_refuse(cards: Cards, spot_rows: tuple[Component, ...]) -> tuple[Face, ...]:
    """The faces of a deck. Both decks are alike, and each has 50 cards (R3)."""
    ids = [row.id for row in spot_rows]
    blue, red = (_read_faces_of_one_deck_or_refuse(cards, ids, side) for side in ("blue", "red"))
    if blue != red:
        mine, other = ({(f.spot, f.points): f.copies for f in faces} for faces in (blue, red))
        spot, points = min(set(mine.items()) ^ set(other.items()))[0]
        numbers = f"{mine.get((spot, points), 0)} and {other.get((spot, points), 0)}"
        found = f"{numbers} of {spot_rows[spot].name} {points}"
        row = next(c for c in cards.of_kind("card") if (c.fields["spot"], c.fields["points"]) == (ids[spot], points))
        raise_error_of_conflicting_components(
            row.where, "two decks that are alike (R3)", found, "change the card in both decks"
        )
    if sum(f.copies for f in blue) != EACH_DECK:
        found = f"{sum(f.copies for f in blue)} cards in each"
        hint = "change the copies of another card with it"
        raise_error_of_conflicting_components(
            cards.of_kind("card")[0].where, f"decks of {EACH_DECK} cards (R3)", found, hint
        )
    for row, copies in zip(spot_rows, _list_copies_by_spot(spot_rows, blue), strict=True):
        if row.fields["copies"] != copies:
            hint = "change `copies`, which is printed, and the `count` of its cards together"
            raise_error_of_unplayable_value(row, "copies", f"{copies}, as many as each deck has cards of it", hint=hint)
    return blue


def _list_copies_by_spot(spot_rows: tuple[Component, ...], faces: tuple[Face, ...]) -> list[int]:
    """How many cards of each spot a deck has."""
    return [sum(f.copies for f in faces if f.spot == place) for place in range(len(spot_rows))]


def _read_faces_of_one_deck_or_refuse(cards: Cards, spot_ids: list[str], side: str) -> tuple[Face, ...]:
    """The faces of one deck, spot by spot and low points first; those without a copy are left out."""
    found = [
        (spot_ids.index(str(c.fields["spot"])), _get_whole_number_field(c, "points"), c.count, c.where)
        for c in cards.of_kind("card")
        if c.fields["side"] == side and c.count > 0
    ]
    rows = sorted(found, key=lambda row: row[:3])
    for (spot, points, *_), (again, alike, _, where) in itertools.pairwise(rows):
        if (spot, points) == (again, alike):
            twice = f"two of the {side} deck for spot {spot_ids[spot]} with {points} points"
            raise_error_of_conflicting_components(
                where, "one card for each spot and number of points", twice, "raise the other's count"
            )
    return tuple(Face(place, *face) for place, (*face, _) in enumerate(rows))


def _build_spot_or_refuse(
    spot_index: int, spot_row: Component, all_spot_rows: tuple[Component, ...], faces: tuple[Face, ...]
) -> Spot:
    effects = [e for e in _get_effects_of_full_spot(spot_row) if isinstance(e, Effect)]
    ops = tuple(e.op for e in effects)
    if ops not in EFFECTS:
        ways = "; ".join(", ".join(way) or "nothing" for way in EFFECTS)
        raise_error_of_unplayable_value(spot_row, "when_full", f"one of these: {ways}", ", ".join(ops))
    named = [str(s) for e in effects if e.op == "take" for s in _convert_list_to_tuple_or_empty(e.args["spots"])]
    if spot_row.id in named:
        hint = "`take_own` takes its own cards"
        raise_error_of_unplayable_value(
            spot_row, "when_full", "arrows to other spots", f"an arrow to {spot_row.id} itself", hint
        )
    if len(set(named)) != len(named):
        raise_error_of_unplayable_value(spot_row, "when_full", "arrows to different spots", ", ".join(named))
    ids = [r.id for r in all_spot_rows]
    return Spot(
        spot_index,
        spot_row.name,
        _get_whole_number_field(spot_row, "silhouettes"),
        tuple(ids.index(n) for n in named),
        "take_own" in ops,
        "to_tray" in ops,
        "take_tray" in ops,
        bool(spot_row.fields["pawn"]),
        tuple(f for f in faces if f.spot == spot_index),
    )


def _refuse_unplayable_spots(spot_rows: tuple[Component, ...], spots: tuple[Spot, ...]) -> None:
    """Check that the game can be played on these spots: one makes the piles that end it, from cards under the board,
    and the pawn lies where cards are taken."""
    taken = {place for spot in spots for place in spot.arrows} | {s.place for s in spots if s.takes_own}
    for row, spot in zip(spot_rows, spots, strict=True):
        if spot.brings_pawn and spot.place not in taken:
            hint = "an arrow of another spot may lead here"
            raise_error_of_unplayable_value(
                row, "pawn", "a spot whose cards an effect takes", "one whose cards none takes", hint
            )
        if not spot.faces:
            raise_error_of_conflicting_components(
                row.where, f"cards for {row.name}", "none in the decks", "leave one in"
            )
    for what, found in (
        ("take_tray", [s for s in spots if s.takes_tray]),
        ("to_tray", [s for s in spots if s.to_tray]),
    ):
        if not found or (what == "take_tray" and len(found) > 1):
            wanted = f"one spot with `{what}` (R31-R33)" if what == "take_tray" else f"a spot with `{what}` (R20)"
            raise_error_of_conflicting_components(
                spot_rows[0].where, wanted, str(len(found)), "the piles that end the game come of it"
            )
    for row, spot in zip(spot_rows, spots, strict=True):
        if spot.takes_tray and spot.is_pile:
            raise_error_of_unplayable_value(row, "silhouettes", "2 or more where cards form piles (R32)")


def _read_shell_names_or_refuse(cards: Cards) -> dict[str, str]:
    """The shells in the game, of which each player has one (R41), by name."""
    names = {}
    for ident in SHELLS:
        shell = cards.components.get(ident)
        if shell is None:
            continue
        require_playable_copy_count(shell, (0, PLAYERS), "each player has one, or nobody has")
        if shell.fields["moment"] != MOMENTS[ident]:
            raise_error_of_unplayable_value(shell, "moment", f"{MOMENTS[ident]}, when the rules play it")
        if shell.count > 0:
            names[ident] = shell.name
    return names


def _get_effects_of_full_spot(spot_row: Component) -> tuple[object, ...]:
    return _convert_list_to_tuple_or_empty(spot_row.fields["when_full"])


def _convert_list_to_tuple_or_empty(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()
