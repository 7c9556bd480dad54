"""What each moment of a day leaves as it is: conditions that hold the bounds of all fields together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof import Term, all_of, any_of

from .option_steps import Script, StepOperation
from .state import GameUnderConstruction

_TAKING = ("overflow", "fear")
_EMPTY = ("draw", "look or not", "evening", "night", "pay", "time track", "after the payment")


def build_invariant_of_phases(t: GameUnderConstruction) -> Term:
    """A card is being resolved only in the phases for it, tokens wait where they are taken, who plays lives."""
    s, at_step = t.s, {"amount": StepOperation.CONVERT, "slash": StepOperation.SLASH}
    resolving = (t.resolve.name, *_TAKING, *at_step)
    conditions: list[Term] = [
        ~_is_current_phase_one_of(t, _TAKING) | (s.left > 0),
        _is_current_phase_one_of(t, resolving) | ((s.at == 0) & (s.left == 0)),
        (s.hearts > 0) | (s.outcome > 0) | _is_current_phase_one_of(t, ("after the payment",)),
        ~_is_current_phase_one_of(t, ("choose",)) | (s.present < t.cards),
    ]
    for r in t.list_resources_that_can_run_out():  # what waits for room has left the supply
        conditions.append(
            (s.left == 0)
            | (t.incoming[s.at] != r)
            | (s.have[r] + t.count_tokens_on_goal(r) + s.left <= t.box.supply[r])
        )
    for name, op in at_step.items():
        conditions.append(~_is_current_phase_one_of(t, (name,)) | ((t.op[s.at] == op) & (s.left == 0)))
    return all_of(conditions)


def build_invariant_of_front_pile_size(t: GameUnderConstruction) -> Term:
    """The pile at the front of the stand never holds more cards than there is room for: what the card in the Present,
    and each card that waits, can still put there finds room above what then lies there."""
    pile = t.front
    if pile is None:
        return all_of(())
    looked = max((t.box.items[n].amount for n in t.box.list_item_indexes_at_moment("day-start")), default=2)
    s, more = t.s, count_front_calls_by_step_and_card(t.script, pile.capacity)
    rest, most = t.g.table("calls_after", more[0]), t.g.table("calls_of", [*more[1], 0])
    waiting = [(pile.size <= i) | (most[pile.cards[i]] + i <= pile.capacity) for i in range(pile.capacity)]
    return all_of(
        [
            *waiting,
            pile.size + rest[s.at] <= pile.capacity,
            ~_is_current_phase_one_of(t, ("choose",)) | (pile.size + most[s.present] <= pile.capacity),
            ~_is_current_phase_one_of(t, _EMPTY) | (pile.size == 0),
            ~_is_current_phase_one_of(t, ("dawn", "order", "look")) | (pile.size <= looked),
            ~_is_current_phase_one_of(t, ("peek",)) | (pile.size <= looked - 1),
        ]
    )


def _is_current_phase_one_of(t: GameUnderConstruction, names: Sequence[str]) -> Term:
    return any_of(t.s.phase == p.number for p in t.g.phases if p.name in names)


def count_front_calls_by_step_and_card(script: Script, max_calls: int) -> tuple[list[int], list[int]]:
    """How many cards can come to the front of the stand, at most: from each step on, and from each card's choice on.
    A called card that calls others lays them where it lay; cards that call each other in a circle count as `most`."""
    after, of = [0] * len(script.steps), [0] * len(script.start)
    changed = True
    while changed:
        changed = False
        for at in reversed(range(1, len(script.steps))):
            now = min(max_calls + 1, max(_iter_front_call_counts_after_step(script, at, after, of), default=0))
            changed, after[at] = changed or now != after[at], now
        for card, options in enumerate(script.start):
            of[card] = max((after[start] for start in options.values()), default=0)
    return after, of


def _iter_front_call_counts_after_step(
    script: Script, position: int, after: Sequence[int], calls_by_card: Sequence[int]
) -> Iterator[int]:
    """What a step can lead to."""
    op, arg, num = script.steps[position]
    if op == StepOperation.FRONT:
        yield max(1 + after[position + 1], calls_by_card[arg])
    elif op == StepOperation.SLASH:
        yield after[num]
        yield from (after[b.start] for b in script.branches if b.slash == arg)
    elif op == StepOperation.JUMP:
        yield after[arg]
    elif op != StepOperation.END:
        yield after[position + 1]
