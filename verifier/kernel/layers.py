"""All states of a game, layer by layer: no step lowers a measure, so that no state of a finished layer comes
again, and the states themselves can be forgotten.

A *measure* is a number of the game, as claims write numbers: `2 * round + played`.

The theorem: take the start, and every state that one decision leads to. If no decision that does not end the game
lowers the measure, then the states of a measure are all met once those below it, and those of it that were met
before, are gone through. So all states are there, each once. If each such decision raises the measure, no game goes
on for ever; else a layer may have *circles*, in which play comes back to a state. The check makes the states itself,
in columns.

A *limit* is a number with a value beyond which states are not followed. They are *open*: nothing is claimed of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from playproof.database.errors import InputError
from playproof.language import Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import (
    NotShown,
    raise_rules_errors_as_not_shown,
    require_stated_state_count,
)
from playproof.verifier.kernel.closed_sets import SCALE, Column, Layers, PackedRows, Play, StateLayer, ValueStep
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.context import ClaimPart, Context, Cut
from playproof.verifier.kernel.state_graphs import (
    ONE_NAME,
    StateNumbers,
    compute_weight_of_each_edge,
    hash_packed_states,
    list_actor_of_each_row,
)
from playproof.verifier.kernel.statements import Event, Subject
from playproof.verifier.kernel.strict_json import OMITTED
from playproof.verifier.kernel.symmetry import Renaming, StateCanonicalizer, check_renamings_and_make_canonicalizer
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


@dataclass(frozen=True)
class Listing:
    """How a closed set is listed, and how many `states` it has.

    Without a `measure` all at once, ends among them. With one, layer by layer: the states that are not over. States in
    which `number`, if it is not "", is more than `most` are not followed. The states are those behind the actions
    `after`; of those that the renamings `alike` lead into each other, some stand for the others. If `rise` is above 0,
    lent compiled code lists them; each step raises a measure by so much, and states between two multiples of it are one
    layer."""

    states: int
    measure: str = field(default="", metadata=OMITTED)
    number: str = field(default="", metadata=OMITTED)
    most: int = field(default=0, metadata=OMITTED)
    after: tuple[int, ...] = field(default=(), metadata=OMITTED)
    alike: tuple[Renaming, ...] = field(default=(), metadata=OMITTED)
    rise: int = field(default=0, metadata=OMITTED)

    @property
    def limit(self) -> Cut:
        """The number beyond whose greatest value states are not followed, and that value."""
        return self.number, self.most

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the numbers that order and limit the states."""
        return [("number", name) for name in (self.measure, self.number) if name]

    def read_measure_and_limiting_number(self, game: Game, context: Context) -> tuple[Term, Term | None]:
        """Return the measure, and the number that limits the states or None. Raises NotShown."""
        try:
            measure = context.read_number(game, self.measure)
            return measure, context.read_number(game, self.number) if self.number else None
        except InputError as error:
            raise NotShown(error.findings[0].message) from None


class SubjectOfPlay(Subject, ABC):
    """What is stated of play, and works itself out from a listing; `is_read_in_columns`, however few states it has."""

    is_read_in_columns: ClassVar[bool] = False

    @abstractmethod
    def require_follows_from_listing(self, game: Game, listing: Listing, context: Context) -> None:
        """List the set, and check that the subject follows from it. Raises NotShown."""


# -- sweeps -----------------------------------------------------------------------------------------------------------


def sweep_layers_requiring_state_count(
    game: Game, listing: Listing, context: Context, event: Event | None = None
) -> Layers:
    """Return all layers. Raises NotShown, also if there are not exactly so many states, or if renamings are noticed by
    the rules or by what a claim is about: the event, and the number that limits the states."""
    if listing.alike:
        terms = list_event_and_limit_terms(game, event, listing.number, context)
        check_renamings_and_make_canonicalizer(game, listing.alike, terms, context)
    made = sweep_layers_cached(game, listing, context, event)
    require_stated_state_count(made.states, listing.states)
    return made


def sweep_layers_cached(
    game: Game, listing: Listing, context: Context, event: Event | None = None, *, must_measure_rise: bool = False
) -> Layers:
    """Return all layers of at most so many states. If `must_measure_rise`, each decision has to raise the measure. Of
    states that renamings lead into each other, some are left out; whoever asks has certified them. The context holds
    the layers gone through last, because several claims are about the same. Raises NotShown, and MeasureNotRaised."""
    condition = None if event is None else _build_condition_of_inner_states_or_none(game, event, context)
    named = None if event is None or condition is None else event.key
    key = replace(listing, states=0), named
    swept_last = context.get_or_build_for_game(game, "layers", dict[object, Layers])
    if key not in swept_last or (must_measure_rise and swept_last[key].circles):
        swept_last.clear()  # there is room for one
        sweep = LayerSweep(game, listing, condition, context, must_measure_rise)
        swept_last[key] = sweep.sweep_all_layers()
    return swept_last[key]


def _build_condition_of_inner_states_or_none(game: Game, event: Event, context: Context) -> Term | None:
    """Return the condition of an event; None if it is one of actions, or can hold only where the game is over, as an
    outcome is read."""
    if isinstance(event.of, Mapping) and ("outcome" in event.of or "reason" in event.of):
        return None
    target = event.build_condition_and_actions(game, context)
    return target.condition if target.idents is None else None


