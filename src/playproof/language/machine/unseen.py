"""Deals what a seat does not see, as `playproof.referee.worlds.redeal_hidden_cards` does: so a greedy player in
machine code compares the states that its actions lead to without looking at hidden cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.machine.draws import below, copy_state
from playproof.language.machine.generated_functions import CELLS, KINDS, UNSEEN

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice

# A world `W` holds a state, then how many cards there are of each kind, then the cards of a pool.


def deal_unseen_cards(S: Cells, W: Cells, R: Dice, seat: int) -> None:
    """Write into `W` the state with the hidden cards of each pool dealt again (`UNSEEN`: language/game_analysis.py)."""
    copy_state(W, S)
    at = int(UNSEEN[seat])
    groups = int(UNSEEN[at])
    at += 1
    for _ in range(groups):
        at = deal_pool(S, W, R, at)


def deal_pool(S: Cells, W: Cells, R: Dice, at: int) -> int:
    """Deal the pool that is written from UNSEEN[at] on; return where it ends. One holder alone keeps its cards."""
    for kind in range(KINDS):
        W[CELLS + kind] = 0
    cards = 0
    filled = 0
    here = at + 1
    for _ in range(int(UNSEEN[at])):
        own = count_holder_cards(S, W, here)
        cards += own
        if own > 0:
            filled += 1
        here += int(UNSEEN[here])
    if filled < 2:
        return here
    shuffle_cards(W, R)
    end = here
    here = at + 1
    card = CELLS + KINDS
    for _ in range(int(UNSEEN[at])):
        card += deal_to_holder(S, W, here, card)
        here += int(UNSEEN[here])
    return end


def count_holder_cards(S: Cells, W: Cells, here: int) -> int:
    """Count the cards of a holder by their kinds; return how many they are."""
    base = int(UNSEEN[here + 2])
    own = 0
    if UNSEEN[here + 1] == 1:
        for k in range(int(UNSEEN[here]) - 3):
            count = int(S[int(UNSEEN[here + 3 + k])])
            W[CELLS + base + k] += count
            own += count
    elif has_card_of_its_kinds(S, here):
        W[CELLS + int(S[int(UNSEEN[here + 3])]) - base] += 1
        own = 1
    return own


def has_card_of_its_kinds(S: Cells, here: int) -> bool:
    """Return whether a place holds a card of its kinds."""
    kind = int(S[int(UNSEEN[here + 3])]) - int(UNSEEN[here + 2])
    size = int(UNSEEN[here + 4])
    if size >= 0 and S[size] <= UNSEEN[here + 5]:
        return False
    return kind >= UNSEEN[here + 6] and kind < UNSEEN[here + 7]


def shuffle_cards(W: Cells, R: Dice) -> None:
    """Write the counted cards behind the counts, in the order of their kinds, and shuffle them."""
    first = CELLS + KINDS
    n = 0
    for kind in range(KINDS):
        for _ in range(int(W[CELLS + kind])):
            W[first + n] = kind
            n += 1
    for k in range(n - 1):
        last = first + n - 1 - k
        other = first + below(R, n - k)
        W[last], W[other] = W[other], W[last]


def deal_to_holder(S: Cells, W: Cells, here: int, card: int) -> int:
    """Give a holder as many cards as it had, from W[card] on; return how many."""
    base = int(UNSEEN[here + 2])
    own = 0
    if UNSEEN[here + 1] == 1:
        for k in range(int(UNSEEN[here]) - 3):
            own += int(S[int(UNSEEN[here + 3 + k])])
            W[int(UNSEEN[here + 3 + k])] = 0
        for k in range(own):
            W[int(UNSEEN[here + 3 + int(W[card + k]) - base])] += 1
    elif has_card_of_its_kinds(S, here):
        W[int(UNSEEN[here + 3])] = int(W[card]) + base
        own = 1
    return own
