"""Candidate invariants: linear conditions fitted to sampled states, and conditions on the values of single
cells near a target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.language import Array, Term
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.language.fields import Field
from playproof.language.random import make_game_seed
from playproof.verifier.kernel.claim_terms import ClaimTermBuilder, Target
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.lines_of_play import GameInProgress
from playproof.verifier.search.random_games import CuriousPlayer, RandomPlayer, sample_term_values_and_endings

# -- linear candidates ---------------------------------------------------------------------------------------
# Candidate invariants: linear conditions fitted to states from random games and known lines of play.

_FACTORS = (1, 2, 3, 4)
_MOST_NAMES = 32
_SMALL = 8


@dataclass(frozen=True, slots=True)
class SampledNumbers:
    """Named numbers of a game, as formulas write them, with their values in sampled states."""

    texts: tuple[str, ...]
    terms: tuple[Term, ...]
    values: npt.NDArray[np.int64]
    small: tuple[bool, ...]
    outcome: npt.NDArray[np.int64]

    def does_number_vary(self, number_index: int) -> bool:
        """Return whether the samples differ in number i."""
        return bool(self.values[number_index].min() < self.values[number_index].max())


def propose_linear_conditions_from_samples(
    case: GameCase, extra_lines: Sequence[Sequence[int]] = (), *, unless_lost: bool = False
) -> list[str]:
    """Return bounds, bounds for each ending, and `q1 <= a * q2 + q3 + c`, where q2 is the round (or
    any number, if there is no round) and q3 is a small number or nothing. With `unless_lost`, the
    linear conditions need not hold in games that ended without a win."""
    numbers = _sample_named_numbers_in_games(case, extra_lines)
    lost = _build_condition_prefix_excepting_lost_games(case) if unless_lost else ""
    texts: list[str] = []
    for i in range(len(numbers.texts)):
        texts += _propose_sampled_bounds_of_number(numbers, i) + _propose_bounds_of_number_by_ending(case, numbers, i)
        for j in _choose_indexes_of_numbers_to_bound_by(case, numbers):
            if i != j and numbers.does_number_vary(i) and numbers.does_number_vary(j):
                texts += [
                    lost + limit.format_as_condition_text(numbers)
                    for limit in _iter_linear_bounds_fitting_samples(numbers, i, j)
                ]
    return list(dict.fromkeys(texts))


@dataclass(frozen=True, slots=True)
class PaceConditions:
    """Two conditions that together bound a number from below at every win: how much of another number a win
    `needs`, and how slowly that one `grows`."""

    least: int
    needs: str
    grows: str


def propose_pace_conditions_greatest_first(
    case: GameCase, number: Term, extra_lines: Sequence[Sequence[int]]
) -> list[PaceConditions]:
    """Return what random games and lines suggest about how slowly a win comes, the greatest bound on the number
    first. For example, a win needs 10 cubes placed, and at most two are placed a round: at least 5 rounds."""
    numbers = _sample_named_numbers_in_games(case, extra_lines)
    wins = [e.number for e in case.game.endings if e.kind == "win"]
    won = np.isin(numbers.outcome, wins)
    counts = [i for i, term in enumerate(numbers.terms) if term is number]
    if not counts or not won.any():
        return []
    running = " and ".join(f"outcome != {ending}" for ending in wins)
    suggested: list[PaceConditions] = []
    for i, name in enumerate(numbers.texts):
        if i == counts[0] or not numbers.does_number_vary(i):
            continue
        needed = int(numbers.values[i][won].min())
        for limit in _iter_linear_bounds_fitting_samples(numbers, i, counts[0]):
            most_of_third = 0 if limit.third is None else numbers.terms[limit.third].hi
            least = -(-(needed - most_of_third - limit.more) // limit.factor)
            grows = _build_condition_prefix_excepting_lost_games(case) + limit.format_as_condition_text(numbers)
            suggested.append(PaceConditions(least, f"{running} or {name} >= {needed}", grows))
    return sorted(suggested, key=lambda pace: -pace.least)


def _build_condition_prefix_excepting_lost_games(case: GameCase) -> str:
    """Return the beginning of a condition that games which ended without a win need not satisfy."""
    return "".join(f"outcome == {e.number} or " for e in case.game.endings if e.kind != "win")


def _propose_sampled_bounds_of_number(numbers: SampledNumbers, number_index: int) -> list[str]:
    name = numbers.texts[number_index]
    return [
        f"{name} <= {int(numbers.values[number_index].max())}",
        f"{name} >= {int(numbers.values[number_index].min())}",
    ]


def _propose_bounds_of_number_by_ending(case: GameCase, numbers: SampledNumbers, number_index: int) -> list[str]:
    """Return bounds that hold while the game runs, then bounds that hold after each ending. For an
    ending that no sample shows, the number's highest value serves as the bound."""
    running = numbers.values[number_index][numbers.outcome == 0]
    texts = [f"outcome != 0 or {numbers.texts[number_index]} <= {int(running.max())}"] if len(running) else []
    for ending in case.game.endings:
        mine = numbers.values[number_index][numbers.outcome == ending.number]
        low, high = (
            (int(mine.min()), int(mine.max()))
            if len(mine)
            else (numbers.terms[number_index].hi, numbers.terms[number_index].hi)
        )
        texts += [
            f"outcome != {ending.number} or {numbers.texts[number_index]} >= {low}",
            f"outcome != {ending.number} or {numbers.texts[number_index]} <= {high}",
        ]
    return texts