def list_event_and_limit_terms(game: Game, event: Event | None, limiting_number: str, context: Context) -> list[Term]:
    """Return what a claim is about: the event's condition, and the number that limits the states."""
    number = [context.read_number(game, limiting_number)] if limiting_number else []
    return number if event is None else [event.build_condition_and_actions(game, context).condition, *number]


def list_actions_reached_by_renamings(action_ids: Set[int], renamings: tuple[Renaming, ...]) -> set[int]:
    """Return the actions that renamings lead these to, one after the other: if none of them is legal in the states that
    were gone through, none of these is legal in any state that such a state stands for."""
    reached, new = set[int](), set(action_ids)
    while new:
        reached |= new
        new = {each.idents[i] for each in renamings for i in new} - reached
    return reached


def evaluate_term_at_each_end(game: Game, layers: Layers, term: Term, as_number: bool = True) -> Column:
    """Return a term's value in each end, or (if not `as_number`) whether it is true there; 0 in the end that stands for
    open states."""
    reader, packing = ColumnReading(game, [term]), StatePacking(game)
    parts = [np.zeros(1, dtype=np.int64)]
    for keys in layers.ends:
        values = reader.evaluate_term_in_each_state(term, packing.unpack_states_from_words(keys))
        parts.append(values.astype(np.int64) if as_number else (values != 0).astype(np.int64))
    return np.concatenate(parts)


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


@dataclass
class _PendingEdges:
    """Edges whose successors wait in a layer. `to` will hold the numbers of the successors at `places`; the edges lead
    to the rows `which` of `keys`."""

    keys: PackedRows
    which: npt.NDArray[np.int32]
    to: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]


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
    """Goes through the layers of a listing once. If it is `strict`, each step has to raise the measure. States that
    meet the condition `event` are marked."""

    def __init__(self, game: Game, listing: Listing, event: Term | None, context: Context, strict: bool) -> None:
        self.measure, self.limiting = listing.read_measure_and_limiting_number(game, context)
        self.game, self.event, self.listing, self.strict = game, event, listing, strict
        self.most = min(listing.states, MOST_LAYERED)
        self.alike = StateCanonicalizer(game, listing.alike) if listing.alike else None
        self.reader = ColumnReading(game, [t for t in (self.measure, event, self.limiting) if t is not None])
        self.packing = StatePacking(game)
        self.waiting: dict[int, list[_PendingEdges]] = {}
        self.made = Layers()
        self.ends = 1
        self.block = -1
        self.now: int | None = None  # the measure of the layer that is gone through
        self.numbers = StateNumbers()

    def sweep_all_layers(self) -> Layers:
        """Return all layers. Raises NotShown, also where the rules break, and MeasureNotRaised."""
        first = np.array([_get_state_after_actions_or_raise(self.game, self.listing.after)], dtype=np.int64)
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
        if self.alike is not None:
            successor_rows[~over] = self.alike.copy_rows_renamed_to_smaller_states(successor_rows[~over])
        measured = np.array(self.reader.evaluate_term_in_each_state(self.measure, successor_rows))
        low = np.flatnonzero(~over & ((measured <= measure) if self.strict else (measured < measure)))
        if len(low):
            before, behind = state_rows[legal_rows[low[:1]]].tolist(), successor_rows[low[:1]].tolist()
            raise MeasureNotRaised(before, behind, self.made.states, len(self.made.layers))
        is_open = np.zeros(len(successor_rows), dtype=np.bool_)
        if self.limiting is not None:
            far = self.reader.evaluate_term_in_each_state(self.limiting, successor_rows) > self.listing.most
            is_open = ~over & far
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


# -- by compiled code -------------------------------------------------------------------------------------------------


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


def sweep_layers_by_compiled_code(game: Game, listing: Listing, event: Event, context: Context) -> CompiledSweep:
    """Return what compiled code goes through: at most so many states as the listing says, where each step raises the
    measure by `rise` or more. States of the event are not followed. Raises NotShown, and MeasureNotRaised."""
    if context.swept is None:
        raise NotShown(f"{listing.states:,} states are more than the kernel goes through")
    swept: CompiledSweep = context.swept(game, listing, event)
    return swept


def compute_rounded_down_state_values(compiled_sweep: CompiledSweep, play: Play) -> Column:
    """Return the values of all states, rounded down at each step, with open states worth 0. Raises NotShown."""
    values, ends = compiled_sweep.make_empty_column_per_state(), np.array([0, 0, SCALE])
    values[:] = -1
    for numbers, layer in compiled_sweep.iter_state_numbers_and_edges_from_last_layer():
        step = ValueStep(layer, play)
        if (values[layer.to[layer.to >= 0]] < 0).any() or (step.get_weight_of_each_edge() <= 0).any():
            raise NotShown("a step leads to no later layer, or a result of chance has no weight")
        values[numbers] = step.compute_values_after_one_step(values, ends, round_up=False)
    if (values < 0).any():
        raise NotShown("the steps from some state are missing")
    return values
