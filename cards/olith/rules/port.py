"""Port: buying from the shop, hiring Mercenaries, selling Artifacts (R40-R43, R71, R72)."""

from __future__ import annotations

from playproof import Array, Local, any_of, each, goto, keep, let, otherwise, pick, require, sum_of, variable, when

from .cards import Bonus, Mana, Skill
from .draw import DECK_COLOUR, DECK_LEVEL, DeckRules
from .shared_rules import SharedRules
from .table import GameUnderConstruction

ROW = 3
ANY = 3


def declare_trade_in_port(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    """Trade, and the shop's row."""
    _declare_buying_in_port(w, common)
    _declare_selling_in_port(w, common, draws)
    _declare_restocking_of_shop(w)


def _mark_unit_as_having_traded(w: GameUnderConstruction, marks: Array, trades_per_unit: int | None) -> None:
    """A unit in Port has traded: one of the first kind that still can, Basic Units before Mercenaries. A unit trades
    `trades_per_unit` times a turn; None stands for once and what its own ability adds."""
    s, following = w.s, when
    for kind in range(len(w.kinds)):
        times = w.skill[kind, Skill.TRADE] + 1 if trades_per_unit is None else trades_per_unit
        with following(marks[kind] < s.port[s.by, kind] * times):
            marks[kind] = marks[kind] + 1
        following = otherwise


def _declare_buying_in_port(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph
    mercenaries = len(w.cards.mercenaries)

    @g.action(ph.act, "buy shop card {place}", place=("1", "2", "3"), name="buy", rule="R41 R42 R71 R72")
    def buy(place: Local) -> None:
        require(s.row[place] > 0, "R42", "no card lies there")
        able = any_of(len(w.kinds), lambda k: s.bought[k] < s.port[s.by, k])
        require(able, "R41", "each of your {} units in Port buys once", common.port_size(s.by))
        card = s.row[place] - 1
        for kind in Mana:
            require(
                s.mana[s.by, kind] >= w.cost[card, kind],
                "R42",
                f"it costs {{}} {kind.name.capitalize()}, you have {{}}",
                w.cost[card, kind],
                s.mana[s.by, kind],
            )
        require(common.wealth(s.by) >= sum_of(4, lambda k: w.cost[card, k]), "R42", "you have too little mana")
        bought = keep(card)
        for kind in Mana:
            s.mana[s.by, kind] = s.mana[s.by, kind] - w.cost[bought, kind]
        s.row[place] = 0
        _mark_unit_as_having_traded(w, s.bought, 1)
        with when(bought < mercenaries):
            s.exhausted[s.by, bought + 1] = 1
        with otherwise():
            s.kit[s.by, bought - mercenaries] = 1
        s.shop_back = ph.pause.number
        goto(ph.restock)
        with when(w.cost[bought, ANY] > 0):
            s.debt = w.cost[bought, ANY]
            s.debt_mana = ANY
            s.pay_back = ph.restock.number
            goto(ph.pay)


def _declare_selling_in_port(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    g, s, ph = w.g, w.s, w.ph
    level = g.table("sale_level", DECK_LEVEL)
    colour_of = g.table("sale_colour", DECK_COLOUR)

    @g.action(ph.act, "sell {card}", card=w.artifacts, name="sell", public="card", rule="R41 R43")
    def sell(card: Local) -> None:
        require(s.hand[s.by, card] == 1, "R43", "the card is not in your hand")
        able = any_of(len(w.kinds), lambda k: s.sold[k] < s.port[s.by, k] * (w.skill[k, Skill.TRADE] + 1))
        require(able, "R41", "each of your units in Port sells once")
        s.hand[s.by, card] = 0
        s.hand_size[s.by] = s.hand_size[s.by] - 1
        s.under[card] = 1 + draws.sold(w.card_deck[card])
        _mark_unit_as_having_traded(w, s.sold, None)
        deck = w.card_deck[card]
        price = keep(level[deck] + common.bonus(s.by, Bonus.SALE))
        colour = variable(colour_of[deck], 0, 3, "colour")
        if w.rulings.a9 == "origin":
            with when((colour == ANY) & (s.origin[card] > 0)):
                let(colour, s.origin[card] - 1)
            s.origin[card] = 0
        with when(colour == ANY):
            s.gain = price
            s.mana_back = ph.pause.number
            goto(ph.which_mana)
        with otherwise():
            common.gain(s.by, colour, price)
            goto(ph.pause)


def _declare_restocking_of_shop(w: GameUnderConstruction) -> None:
    """The row is refilled at once; an empty shop deck is shuffled from its discards (R42, R72)."""
    g, s, ph = w.g, w.s, w.ph
    names = w.cards.shop_names
    shop = len(names)

    @g.on(ph.restock, rule="R7 R42 R72")
    def restock() -> None:
        with when(~any_of(ROW, lambda i: s.row[i] == 0)):
            goto(s.shop_back)
        with otherwise(any_of(shop, lambda i: s.shop_deck[i])):
            goto(ph.reveal)
        with otherwise(any_of(shop, lambda i: s.shop_discard[i])):
            for i in each(shop):
                s.shop_deck[i] = s.shop_discard[i]
                s.shop_discard[i] = 0
        with otherwise():
            goto(s.shop_back)

    @g.action(ph.reveal, "the shop offers {card}", card=names, name="reveal", rule="R7 R42")
    def reveal(card: Local) -> None:
        require(s.shop_deck[card] == 1, "R42", "the card is not in the shop deck")
        s.shop_deck[card] = 0
        place = keep(pick(s.row[0] == 0, 0, pick(s.row[1] == 0, 1, 2)))
        s.row[place] = card + 1
        goto(ph.restock)
