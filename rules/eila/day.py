"""The Day: cards leave the stand one by one, an option is chosen, the card goes where the option says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from database.components import Option
from rules.eila import effects
from rules.eila.script import free, option_cost
from rules.eila.table import Table
from rules.eila.words import Place, Resource
from rules.language import (
    CHANCE,
    Const,
    Local,
    Phase,
    Term,
    all_true,
    any_true,
    cite,
    goto,
    keep,
    least_of,
    otherwise,
    pick,
    require,
    weight,
    when,
)

LETTERS = ("A", "B", "C", "D")


def declare(t: Table) -> None:
    """All of the Day."""
    _dawn(t)
    _reveal(t)
    _choose(t)
    if any(not any(always(t, card, letter) for letter in range(len(LETTERS))) for card in range(t.cards)):
        _stuck(t)


# -- the stand --------------------------------------------------------------------------------------------------


def first_in_stand(t: Table) -> Term:
    """The lowest card number in the unordered part of the stand: on the first day that is its front (A2)."""
    return least_of(t.cards, lambda c: pick(t.s.where[c] == Place.STAND, c, t.cards - 1))


def certain(t: Table) -> Term:
    """Whether the next card of the stand is known without a draw."""
    known = t.in_stand() == 1
    return known | (t.s.round == 1) if not t.rulings.holds("A2", "shuffled") else known


def _drawing(t: Table, phase: Phase, text: str, to: Callable[[Local], None]) -> None:
    """Chance: each card of the unordered stand is equally likely to be the next."""
    s = t.s

    def draw(card: Local) -> None:
        require(s.where[card] == Place.STAND, "R17", "that card is not in the stand")
        if t.rulings.holds("A2", "shuffled"):
            basic = any_true((s.where[n] == Place.STAND) for n, c in enumerate(t.box.cards) if c.back != "habit")
            is_habit = t.g.table("is_habit", [int(c.back == "habit") for c in t.box.cards])
            require((s.round > 1) | (is_habit[card] == 0) | ~basic, "R36", "habits stand at the back")
        weight(1)
        to(card)

    t.g.add_action(phase, draw, text, rule="R17 R33", name=phase.name, card=[c.id for c in t.box.cards])


def _reveal(t: Table) -> None:
    s = t.s

    def show(card: Term) -> None:
        s.where[card] = Place.PRESENT
        s.present = card
        goto(t.choose)

    @t.g.on(t.reveal)
    def reveal() -> None:
        cite("R17", "R25", "R26", "R58")
        if t.front is not None:
            with when(t.front.size > 0):
                top = keep(t.front.top(), "top")
                t.front.take()
                show(top)
        with otherwise(t.in_stand() == 0) if t.front is not None else when(t.in_stand() == 0):
            goto(t.evening)
        with otherwise(certain(t)):
            show(keep(first_in_stand(t), "next"))
        with otherwise():
            goto(t.draw)

    _drawing(t, t.draw, "{card} is revealed", show)


def _dawn(t: Table) -> None:
    """The Day begins; an item may let the player order the first cards of the stand (R60).

    Its owner always looks: keeping the order is the same as not having looked.
    """
    vanes = t.box.items_at("day-start")
    pile = t.front
    if not vanes or pile is None:
        t.g.on(t.dawn)(lambda: goto(t.reveal))
        return
    s = t.s
    peek = t.g.stage("peek", CHANCE, text="the front of the stand is looked at", rule="R60")
    order = t.g.stage("order", text="put the two front cards back in any order", rule="R60")

    def lay(card: Term) -> None:
        s.where[card] = Place.FRONT
        pile.put(card)
        goto(t.dawn)

    @t.g.on(t.dawn)
    def dawn() -> None:
        with when((pile.size == 2) & t.owns(vanes[0])):
            goto(order)
        with otherwise(~t.owns(vanes[0]) | (t.in_stand() + pile.size < 2)):
            goto(t.reveal)
        with otherwise(certain(t)):
            lay(keep(first_in_stand(t), "next"))
        with otherwise():
            goto(peek)

    _drawing(t, peek, "{card} is seen at the front", lay)

    @t.g.action(order, "keep the order of the two front cards", rule="R60")
    def keep_order() -> None:
        # The card seen first lies below by now: laid back first, it comes out last.
        first, second = keep(pile.cards[0]), keep(pile.cards[1])
        pile.cards[0] = second
        pile.cards[1] = first
        goto(t.reveal)

    @t.g.action(order, "swap the two front cards", rule="R60")
    def swap_order() -> None:
        goto(t.reveal)


# -- options ----------------------------------------------------------------------------------------------------


def always(t: Table, card: int, letter: int) -> bool:
    """Whether an option exists and can be chosen whatever the state."""
    found = _found(t, card, letter)
    return found is not None and free(found) and not (t.rulings.holds("A15", "unchoosable") and t.script.calls(found))


def _choose(t: Table) -> None:
    g, s, cards = t.g, t.s, t.box.cards
    start = g.table("option_start", [[t.script.start[n].get(letter, 0) for letter in LETTERS]
                                     for n in range(t.cards)])

    def text(card: int, option: int) -> str:
        return _option_text(t, card, option)

    @g.action(t.choose, text, rule="R18", card=[c.id for c in cards], option=LETTERS)
    def choose(card: Local, option: Local) -> None:
        require(s.present == card, "R26", "that card is not in the Present")
        require(start[card, option] > 0, "R18", "the card has no such option")
        _needs(t, card, option)
        _payable(t, card, option)
        if t.rulings.holds("A15", "unchoosable"):
            _callable(t, card, option)
        s.at = start[card, option]
        goto(t.resolve)

    effects.declare(t)


def _by_option(t: Table, name: str, value: Callable[[int, int], int]) -> Callable[[Term, Term], Term]:
    """A table over cards and letters."""
    table = t.g.table(name, [[value(n, m) for m in range(len(LETTERS))] for n in range(t.cards)])
    return lambda card, option: table[card, option]


def _cost_of(t: Table, resource: Resource, card: int, letter: int) -> int:
    found = _found(t, card, letter)
    return option_cost(found).get(resource, 0) if found else 0


def _found(t: Table, card: int, letter: int) -> Option | None:
    return next((o for o in t.box.cards[card].options if o.letter == LETTERS[letter]), None)


def _payable(t: Table, card: Term, option: Term) -> None:
    """R50, R52: what the option costs must be there; Fear is the exception (R53)."""
    for r in Resource:
        cost = _by_option(t, f"cost_{r.name.lower()}", partial(_cost_of, t, r))(card, option)
        if cost.hi > 0:
            require(t.s.have[r] >= cost, "R50", f"the option costs {{}} {r.name.title()}, you have {{}}",
                    cost, t.s.have[r])
    cite("R52", "R53")


def _needs(t: Table, card: Term, option: Term) -> None:
    """R63: an option marked with an item needs the item, which is kept."""
    def needed(n: int, m: int) -> int:
        found = _found(t, n, m)
        return t.box.item(found.needs) + 1 if found and found.needs else 0

    need = _by_option(t, "needs", needed)(card, option)
    for n, item in enumerate(t.box.items):
        if need.hi > 0 and need.lo <= n + 1 <= need.hi:
            require((need != n + 1) | t.owns(n), "R63", f"the option needs the {item.title}")


def _callable(t: Table, card: Term, option: Term) -> None:
    """A15 as a variant: every card the option names must be in its deck."""
    def called_by(k: int, n: int, m: int) -> int:
        found = _found(t, n, m)
        calls = t.script.calls(found) if found else []
        return calls[k] if k < len(calls) else -1

    for k in range(max(len(t.script.calls(o)) for c in t.box.cards for o in c.options)):
        called = _by_option(t, f"call_{k}", partial(called_by, k))(card, option)
        require((called < 0) | (t.s.where[called] == Place.DECK), "R57", "a card it calls is not in its deck")


def _option_text(t: Table, card: int, letter: int) -> str:
    found, box = _found(t, card, letter), t.box.cards[card]
    return f"{box.id} {box.title}, {LETTERS[letter]}: {t.words(found) if found else 'no such option'}"


def _stuck(t: Table) -> None:
    """A18: a card none of whose options can be chosen goes to the Future (our own cards never need this)."""
    s = t.s

    @t.g.action(t.choose, "no option can be paid", rule="R50")
    def pass_by() -> None:
        for option in range(len(LETTERS)):
            require(~_choosable(t, s.present, Const(option)), "A18", "an option can be chosen")
        if t.rulings.holds("A18", "lose-heart"):
            effects.lose_heart(t)
        s.where[s.present] = Place.FUTURE
        s.present = t.cards
        goto(t.reveal)


def _choosable(t: Table, card: Term, option: Term) -> Term:
    """Whether the card's option can be chosen now; the same tables as the requirements of `choose`."""
    s = t.s
    tables = {table.name: table for table in t.g.tables}
    parts = [tables["option_start"][card, option] > 0]
    for r in Resource:
        parts.append(s.have[r] >= tables[f"cost_{r.name.lower()}"][card, option])
    need = tables["needs"][card, option]
    parts.extend((need != n + 1) | t.owns(n) for n in range(len(t.box.items)))
    parts.extend((table[card, option] < 0) | (s.where[table[card, option]] == Place.DECK)
                 for name, table in tables.items() if name.startswith("call_"))
    return all_true(parts)
