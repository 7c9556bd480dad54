"""The Night: tokens go onto the Goal, the time track takes its token, the Future comes back."""

from __future__ import annotations

from playproof import Local, Term, any_of, cite, each, goto, lose, otherwise, require, when, win

from .chapter_components import Conversion
from .names import CardPlace, Resource
from .state import GameUnderConstruction

CONVERSION_RULES = {Resource.ENERGY: "R46", Resource.STONE: "R47"}


def declare_night_phases_and_actions(t: GameUnderConstruction) -> None:
    """All of the Night, and the conversions that are free at any time between effects."""
    _declare_placing_tokens_on_goal(t)
    _declare_token_conversions(t)
    _declare_use_of_night_items(t)
    _declare_evening_before_night_or_payment(t)
    _declare_time_payment_and_new_round(t)


def _declare_placing_tokens_on_goal(t: GameUnderConstruction) -> None:
    g, s, goal = t.g, t.s, t.box.goal
    need = g.table("need", [n for _, n in goal])
    kind = g.table("goal_kind", [int(r) for r, _ in goal])

    @g.action(
        t.place,
        "place 1 {kind_of_token} on the Goal",
        rule="R27",
        name="place",
        kind_of_token=[r.name.title() for r, _ in goal],
    )
    def place(kind_of_token: Local) -> None:
        token = kind_of_token
        require(s.tonight < t.limit, "R27", f"at most {t.limit} tokens are placed each Night")
        require(s.have[kind[token]] > 0, "R27", "you hold no such token")
        require(s.placed[token] < need[token], "R27", "no matching space is empty")
        s.have[kind[token]] = s.have[kind[token]] - 1
        s.placed[token] = s.placed[token] + 1
        s.tonight = s.tonight + 1
        with when(t.are_all_goal_spaces_filled()):
            win("the Goal is complete", rule="R14")
            cite("R28", "R34")
        goto(t.evening)

    @g.action(t.place, "go on to the time track", rule="R27")
    def done() -> None:
        goto(t.payment)


def can_place_token_on_goal(t: GameUnderConstruction) -> Term:
    """Whether a token can go onto the Goal now."""
    fits = any_of((t.have[r] > 0) & (t.placed[n] < need) for n, (r, need) in enumerate(t.box.goal))
    early: Term = t.s.tonight < t.limit
    return early & fits


# -- conversions ------------------------------------------------------------------------------------------------


def _declare_token_conversions(t: GameUnderConstruction) -> None:
    for conversion in t.box.conversions:
        _declare_conversion_actions(t, conversion)


def _list_tokens_that_may_make_room(t: GameUnderConstruction, conversion: Conversion) -> list[Resource]:
    """Tokens that may make room for the result (A12b); none where the cost leaves room in the same inventory."""
    if conversion.pay in t.box.list_resources_in_same_inventory(conversion.gain) or t.rulings.is_ruling_read_as(
        "A12b", "forbid"
    ):
        return []
    return [
        r for r in t.box.list_resources_in_same_inventory(conversion.gain) if r not in (conversion.gain, Resource.FEAR)
    ]


def _count_room_for_conversion_result(t: GameUnderConstruction, conversion: Conversion) -> Term:
    """Free spaces for the result once the cost is paid: what is paid leaves its own inventory first."""
    freed = conversion.cost if conversion.pay in t.box.list_resources_in_same_inventory(conversion.gain) else 0
    return t.room(conversion.gain) + freed


def _declare_conversion_actions(t: GameUnderConstruction, conversion: Conversion) -> None:
    """R45-R47: offered while a card waits for its choice and at Night; A12b: a token may make room.

    That is every moment there is: nothing happens between the last effect of a card and the reveal of the next, so
    converting there is the same as converting when the next card, or the Night, asks for a choice.
    """
    s, rule = t.s, CONVERSION_RULES.get(conversion.gain, "R45")
    pay, gain = conversion.pay.name.title(), conversion.gain.name.title()
    phases = [t.choose, t.place]
    if t.rulings.is_ruling_read_as("A12", "strict-any-time"):
        phases += [p for p in t.g.phases if p.name in ("overflow", "fear", "slash", "amount")]

    def body(r: Resource | None) -> None:
        require(
            s.have[conversion.pay] >= conversion.cost,
            rule,
            f"it takes {conversion.cost} {pay}, you have {{}}",
            s.have[conversion.pay],
        )
        require(t.supply(conversion.gain) > 0, rule, f"no {gain} is left in the supply")
        room = _count_room_for_conversion_result(t, conversion)
        if r is None:
            require(room > 0, rule, f"there is no room for the {gain}")
        else:
            require((room == 0) & (s.have[r] > 0), rule, f"no {r.name.title()} needs to make room")
            s.have[r] = s.have[r] - 1
        s.have[conversion.pay] = s.have[conversion.pay] - conversion.cost
        s.have[conversion.gain] = s.have[conversion.gain] + 1
        with when(s.phase == t.place.number):
            goto(t.evening)
        with otherwise(s.phase != t.choose.number):
            goto(t.resolve)

    text = f"turn {conversion.cost} {pay} into 1 {gain}"
    t.g.add_action(phases, lambda: body(None), text, rule=f"R45 {rule}", name=f"convert {conversion.pay.name.lower()}")
    for r in _list_tokens_that_may_make_room(t, conversion):
        t.g.add_action(
            phases,
            lambda r=r: body(r),
            f"{text}, dropping 1 {r.name.title()}",
            rule=f"R45 {rule} R41",
            name=f"convert {conversion.pay.name.lower()} dropping {r.name.lower()}",
        )


