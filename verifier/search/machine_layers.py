"""A game's states layer by layer, by compiled code: for games with more states than the kernel's columns go through
in time.

Only the states that wait in later layers are held. The edges of finished states go to a file without a name in the
folder of the cache, which is gone with the process. The kernel works the values out on the way back through it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import IO, Any, NamedTuple
from weakref import finalize, ref

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter
from playproof.language.cache import ensure_private_cache_folder
from playproof.language.compiled import Compiled, iter_cell_places_in_packed_state
from playproof.language.explorer import unpack_states_into_columns
from playproof.language.expr import as_term
from playproof.language.game import Game
from playproof.language.machine.layer_loops import EDGES, LEFT_OPEN, MET, TOO_HEAVY, LayerEdges, WaitingStates
from playproof.language.machine.lazy_parts import LAYERS
from playproof.language.machine.native import can_make_machine_code, raise_if_machine_code_needed_but_missing
from playproof.verifier.kernel.certificate import NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.closed_sets import StateLayer
from playproof.verifier.kernel.layers import Listing, MeasureNotRaised
from playproof.verifier.kernel.statements import Event
from playproof.verifier.questions.context import Context

MOST_STATES = 500_000_000
_IN_MEMORY = 100_000_000  # states whose values are held in memory; more lie in a file
_AT_ONCE = 1 << 16
_ROOM = 1 << 18  # edges written at once
_FIRST = 1 << 10
_NO_CODE = "a number of the rules or of the measure needs more than 64 bits, which compiled code does not have"
_TOLD = 1000  # steps that do not raise the measure
AnyArray = npt.NDArray[Any]


class _WaitingLayer:
    """States that wait in one layer."""

    def __init__(self, words: int) -> None:
        self.count = 0
        self.of = WaitingStates(*self._make_empty_arrays_for_states(_FIRST, words))

    def grow_to_hold_more_states(self, module: Any, extra_states: int) -> None:
        """Grow until `extra_states` more have room."""
        room = len(self.of.rows)
        if self.count + extra_states < room:
            return
        while room <= self.count + extra_states:
            room *= 2
        old, self.of = (self.of, WaitingStates(*self._make_empty_arrays_for_states(room, self.of.rows.shape[1])))
        self.of.rows[: self.count] = old.rows[: self.count]
        self.of.numbers[: self.count] = old.numbers[: self.count]
        module.put_rows_into_empty_table(self.of.rows, self.count, self.of.table, len(self.of.table) - 1)

    @staticmethod
    def _make_empty_arrays_for_states(state_capacity: int, words_per_state: int) -> tuple[AnyArray, AnyArray, AnyArray]:
        table = np.full(2 * state_capacity, -1, dtype=np.int32)
        return (
            np.empty((state_capacity, words_per_state), dtype=np.uint64),
            np.empty(state_capacity, dtype=np.int32),
            table,
        )


class _FilePart(NamedTuple):
    """Where some states' edges lie in the file: the place, the number of states and of edges, and the types of their
    degrees and weights."""

    at: int
    states: int
    edges: int
    degree: str
    weight: str


class _StatesWithEdges(NamedTuple):
    """Some states: their numbers, how many edges each has and who acts there; and the weights and the targets of their
    edges, in the order of the states."""

    state_numbers: AnyArray
    edge_counts: AnyArray
    actors: AnyArray
    edge_weights: AnyArray
    edge_targets: AnyArray


@dataclass
class _FinishedStatesFile:
    """Finished states with their edges, in a file, and the parts of it in order."""

    file: IO[bytes]
    parts: list[_FilePart] = field(default_factory=list)

    def __post_init__(self) -> None:
        finalize(self, self.file.close)

    def append_states_with_edges(self, states: _StatesWithEdges) -> None:
        """Write some states."""
        states = states._replace(
            edge_counts=_convert_to_smallest_dtype(states.edge_counts),
            edge_weights=_convert_to_smallest_dtype(states.edge_weights),
        )
        types = states.edge_counts.dtype.str, states.edge_weights.dtype.str
        at = self.parts[-1].at + _compute_size_of_file_part(self.parts[-1]) if self.parts else 0
        self.parts.append(_FilePart(at, len(states.state_numbers), len(states.edge_targets), *types))
        for array in states:
            self.file.write(array.tobytes())

    def iter_states_with_edges_from_last(self) -> Iterator[_StatesWithEdges]:
        """Yield what was written, the last first."""
        for part in reversed(self.parts):
            self.file.seek(part.at)
            yield _StatesWithEdges(
                self._read_array_from_file("i4", part.states),
                self._read_array_from_file(part.degree, part.states).astype(np.int32),
                self._read_array_from_file("i1", part.states),
                self._read_array_from_file(part.weight, part.edges).astype(np.int32),
                self._read_array_from_file("i4", part.edges),
            )

    def _read_array_from_file(self, dtype_name: str, count: int) -> AnyArray:
        size = np.dtype(dtype_name).itemsize * count
        text = self.file.read(size)
        if len(text) != size:
            raise NotShown("the file of the layers is cut short")
        return np.frombuffer(text, dtype=dtype_name)


def _convert_to_smallest_dtype(numbers: AnyArray) -> AnyArray:
    """Return numbers from 0 on in the smallest type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _compute_size_of_file_part(file_part: _FilePart) -> int:
    of_state = 4 + 1 + np.dtype(file_part.degree).itemsize
    return file_part.states * of_state + file_part.edges * (4 + np.dtype(file_part.weight).itemsize)


