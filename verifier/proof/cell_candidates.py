"""Candidate invariants about single cells near a target: the values that cells have at each moment
of the game, alone or beside another cell.

    phase != 7 or target == 0                        in this phase the field has its first value
    phase != 9 or target == 0 or back == 3           ... or, where it has not, the play goes on in that phase
    token_owner[4] != 0 or tokens[4] == 0            a cell without its neighbour's consent stays as it was

They come from the small steps of a few hundred games. Houdini's method drops those that some step
breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from playproof.language.fields import Field
from playproof.language.random import make_game_seed
from playproof.language.vector import evaluate_term
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.curious_games import CuriousPlayer
from playproof.verifier.search.lines import GameInProgress
from playproof.verifier.search.random_games import RandomPlayer

_GAMES, _FEW = 400, 4
_MOST_VALUES = 5_000
_RUN = 20_260_105
IntColumn = npt.NDArray[np.int64]


def propose_cell_conditions(case: GameCase, target: Target) -> list[str]:
    """Return candidates about the target's cells, the remembered phases, and arrays as long as the
    target's."""
    single, arrays = _list_fields_near_target(case, target)
    about = [f for f in single if f.number in target.condition.reads]
    flags: list[Field] = []
    if about:
        flags = [f for f in case.game.fields if f.size == 1 and (f.lo, f.hi) == (0, 1) and f not in single]
    offsets = [0]  # of the phase, then of each cell
    for f in [*single, *flags, *arrays]:
        offsets += range(f.offset, f.offset + f.size)
    met = _sample_cell_values(case, offsets, [f.offset for f in about])
    column = dict(zip(offsets, met, strict=True))
    texts = list(_iter_phase_conditions(case, target, about, single, flags, column)) if about else []
    for f in arrays:
        if f.number in target.condition.reads:
            texts += _iter_array_pair_conditions(f, arrays, column)
    return list(dict.fromkeys(texts))


def _list_fields_near_target(case: GameCase, target: Target) -> tuple[list[Field], list[Field]]:
    """Return the single fields that the target reads, with the remembered phases; and the
    one-dimensional arrays as long as one that it reads."""
    game, reads = case.game, target.condition.reads
    single = [
        f
        for f in game.fields
        if f.size == 1
        and f.name not in ("phase", "outcome")
        and (f.number in reads or f in game.phase_fields)
    ]
    sizes = {f.shape for f in game.fields if f.number in reads and len(f.shape) == 1}
    return single, [f for f in game.fields if f.shape in sizes]


def _sample_cell_values(case: GameCase, offsets: Sequence[int], context_offsets: Sequence[int]) -> IntColumn:
    """Return the cells at `offsets` (rows) in the states of random games, including those between
    automatic phases (columns). `about` are cells that the curious player treats as context: it
    counts an action separately for each set of them that are not 0."""
    module, automatic = case.plain.module, [p.automatic for p in case.game.phases]
    curious, met = (
        CuriousPlayer(make_game_seed(_RUN, 0), context_offsets),
        [[case.game.get_initial_cells()[o] for o in offsets]],
    )
    for game in range(_GAMES):
        line = GameInProgress(case).play_to_end(
            curious if game % 4 else RandomPlayer(make_game_seed(_RUN, game))
        )
        state = list(case.first)
        for ident in line.idents:
            met.append([state[o] for o in offsets])
            module.take(state, ident)
            while not state[1] and automatic[state[0]]:
                met.append([state[o] for o in offsets])
                getattr(module, f"auto{state[0]}")(state)
        met.append([state[o] for o in offsets])
    return np.unique(np.array(met, dtype=np.int64), axis=0).T


