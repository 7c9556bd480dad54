"""Declarations of the functions that each game's generated source provides; the handwritten code is
written against these names.

Nothing here runs. `bind` and the translation to machine code replace them with the game's own
functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, Packed

CELLS = 0  # cells of a state
SEATS = 0  # players
WIDTH = 0  # ground actions, at least 1
BATCH = 0  # states in the making at once, WIDTH and some more
WORDS = 0  # 64-bit words of a packed state
KINDS = 0  # kinds of cards that a player may imagine elsewhere
WORLD = 0  # cells of a state, and room to deal what a player does not see
HIDES = 0  # 1 if a greedy player has to imagine what it does not see
UNSEEN: list[int] = []  # who may hold which of the cards that a seat does not see (playproof.language.game_analysis)


def enter(state: Cells) -> None:
    """Turn a state from the outside form into the form used inside."""


def settle(state: Cells) -> None:
    """Run automatic phases until somebody acts."""


def legal(state: Cells, actions_out: Cells, weights_out: Cells) -> int:
    """Write the legal ground actions and their weights; return how many there are."""
    raise NotImplementedError


def step(state: Cells, random_state: Dice, scratch_actions: Cells, scratch_weights: Cells) -> int:
    """Take a random action of the phase without settling; return it, or -1 if there is none."""
    raise NotImplementedError


def apply(state: Cells, action_id: int) -> None:
    """Take an action and settle."""


def actor(state: Cells) -> int:
    """Return the seat to act, negative for chance."""
    raise NotImplementedError


def returns(state: Cells, returns_out: Cells) -> None:
    """Write each seat's return of a finished state."""


def round_of(state: Cells) -> int:
    """Return the declared round, or 0."""
    raise NotImplementedError


def worth_of(state: Cells, seat: int) -> int:
    """Return the declared evaluation, or 0."""
    raise NotImplementedError


def pack(state: Cells, packed_states: Packed, row: int) -> None:
    """Write a state into row i."""


def unpack(packed_states: Packed, row: int, state: Cells) -> None:
    """Read a state from row i."""


def watch(state: Cells) -> None:
    """Note each condition that does not hold (watched source only)."""


def take(state: Cells, action_id: int) -> None:
    """Take an action without settling."""


def automatic(state: Cells) -> int:
    """Return 1 if an automatic phase is next, else 0 (source for replays only)."""
    raise NotImplementedError


def advance(state: Cells) -> None:
    """Run one automatic phase (source for replays only)."""


def allowed(state: Cells, action_id: int) -> int:
    """Return 1 if an action is legal, else 0 (source for replays only)."""
    raise NotImplementedError


def far(state: Cells, action_id: int) -> int:
    """Return how many conditions stand against an action (source for replays only)."""
    raise NotImplementedError
