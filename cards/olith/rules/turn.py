"""A turn from its choice to its end: Prepare Camp, Victory Turn, playing an Action Card, clearing up (R21-R35)."""

from __future__ import annotations

from functools import partial

from playproof import Local, Term, Value, all_of, each, goto, keep, otherwise, require, sum_of, when
from playproof.language.expr import as_term

from .cards import ActionCard, Bonus, ExcavationMark, Mana, Slot
from .shared_rules import SharedRules
from .table import Function, GameUnderConstruction

ACTION_CARDS = ("Expedition", "Tactics", "Combat")


def declare_player_turn(w: GameUnderConstruction, common: SharedRules) -> None:
    """The rules of a turn."""
    _declare_recovery_of_exhausted_unit(w, common)
    _declare_return_of_units_to_camp(w, common)
    _declare_payment_of_owed_mana(w)
    _declare_playing_of_action_card(w, common)
    _declare_victory_turn(w, common)
    _declare_discards_and_resets_at_turn_end(w)


def can_afford_further_recovery(w: GameUnderConstruction, common: SharedRules) -> Term:
    """Whether the acting player has the mana that a further unit costs (A4)."""
    s = w.s
    return as_term(s.mana[s.by, Mana.SOUL] > 0 if w.rulings.a4 == "soul" else common.wealth(s.by) > 0)


def _declare_recovery_of_exhausted_unit(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph
    price = "Soul" if w.rulings.a4 == "soul" else "mana"

    @g.action(ph.turn, "prepare: {kind} from exhausted to camp", kind=w.kinds, name="recover", rule="R23 R24 R25 R26")
    def recover(kind: Local) -> None:
        free = s.recovered < 1 + common.bonus(s.by, Bonus.RECOVER)
        require(s.exhausted[s.by, kind] > 0, "R25", "no such unit is exhausted")
        require(common.camp_left(s.by) > 0, "R24", "the camp is full")
        require(free | can_afford_further_recovery(w, common), "R26", f"a further unit costs 1 {price}, you have none")
        costs = keep(~free)
        s.exhausted[s.by, kind] = s.exhausted[s.by, kind] - 1
        s.camp[s.by, kind] = s.camp[s.by, kind] + 1
        s.prepared = 1
        _charge_one_mana_or_use_free_recovery(w, costs)


def _charge_one_mana_or_use_free_recovery(w: GameUnderConstruction, must_pay: Value) -> None:
    """One mana where `must_pay`; the free recovery is used up otherwise."""
    s, ph = w.s, w.ph
    with when(must_pay):
        s.debt = 1
        s.debt_mana = int(Mana.SOUL) if w.rulings.a4 == "soul" else 3
        s.pay_back = ph.pause.number
        goto(ph.pay)
    with otherwise():
        s.recovered = s.recovered + 1
        goto(ph.pause)


def _declare_return_of_units_to_camp(w: GameUnderConstruction, common: SharedRules) -> None:
    """Units on the board, in Port or on a location come back to camp (R27, A5)."""
    g, s, ph, paid = w.g, w.s, w.ph, w.rulings.a5 == "paid"

    def room() -> Value:
        require(common.camp_left(s.by) > 0, "R24", "the camp is full")
        free: Value = s.recovered < 1 + common.bonus(s.by, Bonus.RECOVER)
        if paid:
            require(free | can_afford_further_recovery(w, common), "R26", "a further unit costs 1 mana, you have none")
        return keep(~free) if paid else 0

    def come(kind: Value, costs: Value) -> None:
        s.camp[s.by, kind] = s.camp[s.by, kind] + 1
        s.prepared = 1
        if paid:
            _charge_one_mana_or_use_free_recovery(w, costs)
        else:
            goto(ph.pause)

    @g.action(ph.turn, "prepare: the unit on {site} to camp", site=w.site_names, name="withdraw", rule="R23 R24 R27")
    def withdraw(site: Local) -> None:
        require(s.site_owner[site] == s.by + 1, "R27", "no unit of yours stands there")
        costs = room()
        kind = keep(s.site_kind[site])
        s.site_owner[site] = 0
        s.site_kind[site] = 0
        come(kind, costs)

    @g.action(ph.turn, "prepare: {kind} from Port to camp", kind=w.kinds, name="sail home", rule="R23 R24 R27")
    def sail(kind: Local) -> None:
        require(s.port[s.by, kind] > 0, "R27", "no such unit of yours is in Port")
        costs = room()
        s.port[s.by, kind] = s.port[s.by, kind] - 1
        come(kind, costs)

    @g.action(
        ph.turn, "prepare: the unit on the {slot} location to camp", slot=Slot, name="call in", rule="R23 R24 R27"
    )
    def call_in(slot: Local) -> None:
        card = s.slot[s.by, slot] - 1
        require((s.slot[s.by, slot] > 0) & (s.loc_unit[card] > 0), "R27", "no unit of yours stands there")
        costs = room()
        card = keep(s.slot[s.by, slot] - 1)
        kind = keep(s.loc_unit[card] - 1)
        s.loc_unit[card] = 0
        come(kind, costs)


def _declare_payment_of_owed_mana(w: GameUnderConstruction) -> None:
    """Mana owed is paid one by one, in whatever kinds the cost allows (R26, R42, R81)."""
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.pay, "pay 1 {mana}", mana=Mana, rule="R26 R42 R47 R81")
    def pay(mana: Local) -> None:
        allowed = (s.debt_mana == 3) | (s.debt_mana == mana)
        if w.rulings.a18 == "wisdom":
            allowed = allowed | (mana == Mana.WISDOM)
        require(allowed, "R42", "the cost is in another kind of mana")
        require(s.mana[s.by, mana] > 0, "R42", "you have none of it")
        s.mana[s.by, mana] = s.mana[s.by, mana] - 1
        s.debt = s.debt - 1
        with when(s.debt == 0):
            goto(s.pay_back)


