"""What the rules read from the cards: spots with their silhouettes and arrows, and the faces of one deck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from playproof.database.components import Component, Effect
from playproof.database.game import Game as Cards

EACH_DECK = 50
SHELLS = ("again", "twice", "renew", "fetch", "bar")


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
    def piled(self) -> bool:
        """A spot with one silhouette: cards lie on one another, covered but for the top one (R10, R11)."""
        return self.silhouettes == 1

    @property
    def most(self) -> int:
        """The most cards that can lie here: one a silhouette, or every copy of both decks."""
        return 2 * sum(f.copies for f in self.faces) if self.piled else self.silhouettes


@dataclass(frozen=True, slots=True)
class Printed:
    """Everything the rules take from the data."""

    spots: tuple[Spot, ...]
    faces: tuple[Face, ...]
    pawn_points: int
    pawn_cards: int
    city_piles: int
    shells: Mapping[str, str]
    hand: int
    dealt_with_reserve: int
    reserve: int
    fetch: int

    @classmethod
    def of(cls, cards: Cards) -> Printed:
        """Read the game's data. A deck that has not 50 cards is refused by R3."""
        rows = cards.of_kind("spot")
        ids = [row.id for row in rows]
        faces, other = (_faces(cards, ids, side) for side in ("blue", "red"))
        if faces != other:
            raise ValueError("R3: the two decks differ")
        if sum(f.copies for f in faces) != EACH_DECK:
            raise ValueError(f"R3: a deck has {EACH_DECK} cards, found {sum(f.copies for f in faces)}")
        spots = tuple(_spot(place, row, rows, faces) for place, row in enumerate(rows))
        pawn, board = cards.of_kind("pawn")[0], cards.of_kind("board")[0]
        return cls(
            spots,
            faces,
            _int(pawn, "points"),
            _int(pawn, "hand"),
            _int(board, "piles"),
            {name: cards.components[name].name for name in SHELLS},
            cards.constant("hand"),
            cards.constant("dealt_with_reserve"),
            cards.constant("reserve"),
            cards.constant("fetch"),
        )

    @property
    def most_in_hand(self) -> int:
        """Cards in the hand of whoever has the pawn (R24)."""
        return self.hand + self.pawn_cards


def _int(component: Component, name: str) -> int:
    return int(str(component.fields[name]))


def _faces(cards: Cards, spots: list[str], side: str) -> tuple[Face, ...]:
    """The faces of one deck, spot by spot and low points first."""
    rows = sorted(
        (spots.index(str(c.fields["spot"])), _int(c, "points"), c.count)
        for c in cards.of_kind("card")
        if c.fields["side"] == side
    )
    return tuple(Face(place, *face) for place, face in enumerate(rows))


def _spot(place: int, row: Component, rows: tuple[Component, ...], faces: tuple[Face, ...]) -> Spot:
    effects = [e for e in _effects(row) if isinstance(e, Effect)]
    ops = {e.op for e in effects}
    named = [str(s) for e in effects if e.op == "take" for s in _listed(e.args["spots"])]
    ids = [r.id for r in rows]
    return Spot(
        place,
        row.name,
        _int(row, "silhouettes"),
        tuple(ids.index(n) for n in named),
        "take_own" in ops,
        "to_tray" in ops,
        "take_tray" in ops,
        bool(row.fields["pawn"]),
        tuple(f for f in faces if f.spot == place),
    )


def _effects(row: Component) -> tuple[object, ...]:
    return _listed(row.fields["when_full"])


def _listed(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()
