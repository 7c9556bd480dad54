"""The parts of a game on a virtual table: decks of cards, loose boards and tokens, figures, dice; where
they lie before the first move; and safe names and numbers for them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from playproof.database.errors import FindingCollector
from playproof.generator.scene import IDENTITY, Face, Group, Node, Use
from playproof.generator.sheets.pieces import NOWHERE, Piece, raise_if_no_or_unprintable_pieces
from playproof.generator.sheets.slots import Size

# -- start positions -----------------------------------------------------------------------------------------
# Where components lie before the first move, so that a virtual table opens as the set-up says.

PlacesByComponent = Mapping[str, "tuple[StartPlace, ...]"]


@dataclass(frozen=True, slots=True)
class StartPlace:
    """One place of a component: its middle in mm right of and below the table's middle, its
    clockwise turn in degrees, and the number of copies there."""

    x: float
    y: float
    turn: float = 0.0
    count: int = 1


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A table with the components laid out: its size in mm, and each component's places by id.
    Without a set-up there are no places.

    ``grounds`` are the components on which others lie.
    """

    width: float = 0.0
    height: float = 0.0
    places: PlacesByComponent = field(default_factory=dict)
    grounds: frozenset[str] = frozenset()

    def list_one_setup_place_for_each_copy(self, piece: Piece) -> list[StartPlace]:
        """Return one place for each copy that is laid out, at most `piece.count`."""
        ident, _, variant = piece.name.partition("-")
        places = self.places.get(piece.name) or (self.places.get(ident, ()) if variant else ())
        each = [StartPlace(place.x, place.y, place.turn) for place in places for _ in range(place.count)]
        return each[: piece.count]

    def find_place_of_most_copies_or_none(self, cards: Sequence[Piece]) -> StartPlace | None:
        """Return the place with the most copies of one of these cards; None if none of them is laid
        out."""
        lying = [place for card in cards for place in self.places.get(card.name, ())]
        return max(lying, key=lambda place: place.count, default=None)


def iter_pieces_places_and_unplaced_counts(
    setup: TableSetup, pieces: Sequence[Piece]
) -> Iterator[tuple[Piece, list[StartPlace], int]]:
    """Yield each piece, its places, and the number of copies that have no place."""
    for piece in pieces:
        places = setup.list_one_setup_place_for_each_copy(piece)
        yield piece, places, piece.count - len(places)


# The parts of a game on a virtual table: decks of cards, loose boards and tokens, figures, dice.

LARGEST_CARD = 145.0  # mm; what is longer lies on the table as a board
MOST_PILES = 12  # backs of one product; with more, the cards stay one deck


@dataclass(frozen=True, slots=True)
class Deck:
    """Cards of one size under one name."""

    name: str
    cards: tuple[Piece, ...]

    @property
    def size(self) -> Size:
        return self.cards[0].size

    @property
    def shared_back(self) -> Face | None:
        """The back that all cards share; None if the backs differ."""
        first = self.cards[0].back
        return first if all(_are_same_backs(card.back, first) for card in self.cards) else None