@dataclass(frozen=True, slots=True)
class _LinearBound:
    """number i <= factor * number j + number `third` (or 0) + more"""

    i: int
    factor: int
    j: int
    third: int | None
    more: int

    def format_as_condition_text(self, numbers: SampledNumbers) -> str:
        names = numbers.texts
        third = "" if self.third is None else f"{names[self.third]} + "
        return f"{names[self.i]} <= {self.factor} * {names[self.j]} + {third}{self.more}"


def _iter_linear_bounds_fitting_samples(
    numbers: SampledNumbers, bounded_index: int, base_index: int
) -> Iterator[_LinearBound]:
    """Yield q1 <= a * q2 + q3 + c, with the least c that all samples satisfy."""
    for a in _FACTORS:
        gap = numbers.values[bounded_index] - a * numbers.values[base_index]
        yield _LinearBound(bounded_index, a, base_index, None, int(gap.max()))
        for k, small in enumerate(numbers.small):
            if k not in (bounded_index, base_index) and small and numbers.does_number_vary(k):
                rest = gap - numbers.values[k]
                if int(rest.max()) < int(gap.max()):
                    yield _LinearBound(bounded_index, a, base_index, k, int(rest.max()))


def _choose_indexes_of_numbers_to_bound_by(case: GameCase, numbers: SampledNumbers) -> list[int]:
    round_ = case.game.facts.get("round")
    if round_ and f"`{round_}`" in numbers.texts:
        return [numbers.texts.index(f"`{round_}`")]
    return list(range(min(len(numbers.texts), 6)))


def _sample_named_numbers_in_games(case: GameCase, extra_lines: Sequence[Sequence[int]]) -> SampledNumbers:
    """Return the game's numbers: quantities first, then single fields."""
    game = case.game
    names = [n for n, t in game.quantities.items() if t.lo < t.hi]
    single = [(n, h.field) for n, h in game.handles.items() if not isinstance(h, Array)]
    names += [n for n, field in single if field.lo < field.hi and n not in (*names, "phase", "outcome")]
    names = names[:_MOST_NAMES]
    terms = [ClaimTermBuilder(game).find_term_of_name(name) for name in names]
    values, outcome = sample_term_values_and_endings(case, terms, extra_lines)
    return SampledNumbers(
        tuple(f"`{n}`" for n in names), tuple(terms), values, tuple(t.hi - t.lo <= _SMALL for t in terms), outcome
    )