def _needs_field_change_for_target(case: GameCase, target: Target, f: Field) -> bool:
    """Return whether the target holds only where a single field is not at its first value."""
    near = [g for g in case.game.fields if g.number in target.condition.reads and g is not f]
    if any(g.size > 1 for g in near) or np.prod([g.hi - g.lo + 1 for g in near], dtype=float) > _MOST_VALUES:
        return True
    grids = np.meshgrid(*(np.arange(g.lo, g.hi + 1) for g in near), indexing="ij") if near else []
    width = grids[0].size if grids else 1
    cells = np.repeat(np.array(case.game.get_initial_cells(), dtype=np.int64)[:, None], width, axis=1)
    for g, grid in zip(near, grids, strict=True):
        cells[g.offset] = grid.ravel()
    cells[f.offset] = f.start[0]
    return not evaluate_term(target.condition, cells).any()


def _iter_phase_conditions(
    case: GameCase,
    target: Target,
    target_fields: Sequence[Field],
    single: Sequence[Field],
    flags: Sequence[Field],
    column: dict[int, IntColumn],
) -> Iterator[str]:
    """Yield the values that fields may have in each phase, alone and where one of the target's
    fields is not at its first value."""
    movers = [f for f in target_fields if _needs_field_change_for_target(case, target, f)]
    for (
        phase
    ) in case.game.phases:  # with a mover, `_iter_pair_conditions` says more about the remembered phases
        for f in [*(target_fields if movers else single), *flags]:
            yield from _iter_few_values_condition(
                f"phase != {phase.number} or ", f, column[f.offset][column[0] == phase.number]
            )
    for f in movers:
        for other in single:
            if other is not f:
                yield from _iter_pair_conditions(case, f, other, flags, column)


def _iter_pair_conditions(
    case: GameCase, f: Field, other: Field, flags: Sequence[Field], column: dict[int, IntColumn]
) -> Iterator[str]:
    """Yield, for states where a field has moved, that another has a value seen in its phase, or in
    any phase where it never has its first value.

    A first value in such a state is a leftover, unless a flag is up. A phase that no game showed
    may be like the others.
    """
    moved, values = column[f.offset] != f.start[0], column[other.offset]
    met = {p.number: _column_to_set(values[moved & (column[0] == p.number)]) for p in case.game.phases}
    fresh = {phase: seen for phase, seen in met.items() if seen and other.start[0] not in seen}
    every = set().union(*fresh.values())
    guesses = [every, *({v} for v in sorted(_column_to_set(values))[: _FEW + 1])]
    for phase, seen in met.items():
        start = f"phase != {phase} or {f.name} == {f.start[0]} or "
        if phase in fresh or not seen:
            for allowed in (fresh[phase], every) if phase in fresh else guesses:
                yield from _iter_few_values_condition(start, other, allowed)
            continue
        for flag in flags:
            up = _column_to_set(values[moved & (column[0] == phase) & (column[flag.offset] == 1)])
            if up and up <= every:
                yield from _iter_few_values_condition(f"{start}{flag.name} == 0 or ", other, every)


def _column_to_set(values: IntColumn) -> set[int]:
    return {int(v) for v in values}


def _iter_few_values_condition(prefix: str, f: Field, values: Iterable[int]) -> Iterator[str]:
    """Yield the condition that a field has one of a few values (its first value if none is
    given)."""
    few = sorted({int(v) for v in values} or {f.start[0]})
    if len(few) <= _FEW and len(few) <= f.hi - f.lo:
        yield prefix + " or ".join(f"{f.name} == {v}" for v in few)


def _iter_array_pair_conditions(
    f: Field, arrays: Sequence[Field], column: dict[int, IntColumn]
) -> Iterator[str]:
    """Yield conditions that cell i of this array is at its first value wherever cell i of another
    array is, or is not, at its own."""
    for i in range(f.size):
        mine = column[f.offset + i]
        for other in arrays:
            theirs, first = column[other.offset + i], other.start[i]
            for sign, where in (("!=", theirs == first), ("==", theirs != first)):
                if other is not f and (mine[where] == f.start[i]).all():
                    yield f"{other.name}[{i}] {sign} {first} or {f.name}[{i}] == {f.start[i]}"