@dataclass(frozen=True, slots=True)
class Die:
    """A six-sided die: the text of its faces 1 to 6, and the number of copies."""

    name: str
    faces: tuple[str, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class VirtualTable:
    """A game for a virtual table: decks, dice, standing figures, boards and tokens. Each piece has
    its number of copies."""

    name: str
    decks: tuple[Deck, ...]
    boards: tuple[Piece, ...] = ()
    figures: tuple[Piece, ...] = ()
    dice: tuple[Die, ...] = ()
    rulebook: bytes = b""  # as PDF
    prepared: TableSetup = field(default_factory=TableSetup)


def refuse_impossible_virtual_table(table: VirtualTable) -> None:
    """Raise InputError with every reason why this table cannot be made."""
    raise_if_no_or_unprintable_pieces(
        [*(card for deck in table.decks for card in deck.cards), *table.boards, *table.figures]
    )
    collector = FindingCollector()
    for deck in table.decks:
        if not any(card.count for card in deck.cards):
            collector.add_finding("PP549", NOWHERE, f"expected cards in the deck {deck.name}, found none")
        for card in deck.cards:
            if card.size != deck.size:
                size = f"{deck.size.width:g} x {deck.size.height:g} mm"
                collector.add_finding("PP543", card.where, f"{card.name}: expected {size} as in the deck {deck.name}")
            if card.back is None:
                collector.add_finding("PP547", card.where, f"{card.name} has no back, and a virtual deck needs one")
    collector.raise_if_errors()
    parts = [(deck.name, deck.cards[0].where) for deck in table.decks]
    parts += [(board.name, board.where) for board in (*table.boards, *table.figures)]
    for index, (name, where) in enumerate(parts):
        if slugify_name(name) in {slugify_name(other) for other, _ in parts[:index]}:
            collector.add_finding("PP553", where, f'expected parts of different names, found "{name}" twice')
    collector.raise_if_errors()


def split_into_decks_and_loose_pieces(title: str, pieces: Sequence[Piece]) -> tuple[list[Deck], list[Piece]]:
    """Split a product into decks and the pieces that are not cards.

    A deck is a pile that the layouts name. Without named piles, each back makes a deck if the backs
    are few and serve two cards or more each; otherwise all cards are one deck. Decks are named
    after their piles, or after the icons on their backs, or numbered.
    """
    cards = [piece for piece in pieces if piece.back is not None and piece.front.outline is None and not piece.net]
    cards = [card for card in cards if card.size == cards[0].size and max(card.size) <= LARGEST_CARD]
    loose = [piece for piece in pieces if piece not in cards]
    if sum(card.count for card in cards) < 2:
        return [], list(pieces)
    if any(card.pile for card in cards):  # the layouts say which decks the rules need
        named: dict[str, list[Piece]] = {}
        for card in cards:
            named.setdefault(card.pile or title, []).append(card)
        return [Deck(name, tuple(pile)) for name, pile in named.items()], loose
    piles: list[list[Piece]] = []
    for card in cards:
        pile = next((pile for pile in piles if _are_same_backs(pile[0].back, card.back)), None)
        if pile is None:
            piles.append([card])
        else:
            pile.append(card)
    if len(piles) == 1 or len(piles) > MOST_PILES or any(len(pile) < 2 for pile in piles):
        return [Deck(title, tuple(cards))], loose
    names = [_join_unique_icon_names_by_commas(pile[0].back) for pile in piles]
    if len(set(names)) < len(piles) or not all(names):
        names = [str(number) for number in range(1, len(piles) + 1)]
    return [Deck(f"{title} · {name}", tuple(pile)) for name, pile in zip(names, piles, strict=True)], loose


def _join_unique_icon_names_by_commas(face: Face | None) -> str:
    """Return the names of the icons on a back, each once."""
    nodes = face.nodes if face is not None else ()
    return ", ".join(dict.fromkeys(node.says.text for node in nodes if isinstance(node, Use) and node.says))


def _are_same_backs(first: Face | None, second: Face | None) -> bool:
    """Return whether two backs are the same picture. Backs drawn card by card are different
    objects."""
    if first is None or second is None or first is second:
        return first is second
    if (first.width, first.height) != (second.width, second.height):
        return False
    return _replace_symbols_by_their_contents(first.nodes) == _replace_symbols_by_their_contents(second.nodes)


def _replace_symbols_by_their_contents(nodes: Sequence[Node]) -> tuple[object, ...]:
    """Return the nodes with symbols replaced by what they draw, because two layouts may draw the
    same part as different symbols."""
    made: list[object] = []
    for node in nodes:
        if isinstance(node, Use):
            made.append((node.transform, _replace_symbols_by_their_contents(node.symbol.children)))
        elif isinstance(node, Group):
            made.append((node.transform, node.clip, node.opacity, _replace_symbols_by_their_contents(node.children)))
        else:
            made.append(node)
    return _inline_untransformed_symbols(made)


def _inline_untransformed_symbols(items: list[object]) -> tuple[object, ...]:
    """Replace each symbol that is placed without a transform by its content."""
    flat: list[object] = []
    for item in items:
        if isinstance(item, tuple) and len(item) == 2 and item[0] == IDENTITY:
            flat += item[1]
        else:
            flat.append(item)
    return tuple(flat)


# -- safe names ----------------------------------------------------------------------------------------------
# Safe names for files and addresses, and numbers that identify a thing in every build.


def slugify_name(name: str) -> str:
    """Return a name for files and addresses: lower case, digits and hyphens.

    >>> slugify_name("Event cards, day 1")
    'event-cards-day-1'
    """
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-") or "part"


def build_uppercase_hex_id_from_words(*words: str, digits: int) -> str:
    """Return upper-case hexadecimal digits that depend on the words alone, so that builds repeat.

    >>> build_uppercase_hex_id_from_words("a", digits=6)
    'CA9781'
    """
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:digits].upper()
