"""All states of a game, layer by layer: no step lowers a measure, so that no state of a finished layer comes
again, and the states themselves can be forgotten.

A *measure* is a number of the game, as claims write numbers: `2 * round + played`.

The theorem: take the start, and every state that one decision leads to. If no decision that does not end the game
lowers the measure, then the states of a measure are all met once those below it, and those of it that were met
before, are gone through. So all states are there, each once. If each such decision raises the measure, no game goes
on for ever; else a layer may have *circles*, in which play comes back to a state. The check makes the states itself,
in columns.

A *horizon* is a number beyond which states are not followed. They are *open*: nothing is claimed of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, convert_rules_errors
from playproof.verifier.kernel.columns import ColumnReading
from playproof.verifier.kernel.exploration import list_acting_seats
from playproof.verifier.kernel.transcript import replay_line

MOST_LAYERED = 60_000_000
"""The most states that are gone through."""
_AT_ONCE = 100_000
_MIX = 0x9E3779B97F4A7C15
_ONE_NAME = "two states have one name of 64 bits"
Column = npt.NDArray[np.int64]
PackedRows = npt.NDArray[np.uint64]


class MeasureNotRaised(NotShown):
    """Raised if steps lower the measure, or do not raise it though they have to; with the states before and after some
    of them, and how many states and layers were gone through."""

    def __init__(
        self, before: Sequence[Sequence[int]], after: Sequence[Sequence[int]], states: int, layers: int
    ) -> None:
        super().__init__("a step does not raise the measure")
        self.before, self.after = before, after
        self.states, self.layers = states, layers


def _replay_start(game: Game, actions: tuple[int, ...]) -> list[int]:
    """Return the state after actions from the start. Raises NotShown if the rules break on the way to it, or the game
    is over there."""
    with convert_rules_errors():
        play = Interpreter(game)
        state = replay_line(play, actions)
    if play.terminal(state):
        raise NotShown("the game is over before anybody acts")
    return state


class StatePacking:
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

    def pack_states(self, cells: Column) -> PackedRows:
        """Return states (rows x cells) as rows of words."""
        keys = np.zeros((len(cells), self.words), dtype=np.uint64)
        for n, (low, word, shift, bits) in enumerate(self.places):
            if bits:
                keys[:, word] |= (cells[:, n] - low).astype(np.uint64) << np.uint64(shift)
        return keys

    def unpack_states(self, keys: PackedRows) -> Column:
        """Return packed states as rows x cells."""
        cells = np.empty((len(keys), len(self.places)), dtype=np.int64)
        for n, (low, word, shift, bits) in enumerate(self.places):
            mask = np.uint64((1 << bits) - 1)
            cells[:, n] = ((keys[:, word] >> np.uint64(shift)) & mask).astype(np.int64) + low
        return cells


def hash_state_rows(keys: PackedRows) -> PackedRows:
    """Return a number of 64 bits for each row: the word itself, or a mixture of the words."""
    mixed = keys[:, 0].copy()
    for word in range(1, keys.shape[1]):
        mixed ^= mixed >> np.uint64(29)
        mixed = mixed * np.uint64(_MIX) + keys[:, word]
    return mixed


def find_distinct_rows(keys: PackedRows) -> tuple[PackedRows, Column]:
    """Return the different rows in the order of their names, and for each row its number among them. Raises NotShown if
    two rows have one name."""
    if not len(keys):
        return keys, np.zeros(0, dtype=np.int64)
    name = hash_state_rows(keys)
    order = np.argsort(name, kind="stable")
    name, in_order = name[order], keys[order]
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = name[1:] != name[:-1]
    if keys.shape[1] > 1 and (in_order[1:] != in_order[:-1]).any(axis=1)[~new[1:]].any():
        raise NotShown(_ONE_NAME)
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return in_order[new], numbers


class StateRegister:
    """The states of one layer, in the order of their names, with their numbers."""

    def __init__(self, keys: PackedRows, first: int) -> None:
        """Number the rows, which `find_distinct_rows` has ordered, from `first` on."""
        self.name, self.keys = hash_state_rows(keys), keys
        self.numbers = np.arange(first, first + len(keys))

    def add_rows(self, keys: PackedRows, first_number: int) -> tuple[Column, PackedRows]:
        """Return the numbers of rows that `find_distinct_rows` has ordered, and those that are new: they are
        numbered from `first` on. Raises NotShown."""
        name = hash_state_rows(keys)
        places = np.searchsorted(self.name, name)
        near = np.minimum(places, len(self.name) - 1)
        there = self.name[near] == name
        if (self.keys[near[there]] != keys[there]).any():
            raise NotShown(_ONE_NAME)
        numbers = self.numbers[near]
        new = ~there
        numbers[new] = np.arange(first_number, first_number + int(new.sum()))
        self.name = np.insert(self.name, places[new], name[new])
        self.keys = np.insert(self.keys, places[new], keys[new], axis=0)
        self.numbers = np.insert(self.numbers, places[new], numbers[new])
        return numbers, keys[new]


@dataclass
class StateLayer:
    """Some states of one measure, numbered from `base`, and their edges in the order of the states. A state has
    `degree` edges. An edge leads to the state `to`, or, below 0, to the end -1 - `to`. `weight` is None if all weigh 1.
    `actor` says who acts, -1 for chance. `met` marks states that meet the event. `block` numbers the measures."""

    base: int
    degree: npt.NDArray[np.int32]
    to: npt.NDArray[np.int32]
    weight: npt.NDArray[np.int32] | None
    actor: npt.NDArray[np.int8]
    met: npt.NDArray[np.bool_]
    block: int

    @property
    def beyond(self) -> int:
        """The number after that of the last state."""
        return self.base + len(self.degree)


@dataclass
class Layers:
    """All layers in the order of the measure; the first state has the number 0. `ends` are the packed states in which
    the game is over, numbered from 1: the end 0 stands for all open states. `stuck` counts states that are not over and
    have no edge, `taken` holds the actions that are legal somewhere, `options` those of the first state in the order of
    its edges. `circles` says that some edge stays in its measure, `open` that some state lies beyond the horizon."""

    layers: list[StateLayer] = field(default_factory=list)
    ends: list[PackedRows] = field(default_factory=list)
    states: int = 0
    stuck: int = 0
    taken: set[int] = field(default_factory=set)
    options: tuple[int, ...] = ()
    circles: bool = False
    open: bool = False


class CompiledSweep(Protocol):
    """What compiled code went through: so many states, so many layers, and whether some state is `open`."""

    states: int
    layers: int
    open: bool

    def make_state_column(self) -> Column:
        """Return a column with a place for each state, which may lie in a file."""

    def iter_layers_backward(self) -> Iterator[tuple[npt.NDArray[np.int32], StateLayer]]:
        """Yield the numbers of some states of one layer with their edges as a `StateLayer`, those of later layers
        first. The first state has the number 0. An edge leads to the end 0, where the event has not happened, to the
        end 1 if it leads to an open state, or to the end 2, where the event has happened."""


@dataclass
class _PendingEdges:
    """Edges whose successors wait in a layer. `to` will hold the numbers of the successors at `places`; the edges lead
    to the rows `which` of `keys`."""

    keys: PackedRows
    which: npt.NDArray[np.int32]
    to: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Horizon:
    """States in which `number` is more than `most` are not followed."""

    number: Term
    most: int


class _EdgeColumns(NamedTuple):
    """The edges of some states: the state's row, the action, the packed state after it, its measure, whether the game
    is over there, and whether it is open."""

    rows: Column
    idents: Column
    keys: PackedRows
    measured: Column
    over: npt.NDArray[np.bool_]
    open: npt.NDArray[np.bool_]


class LayerSweep:
    """Goes through a game's layers once, from the state behind the actions `after`. If it is `strict`, each step has to
    raise the measure."""

    def __init__(
        self,
        game: Game,
        measure: Term,
        event: Term | None,
        most: int = MOST_LAYERED,
        horizon: Horizon | None = None,
        *,
        strict: bool = False,
        after: tuple[int, ...] = (),
        instead: Callable[[Column], Column] | None = None,
    ) -> None:
        """`instead` puts states in place of others that are worth the same."""
        self.instead = instead
        self.game, self.measure, self.event, self.most = game, measure, event, most
        self.horizon, self.strict, self.after = horizon, strict, after
        far = None if horizon is None else horizon.number
        self.reader = ColumnReading(game, [t for t in (measure, event, far) if t is not None])
        self.packing = StatePacking(game)
        self.waiting: dict[int, list[_PendingEdges]] = {}
        self.made = Layers()
        self.ends = 1
        self.block = -1
        self.now: int | None = None  # the measure of the layer that is gone through
        self.register = StateRegister(np.zeros((0, self.packing.words), dtype=np.uint64), 0)

    def run(self) -> Layers:
        """Return all layers. Raises NotShown, also where the rules break, and Falls."""
        first = np.array([_replay_start(self.game, self.after)], dtype=np.int64)
        keys, measured = self.packing.pack_states(first), self.reader.evaluate_term(self.measure, first)
        self._queue_states(keys, np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64), measured)
        while self.waiting:
            self._process_layer(min(self.waiting))
            if self.made.states > self.most:
                raise NotShown(f"there are more than {self.most:,} states")
        return self.made

    def _queue_states(
        self, keys: PackedRows, to: npt.NDArray[np.int32], places: Column, measured: Column
    ) -> None:
        """Let states wait in their layers; `to` will hold their numbers at `places`."""
        if not len(keys):
            return
        order = np.argsort(measured, kind="stable")
        values, firsts = np.unique(measured[order], return_index=True)
        for value, rows in zip(values.tolist(), np.split(order, firsts[1:]), strict=True):
            some, which = find_distinct_rows(keys[rows])
            sent = _PendingEdges(some, which.astype(np.int32), to, places[rows].astype(np.int32))
            self.waiting.setdefault(value, []).append(sent)

    def _process_layer(self, measure: int) -> None:
        """Number the states that wait in a layer, and send the successors of the new ones on."""
        sent, made = self.waiting.pop(measure), self.made
        keys, which = find_distinct_rows(np.concatenate([each.keys for each in sent]))
        if measure != self.now:
            self.register, new = StateRegister(keys, made.states), keys
            numbers, self.now, self.block = self.register.numbers, measure, self.block + 1
        else:
            numbers, new = self.register.add_rows(keys, made.states)
            made.circles = True
        done = 0
        for each in sent:
            mine = numbers[which[done : done + len(each.keys)]]
            each.to[each.places] = mine[each.which]
            done += len(each.keys)
        del sent, keys, which, numbers
        for first in range(0, len(new), _AT_ONCE):
            self._add_states(self.packing.unpack_states(new[first : first + _AT_ONCE]), measure)

    def _add_states(self, cells: Column, measure: int) -> None:
        """Add a part of a layer with all its edges."""
        made = self.made
        met = np.zeros(len(cells), dtype=np.bool_)
        if self.event is not None:
            met = self.reader.evaluate_term(self.event, cells) != 0
        edges = self._find_edges(cells, measure)
        degree = np.bincount(edges.rows, minlength=len(cells)).astype(np.int32)
        actor = list_acting_seats(self.game, self.reader, cells).astype(np.int8)
        weight = self._get_edge_weights(cells, edges, actor)
        to = self._link_edges(edges)
        if not made.states:
            made.options = tuple(edges.idents[edges.rows == 0].tolist())
        made.stuck += int((degree == 0).sum())
        made.taken.update(np.unique(edges.idents).tolist())
        made.layers.append(StateLayer(made.states, degree, to, weight, actor, met, self.block))
        made.states += len(cells)

    def _find_edges(self, cells: Column, measure: int) -> _EdgeColumns:
        """Return the edges of states, in the order of the states."""
        none = np.zeros(0, dtype=np.int64)
        off = np.zeros(0, dtype=np.bool_)
        parts = [_EdgeColumns(none, none, np.zeros((0, self.packing.words), dtype=np.uint64), none, off, off)]
        with convert_rules_errors():
            for rows, ident, after in self.reader.iter_legal_steps(cells):
                parts.append(self._make_action_edges(cells, rows, ident, after, measure))
        rows, *others = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(rows, kind="stable")
        return _EdgeColumns(rows[order], *(column[order] for column in others))

    def _make_action_edges(
        self, cells: Column, rows: Column, ident: int, after: Column, measure: int
    ) -> _EdgeColumns:
        """Return the edges of one action. Raises Falls."""
        over = after[:, 1] != 0
        if self.instead is not None:
            after[~over] = self.instead(after[~over])
        measured = np.array(self.reader.evaluate_term(self.measure, after))
        low = np.flatnonzero(~over & ((measured <= measure) if self.strict else (measured < measure)))
        if len(low):
            before, behind = cells[rows[low[:1]]].tolist(), after[low[:1]].tolist()
            raise MeasureNotRaised(before, behind, self.made.states, len(self.made.layers))
        is_open = np.zeros(len(after), dtype=np.bool_)
        if self.horizon is not None:
            is_open = ~over & (self.reader.evaluate_term(self.horizon.number, after) > self.horizon.most)
        return _EdgeColumns(
            rows, np.full(len(rows), ident), self.packing.pack_states(after), measured, over, is_open
        )

    def _get_edge_weights(
        self, cells: Column, edges: _EdgeColumns, actor: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int32] | None:
        """Return the weight of each edge, or None if all weigh 1. Raises NotShown for a weight of 0."""
        weight = np.ones(len(edges.rows), dtype=np.int64)
        by_chance = np.flatnonzero(actor[edges.rows] < 0)
        idents = edges.idents[by_chance]
        for ident in np.unique(idents).tolist():
            mine = by_chance[idents == ident]
            weight[mine] = self.reader.evaluate_weights(
                self.game.get_action_of_ident(ident), ident, cells[edges.rows[mine]]
            )
        if (weight <= 0).any() or (weight >= 1 << 31).any():
            raise NotShown("a result of chance has no weight, or too large a one")
        return None if (weight == 1).all() else weight.astype(np.int32)

    def _link_edges(self, edges: _EdgeColumns) -> npt.NDArray[np.int32]:
        """Return where the edges lead: ends at once, other states when their layer is numbered."""
        to = np.full(len(edges.rows), -1, dtype=np.int32)
        if edges.over.any():
            ends, numbers = find_distinct_rows(edges.keys[edges.over])
            to[edges.over] = -1 - (self.ends + numbers)
            self.made.ends.append(ends)
            self.ends += len(ends)
        self.made.open |= bool(edges.open.any())
        on = np.flatnonzero(~edges.over & ~edges.open)
        self._queue_states(edges.keys[on], to, on, edges.measured[on])
        return to