class MachineLayers:
    """The states of one game by one measure, which every step raises, with their edges."""

    def __init__(
        self, game: Game, listing: Listing, event: Event, can_go_on: Callable[[int], bool] | None = None
    ) -> None:
        """Go through the layers; `can_go_on` is asked now and then, with the number of states met. Raises NotShown and
        MeasureNotRaised, and OSError if the folder of the cache has no room."""
        self.can_go_on = can_go_on
        self.compiled = Compiled(_copy_game_with_measure_as_round(game, listing, event))
        if can_make_machine_code() and not self.compiled.machine:
            raise NotShown(_NO_CODE)
        self.module = self.compiled.load_functions_of_game_and_parts((LAYERS,))
        self.words = int(self.compiled.constants["WORDS"])
        self.most, self.rise = min(listing.states, MOST_STATES), listing.rise
        self.kept = _FinishedStatesFile(_open_unnamed_temporary_file())  # as long as this lives
        self.states = self.layers = 0
        self.open = False
        self._waiting: dict[int, _WaitingLayer] = {}
        width = max(1, game.ground)
        self._made = LayerEdges(
            np.zeros((_ROOM + width, self.words), dtype=np.uint64),
            np.zeros(_ROOM + width, dtype=np.int64),
            np.zeros(_ROOM + width, dtype=np.int32),
            np.zeros(_ROOM + width, dtype=np.int32),
            np.zeros(_AT_ONCE, dtype=np.int32),
            np.zeros(_AT_ONCE, dtype=np.int8),
            np.zeros(3, dtype=np.int64),
        )
        try:
            with raise_rules_errors_as_not_shown():
                self._expand_states_of_all_layers()
        except OverflowError:
            raise NotShown(_NO_CODE) from None
        del self._made

    def _expand_states_of_all_layers(self) -> None:
        play = Interpreter(self.compiled.game)
        first = play.start()
        if first[1] != 0:
            raise NotShown("the game is over before anybody acts")
        self._made.after[0] = _pack_state_into_words(self.compiled.game, first, self.words)
        layer_of_first = play.value(self.compiled.game.quantities["measure"], first) // self.rise
        self._add_successors_to_waiting_layer(layer_of_first, np.zeros(1, dtype=np.int32), self._made.to)
        while self._waiting:
            place = min(self._waiting)
            layer = self._waiting.pop(place)
            self.layers += 1
            done = 0
            while done < layer.count:
                if self.can_go_on is not None and not self.can_go_on(self.states):
                    raise NotShown("the clock stopped the way through the layers")
                stop = min(layer.count, done + _AT_ONCE)
                done = self._expand_states_and_get_next_row(layer, place, done, stop)

    def _expand_states_and_get_next_row(
        self, layer: _WaitingLayer, layer_number: int, first_row: int, last_row: int
    ) -> int:
        """Send the successors of some states on, and keep their edges; return the row behind the last that was done."""
        made = self._made
        done = int(self.module.write_edges_of_layer_states(layer.of.rows, first_row, last_row, made))
        edges = int(made.facts[EDGES])
        if made.facts[TOO_HEAVY]:
            raise NotShown("a result of chance has too large a weight")
        self.open = bool(made.facts[LEFT_OPEN])
        to, measured = made.to[:edges], made.measured[:edges]
        on = np.flatnonzero(to == 0).astype(np.int32)
        some = measured[on] // self.rise
        low = on[some <= layer_number]
        if len(low):
            self._raise_error_for_edges_not_raising_measure(layer, first_row, low[:_TOLD])
        for value in np.unique(some).tolist():
            self._add_successors_to_waiting_layer(value, on[some == value], to)
        self.kept.append_states_with_edges(
            _StatesWithEdges(
                layer.of.numbers[first_row:done],
                made.degree[: done - first_row],
                made.actor[: done - first_row],
                made.weight[:edges],
                to,
            )
        )
        return done

    def _add_successors_to_waiting_layer(
        self, layer_number: int, edge_numbers: AnyArray, target_numbers: AnyArray
    ) -> None:
        """Let the states behind some edges wait in their layer."""
        layer = self._waiting.setdefault(layer_number, _WaitingLayer(self.words))
        layer.grow_to_hold_more_states(self.module, len(edge_numbers))
        count = int(
            self.module.add_states_to_waiting_layer(
                self._made.after, edge_numbers, target_numbers, layer.count, self.states, layer.of
            )
        )
        self.states += count - layer.count
        layer.count = count
        if self.states > self.most:
            raise NotShown(f"there are more than {self.most:,} states")

    def _raise_error_for_edges_not_raising_measure(
        self, layer: _WaitingLayer, first_row: int, edge_numbers: AnyArray
    ) -> None:
        """Raise MeasureNotRaised for edges whose steps do not raise the measure."""
        rows = first_row + np.searchsorted(np.cumsum(self._made.degree), edge_numbers, side="right")
        before, after = (
            unpack_states_into_columns(self.compiled, packed).T.tolist()
            for packed in (layer.of.rows[rows], self._made.after[edge_numbers])
        )
        raise MeasureNotRaised(before, after, self.states, self.layers)

    def make_empty_column_per_state(self) -> AnyArray:
        """Return a column with a place for each state, in a file without a name if there are many."""
        if self.states <= _IN_MEMORY:
            return np.empty(self.states, dtype=np.int64)
        with _open_unnamed_temporary_file() as file:
            return np.memmap(file, dtype=np.int64, shape=(self.states,))

    def iter_state_numbers_and_edges_from_last_layer(self) -> Iterator[tuple[AnyArray, StateLayer]]:
        """Yield states, by their numbers, with their edges, those of later layers first."""
        for numbers, degree, actors, weight, to in self.kept.iter_states_with_edges_from_last():
            yield numbers, StateLayer(0, degree, to, weight, actors, actors == -1 - MET, 0)