# -- cell candidates -----------------------------------------------------------------------------------------
# Candidate invariants about single cells near a target: the values that cells have at each moment of the
# game, alone or beside another cell.

_GAMES, _FEW = 400, 4
_MOST_VALUES = 5_000
_RUN = 20_260_105
IntColumn = npt.NDArray[np.int64]


def propose_conditions_on_cells_near_target(case: GameCase, target: Target) -> list[str]:
    """Return candidates about the target's cells, the remembered phases, and arrays as long as the
    target's."""
    single, arrays = _list_single_fields_and_arrays_of_target(case, target)
    about = [f for f in single if f.number in target.condition.reads]
    flags: list[Field] = []
    if about:
        flags = [f for f in case.game.fields if f.size == 1 and (f.lo, f.hi) == (0, 1) and f not in single]
    offsets = [0]  # of the phase, then of each cell
    for f in [*single, *flags, *arrays]:
        offsets += range(f.offset, f.offset + f.size)
    column = _sample_values_by_cell_in_games(case, offsets, [f.offset for f in about])
    texts = list(_iter_conditions_on_field_values_by_phase(case, target, about, single, flags, column)) if about else []
    for f in arrays:
        if f.number in target.condition.reads:
            texts += _iter_conditions_between_arrays(f, arrays, column)
    return list(dict.fromkeys(texts))


def _list_single_fields_and_arrays_of_target(case: GameCase, target: Target) -> tuple[list[Field], list[Field]]:
    """Return the single fields that the target reads, with the remembered phases; and the
    one-dimensional arrays as long as one that it reads."""
    game, reads = case.game, target.condition.reads
    single = [
        f
        for f in game.fields
        if f.size == 1 and f.name not in ("phase", "outcome") and (f.number in reads or f in game.phase_fields)
    ]
    sizes = {f.shape for f in game.fields if f.number in reads and len(f.shape) == 1}
    return single, [f for f in game.fields if f.shape in sizes]


def _sample_values_by_cell_in_games(
    case: GameCase, cell_numbers: Sequence[int], curiosity_cells: Sequence[int]
) -> dict[int, IntColumn]:
    """Return what these cells are in the different states of random games, including those between automatic phases:
    entry n of each column is of the same state. `curiosity_cells` are cells that the curious player treats as context:
    it counts an action separately for each set of them that are not 0."""
    module, automatic = case.plain.module, [p.automatic for p in case.game.phases]
    curious, met = (
        CuriousPlayer(make_game_seed(_RUN, 0), curiosity_cells),
        [[case.game.get_state_before_automatic_phases()[o] for o in cell_numbers]],
    )
    for game in range(_GAMES):
        line = GameInProgress(case).play_to_end_with_player(
            curious if game % 4 else RandomPlayer(make_game_seed(_RUN, game))
        )
        state = list(case.first)
        for ident in line.idents:
            met.append([state[o] for o in cell_numbers])
            module.take(state, ident)
            while not state[1] and automatic[state[0]]:
                met.append([state[o] for o in cell_numbers])
                getattr(module, f"auto{state[0]}")(state)
        met.append([state[o] for o in cell_numbers])
    columns = np.unique(np.array(met, dtype=np.int64), axis=0).T
    return dict(zip(cell_numbers, columns, strict=True))


def _must_field_change_for_target(case: GameCase, target: Target, field: Field) -> bool:
    """Return whether the target holds only where a single field is not at its first value."""
    near = [g for g in case.game.fields if g.number in target.condition.reads and g is not field]
    if any(g.size > 1 for g in near) or np.prod([g.hi - g.lo + 1 for g in near], dtype=float) > _MOST_VALUES:
        return True
    grids = np.meshgrid(*(np.arange(g.lo, g.hi + 1) for g in near), indexing="ij") if near else []
    width = grids[0].size if grids else 1
    cells = np.repeat(np.array(case.game.get_state_before_automatic_phases(), dtype=np.int64)[:, None], width, axis=1)
    for g, grid in zip(near, grids, strict=True):
        cells[g.offset] = grid.ravel()
    cells[field.offset] = field.start[0]
    return not evaluate_term_in_many_states(target.condition, cells).any()


