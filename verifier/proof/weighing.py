"""Sums of weights that show an event out of reach: found by linear programming (no step raises the sum), or by
elimination modulo a prime (no step changes the remainder). What is found is a guess from steps that were seen; the
kernel asks of every step.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations, product
from math import lcm
from typing import NamedTuple

from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.weights import WeighingCertificate, WeightedSum, is_odd_permutation
from playproof.verifier.proof.linear_programs import LinearConstraint, find_infeasibility_multipliers_or_none
from playproof.verifier.proof.phases_end import format_cell_name_in_condition
from playproof.verifier.search.case import PLAIN, Budget, GameCase, add_work_units_done
from playproof.verifier.search.lines_of_play import GameInProgress
from playproof.verifier.search.step_readings import Fact, TooManyOperators, build_planning_operators_or_raise
from playproof.verifier.search.target_distance import (
    find_facts_conditions_imply_or_empty,
    list_condition_sets_reaching_target,
)

FactChange = dict[Fact, int]
"""What a step does to facts: 1 for one that it makes, -1 for one that it undoes."""
_PRIMES = (2, 3)
_GAMES, _STEPS = 20, 400
_MOST_FACTS, _MOST_GROUND = 3_000, 2_000
_MOST_INDICES = 12  # fields that may point at a cell
_FIRST = 2  # cells before it are the phase and the outcome
_SECONDS = 60.0
_MOST_SUMS = 12  # remainders that are tried one by one for being needed
_SEED = 20_261_123


def find_weighing_kernel_accepts_or_none(
    case: GameCase, event: Event, target: Target, budget: Budget
) -> WeighingCertificate | None:
    """Return weights that the kernel accepts, or None."""
    game = case.game
    facts = sum((f.hi - f.lo + 1) * f.size for f in game.fields[_FIRST:])
    if game.ground > _MOST_GROUND or facts > _MOST_FACTS:
        return None
    is_plain = not any(p.automatic for p in game.phases)
    if not is_plain and not any(_may_hold_permutation(field) for field in game.fields[_FIRST:]):
        return None
    seen = StepSample(case)
    for guess in (
        _iter_untested_weighings_by_remainders(case, event, target, seen) if is_plain else (),
        _iter_untested_weighings_by_parity(case, target, event, seen),
        _iter_weighings_no_step_raises(case, event, target, seen) if is_plain else (),
    ):
        for certificate in guess:
            if budget.left <= 0:
                return None
            if does_kernel_accept_certificate(case, certificate):
                return _copy_weighing_without_unneeded_sums(case, certificate)
    return None


def does_kernel_accept_certificate(case: GameCase, certificate: Certificate) -> bool:
    """Return whether the kernel accepts a certificate."""
    try:
        check_certificate_to_theorem(certificate, case.game, case.context)
    except NotShown:
        return False
    return True


def _copy_weighing_without_unneeded_sums(case: GameCase, certificate: WeighingCertificate) -> WeighingCertificate:
    """Return a certificate without the sums that are not needed."""
    if len(certificate.sums) > _MOST_SUMS:
        return certificate
    for number in certificate.sums:
        fewer = replace(certificate, sums=tuple(s for s in certificate.sums if s is not number))
        if len(certificate.sums) > 1 and does_kernel_accept_certificate(case, fewer):
            certificate = fewer
    return certificate


@dataclass
class StepSample:
    """What steps did in games drawn at random, and what the rules say that they do. `constant` are the cells that an
    index cell, or a row and a column, point at whose value there is always the same: (array, index fields, value)."""

    case: GameCase
    changes: list[FactChange] = field(default_factory=list)
    exchanges: dict[str, list[bool | None]] = field(default_factory=dict)
    constant: dict[tuple[str, tuple[str, ...]], set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        distinct = dict[tuple[tuple[Fact, int], ...], FactChange]()
        for before, after in self._iter_random_steps_and_record_constants():
            change = _compute_facts_made_and_undone(before, after)
            distinct.setdefault(tuple(sorted(change.items())), change)
        for change in _iter_sure_fact_changes_of_operators(self.case.game):
            distinct.setdefault(tuple(sorted(change.items())), change)
        self.changes = [change for change in distinct.values() if change]

    def _iter_random_steps_and_record_constants(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield states with what follows them, in games at random."""
        draw, game = random.Random(_SEED), self.case.game
        pointers = list(_iter_arrays_with_pointers(game))
        for _ in range(_GAMES):
            play = GameInProgress(self.case)
            for _ in range(_STEPS):
                if not play.update_legal_actions_and_tell_if_any():
                    break
                before = list(play.state)
                for array, indices in pointers:
                    place = _compute_place_in_array(array, [before[index.offset] for index in indices])
                    key = array.name, tuple(index.name for index in indices)
                    self.constant.setdefault(key, set()).add(before[array.offset + place])
                for ident in play.idents:
                    yield before, play.get_state_after_or_current_if_broken(ident)
                play.take_action_or_end_if_rules_break(draw.choice(play.idents))
            add_work_units_done(PLAIN)