def can_make_any_conversion(t: GameUnderConstruction) -> Term:
    """Whether any conversion is possible now."""
    ways = []
    for c in t.box.conversions:
        fits = (_count_room_for_conversion_result(t, c) > 0) | any_of(
            t.s.have[r] > 0 for r in _list_tokens_that_may_make_room(t, c)
        )
        ways.append((t.s.have[c.pay] >= c.cost) & (t.supply(c.gain) > 0) & fits)
    return any_of(ways)


# -- items of the Night -----------------------------------------------------------------------------------------


def can_use_item_before_payment(t: GameUnderConstruction) -> Term:
    """Whether an item that acts before the Energy payment can be used now."""
    return any_of(
        t.has_item_in_front_of_player(n)
        & (t.s.lit == 0)
        & (t.s.have[_get_resource_that_item_takes(t, n)] > t.box.items[n].amount - 1)
        for n in t.box.list_item_indexes_at_moment("before-energy")
    )


def _get_resource_that_item_takes(t: GameUnderConstruction, item: int) -> Resource:
    paid = t.box.items[item].resource
    assert paid is not None  # collect_chapter_components_or_refuse has refused an item without
    return paid


def _declare_use_of_night_items(t: GameUnderConstruction) -> None:
    s = t.s
    for n in t.box.list_item_indexes_at_moment("before-energy"):
        item, paid = t.box.items[n], _get_resource_that_item_takes(t, n)

        def use(n: int = n, paid: Resource = paid, amount: int = item.amount) -> None:
            require(t.has_item_in_front_of_player(n), "R60", "you do not have it")
            require(s.lit == 0, "R60", f"it has been used this {'chapter' if t.box.items[n].once else 'Night'}")
            require(s.have[paid] >= amount, "R60", f"you have no {paid.name.title()}")
            s.have[paid] = s.have[paid] - amount
            s.lit = 1
            goto(t.evening)

        t.g.add_action(
            t.place, use, f"{item.title}: put back {item.amount} {paid.name.title()}", rule="R60", name=f"use {item.id}"
        )


def _declare_evening_before_night_or_payment(t: GameUnderConstruction) -> None:
    """The player is asked only while something can be done."""

    @t.g.on(t.evening)
    def evening() -> None:
        with when(can_place_token_on_goal(t) | can_make_any_conversion(t) | can_use_item_before_payment(t)):
            goto(t.place)
        with otherwise():
            goto(t.payment)


# -- the time track ---------------------------------------------------------------------------------------------


def _declare_time_payment_and_new_round(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    after = g.automatic("after the payment", rule="R31 R32 R33")

    def pay_energy() -> None:
        s.have[Resource.ENERGY] = s.have[Resource.ENERGY] - 1
        goto(after)

    def pay_heart() -> None:
        s.hearts = s.hearts - 1
        goto(after)

    if t.rulings.is_ruling_read_as("A8", "heart-allowed"):
        pay = g.phase("pay", text="pay the time track", rule="R29 R30")
        g.add_action(pay, pay_energy, "put 1 Energy on the time track", rule="R29")
        g.add_action(pay, pay_heart, "put 1 Heart on the time track", rule="R30")

    @g.on(t.payment)
    def payment() -> None:
        cite("R29", "R30")
        with when(s.have[Resource.ENERGY] > 0):
            goto(pay) if t.rulings.is_ruling_read_as("A8", "heart-allowed") else pay_energy()
        with otherwise():
            pay_heart()

    @g.on(after)
    def new_round() -> None:
        with when(s.hearts == 0):
            lose("no Heart was left for the track", rule="R31")
        with otherwise(s.round == t.box.track):
            lose("time is up: all rounds have passed", rule="R32")
            cite("R16")
        with otherwise():
            cite("R21", "R33", "R13")
            s.round = s.round + 1
            s.tonight = 0
            if any(not t.box.items[n].once for n in t.box.list_item_indexes_at_moment("before-energy")):
                s.lit = 0
            for card in each(t.cards):
                with when(s.where[card] == CardPlace.FUTURE):
                    s.where[card] = CardPlace.STAND
            goto(t.dawn)
