"""The compiled reading: the description as specialised source, which LLVM turns into machine code, and
the packing of its states into 64-bit words. Without LLVM the same source runs as plain Python.

If LLVM is absent or switched off, the same source runs as plain Python. States are int64 arrays (or
lists) of `game.cells` cells, changed in place. The random player draws from the same stream as
`random.Stream`, so every compiled game replays in the interpreter move by move."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from types import ModuleType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from playproof.database.files import write_file_atomically
from playproof.language.action_source import (
    add_functions_listing_legal_actions,
    add_functions_taking_random_move,
    add_replay_and_legality_functions,
    generate_effect_call_lines,
    generate_range_dispatch_lines,
    generate_weight_body_or_no_lines,
)
from playproof.language.cache import ensure_private_cache_folder
from playproof.language.errors import ENDLESS
from playproof.language.fields import Field
from playproof.language.game import Action, Game
from playproof.language.game_analysis import (
    can_deal_in_machine_code,
    encode_unseen_card_pools_as_table,
    list_pools_of_cards_unseen_by_seat,
)
from playproof.language.machine.lazy_parts import PARTS, CodePart, copy_part_functions_into_module
from playproof.language.machine.native import NativeModule, can_make_machine_code
from playproof.language.machine.players import GameLimits
from playproof.language.playouts import IntArray, PlayoutResults, PlayoutRunner
from playproof.language.python_source import (
    SourceBuilder,
    can_keep_field_in_bit_planes,
    format_local_name,
    indent_lines,
    replace_non_alphanumerics_by_underscores,
)
from playproof.language.watched_source import EXTRA, WatchedSource, add_flaw_noting_functions

# The compiled reading: the description as specialised source, which LLVM turns into machine code.

_VERSION = "8"


class Compiled:
    """One game description as fast functions. `machine=False` runs the generated source as plain
    Python. `watched` checks after every step what must hold
    (playproof.language.watched_source); its states are a few cells longer. `replays` adds what the
    replay of histories needs (playproof.language.action_source).

    A description with terms that leave 64 bits runs as plain Python whatever `machine` says.
    """

    def __init__(
        self, game: Game, *, machine: bool | None = None, watched: bool = False, replays: bool = False
    ) -> None:
        self.game = game.seal()
        self.machine = can_make_machine_code() if machine is None else machine
        self.source = ""
        if self.machine:
            free = _get_or_generate_cached_source(game, checked=False, watched=watched, replays=replays)
            self.machine, self.source, self._rows = (free.fits, free.text, frozenset() if watched else free.rows)
        if not self.machine:
            checked = not watched and not replays
            self.source = _get_or_generate_cached_source(game, checked, watched, replays).text
        self.initial = [*game.get_state_before_automatic_phases(), *[0] * (EXTRA if watched else 0)]
        self.longest = max(1, game.ground)
        self.constants = _make_module_constants(game, watched)

    @cached_property
    def module(self) -> Any:
        """The generated functions by name, and the handwritten ones
        (playproof.language.machine)."""
        return self.load_functions_of_game_and_parts(PARTS)

    def load_functions_of_game_and_parts(self, parts: Sequence[CodePart]) -> Any:
        """Return the generated functions together with these parts."""
        if self.machine:
            return NativeModule(self.source, self.constants, parts, self.inner_source)
        return load_source_as_cached_python_module(self.source, parts)

    @cached_property
    def inner_source(self) -> str:
        """The source for code whose states are not seen from outside. It keeps small cells as
        planes if the rules compare them all at once."""
        if not self.machine or not self._rows:
            return self.source
        return _generate_source_and_facts(self.game, checked=False, watched=False, planes=self._rows).text

    # -- single steps ---------------------------------------------------------------------------------------

    def start(self) -> IntArray:
        """Return the first state in which somebody acts."""
        state = np.array(self.initial, dtype=np.int64)
        self.module.settle(state)
        return state

    def legal(self, state: IntArray) -> list[int]:
        """Return the numbers of the legal ground actions, ascending within each action."""
        out, weights = self._buffers
        n = self.module.legal(state, out, weights)
        return [int(i) for i in out[:n]]

    def apply(self, state: IntArray, action_id: int) -> None:
        """Take an action in place. The action is not checked; `legal` and the interpreter check it."""
        self.module.apply(state, action_id)

    def actor(self, state: IntArray) -> int:
        """Return the seat to act, or CHANCE."""
        return int(self.module.actor(state))

    def returns(self, state: IntArray) -> tuple[int, ...]:
        """Return each seat's return in a finished state."""
        out = np.zeros(self.game.players, dtype=np.int64)
        self.module.returns(state, out)
        return tuple(int(v) for v in out)

    @cached_property
    def _buffers(self) -> tuple[IntArray, IntArray]:
        return np.zeros(self.longest, dtype=np.int64), np.zeros(self.longest, dtype=np.int64)

    @cached_property
    def players_move(self) -> list[int]:
        """For each ground action, 1 if a player takes it and 0 if chance does."""
        moves = [0] * self.longest
        for action in self.game.actions:
            chance = all(self.game.phases[p].chance for p in action.phases)
            moves[action.first : action.first + action.count] = [0 if chance else 1] * action.count
        return moves

    @cached_property
    def _player(self) -> PlayoutRunner:
        return PlayoutRunner(
            self.module, self.machine, self.game.players, self.game.ground, self.initial, self.players_move
        )

    # -- whole games ----------------------------------------------------------------------------------------

    def run_playouts(
        self,
        games: int,
        seed: int,
        *,
        first_game: int = 0,
        policies: Sequence[int] | None = None,
        count_actions: bool = True,
        start_state: Sequence[int] | None = None,
        max_decisions: int | None = None,
        limits: GameLimits | None = None,
    ) -> PlayoutResults:
        """Play games as `playproof.language.playouts.PlayoutRunner.run_playouts` does."""
        return self._player.run_playouts(
            games,
            seed,
            first_game=first_game,
            policies=policies,
            count_actions=count_actions,
            start_state=start_state,
            max_decisions=max_decisions,
            limits=limits,
        )


