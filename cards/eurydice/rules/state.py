"""What lies on the table: hidden zones by suit, known cards, and the words to move cards between them.

The true content of Deck, face-down Discard Area and Removed is kept as a count for each suit that nobody sees; chance
decides a card's suit when it leaves its zone. What the player has learnt is open: cards known on the Deck's top or
bottom, known cards lying face down in the Discard Area, and those face up.
"""

from __future__ import annotations

from playproof import AUTOMATIC, CHANCE, Game, Local, Phase, Pile, Sees, Term, Value, otherwise, pick, sum_of, when

from .cards import CHANGES, LANES, SLOTS, SUITS, SYMBOLS, PrintedData, Task
from .rulings import Readings

FEW_OBOLS = 3
ZONES = ("Deck", "Discard Area", "Removed")
DECK, DISCARD, REMOVED = range(3)
KINDS = len(SUITS)

# name, actor (None: automatic), what it is called, rules
_PHASES: tuple[tuple[str, int | None, str, str], ...] = (
    ("special", CHANCE, "a special card is drawn", "R5 R24"),
    ("next", None, "", "R8"),
    ("advance", None, "", "R9 R10 R24"),
    ("move", 0, "move up", "R7"),
    ("space", 0, "follow the symbols", "R8 R32"),
    ("run", None, "", "R7"),
    ("toll", 0, "pay the Toll", "R26"),
    ("die", CHANCE, "the die is rolled", "R26"),
    ("shedding", None, "", "R13"),
    ("shed", CHANCE, "a card goes to the Discard Area", "R13"),
    ("recall", 0, "look into the Discard Area", "R27"),
    ("glimpse", 0, "choose where to look", "R28"),
    ("placed", None, "", "R39"),
    ("place", 0, "put the cards seen back on the Deck", "R39"),
    ("returned", None, "", "R16 R29"),
    ("return", 0, "return cards to the Deck", "R29"),
    ("blind return", CHANCE, "an unknown card returns", "R29"),
    ("removal", None, "", "R14 R30"),
    ("remove", 0, "remove cards", "R30"),
    ("top remove", CHANCE, "the top card of the Deck is removed", "R30"),
    ("blind remove", CHANCE, "an unknown card is removed", "R30"),
    ("offer", 0, "put diamonds into the Deck", "R33"),
    ("lament", 0, "choose where to lament", "R35"),
    ("mourn", 0, "look at cards", "R35"),
    ("console", None, "", "R35"),
    ("surplus", 0, "remove or leave the other diamonds", "R35"),
    ("exchange", 0, "exchange cards", "R36"),
    ("seeing", None, "", "R17"),
    ("see", CHANCE, "a card is looked at", "R17"),
    ("seen", None, "", "R18 R21"),
    ("sinking", None, "", "R18"),
    ("sink", CHANCE, "the bottom card of the Deck is removed", "R18"),
    ("sink seen", CHANCE, "a card just seen is removed", "R18"),
    ("grief", None, "", "R18 R19 R20 R21 R22"),
    ("count", None, "", "R25"),
)

# Moments that only one reading of a ruling has: name, ruling, reading.
_ONLY_WITH = (("sink seen", "A11", "literal"), ("glimpse", "A5", "in-total"))


