"""The way up: special cards, moving, the symbols of a space, obols, and the end (R3-R10, R24, R25,
R31-R34)."""

from __future__ import annotations

from playproof import Const, Local, Term, goto, keep, lose, max_of, min_of, otherwise, require, weight, when, win

from .cards import LANES, SLOTS, SYMBOLS, Suit
from .state import KINDS, ZONES, GameUnderConstruction


def declare_way_up_and_game_end(t: GameUnderConstruction) -> None:
    """Everything but what single symbols do."""
    _declare_chance_draw_of_special_card(t)
    _declare_order_of_symbols_to_follow(t)
    _declare_advance_to_row_board_or_end(t)
    _declare_move_to_lane(t)
    _declare_following_symbol_or_paying_obol(t)
    _declare_single_use_of_current_card(t)
    _declare_phase_starting_chosen_symbol(t)
    _declare_final_count_of_hearts_and_clubs(t)
    _declare_look_that_is_always_refused(t)


def _declare_chance_draw_of_special_card(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    copies = [c.copies for c in t.printed.specials]
    chances = g.table("copies", copies) if set(copies) != {1} else None

    @g.action(
        t.at["special"],
        "the special card is {card}",
        rule="R5 R23 R24",
        name="special",
        card=[c.name for c in t.printed.specials],
    )
    def special(card: Local) -> None:
        require(t.card_board[card] == s.board, "R23", "that card belongs to another board")
        weight(1 if chances is None else chances[card])
        s.current = card + 1
        s.card_used = 0
        for slot in range(SLOTS):
            s.card_todo[slot] = t.drawn[card, slot]
        goto(t.at["next"])


def _declare_order_of_symbols_to_follow(t: GameUnderConstruction) -> None:
    """What is done next: the Current Card's own symbols, then those of the space; the player chooses where one can."""
    g, s = t.g, t.s

    @g.on(t.at["next"], rule="R8")
    def following() -> None:
        s.doing = 0
        waiting = keep((s.space_todo[0] > 0) + (s.space_todo[1] > 0))
        with when(s.card_todo[0] > 0):
            s.doing = s.card_todo[0]
            s.card_todo[0] = s.card_todo[1]
            s.card_todo[1] = 0
            goto(t.at["run"])
        with otherwise(waiting == 0):
            s.fresh = 0
            goto(t.at["advance"])
        with otherwise((waiting == 2) | _can_spend_obol_on_space(t) | _can_use_current_special_card(t)):
            goto(t.at["space"])
        with otherwise():
            s.fresh = 0
            s.doing = s.space_todo[0] + s.space_todo[1]
            for slot in range(SLOTS):
                s.space_todo[slot] = 0
            goto(t.at["run"])


def _can_spend_obol_on_space(t: GameUnderConstruction) -> Term:
    s = t.s
    usable: Term = (s.fresh == 1) & (s.obols > 0) & (t.get_number_set_by_current_card("no_obol") == 0)
    return usable


def _can_use_current_special_card(t: GameUnderConstruction) -> Term:
    s = t.s
    usable: Term = (t.once[s.current, 0] > 0) & (s.card_used == 0)
    return usable


def _declare_advance_to_row_board_or_end(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["advance"], rule="R9 R10 R24")
    def advance() -> None:
        with when(s.row < t.printed.rows_of_each_board):
            goto(t.at["move"])
        with otherwise(s.board == len(t.printed.boards) - 1):
            t.shuffle()
            goto(t.at["count"])
        with otherwise():
            s.board += 1
            s.row = 0
            s.lane = 0
            s.current = 0
            goto(t.at["special"])


def _declare_move_to_lane(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["move"], "go up on the {lane}", rule="R7", name="go", lane=LANES)
    def go(lane: Local) -> None:
        if t.readings.reads("A1", "one-lane"):
            require((s.row == 0) | (s.lane == lane), "R7", "the lane is kept until the board's end")
        s.row += 1
        s.lane = lane
        s.fresh = 1
        for slot in range(SLOTS):
            s.space_todo[slot] = t.space[s.board, s.row, s.lane, slot]
        goto(t.at["next"])


def _declare_following_symbol_or_paying_obol(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["space"], "follow {task}", rule="R8", name="follow", task=[str(x) for x in t.printed.tasks])
    def follow(task: Local) -> None:
        first = keep(s.space_todo[0] == task + 1)
        require(first | (s.space_todo[1] == task + 1), "R8", "this space does not show that symbol, or it is done")
        s.fresh = 0
        s.doing = task + 1
        with when(first):
            s.space_todo[0] = 0
        with otherwise():
            s.space_todo[1] = 0
        goto(t.at["run"])

    @g.action(t.at["space"], "spend an obol", rule="R32", name="spend an obol")
    def spend() -> None:
        require(s.obols > 0, "R32", "you have no obol")
        require(s.fresh == 1, "R32", "an obol is spent before any symbol of the space is followed")
        require(t.get_number_set_by_current_card("no_obol") == 0, "R32", "the Current Card forbids it")
        s.obols -= 1
        for slot in range(SLOTS):
            s.space_todo[slot] = 0
        goto(t.at["next"])


def _declare_single_use_of_current_card(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    usable = [place for place, card in enumerate(t.printed.specials) if card.once]
    numbers = g.table("usable", [place + 1 for place in usable])

    @g.action(
        (t.at["move"], t.at["space"]),
        "use {card}",
        rule="R24",
        name="use",
        card=[t.printed.specials[place].name for place in usable],
    )
    def use(card: Local) -> None:
        require(s.current == numbers[card], "R24", "that is not the Current Card")
        require(s.card_used == 0, "R24", "the Current Card has been used")
        s.card_used = 1
        for slot in range(SLOTS):
            s.card_todo[slot] = t.once[s.current, slot]
        goto(t.at["next"])


def _declare_look_that_is_always_refused(t: GameUnderConstruction) -> None:
    """What people try: looking where nothing allows it."""
    g, s = t.g, t.s

    @g.action((t.at["move"], t.at["space"]), "look into {place}", rule="R17", name="look into", place=ZONES)
    def look(place: Local) -> None:
        require(Const(0), "R17", "nothing here allows you to look")
        s.fresh = place == 0  # never happens


def _declare_phase_starting_chosen_symbol(t: GameUnderConstruction) -> None:
    """Start the symbol: where it needs the player, go there; else do it."""
    g, s = t.g, t.s

    @g.on(t.at["run"], rule="R8 R26 R27 R28 R29 R30 R31 R32 R33 R34 R35 R36")
    def run() -> None:
        symbol = keep(t.symbol_of[s.doing])
        number = keep(t.number_of[s.doing])
        s.then = t.at["next"].number
        for name in SYMBOLS:
            with when(symbol == SYMBOLS.index(name)):
                _start_symbol_or_go_to_its_phase(t, name, number)


def _start_symbol_or_go_to_its_phase(t: GameUnderConstruction, name: str, number: Local) -> None:
    s = t.s
    if name in ("toll", "recall", "lament", "exchange"):
        goto(t.at[name])
    elif name == "offering":
        goto(t.at["offer"])
    elif name == "glimpse":
        _start_glimpse_symbol(t, number)
    elif name == "return":
        s.left = max_of(number + t.get_number_set_by_current_card("return_shift"), 0)
        goto(t.at["returned"])
    elif name == "remove":
        s.left = number
        goto(t.at["removal"])
    elif name == "release":
        s.current = 0
        s.card_used = 0
        goto(t.at["next"])
    elif name == "obol":
        s.obols = min_of(s.obols + 1, t.most_obols_player_can_hold)
        s.to_discard = t.get_number_set_by_current_card("obol_costs")
        goto(t.at["shedding"])
    else:
        _add_cards_from_outside_to_deck(t)


def _start_glimpse_symbol(t: GameUnderConstruction, number: Local) -> None:
    s = t.s
    cards = keep(t.count_cards_glimpsed_under_current_card(number))
    s.then = t.at["placed"].number
    if t.readings.reads("A5", "each-zone"):
        for zone, size in enumerate((t.deck, t.down_size, t.removed_size)):
            t.to_see[zone] = min_of(cards, size)
        goto(t.at["seeing"])
    else:
        s.left = min_of(cards, t.deck + t.down_size + t.count_known_face_down_discards() + t.removed_size)
        with when(s.left > 0):
            goto(t.at["glimpse"])
        with otherwise():
            goto(t.at["next"])


def _add_cards_from_outside_to_deck(t: GameUnderConstruction) -> None:
    """A special card puts cards from outside into the Deck, as far as there are any (R6, A20)."""
    s = t.s
    for k in range(KINDS):
        n = keep(min_of(t.adds[s.doing, k], t.outside[k]))
        t.outside[k] -= n
        t.add_cards_to_deck_before_shuffle(k, n)
    t.shuffle()
    goto(t.at["next"])


def count_cards_for_player_in_final_deck(t: GameUnderConstruction) -> Term:
    """What counts for the player in the shuffled Deck: hearts, and diamonds where a card says so."""
    return t.bag[Suit.HEART] + t.bag[Suit.DIAMOND] * t.get_number_set_by_current_card("diamonds_count")


def count_cards_against_player_in_final_deck(t: GameUnderConstruction) -> Term:
    """What counts against: clubs, and the jokers that stand for them (R19, A17)."""
    return t.bag[Suit.CLUB] + t.bag[Suit.JOKER]


def _declare_final_count_of_hearts_and_clubs(t: GameUnderConstruction) -> None:
    """Look into the Deck: more hearts than clubs wins (R25). Spades seen now count under one reading of A9 only."""
    g, s = t.g, t.s

    @g.on(t.at["count"], rule="R1 R25 R37")
    def count() -> None:
        late = t.bag[Suit.SPADE] > 0 if t.readings.reads("A9", "end-too") else Const(0)
        with when(late):
            n = keep(t.bag[Suit.SPADE])
            t.spades_seen[0] = n
            t.deck.set(t.deck - n)
            t.bag[Suit.SPADE] = 0
            s.then = t.at["count"].number
            goto(t.at["seen"])
        with otherwise(count_cards_for_player_in_final_deck(t) > count_cards_against_player_in_final_deck(t)):
            win("more hearts than clubs", rule="R25")
        with otherwise():
            lose("not more hearts than clubs", rule="R25")