# -- generation -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GeneratedSource:
    """A game's generated source. `fits` says that all its terms stay within 64 bits; `rows` holds
    the numbers of the fields that are worth keeping as planes."""

    text: str
    fits: bool
    rows: frozenset[int]


def generate_module_source(game: Game, *, checked: bool = False, watched: bool = False) -> str:
    """Return the source of a game's module. `checked` source refuses values outside their bounds,
    as the interpreter does. `watched` source notes each condition that fails
    (playproof.language.watched_source)."""
    return _generate_source_and_facts(game, checked, watched).text


def _get_or_generate_cached_source(game: Game, checked: bool, watched: bool, replays: bool) -> GeneratedSource:
    """Return the source of a sealed game, which is written once: a lab has many readings of the same game."""
    sources = _SOURCES.setdefault(game, {})
    key = checked, watched, replays
    if key not in sources:
        sources[key] = _generate_source_and_facts(game, checked, watched, replays=replays)
    return sources[key]


_SOURCES: WeakKeyDictionary[Game, dict[tuple[bool, bool, bool], GeneratedSource]] = WeakKeyDictionary()


def _generate_source_and_facts(
    game: Game,
    checked: bool,
    watched: bool,
    exact: bool = False,
    planes: frozenset[int] = frozenset(),
    *,
    replays: bool = False,
) -> GeneratedSource:
    source = WatchedSource(exact=exact) if watched else SourceBuilder(checked, exact, planes)
    if isinstance(source, WatchedSource):
        add_flaw_noting_functions(source, game)
    for action in game.actions:
        _add_effect_guard_and_weight_functions(source, action)
    for phase in game.phases:
        if phase.body is not None:
            source.add_function_definition(f"auto{phase.number}", ["S"], source.generate_lines_of_effects(phase.body))
    _add_function_running_automatic_phases(source, game, watched)
    add_functions_listing_legal_actions(source, game)
    _add_take_and_apply_functions(source, game)
    _add_acting_seat_function(source, game)
    _add_seat_returns_function(source, game)
    _add_round_and_evaluation_functions(source, game)
    add_functions_taking_random_move(source, game)
    _add_state_packing_functions(source, game)
    _add_function_converting_cells_to_planes(source, game)
    if replays:
        add_replay_and_legality_functions(source, game)
    if not (source.fits or exact):
        return _generate_source_and_facts(game, checked, watched, exact=True, replays=replays)
    constants = [f"{name} = {value}" for name, value in _make_module_constants(game, watched).items()]
    unseen = f"UNSEEN = _table({encode_unseen_card_pools_as_table(game).table})"
    lines = [
        _HEADER.format(name=replace_non_alphanumerics_by_underscores(game.name)),
        *constants,
        unseen,
        *source.lines,
        "",
    ]
    text = _renumber_locals_in_source("\n".join(lines))
    if checked:
        phases = {
            p.number: (p.name, p.place.file, p.place.line, p.place.column)
            for p in game.phases
            if p.automatic and p.place is not None
        }
        text += f"\n_WRITTEN = {source.written!r}\n_AUTOMATIC = {phases!r}\n"
    dealt = {
        cell
        for seat in range(game.players)
        for pool in list_pools_of_cards_unseen_by_seat(game, seat)
        for h in pool
        for cell in h.cells
    }
    rows = frozenset(
        f.number
        for f in game.fields
        if f.number in source.rows
        and can_keep_field_in_bit_planes(f)
        and dealt.isdisjoint(range(f.offset, f.offset + f.size))
    )
    return GeneratedSource(text, source.fits, rows)


