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
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.closed_sets import Column, Layers, PackedRows, StateLayer
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.state_graphs import (
    ONE_NAME,
    StateNumbers,
    compute_weight_of_each_edge,
    hash_packed_states,
    list_actor_of_each_row,
)
from playproof.verifier.kernel.transcript import replay_legal_actions

MOST_LAYERED = 60_000_000
"""The most states that are gone through."""
_AT_ONCE = 100_000


class MeasureNotRaised(NotShown):
    """Raised if steps lower the measure, or do not raise it though they have to; with the states before and after some
    of them, and how many states and layers were gone through."""

    def __init__(
        self, before: Sequence[Sequence[int]], after: Sequence[Sequence[int]], states: int, layers: int
    ) -> None:
        super().__init__("a step does not raise the measure")
        self.before, self.after = before, after
        self.states, self.layers = states, layers


def _get_state_after_actions_or_raise(game: Game, first_actions: tuple[int, ...]) -> list[int]:
    """Return the state after actions from the start. Raises NotShown if the rules break on the way to it, or the game
    is over there."""
    with raise_rules_errors_as_not_shown():
        play = Interpreter(game)
        state = replay_legal_actions(play, first_actions)
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

    def pack_states_into_words(self, state_rows: Column) -> PackedRows:
        """Return states (rows x cells) as rows of words."""
        keys = np.zeros((len(state_rows), self.words), dtype=np.uint64)
        for n, (low, word, shift, bits) in enumerate(self.places):
            if bits:
                keys[:, word] |= (state_rows[:, n] - low).astype(np.uint64) << np.uint64(shift)
        return keys

    def unpack_states_from_words(self, packed_states: PackedRows) -> Column:
        """Return packed states as rows x cells."""
        cells = np.empty((len(packed_states), len(self.places)), dtype=np.int64)
        for n, (low, word, shift, bits) in enumerate(self.places):
            mask = np.uint64((1 << bits) - 1)
            cells[:, n] = ((packed_states[:, word] >> np.uint64(shift)) & mask).astype(np.int64) + low
        return cells


