"""What each moment of a day leaves as it is: conditions that hold the bounds of all fields together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.language import Term, all_of, any_of

from .script import Op, Script
from .state import Tabletop

_TAKING = ("overflow", "fear")
_EMPTY = ("draw", "look or not", "evening", "night", "pay", "time track", "after the payment")


def moments(t: Tabletop) -> Term:
    """A card is being resolved only in the phases for it, tokens wait where they are taken, who plays lives."""
    s, at_step = t.s, {"amount": Op.CONVERT, "slash": Op.SLASH}
    resolving = (t.resolve.name, *_TAKING, *at_step)
    conditions: list[Term] = [
        ~_in(t, _TAKING) | (s.left > 0),
        _in(t, resolving) | ((s.at == 0) & (s.left == 0)),
        (s.hearts > 0) | (s.outcome > 0) | _in(t, ("after the payment",)),
        ~_in(t, ("choose",)) | (s.present < t.cards),
    ]
    for r in t.scarce():  # what waits for room has left the supply
        conditions.append(
            (s.left == 0) | (t.incoming[s.at] != r) | (s.have[r] + t.on_goal(r) + s.left <= t.box.supply[r])
        )
    for name, op in at_step.items():
        conditions.append(~_in(t, (name,)) | ((t.op[s.at] == op) & (s.left == 0)))
    return all_of(conditions)


def front_fits(t: Tabletop) -> Term:
    """The pile at the front of the stand never holds more cards than there is room for: what the card in the Present,
    and each card that waits, can still put there finds room above what then lies there."""
    pile = t.front
    if pile is None:
        return all_of(())
    looked = max((t.box.items[n].amount for n in t.box.items_at("day-start")), default=2)
    s, more = t.s, calls(t.script, pile.capacity)
    rest, most = t.g.table("calls_after", more[0]), t.g.table("calls_of", [*more[1], 0])
    waiting = [(pile.size <= i) | (most[pile.cards[i]] + i <= pile.capacity) for i in range(pile.capacity)]
    return all_of(
        [
            *waiting,
            pile.size + rest[s.at] <= pile.capacity,
            ~_in(t, ("choose",)) | (pile.size + most[s.present] <= pile.capacity),
            ~_in(t, _EMPTY) | (pile.size == 0),
            ~_in(t, ("dawn", "order", "look")) | (pile.size <= looked),
            ~_in(t, ("peek",)) | (pile.size <= looked - 1),
        ]
    )


def _in(t: Tabletop, names: Sequence[str]) -> Term:
    return any_of(t.s.phase == p.number for p in t.g.phases if p.name in names)


def calls(script: Script, most: int) -> tuple[list[int], list[int]]:
    """How many cards can come to the front of the stand, at most: from each step on, and from each card's choice on.
    A called card that calls others lays them where it lay; cards that call each other in a circle count as `most`."""
    after, of = [0] * len(script.steps), [0] * len(script.start)
    changed = True
    while changed:
        changed = False
        for at in reversed(range(1, len(script.steps))):
            now = min(most + 1, max(_ways(script, at, after, of), default=0))
            changed, after[at] = changed or now != after[at], now
        for card, options in enumerate(script.start):
            of[card] = max((after[start] for start in options.values()), default=0)
    return after, of


def _ways(script: Script, at: int, after: Sequence[int], of: Sequence[int]) -> Iterator[int]:
    """What a step can lead to."""
    op, arg, num = script.steps[at]
    if op == Op.FRONT:
        yield max(1 + after[at + 1], of[arg])
    elif op == Op.SLASH:
        yield after[num]
        yield from (after[b.start] for b in script.branches if b.slash == arg)
    elif op == Op.JUMP:
        yield after[arg]
    elif op != Op.END:
        yield after[at + 1]