def _iter_arrays_with_pointers(game: Game) -> Iterator[tuple[Field, tuple[Field, ...]]]:
    """Yield arrays with fields that may point at a cell: one field for each index of the array."""
    indices = [each for each in game.fields[_FIRST:] if not each.shape and each.lo == 0 and each.hi > 0]
    for array in (each for each in game.fields[_FIRST:] if each.shape):
        for some in permutations(indices, len(array.shape)) if len(indices) <= _MOST_INDICES else ():
            if all(index.hi < size for index, size in zip(some, array.shape, strict=True)):
                yield array, some


def _compute_place_in_array(array: Field, indices: Sequence[int]) -> int:
    place = 0
    for index, size in zip(indices, array.shape, strict=True):
        place = place * size + index
    return place


def _compute_facts_made_and_undone(state_before: Sequence[int], state_after: Sequence[int]) -> FactChange:
    """Return what a step does to facts, the phase and the outcome left out."""
    change: FactChange = {}
    for cell in range(_FIRST, len(state_before)):
        if state_before[cell] != state_after[cell]:
            change[cell, state_before[cell]], change[cell, state_after[cell]] = -1, 1
    return change


def _iter_sure_fact_changes_of_operators(game: Game) -> Iterator[FactChange]:
    """Yield what the rules say that actions do, where they say it of facts."""
    try:
        several = build_planning_operators_or_raise(game)
    except (TooManyOperators, RecursionError):
        return
    for operator in several:
        change: FactChange = {}
        for effect in operator.effects:
            cell, value = effect.fact
            if cell < _FIRST:
                continue
            if effect.when or cell not in operator.needs:
                break
            if operator.needs[cell] != value:
                change[cell, operator.needs[cell]], change[cell, value] = -1, 1
        else:
            yield change


# -- in words ---------------------------------------------------------------------------------------------------

_MOST_TOLD, _FIRST_TOLD = 60, 3
"""Values with weights that are told one by one; how many of each weight if there are more."""


def explain_why_weighing_excludes_event(game: Game, certificate: WeighingCertificate) -> str:
    """Return why the event never happens, in the game's own words."""
    return "; and ".join(_describe_weighted_sum_in_words(game, number) for number in certificate.sums)