def _make_module_constants(game: Game, watched: bool) -> Mapping[str, int]:
    """Return the game's constants that the code beside the generated source uses."""
    cells = game.cells + (EXTRA if watched else 0)
    _, kinds, cards = encode_unseen_card_pools_as_table(game) if can_deal_in_machine_code(game) else ([], 0, 0)
    return {
        "CELLS": cells,
        "SEATS": game.players,
        "WIDTH": max(1, game.ground),
        "WORDS": count_64_bit_words_of_packed_state(game),
        "BATCH": compute_max_states_built_at_once(game),
        "KINDS": kinds,
        "WORLD": cells + kinds + cards,
        "HIDES": int(cards > 0),
    }


def _renumber_locals_in_source(source_text: str) -> str:
    """Number the locals in order of appearance, so that a description always has the same source,
    whatever else was built before it. The disk cache and the verifier's digests depend on that."""
    numbers: dict[str, int] = {}

    def name(match: re.Match[str]) -> str:
        return f"{match.group(1)}_{numbers.setdefault(match.group(0), len(numbers) + 1)}"

    return re.sub(r"\b([A-Za-z_]\w*?)_\d+\b", name, source_text)


def _add_effect_guard_and_weight_functions(source: SourceBuilder, action: Action) -> None:
    """Add the functions of an action's effects, and of its guard and weight if these need more than
    one expression."""
    names = ["S", *(format_local_name(p.local) for p in action.params)]
    source.add_function_definition(f"effect{action.number}", names, source.generate_lines_of_effects(action.body))
    guard, weight = (
        source.generate_requirement_test_body(action.body),
        generate_weight_body_or_no_lines(source, action),
    )
    if len(guard) > 1:
        source.add_function_definition(f"guard{action.number}", names, guard)
    if len(weight) > 1:
        source.add_function_definition(f"weight{action.number}", names, weight)


def _add_function_running_automatic_phases(source: SourceBuilder, game: Game, watched: bool) -> None:
    """Write the function that runs automatic phases until somebody is to act."""
    body = ["return"]
    if any(phase.automatic for phase in game.phases):
        cases = [(p.number, [f"auto{p.number}(S)"] if p.automatic else ["return"]) for p in game.phases]
        body = [f"left = {ENDLESS}", "while S[1] == 0:", *indent_lines(generate_range_dispatch_lines("S[0]", cases))]
        body += [
            "    left -= 1",
            "    if left < 0:",
            *indent_lines(indent_lines([*source.generate_lines_for_endless_phases(), "return"])),
        ]
    if watched:  # whatever is played, each step ends with being asked
        source.add_function_definition("rest", ["S"], body)
        body = ["rest(S)", "watch(S)"]
    source.add_function_definition("settle", ["S"], body)


def _add_take_and_apply_functions(source: SourceBuilder, game: Game) -> None:
    cases = [(action.first, generate_effect_call_lines(action)) for action in game.actions]
    source.add_function_definition("take", ["S", "ident"], generate_range_dispatch_lines("ident", cases))
    source.add_function_definition("apply", ["S", "ident"], ["take(S, ident)", "settle(S)"])


