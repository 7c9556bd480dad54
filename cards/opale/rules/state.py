"""What lies on the table: the fields of the state, the phases, and the words to move cards.

Order inside a hand, a row or a scoring pile never matters, so a zone is a count for each face. Of a draw pile only
the cards put back on its top (R25) or under it are known in order; the rest is a bag that chance draws from.
"""

from __future__ import annotations

from playproof import (
    AUTOMATIC,
    Array,
    Const,
    Game,
    Local,
    Phase,
    Sees,
    Term,
    Value,
    count_of,
    keep,
    otherwise,
    pick,
    sum_of,
    when,
)

from .cards import EACH_DECK, SHELLS, Face, PrintedData, Spot
from .rulings import Readings

SEATS = ("blue", "red")
CAUSES = ("not over", "third City pile", "hand not completed")
CITY, SHORT = 1, 2
_PASSES = 4  # one shell bars a whole turn of the other, at most two with R44; so for each player


class GameUnderConstruction:
    """Fields and phases of one variant, and the moves of cards that every rule shares."""

    def __init__(self, g: Game, printed: PrintedData, readings: Readings) -> None:
        self.g, self.s, self.printed, self.readings = g, g.state, printed, readings
        self.spots, self.faces = printed.spots, printed.faces
        self.at: dict[str, Phase] = {}
        # A card put back is drawn at the next refill; only a reserve lets a second one come on top of it.
        self.top_most = 0 if readings.reads("A4", "bottom") else 2 if readings.foreshadowing else 1
        self.under_most = self._compute_max_known_cards_under_pile()
        self._declare_turn_fields()
        self._declare_card_zone_fields()
        if readings.seashells:
            self._declare_shell_fields()
        self._declare_phases()

    # -- fields ---------------------------------------------------------------------------------------------

    def _declare_turn_fields(self) -> None:
        g = self.g
        g.choice("turn", SEATS, rule="R9")
        # Each turn lays a card for good, and at most four turns pass for want of a playable one (A13, A14).
        g.integer("turns", 0, 2 * EACH_DECK + (5 if self.readings.seashells else 1), rule="R9")
        g.integer(
            "to_draw",
            0,
            max(self.cards_dealt_to_player, self.printed.most_in_hand),
            start=self.cards_dealt_to_player,
            rule="R8",
        )
        self.back = g.remember_phase("back")
        g.choice("spot", ("none", *(s.name for s in self.spots)), rule="R6")
        g.integer("to_lay", 0, self.printed.most_in_hand, rule="R6")
        g.choice("pawn", ("beside the board", *SEATS), rule="R2 R24")
        g.choice("over", CAUSES, rule="R34")
        g.flag("last_turn", rule="R35")
        g.integer(
            "city_piles", 0, 2 * sum(f.copies for f in self.city_spot.faces) // self.city_spot.silhouettes, rule="R32"
        )

    def _declare_card_zone_fields(self) -> None:
        g, n, most = self.g, len(self.faces), max(f.copies for f in self.faces)
        deck = [f.copies for f in self.faces]
        self.hand = g.array("hand", (2, n), 0, most, sees=Sees.OWNER, rule="R3")
        self.held = g.array("held", 2, 0, self._compute_max_cards_in_hand(), rule="R3")
        self.bag = g.array("bag", (2, n), 0, most, [deck, deck], sees=Sees.NOBODY, rule="R3 R17")
        self.pile = g.array("pile", 2, 0, EACH_DECK, EACH_DECK, rule="R3")
        if self.top_most:
            self.top = g.array("top", (2, self.top_most), 0, n, sees=Sees.OWNER, rule="R25")
        if self.under_most:
            self.under = g.array("under", (2, self.under_most), 0, n, sees=Sees.OWNER, rule="R25")
        self._declare_board_zone_fields()
        open_scores = Sees.ALL if self.readings.reads("A18", "open") else Sees.NOBODY
        worth = 2 * sum(f.points * f.copies for f in self.faces)
        self.points = g.array("points", 2, 0, worth, sees=open_scores, rule="R15 R36")
        self.scored = g.array("scored", 2, 0, 2 * EACH_DECK, rule="R15 R17")
        if self.readings.foreshadowing:
            self.reserved = g.array("reserved", 2, 0, self.printed.reserve, rule="R39")
            if not self.is_reserve_unseen:
                self.reserve = g.array("reserve", (2, n), 0, self.printed.reserve, sees=Sees.OWNER, rule="R39")

    def _declare_board_zone_fields(self) -> None:
        g = self.g
        piled = [f for s in self.spots if s.is_pile for f in s.faces]
        rows = [f for s in self.spots if not s.is_pile for f in s.faces]
        tray = [f for s in self.spots if s.to_tray for f in s.faces]
        self._column = {f.place: i for group in (piled, rows) for i, f in enumerate(group)}
        self._tray_column = {f.place: i for i, f in enumerate(tray)}
        self.piled = g.array(
            "covered", len(piled), 0, 2 * max(f.copies for f in piled), sees=Sees.NOBODY, rule="R10 R11"
        )
        self.rows = g.array("rows", len(rows), 0, max(s.silhouettes for s in self.spots), rule="R12")
        self.tray = g.array("tray", len(tray), 0, 2 * max(f.copies for f in tray), rule="R20 R30")
        self.lying = g.array("lying", len(self.spots), 0, max(s.most_cards for s in self.spots), rule="R10 R12")
        # The uppermost card of a pile is seen by everybody (R11): its points, 0 while the spot is empty.
        self.uppermost = g.array("uppermost", len(self.spots), 0, max(f.points for f in self.faces), rule="R11")

    def _declare_shell_fields(self) -> None:
        g, n = self.g, len(self.faces)
        each = [int(shell in self.printed.shells) for shell in SHELLS]
        self.shell = g.array("shell", (2, len(SHELLS)), 0, 1, [each, each], rule="R41 R43")
        g.flag("shell_used", rule="R42")
        g.flag("two_spots", rule="R45")
        g.choice("first_spot", ("none", *(s.name for s in self.spots)), rule="R45")
        g.integer("thrown", 0, self.printed.most_in_hand, rule="R46")
        g.integer("owed", 0, self.printed.fetch, rule="R47")
        self.barred = g.array("barred", 2, labels=("none", *(s.name for s in self.spots)), rule="R48")
        if self.readings.reads("A14", "one-shell"):
            g.flag("second_tide", rule="R44")
        if not self.readings.reads("A11", "under"):
            self.discards = g.array("discards", (2, n), 0, max(f.copies for f in self.faces), rule="R46 R47")

    def _declare_phases(self) -> None:
        """The moments of the game, in the order in which they are usually met; only those of this variant."""
        s, reads, extra = self.s, self.readings.reads, self.readings
        chooses_reserve = extra.foreshadowing and not self.is_reserve_unseen
        self._declare_phase_if_used("draw", -1, "cards are drawn", "R3 R8")
        self._declare_phase_if_used("dealt", AUTOMATIC, "", "R3")
        self._declare_phase_if_used("set aside", s.turn, "set cards aside as your reserve", "R39", chooses_reserve)
        self._declare_phase_if_used("first", 0 if reads("A1", "youngest") else -1, "the first player is chosen", "R4")
        self._declare_phase_if_used("play", s.turn, "play cards", "R6")
        self._declare_phase_if_used("lay", s.turn, "lay the cards one by one", "R6 R10")
        self._declare_phase_if_used("resolve", AUTOMATIC, "", "R7 R13")
        self._declare_phase_if_used("target", s.turn, "follow one of the arrows", "R14")
        self._declare_phase_if_used("give back", -1, "a card of the former holder is drawn at random", "R25")
        self._declare_phase_if_used("played", AUTOMATIC, "", "R8")
        self._declare_phase_if_used("refill", AUTOMATIC, "", "R8")
        self._declare_phase_if_used("replenish", s.turn, "refill your hand", "R40", extra.foreshadowing)
        self._declare_phase_if_used(
            "unseen", -1, "a reserved card is turned up", "R40", extra.foreshadowing and self.is_reserve_unseen
        )
        self._declare_phase_if_used("discard", s.turn, "discard cards", "R46 R47", extra.seashells)
        self._declare_phase_if_used("close", s.turn, "end your turn", "R42", extra.seashells)
        self._declare_phase_if_used("follow", AUTOMATIC, "", "R9 R35")
        self._declare_phase_if_used("count", AUTOMATIC, "", "R36")

    def _declare_phase_if_used(self, name: str, actor: Value, text: str, rule: str, is_used: bool = True) -> None:
        if is_used:
            self.at[name] = self.g.phase(name, actor, text=text, rule=rule)

    # -- derived facts of the variant -------------------------------------------------------------------------

    @property
    def is_reserve_unseen(self) -> bool:
        """Whether the reserved cards are put aside unseen, so that they stay part of the bag."""
        return self.readings.reads("A10", "unseen")

    @property
    def cards_dealt_to_player(self) -> int:
        """Cards each player draws at the start (R3, R39)."""
        chosen = self.readings.foreshadowing and not self.is_reserve_unseen
        return self.printed.dealt_with_reserve if chosen else self.printed.hand

    @property
    def city_spot(self) -> Spot:
        """The spot whose piles end the game."""
        return next(spot for spot in self.spots if spot.takes_tray)

    @property
    def phase_after_refill(self) -> Phase:
        """Where a turn goes on when its hand is complete: to the shells that end a turn, if they are in play."""
        return self.at["close" if self.readings.seashells else "follow"]

    def _compute_max_cards_in_hand(self) -> int:
        limit = self.printed.most_in_hand
        return max(self.cards_dealt_to_player, limit + self.printed.fetch if self.readings.seashells else limit)

    def _compute_max_known_cards_under_pile(self) -> int:
        """Cards that can lie in known order under a pile: pawn returns (each costs a dragon, turn about), discards."""
        dragons = 2 * sum(f.copies for s in self.spots if s.brings_pawn for f in s.faces)
        returned = dragons // 2 if self.readings.reads("A4", "bottom") else 0
        thrown = self.printed.most_in_hand + self.printed.fetch + _PASSES
        return returned + (thrown if self.readings.seashells and self.readings.reads("A11", "under") else 0)

    def list_face_names(self) -> list[str]:
        """What each face is called: its picture and its points."""
        return [f"{self.spots[f.spot].name} {f.points}" if f.points else self.spots[f.spot].name for f in self.faces]

    # -- words about the table ----------------------------------------------------------------------------------

    def get_hand_limit_of_player(self, seat: Value) -> Term:
        """How many cards this player's hand should hold (R8, R24)."""
        return self.has_pawn(seat) * self.printed.pawn_cards + self.printed.hand

    def has_pawn(self, seat: Value) -> Term:
        """Whether this player holds the Stone Dragon pawn."""
        holder: Term = self.s.pawn == seat + 1
        return holder

    def count_cards_of_spot_in_hand(self, seat: Value, spot: Spot) -> Term:
        """How many cards of this spot a player holds."""
        return sum_of(self.hand[seat, f.place] for f in spot.faces)

    def can_mover_play_on_spot(self, spot: Spot) -> Term:
        """Whether the player to move could play on this spot: a card of its kind, and no shell in the way."""
        s = self.s
        open_spot: Term = self.count_cards_of_spot_in_hand(s.turn, spot) > 0
        if self.readings.seashells:
            open_spot = open_spot & (self.barred[1 - s.turn] != spot.place + 1) & (s.first_spot != spot.place + 1)
        return open_spot

    def count_cards_refill_can_take(self, seat: Value) -> Term:
        """Cards a refill can still take: the draw pile, and the reserve (R40, A10)."""
        return self.pile[seat] + self.reserved[seat] if self.readings.foreshadowing else self.pile[seat]

    def get_array_and_cell_of_face_on_board(self, face: Face) -> tuple[Array, int]:
        """Where the number of such cards on the board is kept."""
        return (self.piled if self.spots[face.spot].is_pile else self.rows), self._column[face.place]

    def count_cards_of_face_in_tray(self, face: Face) -> Term:
        """How many cards of a face lie face up under the board."""
        cell = self._tray_column.get(face.place)
        return Const(0) if cell is None else self.tray[cell]

    # -- moves of cards -------------------------------------------------------------------------------------------

    def move_cards_from_hand_to_spot(self, seat: Value, face: Face, card_count: Value) -> None:
        """Some cards of one face (maybe none) go from a hand to their spot; the last lies uppermost."""
        card_count = keep(card_count)
        array, cell = self.get_array_and_cell_of_face_on_board(face)
        self.hand[seat, face.place] -= card_count
        self.held[seat] -= card_count
        array[cell] += card_count
        self.lying[face.spot] += card_count
        if self.spots[face.spot].is_pile:
            with when(card_count > 0):
                self.uppermost[face.spot] = face.points

    def score_cards_of_spot_for_mover(self, spot: Spot) -> None:
        """All cards of a spot go to the scoring pile of the player to move (R15); none, if it is empty (R16)."""
        s = self.s
        worth = sum_of(_get_count_in_cell(self.get_array_and_cell_of_face_on_board(f)) * f.points for f in spot.faces)
        self.points[s.turn] += worth
        self.scored[s.turn] += self.lying[spot.place]
        self.empty_spot(spot)

    def empty_spot(self, spot: Spot) -> None:
        """Nothing lies on the spot any more."""
        for face in spot.faces:
            array, cell = self.get_array_and_cell_of_face_on_board(face)
            array[cell] = 0
        self.lying[spot.place] = 0
        if spot.is_pile:
            self.uppermost[spot.place] = 0

    def move_cards_of_spot_to_tray(self, spot: Spot) -> None:
        """The cards of a spot go face up under the board (R20, R30)."""
        for face in spot.faces:
            self.tray[self._tray_column[face.place]] += _get_count_in_cell(
                self.get_array_and_cell_of_face_on_board(face)
            )
        self.empty_spot(spot)

    def score_cards_of_tray_for_mover(self) -> None:
        """All face-up cards under the board go to the scoring pile of the player to move (R31)."""
        s, cells = self.s, self._tray_column
        self.points[s.turn] += sum_of(self.tray[cells[f.place]] * f.points for f in self.faces if f.place in cells)
        self.scored[s.turn] += sum_of(self.tray[cell] for cell in cells.values())
        for cell in cells.values():
            self.tray[cell] = 0

    def count_cards_everywhere(self) -> Term:
        """All cards, wherever they are: always 100 (R1)."""
        cards = sum_of(self.lying[s.place] for s in self.spots) + self.count_all_cards_in_tray()
        piles: Term = self.s.city_piles * self.city_spot.silhouettes
        cards = cards + piles
        for seat in (0, 1):
            cards = cards + self.held[seat] + self.count_cards_refill_can_take(seat) + self.scored[seat]
            if self.readings.seashells and not self.readings.reads("A11", "under"):
                cards = cards + sum_of(self.discards[seat, f.place] for f in self.faces)
        return cards

    def count_all_cards_in_tray(self) -> Term:
        """How many cards lie face up under the board."""
        return sum_of(self.tray[cell] for cell in self._tray_column.values())

    def put_card_on_draw_pile(self, seat: Value, face: Local) -> None:
        """A card goes on the top of a draw pile; its owner knows it (R25)."""
        for i in range(self.top_most - 1, 0, -1):
            self.top[seat, i] = self.top[seat, i - 1]
        self.top[seat, 0] = face + 1
        self.pile[seat] += 1

    def put_card_under_draw_pile(self, seat: Value, face: Local) -> None:
        """A card goes under a draw pile; it comes after all that lie there."""
        lain = keep(count_of(self.under_most, lambda i: self.under[seat, i] > 0))
        self.under[seat, lain] = face + 1
        self.pile[seat] += 1

    def remove_top_card_of_draw_pile(self, seat: Value, face: Local) -> None:
        """The uppermost card of a draw pile, which chance has settled, leaves it."""
        on_top = self.top[seat, 0] > 0 if self.top_most else Const(0)
        under = self.pile[seat] == self._count_known_cards_under_draw_pile(seat) if self.under_most else Const(0)
        with when(on_top):
            if self.top_most:
                _remove_first_known_card(self.top, seat, self.top_most)
        with otherwise(under):
            if self.under_most:
                _remove_first_known_card(self.under, seat, self.under_most)
        with otherwise():
            self.bag[seat, face] -= 1
        self.pile[seat] -= 1

    def get_weight_of_face_on_draw_pile(self, seat: Value, face: Local) -> Term:
        """How likely this face is the uppermost card: a known one is certain, then the bag, then what lies under."""
        result: Term = self.bag[seat, face]
        if self.under_most:
            result = pick(
                self.pile[seat] == self._count_known_cards_under_draw_pile(seat),
                self.under[seat, 0] == face + 1,
                result,
            )
        if self.top_most:
            result = pick(self.top[seat, 0] > 0, self.top[seat, 0] == face + 1, result)
        return result

    def _count_known_cards_under_draw_pile(self, seat: Value) -> Term:
        return count_of(self.under_most, lambda i: self.under[seat, i] > 0)


def _get_count_in_cell(array_and_cell: tuple[Array, int]) -> Term:
    return array_and_cell[0][array_and_cell[1]]


def _remove_first_known_card(known_cards: Array, seat: Value, most_cards: int) -> None:
    """The first card of a known order leaves; the freed place is cleared."""
    for i in range(most_cards - 1):
        known_cards[seat, i] = known_cards[seat, i + 1]
    known_cards[seat, most_cards - 1] = 0