def _describe_weighted_sum_in_words(game: Game, weighted_sum: WeightedSum) -> str:
    """Return what a sum weighs, what holds of it in every game, and what the event needs."""
    weighed = _shift_weights_by_commonest_of_cell(game, weighted_sum)
    start = game.get_state_before_automatic_phases()
    first = sum(weight for (cell, value), weight in weighed.items() if start[cell] == value)
    by_weight: dict[int, list[str]] = {}
    for (cell, value), weight in weighed.items():
        by_weight.setdefault(weight, []).append(_format_cell_with_value(game, cell, value))
    parts = []
    for weight, some in sorted(by_weight.items()):
        few = some if len(weighed) <= _MOST_TOLD else some[:_FIRST_TOLD]
        more = f" and {len(some) - len(few)} others" if len(few) < len(some) else ""
        parts.append(f"{weight} for {', '.join(few)}{more}")
    if weighted_sum.permutation:
        parts.append(f"{weighted_sum.modulus // 2} if `{weighted_sum.permutation}` is an odd permutation of the start")
    what = f"count {'; '.join(parts)}"
    if weighted_sum.modulus:
        left = first % weighted_sum.modulus
        return f"{what}: divided by {weighted_sum.modulus}, the sum always leaves {left}, there it would not"
    return f"{what}: the sum is {first} at the start, no step raises it, there it would be more"


def _shift_weights_by_commonest_of_cell(game: Game, weighted_sum: WeightedSum) -> dict[Fact, int]:
    """Return the weights, with the most frequent weight of each cell taken from all its values: that changes no
    difference, and leaves less to tell."""
    fields = [f for f in game.fields for _ in range(f.size)]
    weights = {(cell, value): weight for cell, value, weight in weighted_sum.weights}
    result: dict[Fact, int] = {}
    for cell in sorted({cell for cell, _ in weights}):
        values = range(fields[cell].lo, fields[cell].hi + 1)
        all_weights = [weights.get((cell, value), 0) for value in values]
        base = max(all_weights, key=lambda weight: (all_weights.count(weight), weight == all_weights[0]))
        for value in values:
            weight = weights.get((cell, value), 0) - base
            weight = weight % weighted_sum.modulus if weighted_sum.modulus else weight
            if weight:
                result[cell, value] = weight
    return result


def _format_cell_with_value(game: Game, cell_number: int, value: int) -> str:
    """Return `peg[3]` for a cell of two values, and `gap == 3` for one of more."""
    held = next(f for f in game.fields if f.offset <= cell_number < f.offset + f.size)
    name = format_cell_name_in_condition(game, cell_number).replace("`", "")
    return name if held.hi - held.lo == 1 else f"{name} == {value}"


# -- remainders -------------------------------------------------------------------------------------------------


def _iter_untested_weighings_by_remainders(
    case: GameCase, event: Event, target: Target, step_sample: StepSample
) -> Iterator[WeighingCertificate]:
    """Yield sums whose remainders no step that was seen changes."""
    start = case.game.get_state_before_automatic_phases()
    for prime in _PRIMES:
        sums = tuple(
            WeightedSum(prime, weights)
            for weights, _ in _iter_weights_invariant_modulo_prime(step_sample.changes, start, prime, [])
        )
        if sums:
            yield WeighingCertificate(event, sums)


def _may_hold_permutation(field: Field) -> bool:
    """Return whether a field begins with values that all differ."""
    return field.size > 1 and len(set(field.start)) == field.size


def _iter_untested_weighings_by_parity(
    case: GameCase, target: Target, event: Event, step_sample: StepSample
) -> Iterator[WeighingCertificate]:
    """Yield sums of weights and of a permutation's sign whose remainders modulo 2 no step that was seen changes."""
    start = case.game.get_state_before_automatic_phases()
    goals = [
        find_facts_conditions_imply_or_empty(case, way) for way in list_condition_sets_reaching_target(case, target)
    ]
    for held in filter(_may_hold_permutation, case.game.fields[_FIRST:]):
        cells = range(held.offset, held.offset + held.size)
        [at, *others] = {_complete_permutation_or_none(held, dict(goal)) for goal in goals} or {None}
        if others:
            continue
        flips = [_is_change_odd_permutation_or_none(change, cells) for change in step_sample.changes]
        if None in flips or at is None:
            continue
        layers, places = _build_pointed_cells_lemma_and_pointers(case.game, step_sample, held.name)
        for weights, sign in _iter_weights_invariant_modulo_prime(
            step_sample.changes, start, 2, [bool(flip) for flip in flips]
        ):
            if sign:
                yield WeighingCertificate(event, (WeightedSum(2, weights, held.name, at),), layers, places)