def _add_acting_seat_function(source: SourceBuilder, game: Game) -> None:
    cases = [(p.number, [f"return {source.format_term(p.actor)}"]) for p in game.phases]
    source.add_function_definition("actor", ["S"], generate_range_dispatch_lines("S[0]", cases))


def _add_seat_returns_function(source: SourceBuilder, game: Game) -> None:
    lines = [f"out[{seat}] = {source.format_integer_term(term)}" for seat, term in enumerate(game.results)]
    if game.payoffs is None:  # nothing is won where nobody can act, or where a flaw ended the game
        lines = [f"if 0 < S[1] <= {len(game.endings)}:", *(f"    {line}" for line in lines)]
    source.add_function_definition("returns", ["S", "out"], lines)


def _add_round_and_evaluation_functions(source: SourceBuilder, game: Game) -> None:
    """Add `round_of(S)` and `worth_of(S, seat)`: the declared round and the evaluation. Their defaults are 0."""
    name = game.facts.get("round")
    number = source.format_term(game.quantities[name]) if name else "0"
    source.add_function_definition("round_of", ["S"], [f"return {number}"])
    terms = game.evaluations
    lines = ["return 0"]
    if terms is not None:
        cases = [(seat, [f"return {source.format_term(term)}"]) for seat, term in enumerate(terms)]
        lines = generate_range_dispatch_lines("seat", cases)
    source.add_function_definition("worth_of", ["S", "seat"], lines)


_HEADER = '''"""Generated from the description of `{name}`; do not edit."""'''


def _add_state_packing_functions(source: SourceBuilder, game: Game) -> None:
    """Add `pack(S, P, i)` and `unpack(P, i, S)`, which store a state as `WORDS` 64-bit words and
    load it."""
    pack, unpack = generate_pack_and_unpack_bodies(game, source.planes)
    source.add_function_definition("pack", ["S", "P", "i"], pack)
    source.add_function_definition("unpack", ["P", "i", "S"], unpack)


def _add_function_converting_cells_to_planes(source: SourceBuilder, game: Game) -> None:
    """Add `enter(S)`, which turns a state from the outside form into the form that this source
    uses."""
    lines = [f"spread(S, {f.offset}, {f.bits}, {f.size}, {f.lo})" for f in game.fields if f.number in source.planes]
    source.add_function_definition("enter", ["S"], lines)


# -- loading ----------------------------------------------------------------------------------------------------


def load_source_as_cached_python_module(source: str, parts: Sequence[CodePart] = PARTS) -> ModuleType:
    """Return generated source as a plain Python module, with the parts' functions in it."""
    text = source.replace('"""\n', f'"""\n{_PLAIN}\n', 1)
    digest = hashlib.sha256(f"{_VERSION}{sys.version_info[:2]}{text}".encode()).hexdigest()[:24]
    name = f"playproof_plain_{digest}"
    path = ensure_private_cache_folder() / f"{name}.py"
    if not path.exists() or path.read_bytes() != text.encode():  # a file that was changed is not run
        write_file_atomically(path, text.encode())
    key = "_".join([name, *(part.name for part in parts)])
    if key in sys.modules:
        return sys.modules[key]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    copy_part_functions_into_module(module, parts)
    sys.modules[key] = module
    return module


_PLAIN = """
from playproof.language.errors import Place as _Place
from playproof.language.errors import make_endless_phases_error as _no_end
from playproof.language.errors import make_out_of_bounds_error as _outside


def _table(values):
    return values


def _fit(value, lo, hi, number):
    if not lo <= value <= hi:
        what, *place = _WRITTEN[number]
        raise _outside(what, lo, hi, int(value), _Place(*place))
    return value


def _endless(S):
    name, *place = _AUTOMATIC[int(S[0])]
    raise _no_end(name, _Place(*place))
"""


# -- packing -------------------------------------------------------------------------------------------------
# The place of each cell of a state that is packed into 64-bit words.

_AT_ONCE = 32


class PackedCell(NamedTuple):
    cell: int
    field: Field
    word: int  # -1: the cell has no bits
    shift: int


def iter_cell_places_in_packed_state(game: Game) -> Iterator[PackedCell]:
    """Yield the place of each cell in a packed state."""
    word = used = 0
    for held in game.fields:
        for cell in range(held.offset, held.offset + held.size):
            if held.bits == 0:
                yield PackedCell(cell, held, -1, 0)
                continue
            if used + held.bits > 64:
                word, used = word + 1, 0
            yield PackedCell(cell, held, word, used)
            used += held.bits