class GameUnderConstruction:
    """Fields and phases, and the moves of cards that every rule shares."""

    def __init__(self, g: Game, printed: PrintedData, readings: Readings) -> None:
        self.g, self.s, self.printed, self.readings = g, g.state, printed, readings
        self.most_cards = sum(printed.deck) + sum(printed.outside)
        later, drawn = printed.count_glimpsed_cards_by_row_and_board()
        self.most_looked = later[0][0] + drawn[0]
        self._declare_way_and_symbol_fields()
        self._declare_card_zone_fields()
        self._declare_counter_fields()
        self._declare_constant_tables()
        self.take_next = g.procedure("take_next", suit=SUITS)(self._remove_deck_top_card)
        self.take_last = g.procedure("take_last", suit=SUITS)(self._remove_deck_bottom_card)
        self.shuffle = g.procedure("shuffle")(self._move_known_deck_cards_to_unknown)
        unused = {name for name, ruling, option in _ONLY_WITH if not readings.reads(ruling, option)}
        self.at: dict[str, Phase] = {
            name: g.phase(name, AUTOMATIC if actor is None else actor, text=text, rule=rule)
            for name, actor, text, rule in _PHASES
            if name not in unused
        }

    # -- fields ---------------------------------------------------------------------------------------------

    def _declare_way_and_symbol_fields(self) -> None:
        g, tasks = self.g, ("none", *(str(t) for t in self.printed.tasks))
        g.choice("board", self.printed.boards, rule="R3")
        g.integer("row", 0, self.printed.rows_of_each_board, rule="R4 R7")
        g.choice("lane", LANES, rule="R7")
        g.array("space_todo", SLOTS, labels=tasks, rule="R8")
        g.array("card_todo", SLOTS, labels=tasks, rule="R24")
        g.choice("doing", tasks, rule="R8")
        g.flag("fresh", rule="R32")
        g.integer("obols", 0, self.most_obols_player_can_hold, rule="R32")
        g.choice("current", ("none", *(c.name for c in self.printed.specials)), rule="R5 R24")
        g.flag("card_used", rule="R24")
        self.then = g.remember_phase("then")

    def _declare_card_zone_fields(self) -> None:
        g, n = self.g, KINDS
        printed = self.printed
        most = max(deck + outside for deck, outside in zip(printed.deck, printed.outside, strict=True))
        self.bag = g.array("bag", n, 0, most, self.printed.deck, sees=Sees.NOBODY, rule="R2 R11")
        self.deck = g.integer("deck", 0, self.most_cards, sum(self.printed.deck), rule="R2 R11")
        self.top = Pile(g, "top", n, self.most_looked, labels=SUITS, rule="R39")
        self.under = Pile(g, "under", n, self.most_looked, labels=SUITS, rule="R39")
        self.down = g.array("down", n, 0, most, sees=Sees.NOBODY, rule="R12 R13")
        self.down_size = g.integer("down_size", 0, self.most_cards, rule="R12")
        self.known = g.array("known", n, 0, most, rule="R12")
        self.up = g.array("up", n, 0, most, rule="R12 R38")
        self.removed = g.array("removed", n, 0, most, sees=Sees.NOBODY, rule="R14 R15")
        self.removed_size = g.integer("removed_size", 0, self.most_cards, rule="R14")
        self.outside = g.array("outside", n, 0, most, self.printed.outside, rule="R6")
        self.looked = g.array("looked", n, 0, most, rule="R17")
        self.peeked = g.array("peeked", n, 0, most, rule="R17")

    def _declare_counter_fields(self) -> None:
        g, s = self.g, self.printed
        g.integer("left", 0, max(t.number for t in s.tasks) + 2, rule="R28 R29 R30")
        g.integer("to_discard", 0, 2 * (2 + max(t.number for t in s.tasks)), rule="R13")
        self.to_see = g.array("to_see", len(ZONES), 0, self.most_cards, rule="R17")
        g.flag("exact", rule="R36")
        g.choice("mourned", ("nothing", "Deck", "Discard Area"), rule="R35")
        g.integer("diamonds", 0, 13, rule="R35 R37")
        self.spades_seen = g.array(
            "spades_seen", len(ZONES), 0, self.printed.spades_in_deck_and_outside, rule="R18 R21"
        )
        g.integer("to_fall", 0, self.printed.spade_removes, rule="R18")
        g.integer("spades_gone", 0, self.printed.spades_in_starting_deck, rule="R20 R22")
        if self.readings.reads("A11", "literal"):
            g.integer("fell", 0, self.printed.spade_removes, rule="R18")

    def _declare_constant_tables(self) -> None:
        g, printed = self.g, self.printed
        self.symbol_of = g.table("symbol", [len(SYMBOLS), *(SYMBOLS.index(t.symbol) for t in printed.tasks)])
        self.number_of = g.table("number", [0, *(t.number for t in printed.tasks)])
        self.framed = g.table("framed", [0, *(int(t.framed) for t in printed.tasks)])
        self.glimpses = g.table("glimpses", [0, *(t.number if t.symbol == "glimpse" else 0 for t in printed.tasks)])
        later, drawn = printed.count_glimpsed_cards_by_row_and_board()
        self.glimpses_later = g.table("glimpses_later", [list(board) for board in later])
        self.glimpses_drawn = g.table("glimpses_drawn", list(drawn))
        adds = [dict(task.adds) for task in printed.tasks]
        self.adds = g.table("adds", [[0] * KINDS, *([added.get(k, 0) for k in range(KINDS)] for added in adds)])

        def slots(tasks: tuple[Task, ...]) -> list[int]:
            numbers = [printed.get_number_of_task(task) for task in tasks]
            return numbers + [0] * (SLOTS - len(numbers))

        below = [[0] * SLOTS, [0] * SLOTS]  # row 0, where the way begins, has no spaces
        boards = [[[slots(space) for space in row] for row in board] for board in printed.spaces]
        self.space = g.table("space", [[below, *rows] for rows in boards])
        cards = printed.specials
        self.card_board = g.table("card_board", [c.board for c in cards])
        self.drawn = g.table("drawn", [slots(c.drawn) for c in cards])
        self.once = g.table("once", [[0] * SLOTS, *(slots(c.once) for c in cards)])
        self.changes = {
            name: g.table(name, [usual, *(c.changes.get(name, usual) for c in cards)])
            for name in CHANGES
            for usual in (printed.spade_removes if name == "spades_remove" else 0,)
        }

    @property
    def most_obols_player_can_hold(self) -> int:
        """Obols that the player can hold: as many as the way up gives, the box has, or A13 allows."""
        most = (
            FEW_OBOLS
            if self.readings.reads("A13", "three")
            else self.printed.compute_highest_symbol_sum_on_way_up("obol")
        )
        return min(most, self.printed.obols)

    # -- words about the table ----------------------------------------------------------------------------------

    def get_number_set_by_current_card(self, change_name: str) -> Term:
        """What the Current Card makes of a number (R24)."""
        return self.changes[change_name][self.s.current]

    def count_unknown_cards_of_deck(self) -> Term:
        """Cards of the Deck of which nothing is known."""
        rest: Term = self.deck - self.top.size - self.under.size
        return rest

    def count_known_cards_of_suit_in_pile(self, pile: Pile, suit: int) -> Term:
        """Cards of a suit that are known to lie on one of the Deck's ends."""
        return sum_of(pile.capacity, lambda i: (pile.size > i) & (pile.cards[i] == suit))

    def count_cards_glimpsed_by_task(self, task: Value) -> Term:
        """How many cards a task looks at if it is a Glimpse (R28), else none."""
        return pick(self.glimpses[task] > 0, self.count_cards_glimpsed_under_current_card(self.glimpses[task]), 0)

    def count_cards_glimpsed_under_current_card(self, printed_number: Value) -> Term:
        """How many cards a Glimpse with a number looks at, as the special in force changes it (R28)."""
        more: Term = printed_number + self.get_number_set_by_current_card("glimpse_more")
        return more

    def count_known_face_down_discards(self) -> Term:
        """Known cards lying face down in the Discard Area."""
        return sum_of(self.known[k] for k in range(KINDS))

    def count_face_up_discards(self) -> Term:
        """Cards lying face up in the Discard Area."""
        return sum_of(self.up[k] for k in range(KINDS))

    def count_discard_area_cards(self) -> Term:
        """All cards of the Discard Area."""
        return self.down_size + self.count_known_face_down_discards() + self.count_face_up_discards()

    def count_all_cards(self) -> Term:
        """All cards, wherever they are."""
        loose = sum_of(a[k] for a in (self.outside, self.looked, self.peeked) for k in range(KINDS))
        seen = sum_of(self.spades_seen[z] for z in range(len(ZONES)))
        gone: Term = self.s.diamonds + self.s.spades_gone
        return self.deck + self.count_discard_area_cards() + self.removed_size + loose + seen + gone

    # -- moves of cards -------------------------------------------------------------------------------------------

    def get_weight_of_suit_on_deck_top(self, suit: Local) -> Term:
        """How likely the Deck's top card is of this suit."""
        deeper = pick(
            self.count_unknown_cards_of_deck() > 0, self.bag[suit], (self.under.size > 0) & (self.under.top() == suit)
        )
        return pick(self.top.size > 0, self.top.top() == suit, deeper)

    def _remove_deck_top_card(self, suit: Local) -> None:
        """The Deck's top card, whose suit chance has settled, leaves the Deck."""
        with when(self.top.size > 0):
            self.top.take()
        with otherwise(self.count_unknown_cards_of_deck() > 0):
            self.bag[suit] -= 1
        with otherwise():
            self.under.take()
        self.deck.set(self.deck - 1)

    def get_weight_of_suit_at_deck_bottom(self, suit: Local) -> Term:
        """How likely the Deck's bottom card is of this suit."""
        higher = pick(
            self.count_unknown_cards_of_deck() > 0, self.bag[suit], (self.top.size > 0) & (self.top.bottom() == suit)
        )
        return pick(self.under.size > 0, self.under.bottom() == suit, higher)

    def _remove_deck_bottom_card(self, suit: Local) -> None:
        """The Deck's bottom card leaves the Deck."""
        with when(self.under.size > 0):
            self.under.take_under()
        with otherwise(self.count_unknown_cards_of_deck() > 0):
            self.bag[suit] -= 1
        with otherwise():
            self.top.take_under()
        self.deck.set(self.deck - 1)

    def add_cards_to_deck_before_shuffle(self, suit: Value, card_count: Value = 1) -> None:
        """Cards go somewhere into the Deck, which is about to be shuffled."""
        self.bag[suit] += card_count
        self.deck.set(self.deck + card_count)

    def add_cards_to_removed(self, suit: Value, card_count: Value = 1) -> None:
        """Cards leave the game, face down (R15)."""
        self.removed[suit] += card_count
        self.removed_size.set(self.removed_size + card_count)

    def remove_face_down_discard(self, suit: Local) -> None:
        """A card of unknown suit leaves the face-down part of the Discard Area."""
        self.down[suit] -= 1
        self.down_size.set(self.down_size - 1)

    def _move_known_deck_cards_to_unknown(self) -> None:
        """Cards known on top and bottom sink into the Deck (R11)."""
        for pile in (self.top, self.under):
            for k in range(KINDS):
                self.bag[k] += self.count_known_cards_of_suit_in_pile(pile, k)
            pile.clear()

    def move_looked_cards_to_deck(self) -> None:
        """Cards in the player's hand go back into the Deck, which is about to be shuffled."""
        for k in range(KINDS):
            self.bag[k] += self.looked[k]
            self.deck.set(self.deck + self.looked[k])
            self.looked[k] = 0