def _complete_permutation_or_none(field: Field, goal_value_by_cell: dict[int, int]) -> tuple[int, ...] | None:
    """Return the values of a field where the goal is reached, if they are those of the start in some order; one that
    the goal does not name is the one that is left."""
    values = [goal_value_by_cell.get(field.offset + n) for n in range(field.size)]
    left = set(field.start) - set(values)
    if values.count(None) == 1 and len(left) == 1:
        values[values.index(None)] = left.pop()
    at = tuple(value for value in values if value is not None)
    return at if sorted(at) == sorted(field.start) else None


def _is_change_odd_permutation_or_none(change: FactChange, field_cells: range) -> bool | None:
    """Return whether a change puts values of these cells in another order by an odd number of exchanges; None if it
    does anything else to them."""
    before = {cell: value for (cell, value), sign in change.items() if sign < 0 and cell in field_cells}
    after = {cell: value for (cell, value), sign in change.items() if sign > 0 and cell in field_cells}
    if sorted(before.values()) != sorted(after.values()) or len(set(before.values())) < len(before):
        return None
    order = sorted(before)
    holder = {value: order.index(cell) for cell, value in before.items()}
    return is_odd_permutation([holder[after[cell]] for cell in order])


def _build_pointed_cells_lemma_and_pointers(
    game: Game, step_sample: StepSample, array_name: str
) -> tuple[tuple[Lemma, ...], tuple[int, ...]]:
    """Return the conditions that a cell that indices point at always has one value, and the index cells."""
    texts, places = list[str](), list[int]()
    for (array, indices), values in step_sample.constant.items():
        if array != array_name or len(values) != 1 or any(game.get_field(index).offset in places for index in indices):
            continue
        pointers, value = [game.get_field(index) for index in indices], next(iter(values))
        cases = []
        for there in product(*(range(pointer.hi + 1) for pointer in pointers)):
            pointed = [f"{index} == {k}" for index, k in zip(indices, there, strict=True)]
            cases.append(f"({' and '.join(pointed)} and {array}[{', '.join(map(str, there))}] == {value})")
        texts.append(" or ".join(cases))
        places += [pointer.offset for pointer in pointers]
    return ((Lemma(tuple(texts), True, ()),) if texts else ()), tuple(places)


class _InvariantWeights(NamedTuple):
    """The weights of facts, as (cell, value, weight), and whether the sign of the permutation counts with them."""

    weights: tuple[tuple[int, int, int], ...]
    does_permutation_count: bool


def _iter_weights_invariant_modulo_prime(
    fact_changes: Sequence[FactChange], start_state: Sequence[int], prime: int, is_permutation_flipped: Sequence[bool]
) -> Iterator[_InvariantWeights]:
    """Yield a basis of the weights modulo a prime under which no change has a remainder. What a cell has at the start
    weighs 0: that is no loss."""
    facts = sorted({fact for change in fact_changes for fact in change if start_state[fact[0]] != fact[1]})
    number = {fact: n for n, fact in enumerate(facts)}
    sign = len(facts)
    rows = []
    for n, change in enumerate(fact_changes):
        row = {number[fact]: by % prime for fact, by in change.items() if fact in number}
        if is_permutation_flipped and is_permutation_flipped[n]:
            row[sign] = 1
        rows.append(row)
    for solution in iter_nullspace_basis_modulo_prime(rows, sign + bool(is_permutation_flipped), prime):
        weights = tuple((*facts[n], value) for n, value in sorted(solution.items()) if n != sign)
        if weights or sign in solution:
            yield _InvariantWeights(weights, sign in solution)