def compute_max_states_built_at_once(game: Game) -> int:
    """Return the largest number of states that the explorer builds at once. All successors of a
    state are built together; a few more let memory prefetch work ahead."""
    return max(1, game.ground) + _AT_ONCE


def count_64_bit_words_of_packed_state(game: Game) -> int:
    """Return the number of words of a packed state, at least one."""
    return 1 + max(0, *(word for _, _, word, _ in iter_cell_places_in_packed_state(game)))


def generate_pack_and_unpack_bodies(game: Game, plane_field_numbers: frozenset[int]) -> tuple[list[str], list[str]]:
    """Return the lines of `pack(S, P, i)` and `unpack(P, i, S)`. A cell never straddles two words.
    Fields that are kept as `plane_field_numbers` have the same place in the words as any other field."""
    pack: list[list[str]] = [[] for _ in range(count_64_bit_words_of_packed_state(game))]
    unpack = []
    for cell, held, word, shift in iter_cell_places_in_packed_state(game):
        if held.number in plane_field_numbers:
            continue
        if word < 0:
            unpack.append(f"S[{cell}] = {held.lo}")
            continue
        bits = f"int(S[{cell}])" if not held.lo else f"(int(S[{cell}]) - {held.lo})"
        pack[word].append(f"{bits} << {shift}" if shift else bits)
        mask = (1 << held.bits) - 1
        back = f"((int(P[i, {word}]) >> {shift}) & {mask})"
        unpack.append(f"S[{cell}] = {back} + {held.lo}" if held.lo else f"S[{cell}] = {back}")
    for run in _iter_plane_cells_by_word(game, plane_field_numbers):
        for k in range(run.field.bits):
            pack[run.word].append(run.format_pack_expression(k))
            unpack.append(run.format_unpack_line(k))
    packed: list[str] = []
    for word, parts in enumerate(pack):
        packed += _generate_lines_packing_word(word, parts)
    return packed, unpack


@dataclass(frozen=True)
class _PlaneRun:
    """Cells of a field kept as planes that lie in one word: the first cell, the number of cells,
    and their place in the word."""

    field: Field
    first: int
    count: int
    word: int
    shift: int

    def compute_plane_mask_before_shift(self, plane: int) -> int:
        """The mask of a plane's bits in the word, before the shift."""
        return sum(1 << (i * self.field.bits + plane) for i in range(self.count))

    def format_pack_expression(self, plane: int) -> str:
        """Return the expression that moves a plane's bits to their place in the word."""
        bits = f"(int(S[{self.field.offset + plane}]) >> {self.first})"
        return f"deposit({bits}, {self.compute_plane_mask_before_shift(plane)}) << {self.shift}"

    def format_unpack_line(self, plane: int) -> str:
        """Return the line that moves the bits back into the plane; the line for a field's first
        cells clears the plane first."""
        bits = (
            f"(extract(int(P[i, {self.word}]) >> {self.shift}, {self.compute_plane_mask_before_shift(plane)}"
            f") << {self.first})"
        )
        cell = f"S[{self.field.offset + plane}]"
        return f"{cell} = {cell} | {bits}" if self.first else f"{cell} = {bits}"


def _iter_plane_cells_by_word(game: Game, plane_field_numbers: frozenset[int]) -> Iterator[_PlaneRun]:
    cells = [
        (held, cell - held.offset, word, shift)
        for cell, held, word, shift in iter_cell_places_in_packed_state(game)
        if held.number in plane_field_numbers
    ]
    for (held, word), group in groupby(cells, key=lambda c: (c[0], c[2])):
        listed = list(group)
        yield _PlaneRun(held, listed[0][1], len(listed), word, listed[0][3])


def _generate_lines_packing_word(word: int, cell_expressions: list[str]) -> list[str]:
    """Return lines that build one word step by step: a single expression of a hundred cells is too
    deep for some parsers."""
    return [
        f"w = {cell_expressions[0] if cell_expressions else 0}",
        *(f"w = w | ({b})" for b in cell_expressions[1:]),
        f"P[i, {word}] = w",
    ]