def sort_distinct_states_and_number_rows(packed_states: PackedRows) -> tuple[PackedRows, Column]:
    """Return the different rows in the order of their names, and for each row its number among them. Raises NotShown if
    two rows have one name."""
    if not len(packed_states):
        return packed_states, np.zeros(0, dtype=np.int64)
    name = hash_packed_states(packed_states)
    order = np.argsort(name, kind="stable")
    name, in_order = name[order], packed_states[order]
    new = np.ones(len(packed_states), dtype=np.bool_)
    new[1:] = name[1:] != name[:-1]
    if packed_states.shape[1] > 1 and (in_order[1:] != in_order[:-1]).any(axis=1)[~new[1:]].any():
        raise NotShown(ONE_NAME)
    numbers = np.empty(len(packed_states), dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return in_order[new], numbers


class CompiledSweep(Protocol):
    """What compiled code went through: so many states, so many layers, and whether some state is `open`."""

    states: int
    layers: int
    open: bool

    def make_empty_column_per_state(self) -> Column:
        """Return a column with a place for each state, which may lie in a file."""

    def iter_state_numbers_and_edges_from_last_layer(self) -> Iterator[tuple[npt.NDArray[np.int32], StateLayer]]:
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
        self.numbers = StateNumbers()

    def sweep_all_layers(self) -> Layers:
        """Return all layers. Raises NotShown, also where the rules break, and MeasureNotRaised."""
        first = np.array([_get_state_after_actions_or_raise(self.game, self.after)], dtype=np.int64)
        keys, measured = (
            self.packing.pack_states_into_words(first),
            self.reader.evaluate_term_in_each_state(self.measure, first),
        )
        self._queue_successors_by_measure(keys, np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64), measured)
        while self.waiting:
            self._number_layer_and_queue_successors(min(self.waiting))
            if self.made.states > self.most:
                raise NotShown(f"there are more than {self.most:,} states")
        return self.made

    def _queue_successors_by_measure(
        self,
        packed_states: PackedRows,
        target_numbers: npt.NDArray[np.int32],
        target_places: Column,
        measure_values: Column,
    ) -> None:
        """Let states wait in their layers; `target_numbers` will hold their numbers at `target_places`."""
        if not len(packed_states):
            return
        order = np.argsort(measure_values, kind="stable")
        values, firsts = np.unique(measure_values[order], return_index=True)
        for value, rows in zip(values.tolist(), np.split(order, firsts[1:]), strict=True):
            some, which = sort_distinct_states_and_number_rows(packed_states[rows])
            sent = _PendingEdges(some, which.astype(np.int32), target_numbers, target_places[rows].astype(np.int32))
            self.waiting.setdefault(value, []).append(sent)

    def _number_layer_and_queue_successors(self, measure: int) -> None:
        """Number the states that wait in a layer, and send the successors of the new ones on."""
        sent, made = self.waiting.pop(measure), self.made
        keys, which = sort_distinct_states_and_number_rows(np.concatenate([each.keys for each in sent]))
        if measure != self.now:
            self.numbers, self.now, self.block = StateNumbers(made.states), measure, self.block + 1
        else:
            made.circles = True
        numbers, new = self.numbers.number_states_and_get_new_rows(keys)
        done = 0
        for each in sent:
            mine = numbers[which[done : done + len(each.keys)]]
            each.to[each.places] = mine[each.which]
            done += len(each.keys)
        del sent, keys, which, numbers
        for first in range(0, len(new), _AT_ONCE):
            self._add_states_with_their_edges(
                self.packing.unpack_states_from_words(new[first : first + _AT_ONCE]), measure
            )

    def _add_states_with_their_edges(self, state_rows: Column, measure: int) -> None:
        """Add a part of a layer with all its edges."""
        made = self.made
        met = np.zeros(len(state_rows), dtype=np.bool_)
        if self.event is not None:
            met = self.reader.evaluate_term_in_each_state(self.event, state_rows) != 0
        edges = self._find_edges_of_states(state_rows, measure)
        degree = np.bincount(edges.rows, minlength=len(state_rows)).astype(np.int32)
        actor = list_actor_of_each_row(self.game, self.reader, state_rows).astype(np.int8)
        weight = compute_weight_of_each_edge(self.game, self.reader, state_rows, actor, edges.rows, edges.idents)
        weights = None if (weight == 1).all() else weight.astype(np.int32)
        to = self._link_edges_to_ends_and_queue_others(edges)
        if not made.states:
            made.options = tuple(edges.idents[edges.rows == 0].tolist())
        made.stuck += int((degree == 0).sum())
        made.taken.update(np.unique(edges.idents).tolist())
        made.layers.append(StateLayer(made.states, degree, to, weights, actor, met, self.block))
        made.states += len(state_rows)

    def _find_edges_of_states(self, state_rows: Column, measure: int) -> _EdgeColumns:
        """Return the edges of states, in the order of the states."""
        none = np.zeros(0, dtype=np.int64)
        off = np.zeros(0, dtype=np.bool_)
        parts = [_EdgeColumns(none, none, np.zeros((0, self.packing.words), dtype=np.uint64), none, off, off)]
        with raise_rules_errors_as_not_shown():
            for rows, ident, after in self.reader.iter_legal_actions_with_successors(state_rows):
                parts.append(self._make_edges_of_action(state_rows, rows, ident, after, measure))
        rows, *others = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(rows, kind="stable")
        return _EdgeColumns(rows[order], *(column[order] for column in others))

    def _make_edges_of_action(
        self, state_rows: Column, legal_rows: Column, action_id: int | Column, successor_rows: Column, measure: int
    ) -> _EdgeColumns:
        """Return the edges of one action, or of those of each row. Raises MeasureNotRaised."""
        over = successor_rows[:, 1] != 0
        if self.instead is not None:
            successor_rows[~over] = self.instead(successor_rows[~over])
        measured = np.array(self.reader.evaluate_term_in_each_state(self.measure, successor_rows))
        low = np.flatnonzero(~over & ((measured <= measure) if self.strict else (measured < measure)))
        if len(low):
            before, behind = state_rows[legal_rows[low[:1]]].tolist(), successor_rows[low[:1]].tolist()
            raise MeasureNotRaised(before, behind, self.made.states, len(self.made.layers))
        is_open = np.zeros(len(successor_rows), dtype=np.bool_)
        if self.horizon is not None:
            is_open = ~over & (
                self.reader.evaluate_term_in_each_state(self.horizon.number, successor_rows) > self.horizon.most
            )
        return _EdgeColumns(
            legal_rows,
            np.full(len(legal_rows), action_id),
            self.packing.pack_states_into_words(successor_rows),
            measured,
            over,
            is_open,
        )

    def _link_edges_to_ends_and_queue_others(self, edges: _EdgeColumns) -> npt.NDArray[np.int32]:
        """Return where the edges lead: ends at once, other states when their layer is numbered."""
        to = np.full(len(edges.rows), -1, dtype=np.int32)
        if edges.over.any():
            ends, numbers = sort_distinct_states_and_number_rows(edges.keys[edges.over])
            to[edges.over] = -1 - (self.ends + numbers)
            self.made.ends.append(ends)
            self.ends += len(ends)
        self.made.open |= bool(edges.open.any())
        on = np.flatnonzero(~edges.over & ~edges.open)
        self._queue_successors_by_measure(edges.keys[on], to, on, edges.measured[on])
        return to