def iter_nullspace_basis_modulo_prime(
    sparse_rows: Sequence[dict[int, int]], column_count: int, prime: int
) -> Iterator[dict[int, int]]:
    """Yield a basis of the vectors that every row takes to 0 modulo a prime, each as its entries that are not 0."""
    pivots: dict[int, dict[int, int]] = {}
    for row in sparse_rows:
        left = {c: v % prime for c, v in row.items() if v % prime}
        while left and (first := min(left)) in pivots:
            left = _subtract_row_multiple_modulo_prime(left, pivots[first], left[first], prime)
        if left:
            first = min(left)
            inverse = pow(left[first], -1, prime)
            pivots[first] = {c: v * inverse % prime for c, v in left.items()}
    for first in sorted(pivots, reverse=True):  # leave each pivot in its own row alone
        for other in [c for c in pivots[first] if c != first and c in pivots]:
            if other in pivots[first]:
                pivots[first] = _subtract_row_multiple_modulo_prime(
                    pivots[first], pivots[other], pivots[first][other], prime
                )
    for free in range(column_count):
        if free not in pivots:
            solution = {first: -row[free] % prime for first, row in pivots.items() if free in row}
            yield {**solution, free: 1}


def _subtract_row_multiple_modulo_prime(
    sparse_row: dict[int, int], subtracted_row: dict[int, int], factor: int, prime: int
) -> dict[int, int]:
    """Return a row minus so many times another."""
    result = dict(sparse_row)
    for column, value in subtracted_row.items():
        result[column] = (result.get(column, 0) - factor * value) % prime
        if not result[column]:
            del result[column]
    return result


# -- sums that no step raises -----------------------------------------------------------------------------------


def _iter_weighings_no_step_raises(
    case: GameCase, event: Event, target: Target, step_sample: StepSample
) -> Iterator[WeighingCertificate]:
    """Yield sums, one for each way to the target, that no step that was seen raises and that are too small for it."""
    sums = []
    for way in list_condition_sets_reaching_target(case, target):
        number = _find_sum_no_step_raises_or_none(
            case.game, dict(find_facts_conditions_imply_or_empty(case, way)), step_sample.changes
        )
        if number is None:
            return
        sums.append(number)
    if sums:
        yield WeighingCertificate(event, tuple(dict.fromkeys(sums)))


def _find_sum_no_step_raises_or_none(
    game: Game, goal_value_by_cell: dict[int, int], fact_changes: Sequence[FactChange]
) -> WeightedSum | None:
    """Return a sum that no change raises, and that is greater than at the start wherever these facts hold.

    The rows are the state equation: the start and all changes, each any number of times, give the end.
    """
    start = game.get_state_before_automatic_phases()
    touched = sorted({cell for change in fact_changes for cell, _ in change} | set(goal_value_by_cell))
    values: dict[int, set[int]] = {cell: {start[cell]} for cell in touched}
    for change in fact_changes:
        for cell, value in change:
            values[cell].add(value)
    for cell, value in goal_value_by_cell.items():
        values[cell].add(value)
    terms: dict[Fact, dict[int, int]] = {(c, v): {} for c in touched for v in values[c]}
    for column, change in enumerate(fact_changes):
        for fact, by in change.items():
            terms[fact][column] = by
    rows, column = [], len(fact_changes)
    for cell in touched:
        ends = {}
        for value in sorted(values[cell]):
            if goal_value_by_cell.get(cell, value) == value:
                terms[cell, value][column] = -1
                ends[column] = 1
                column += 1
        rows.append(LinearConstraint(f"end {cell}", ends, 1, equal=True))
    rows += [
        LinearConstraint(f"{cell} {value}", row, -int(start[cell] == value), equal=True)
        for (cell, value), row in terms.items()
    ]
    multipliers = find_infeasibility_multipliers_or_none(rows, column, _SECONDS)
    if multipliers is None:
        return None
    add_work_units_done(1e-5 * sum(len(row.terms) for row in rows))
    scale = lcm(*(y.denominator for y in multipliers.values()))
    weights = ((c, v, multipliers.get(f"{c} {v}", Fraction(0))) for c, v in terms)
    return WeightedSum(0, tuple((c, v, int(y * scale)) for c, v, y in weights if y))