def _open_unnamed_temporary_file() -> IO[bytes]:
    """Return a file without a name, which is gone when it is closed, or with the process."""
    return tempfile.TemporaryFile(dir=ensure_private_cache_folder())


def _pack_state_into_words(game: Game, state: Sequence[int], word_count: int) -> AnyArray:
    """Return a state as words."""
    row = [0] * word_count
    for cell, held, word, shift in iter_cell_places_in_packed_state(game):
        if word >= 0:
            row[word] |= (state[cell] - held.lo) << shift
    return np.array(row, dtype=np.uint64)


def _copy_game_with_measure_as_round(game: Game, listing: Listing, event: Event) -> Game:
    """Return the same game, whose declared round is the measure, and whose evaluations are the event and the bound."""
    context = Context()
    measure, limiting = listing.read_measure_and_limiting_number(game, context)
    measured, beyond = copy(game.seal()), as_term(0)
    if limiting is not None:
        beyond = limiting > listing.most
    facts: Any = {
        **game.facts,
        "round": "measure",
        "evaluate": [event.build_condition_and_actions(game, context).condition, beyond],
    }
    alone = tuple((seat,) for seat in range(game.players))  # else the two of a team would be added up
    quantities = {**game.quantities, "measure": measure}
    vars(measured).update(facts=facts, quantities=quantities, sides=alone)
    return measured


class LastLayersCache:
    """Goes through a game's layers when somebody asks, and keeps what it went through last: several questions are about
    the same states."""

    def __init__(self) -> None:
        self._last: tuple[ref[Game], tuple[Listing, str], MachineLayers] | None = None
        self.can_go_on: Callable[[int], bool] | None = None
        """Asked while layers are gone through, with the number of states met; False ends it with NotShown."""

    def __call__(self, game: Game, listing: Listing, event: Event) -> MachineLayers:
        """Return the game's layers. Raises NotShown, and MeasureNotRaised."""
        name, last = (replace(listing, states=0), event.key), self._last
        if last is not None and last[0]() is game and last[1] == name and last[2].states <= listing.states:
            return last[2]
        raise_if_machine_code_needed_but_missing(listing.states)
        self._last = None  # there is room for one
        made = MachineLayers(game, listing, event, self.can_go_on)
        self._last = ref(game), name, made
        return made
