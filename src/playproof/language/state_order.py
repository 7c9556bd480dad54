"""An order on states that was proved to be a simulation, and the places of its cells in a packed
state."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled, generate
from playproof.language.expr import Term, as_term
from playproof.language.game import Game
from playproof.language.packing import places

_ALL = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class Proved:
    """A proof that the order is a simulation. Only `dominance.prove` makes one; `rules` is the
    digest of the description it holds for.

    `directions` are pairs (field, +1 or -1), `given` the invariants it rests on, `steps` the number
    of small steps checked.
    """

    rules: str
    directions: tuple[tuple[str, int], ...]
    given: tuple[Term, ...]
    steps: int
    seconds: float


def digest(game: Game) -> str:
    """Return a digest of a description: equal digests mean equal rules."""
    return hashlib.sha256(generate(game).encode()).hexdigest()


def condition(game: Game) -> Term:
    """Return the condition under which states may be compared: the declared `better_when`, or
    true."""
    declared = game.facts.get("better_when")
    if declared is None:
        return as_term(1)
    return as_term(declared)


@dataclass(frozen=True, slots=True)
class Order:
    """What compiled code compares by. `keys` masks the bits outside ordered cells; `cells` holds
    word, shift, mask and sign of each ordered cell."""

    keys: npt.NDArray[np.uint64]
    cells: npt.NDArray[np.int64]


def order_of(compiled: Compiled, proved: Proved | None) -> Order:
    """Return the order of a proof, or None. Raises ValueError if the proof is for other rules or is
    not a proof."""
    keys = np.full(int(compiled.module.WORDS), _ALL, dtype=np.uint64)
    if proved is None:
        return Order(keys, np.zeros((0, 4), dtype=np.int64))
    if not isinstance(proved, Proved):
        raise TypeError(f"only a proved order may drop states, not {proved!r}")
    if proved.rules != digest(compiled.game):
        raise ValueError("the order was proved of other rules")
    signs = dict(proved.directions)
    rows = [
        (word, shift, (1 << f.bits) - 1, signs[f.name])
        for _, f, word, shift in places(compiled.game)
        if f.name in signs and word >= 0
    ]
    for word, shift, mask, _ in rows:
        keys[word] &= np.uint64(_ALL ^ (mask << shift))
    return Order(keys, np.array(rows, dtype=np.int64).reshape(-1, 4))
