"""Unlocking regions with mana of their colour and Wisdom (R35, R59-R63, A3)."""

from __future__ import annotations

from playproof import Local, Term, Value, any_of, goto, keep, max_of, otherwise, require, when

from .cards import COLOURS, LEVELS, Bonus, Mana
from .shared_rules import SharedRules
from .table import GameUnderConstruction
from .victory import can_offer_artifacts_for_token


def declare_unlocking_of_regions(w: GameUnderConstruction, common: SharedRules) -> None:
    """Unlock at the end of a turn, or all together when the wheel has moved (A3)."""
    _declare_unlocking_of_region(w, common)
    _declare_unlock_question_and_next_turn(w, common)
    _declare_turn_start_after_wheel(w, common)


def compute_price_of_next_region(w: GameUnderConstruction, common: SharedRules, player: Value, colour: Value) -> Term:
    """Mana for the next region of a colour; a Loyalty Card may make it cheaper."""
    return max_of(w.unlock_cost[w.s.atlas[player, colour]] - common.bonus(player, Bonus.UNLOCK), 1)


def can_afford_any_region(w: GameUnderConstruction, common: SharedRules, player: Value) -> Term:
    """Whether a player can pay for any region."""
    s = w.s

    def purse(colour: int) -> Term:
        own: Term = s.mana[player, colour]
        return own if colour == Mana.WISDOM else own + s.mana[player, Mana.WISDOM]

    return any_of(
        (s.atlas[player, c] < LEVELS) & (purse(c) >= compute_price_of_next_region(w, common, player, c))
        for c in range(len(COLOURS))
    )


def _declare_unlocking_of_region(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(
        ph.unlock,
        "unlock the next {colour} region with {wisdom} Wisdom",
        colour=COLOURS,
        wisdom=range(max(w.cards.mat.unlock) + 1),
        name="unlock",
        rule="R35 R59 R60 R61 R62",
    )
    def unlock(colour: Local, wisdom: Local) -> None:
        cost = compute_price_of_next_region(w, common, s.by, colour)
        require(s.atlas[s.by, colour] < LEVELS, "R62", "every region of this colour is unlocked")
        require(wisdom <= cost, "R59", "the region costs {} mana", cost)
        require((colour != Mana.WISDOM) | (wisdom == cost), "R60", "a yellow region is paid in Wisdom")
        require(s.mana[s.by, Mana.WISDOM] >= wisdom, "R60", "you have {} Wisdom", s.mana[s.by, Mana.WISDOM])
        require(
            (colour == Mana.WISDOM) | (s.mana[s.by, colour] >= cost - wisdom),
            "R59",
            "{} mana of the colour are needed, you have {}",
            cost - wisdom,
            s.mana[s.by, colour],
        )
        rest = keep(cost - wisdom)
        s.mana[s.by, Mana.WISDOM] = s.mana[s.by, Mana.WISDOM] - wisdom
        s.mana[s.by, colour] = s.mana[s.by, colour] - rest
        s.atlas[s.by, colour] = s.atlas[s.by, colour] + 1
        s.shifted = 0
        w.go_to_pause_after_act_in_own_turn()


def _declare_unlock_question_and_next_turn(w: GameUnderConstruction, common: SharedRules) -> None:
    """The turn is over: play goes left (R22)."""
    g, s, ph, n = w.g, w.s, w.ph, w.players
    together = w.rulings.a3 == "together"

    @g.on(ph.closing, rule="R35")
    def closing() -> None:
        """Whoever can do nothing more is not asked."""
        if together:
            goto(ph.after)
        else:
            with when(
                can_afford_any_region(w, common, s.by) | common.has_kit(s.by) | can_offer_artifacts_for_token(w, common)
            ):
                s.home = ph.unlock.number
                goto(ph.unlock)
            with otherwise():
                goto(ph.after)

    @g.action(ph.unlock, "unlock nothing more", name="end unlocking", rule="R22 R35")
    def done() -> None:
        goto(ph.council if together else ph.after)

    @g.on(ph.after, rule="R22")
    def after() -> None:
        s.turn = (s.turn + 1) % n
        s.by = s.turn
        s.asked = 0
        goto(ph.dawn)


def _declare_turn_start_after_wheel(w: GameUnderConstruction, common: SharedRules) -> None:
    """After the wheel has moved: everyone unlocks under A3 = together; then the turn begins."""
    g, s, ph, n = w.g, w.s, w.ph, w.players

    def begin() -> None:
        """The wheel has moved: the turn's first decision, and before it those whom the wheel may concern."""
        s.by = s.turn
        s.home = ph.turn.number
        goto(ph.pause)

    @g.on(ph.council, rule="R22")
    def council() -> None:
        s.shifted = 0
        if w.rulings.a3 == "together":
            with when(s.asked < n):
                s.by = (s.turn + s.asked) % n
                s.asked = s.asked + 1
                with when(can_afford_any_region(w, common, s.by) | common.has_kit(s.by)):
                    goto(ph.unlock)
            with otherwise():
                s.asked = 0
                begin()
        else:
            begin()