def _declare_playing_of_action_card(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.turn, "play the {card} card", card=ACTION_CARDS, name="action card", rule="R18 R21 R28 R81")
    def play(card: Local) -> None:
        if w.rulings.a5b == "must":
            require(
                ~common.can_recover(s.by) | (s.recovered > common.bonus(s.by, Bonus.RECOVER)),
                "R23",
                "the camp must be filled first",
            )
        s.played = card + 1
        with when(s.played == ActionCard.TACTICS):
            _gain_mana_of_locations_and_loyalty(w, common)
        s.home = ph.act.number
        goto(ph.pause)


def _gain_mana_of_locations_and_loyalty(w: GameUnderConstruction, common: SharedRules) -> None:
    """Valleys, and the Loyalty Card, give their mana with a Tactics Card (R70)."""
    s = w.s

    def mana_of(kind: int, slot: Local) -> Value:
        return w.loc_mana[s.slot[s.by, slot], kind]

    for kind in Mana:
        mana = sum_of(len(Slot), partial(mana_of, kind))
        if kind is Mana.WISDOM:
            mana = mana + common.bonus(s.by, Bonus.TACTICS)
        common.gain(s.by, int(kind), mana)


def declare_test_of_dominance_in_active_region(w: GameUnderConstruction) -> Function:
    """More units in the Active Region than any other player (R30, A6)."""
    g, s, n = w.g, w.s, w.players

    @g.function(player=n)
    def units_in_active(player: Local) -> Value:
        return sum_of(
            len(w.sites),
            lambda i: (
                (s.site_owner[i] == player + 1)
                & (w.colour_of[i] == s.active_colour)
                & (w.level_of[i] == s.active_level)
            ),
        )

    @g.function(player=n)
    def dominates(player: Local) -> Value:
        mine = units_in_active(player)
        least = 0 if w.rulings.a6 == "ties" else 1
        others = all_of((player == q) | (units_in_active(q) + least <= mine) for q in range(n))
        return (mine > 0) & others

    return dominates


def _declare_victory_turn(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph
    dominates = declare_test_of_dominance_in_active_region(w)
    g.quantity("dominance", dominates(s.turn))

    @g.action(ph.turn, "take a Victory Turn", name="victory turn", rule="R21 R30")
    def victory() -> None:
        require(s.prepared == 0, "R21", "this is an Action Turn already: the camp was prepared")
        require(dominates(s.by), "R30", "you have no Dominance in the Active Region")
        s.home = ph.victory.number
        goto(ph.pause)

    @g.action(ph.victory, "exhaust the unit on {site} for a Victory Token", site=w.site_names, name="claim", rule="R31")
    def claim(site: Local) -> None:
        require(s.site_owner[site] == s.by + 1, "R31", "no unit of yours stands there")
        require(
            (w.colour_of[site] == s.active_colour) & (w.level_of[site] == s.active_level),
            "R31",
            "the site is not in the Active Region",
        )
        require(common.token_fits(s.by, site), "R32", "another player's Victory Token lies there")
        common.exhaust(site)
        common.place_token(s.by, site)
        goto(ph.pause)

    @g.action(ph.victory, "roll the Active Region dice", name="end victory turn", rule="R33")
    def done() -> None:
        s.region_back = ph.tidy.number
        goto(ph.region)


def _declare_discards_and_resets_at_turn_end(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.on(ph.tidy, rule="R34 R57 R22")
    def tidy() -> None:
        """Cards laid out, the defender's of an earlier turn too, are discarded or return to hand."""
        for card in each(len(w.artifacts)):
            with when(s.laid[s.turn, card] > 0):
                s.laid[s.turn, card] = 0
                with when(w.returns[card] == 1):
                    s.hand[s.turn, card] = 1
                    s.hand_size[s.turn] = s.hand_size[s.turn] + 1
                with otherwise():
                    s.discard[card] = 1
        for site in each(len(w.sites)):
            s.acted[site] = 0
            s.dug_now[site] = ExcavationMark.NO
        for marks in (s.bought, s.sold, s.bought_away, s.sold_away):
            for kind in each(len(w.kinds)):
                marks[kind] = 0
        s.played = ActionCard.NOTHING
        for name in ("prepared", "recovered", "dug_this_turn", "shifted", "pass_level", "tireless"):
            setattr(s, name, 0)
        if w.rulings.a31 == "own-turn":
            s.shifted_in_turn = 0
        goto(ph.closing if ph.trim is None else ph.trim)