def _iter_conditions_on_field_values_by_phase(
    case: GameCase,
    target: Target,
    target_fields: Sequence[Field],
    single_fields: Sequence[Field],
    flag_fields: Sequence[Field],
    values_by_cell: dict[int, IntColumn],
) -> Iterator[str]:
    """Yield the values that fields may have in each phase, alone and where one of the target's
    fields is not at its first value."""
    movers = [f for f in target_fields if _must_field_change_for_target(case, target, f)]
    for phase in (
        case.game.phases
    ):  # with a mover, `_iter_conditions_where_field_has_moved` says more about the remembered phases
        for f in [*(target_fields if movers else single_fields), *flag_fields]:
            yield from _iter_condition_if_field_values_few(
                f"phase != {phase.number} or ", f, values_by_cell[f.offset][values_by_cell[0] == phase.number]
            )
    for f in movers:
        for other in single_fields:
            if other is not f:
                yield from _iter_conditions_where_field_has_moved(case, f, other, flag_fields, values_by_cell)


def _iter_conditions_where_field_has_moved(
    case: GameCase,
    moved_field: Field,
    other_field: Field,
    flag_fields: Sequence[Field],
    values_by_cell: dict[int, IntColumn],
) -> Iterator[str]:
    """Yield, for states where a field has moved, that another has a value seen in its phase, or in
    any phase where it never has its first value.

    A first value in such a state is a leftover, unless a flag is up. A phase that no game showed
    may be like the others.
    """
    moved, values = (values_by_cell[moved_field.offset] != moved_field.start[0], values_by_cell[other_field.offset])
    met = {
        p.number: _column_to_set_of_values(values[moved & (values_by_cell[0] == p.number)]) for p in case.game.phases
    }
    fresh = {phase: seen for phase, seen in met.items() if seen and other_field.start[0] not in seen}
    every = set().union(*fresh.values())
    guesses = [every, *({v} for v in sorted(_column_to_set_of_values(values))[: _FEW + 1])]
    for phase, seen in met.items():
        start = f"phase != {phase} or {moved_field.name} == {moved_field.start[0]} or "
        if phase in fresh or not seen:
            for allowed in (fresh[phase], every) if phase in fresh else guesses:
                yield from _iter_condition_if_field_values_few(start, other_field, allowed)
            continue
        for flag in flag_fields:
            up = _column_to_set_of_values(
                values[moved & (values_by_cell[0] == phase) & (values_by_cell[flag.offset] == 1)]
            )
            if up and up <= every:
                yield from _iter_condition_if_field_values_few(f"{start}{flag.name} == 0 or ", other_field, every)


def _column_to_set_of_values(column: IntColumn) -> set[int]:
    return {int(v) for v in column}


def _iter_condition_if_field_values_few(prefix: str, field: Field, values: Iterable[int]) -> Iterator[str]:
    """Yield the condition that a field has one of a few values (its first value if none is
    given)."""
    few = sorted({int(v) for v in values} or {field.start[0]})
    if len(few) <= _FEW and len(few) <= field.hi - field.lo:
        yield prefix + " or ".join(f"{field.name} == {v}" for v in few)


def _iter_conditions_between_arrays(
    array: Field, arrays: Sequence[Field], values_by_cell: dict[int, IntColumn]
) -> Iterator[str]:
    """Yield conditions that cell i of this array is at its first value wherever cell i of another
    array is, or is not, at its own."""
    for i in range(array.size):
        mine = values_by_cell[array.offset + i]
        for other in arrays:
            theirs, first = values_by_cell[other.offset + i], other.start[i]
            for sign, where in (("!=", theirs == first), ("==", theirs != first)):
                if other is not array and (mine[where] == array.start[i]).all():
                    yield f"{other.name}[{i}] {sign} {first} or {array.name}[{i}] == {array.start[i]}"
