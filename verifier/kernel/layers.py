"""All states of a game, layer by layer: every step raises a measure, so that no state of a finished layer comes
again, and the states themselves can be forgotten.

A *measure* is a number of the game, as claims write numbers: `2 * round + played`.

The theorem: take the start, and every state that one decision leads to. If each decision that does
not end the game raises the measure, then every state is met before the layer of its measure is gone through. So all
states are there, each once, and no game goes on for ever. The check makes the states itself, in columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from playproof.language import Game, Interpreter, RulesError, Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.columns import Columns

MOST_LAYERED = 60_000_000
"""The most states that are gone through."""
_AT_ONCE = 100_000
Column = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


class Rises(NotShown):
    """Raised if a step does not raise the measure; with the states before and after it."""

    def __init__(self, before: Sequence[int], after: Sequence[int]) -> None:
        super().__init__("a step does not raise the measure")
        self.before, self.after = tuple(before), tuple(after)


def _start(game: Game) -> list[int]:
    """Return the first state. Raises NotShown if the rules break on the way to it, or the game is over there."""
    try:
        play = Interpreter(game)
        state = list(play.start())
    except RulesError as error:
        raise NotShown(f"the rules break on the way: {error.message}") from None
    if play.terminal(state):
        raise NotShown("the game is over before anybody acts")
    return state


class Packing:
    """States as rows of 64-bit words. A cell lies in one word, and takes the bits that its bounds need."""

    def __init__(self, game: Game) -> None:
        self.places: list[tuple[int, int, int, int]] = []  # lowest value, word, shift, bits
        word = used = 0
        for held in (f for f in game.fields for _ in range(f.size)):
            bits = (held.hi - held.lo).bit_length()
            if bits > 62:
                raise NotShown("numbers are too large for words of 64 bits")
            if used + bits > 64:
                word, used = word + 1, 0
            self.places.append((held.lo, word, used, bits))
            used += bits
        self.words = word + 1

    def packed(self, cells: Column) -> Keys:
        """Return states (rows x cells) as rows of words."""
        keys = np.zeros((len(cells), self.words), dtype=np.uint64)
        for n, (low, word, shift, bits) in enumerate(self.places):
            if bits:
                keys[:, word] |= (cells[:, n] - low).astype(np.uint64) << np.uint64(shift)
        return keys

    def cells(self, keys: Keys) -> Column:
        """Return packed states as rows x cells."""
        found = np.empty((len(keys), len(self.places)), dtype=np.int64)
        for n, (low, word, shift, bits) in enumerate(self.places):
            mask = np.uint64((1 << bits) - 1)
            found[:, n] = ((keys[:, word] >> np.uint64(shift)) & mask).astype(np.int64) + low
        return found


def distinct(keys: Keys) -> tuple[Keys, Column]:
    """Return the different rows in ascending order, and for each row its number among them."""
    order = np.argsort(keys[:, 0], kind="stable") if keys.shape[1] == 1 else np.lexsort(keys.T[::-1])
    sorted_ = keys[order]
    new = np.ones(len(keys), dtype=np.bool_)
    if len(keys):
        new[1:] = (sorted_[1:] != sorted_[:-1]).any(axis=1)
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return sorted_[new], numbers


@dataclass
class Layer:
    """The states of one measure, numbered from `base`, and their edges in the order of the states. A state has
    `degree` edges. An edge leads to the state `to`, or, below 0, to the end -1 - `to`. `weight` is None if all weigh 1.
    `actor` says who acts, -1 for chance. `met` marks states that meet the event."""

    base: int
    degree: Column
    to: npt.NDArray[np.int32]
    weight: npt.NDArray[np.int32] | None
    actor: npt.NDArray[np.int8]
    met: npt.NDArray[np.bool_]


@dataclass
class Layers:
    """All layers in the order of the measure; the first state has the number 0. `ends` are the packed states in which
    the game is over. `stuck` counts states that are not over and have no edge, `taken` holds the actions that are legal
    somewhere."""

    layers: list[Layer] = field(default_factory=list)
    ends: list[Keys] = field(default_factory=list)
    states: int = 0
    stuck: int = 0
    taken: set[int] = field(default_factory=set)


@dataclass
class _Sent:
    """Edges whose successors wait in a layer: where their numbers are to be written."""

    keys: Keys
    to: npt.NDArray[np.int32]
    places: Column


class Sweep:
    """Goes through a game's layers once."""

    def __init__(self, game: Game, measure: Term, event: Term | None, most: int = MOST_LAYERED) -> None:
        self.game, self.measure, self.event, self.most = game, measure, event, most
        self.reader = Columns(game, [t for t in (measure, event) if t is not None])
        self.packing = Packing(game)
        self.waiting: dict[int, list[_Sent]] = {}
        self.found = Layers()
        self.ends = 0

    def run(self) -> Layers:
        """Return all layers. Raises NotShown, also where the rules break, and Rises."""
        made = self.found
        first = np.array([_start(self.game)], dtype=np.int64)
        self._send(
            self.packing.packed(first), np.zeros(1, dtype=np.int32), np.arange(1), self._measured(first)
        )
        while self.waiting:
            self._layer(min(self.waiting))
            if made.states > self.most:
                raise NotShown(f"there are more than {self.most:,} states")
        return made

    def _measured(self, cells: Column) -> Column:
        return self.reader.values(self.measure, cells)

    def _send(self, keys: Keys, to: npt.NDArray[np.int32], places: Column, measured: Column) -> None:
        """Let states wait in their layers; `to` will hold their numbers at `places`."""
        if not len(keys):
            return
        order = np.argsort(measured, kind="stable")
        values, firsts = np.unique(measured[order], return_index=True)
        for value, rows in zip(values.tolist(), np.split(order, firsts[1:]), strict=True):
            self.waiting.setdefault(value, []).append(_Sent(keys[rows], to, places[rows]))

    def _layer(self, measure: int) -> None:
        """Number the states of a layer, and send their successors on."""
        sent, made = self.waiting.pop(measure), self.found
        keys, numbers = distinct(np.concatenate([each.keys for each in sent]))
        done = 0
        for each in sent:
            each.to[each.places] = numbers[done : done + len(each.keys)] + made.states
            done += len(each.keys)
        del sent
        for first in range(0, len(keys), _AT_ONCE):
            self._expanded(self.packing.cells(keys[first : first + _AT_ONCE]), measure)

    def _expanded(self, cells: Column, measure: int) -> None:
        """Add a part of a layer with all its edges."""
        made = self.found
        met = np.zeros(len(cells), dtype=np.bool_)
        if self.event is not None:
            met = self.reader.values(self.event, cells) != 0
        live = np.flatnonzero(cells[:, 1] == 0)
        rows, idents, states = self._successors(cells, live)
        order = np.argsort(rows, kind="stable")
        rows, idents, states = rows[order], idents[order], states[order]
        degree = np.bincount(rows, minlength=len(cells))
        actor = self._actors(cells)
        weight = self._weights(cells, rows, idents, actor)
        to = self._led(cells, rows, states, measure)
        made.stuck += int((degree == 0).sum())
        made.taken.update(np.unique(idents).tolist())
        made.layers.append(Layer(made.states, degree, to, weight, actor, met))
        made.states += len(cells)

    def _successors(self, cells: Column, live: Column) -> tuple[Column, Column, Column]:
        """Return the edges of the states: rows, actions, states after them."""
        parts = [
            (live[here], np.full(len(here), ident), after) for here, ident, after in self._steps(cells[live])
        ]
        width = cells.shape[1]
        none = np.zeros(0, dtype=np.int64)
        return (
            np.concatenate([none, *(p[0] for p in parts)]),
            np.concatenate([none, *(p[1] for p in parts)]),
            np.concatenate([np.zeros((0, width), dtype=np.int64), *(p[2] for p in parts)]),
        )

    def _steps(self, cells: Column) -> Iterator[tuple[Column, int, Column]]:
        try:
            yield from self.reader.steps(cells)
        except RulesError as error:
            raise NotShown(f"the rules break on the way: {error.message}") from None

    def _actors(self, cells: Column) -> npt.NDArray[np.int8]:
        actor = np.zeros(len(cells), dtype=np.int8)
        for phase in self.game.phases:
            rows = np.flatnonzero((cells[:, 0] == phase.number) & (cells[:, 1] == 0))
            if len(rows) and not phase.automatic:
                actor[rows] = self.reader.values(phase.actor, cells[rows])
        return actor

    def _weights(
        self, cells: Column, rows: Column, idents: Column, actor: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int32] | None:
        """Return the weight of each edge, or None if all weigh 1. Raises NotShown for a weight of 0."""
        weight = np.ones(len(rows), dtype=np.int64)
        for ident in np.unique(idents[actor[rows] < 0]).tolist():
            mine = np.flatnonzero(idents == ident)
            weight[mine] = self.reader.weights(self.game.action_of(ident), ident, cells[rows[mine]])
        if (weight <= 0).any() or (weight >= 1 << 31).any():
            raise NotShown("a result of chance has no weight, or too large a one")
        return None if (weight == 1).all() else weight.astype(np.int32)

    def _led(self, cells: Column, rows: Column, states: Column, measure: int) -> npt.NDArray[np.int32]:
        """Return where the edges lead: ends at once, other states when their layer is numbered."""
        to = np.zeros(len(states), dtype=np.int32)
        if not len(states):
            return to
        keys = self.packing.packed(states)
        over = states[:, 1] != 0
        if over.any():
            ends, numbers = distinct(keys[over])
            to[over] = -1 - (self.ends + numbers)
            self.found.ends.append(ends)
            self.ends += len(ends)
        on = np.flatnonzero(~over)
        measured = self._measured(states[on])
        low = np.flatnonzero(measured <= measure)
        if len(low):
            raise Rises(cells[rows[on[low[0]]]].tolist(), states[on[low[0]]].tolist())
        self._send(keys[on], to, on, measured)
        return to
