"""Deals what a seat does not see, as `playproof.referee.worlds.copy_state_with_hidden_cards_redealt` does: so a
greedy player in machine code compares the states that its actions lead to without looking at hidden cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.machine.draws import below, copy_state
from playproof.language.machine.generated_functions import CELLS, KINDS, UNSEEN

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice

# A world `W` holds a state, then how many cards there are of each kind, then the cards of a pool.


def write_world_with_unseen_cards_redealt(state: Cells, imagined_world: Cells, random_state: Dice, seat: int) -> None:
    """Write into `imagined_world` the state with the hidden cards of each pool dealt again (`UNSEEN`:
    language/game_analysis.py)."""
    copy_state(imagined_world, state)
    at = int(UNSEEN[seat])
    groups = int(UNSEEN[at])
    at += 1
    for _ in range(groups):
        at = redeal_pool_and_return_its_end(state, imagined_world, random_state, at)


def redeal_pool_and_return_its_end(state: Cells, imagined_world: Cells, random_state: Dice, pool_offset: int) -> int:
    """Deal the pool that is written from UNSEEN[at] on; return where it ends. One holder alone keeps its cards."""
    for kind in range(KINDS):
        imagined_world[CELLS + kind] = 0
    cards = 0
    filled = 0
    here = pool_offset + 1
    for _ in range(int(UNSEEN[pool_offset])):
        own = add_holder_cards_to_kind_counts(state, imagined_world, here)
        cards += own
        if own > 0:
            filled += 1
        here += int(UNSEEN[here])
    if filled < 2:
        return here
    write_counted_cards_shuffled(imagined_world, random_state)
    end = here
    here = pool_offset + 1
    card = CELLS + KINDS
    for _ in range(int(UNSEEN[pool_offset])):
        card += deal_cards_to_holder(state, imagined_world, here, card)
        here += int(UNSEEN[here])
    return end


def add_holder_cards_to_kind_counts(state: Cells, imagined_world: Cells, holder_offset: int) -> int:
    """Count the cards of a holder by their kinds; return how many they are."""
    base = int(UNSEEN[holder_offset + 2])
    own = 0
    if UNSEEN[holder_offset + 1] == 1:
        for k in range(int(UNSEEN[holder_offset]) - 3):
            count = int(state[int(UNSEEN[holder_offset + 3 + k])])
            imagined_world[CELLS + base + k] += count
            own += count
    elif does_place_hold_card_of_its_kinds(state, holder_offset):
        imagined_world[CELLS + int(state[int(UNSEEN[holder_offset + 3])]) - base] += 1
        own = 1
    return own


def does_place_hold_card_of_its_kinds(state: Cells, holder_offset: int) -> bool:
    """Return whether a place holds a card of its kinds."""
    kind = int(state[int(UNSEEN[holder_offset + 3])]) - int(UNSEEN[holder_offset + 2])
    size = int(UNSEEN[holder_offset + 4])
    if size >= 0 and state[size] <= UNSEEN[holder_offset + 5]:
        return False
    return kind >= UNSEEN[holder_offset + 6] and kind < UNSEEN[holder_offset + 7]


def write_counted_cards_shuffled(imagined_world: Cells, random_state: Dice) -> None:
    """Write the counted cards behind the counts, in the order of their kinds, and shuffle them."""
    first = CELLS + KINDS
    n = 0
    for kind in range(KINDS):
        for _ in range(int(imagined_world[CELLS + kind])):
            imagined_world[first + n] = kind
            n += 1
    for k in range(n - 1):
        last = first + n - 1 - k
        other = first + below(random_state, n - k)
        imagined_world[last], imagined_world[other] = imagined_world[other], imagined_world[last]


def deal_cards_to_holder(state: Cells, imagined_world: Cells, holder_offset: int, first_card_cell: int) -> int:
    """Give a holder as many cards as it had, from W[card] on; return how many."""
    base = int(UNSEEN[holder_offset + 2])
    own = 0
    if UNSEEN[holder_offset + 1] == 1:
        for k in range(int(UNSEEN[holder_offset]) - 3):
            own += int(state[int(UNSEEN[holder_offset + 3 + k])])
            imagined_world[int(UNSEEN[holder_offset + 3 + k])] = 0
        for k in range(own):
            imagined_world[int(UNSEEN[holder_offset + 3 + int(imagined_world[first_card_cell + k]) - base])] += 1
    elif does_place_hold_card_of_its_kinds(state, holder_offset):
        imagined_world[int(UNSEEN[holder_offset + 3])] = int(imagined_world[first_card_cell]) + base
        own = 1
    return own
